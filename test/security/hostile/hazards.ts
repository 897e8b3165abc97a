/** Values that parsers have fallen for (reliability 3.3), as JSON text, so that numbers keep the form they were written in. */
const quoted = (texts: readonly string[]) => texts.map((text) => JSON.stringify(text));

/** Text that some parser takes for a number and that is no decimal number of the contract. */
export const NOT_DECIMAL_TEXTS: readonly string[] = [
  '1e999',
  '1e5',
  'NaN',
  'Infinity',
  '-1',
  '+1',
  '0x10',
  ' 12 ',
  '12abc',
  '00012.5',
  '5.',
  '.5',
  '1,5',
  '1_000',
  '１２',
  '١٢',
  '²',
  '1'.repeat(400),
];

/** JSON numbers that are none: out of range, no longer exact, negative, or finer than any pair counts. */
export const NOT_DECIMAL_NUMBERS: readonly string[] = ['1e999', '12345678901234567890', '-1', '1e-7', '1e30'];

export const WRONG_TYPES: readonly string[] = ['[]', '["7"]', '{}', '{"a":"7"}', 'true', 'false'];

/** Clients send these for what they leave out: harmless in an optional field, missing in a required one. */
export const EMPTY_VALUES: readonly string[] = ['null', '""'];

export const BROKEN_TEXTS: readonly string[] = [
  '"\\ud800"',
  '"a\\udc00b"',
  '"\\u0000"',
  '"a\\nb"',
  '"\\u001b[31m"',
  '"\\u202e"',
  JSON.stringify('x'.repeat(129)),
];

export const NOT_DECIMAL: readonly string[] = [
  ...quoted(NOT_DECIMAL_TEXTS),
  ...NOT_DECIMAL_NUMBERS,
  ...WRONG_TYPES,
  ...BROKEN_TEXTS,
];

/** No word of the contract, whatever a case-folding or number-reading parser makes of it. */
export const NOT_A_WORD: readonly string[] = [
  ...NOT_DECIMAL,
  ...quoted([
    'ſpot',
    'BTCUſDT',
    'mar\u212aet',
    'BTCUSDT\u0000',
    'BTCUSDT ',
    '__proto__',
    'constructor',
    'toString',
  ]),
];

/** A clientOid may look like a bad number; what it may not hold is other characters. */
export const NOT_A_CLIENT_OID: readonly string[] = [
  ...quoted(['+1', ' 12 ', '１２', '١٢', 'a b', 'a%20b', "a'b", 'x'.repeat(33), '1'.repeat(400)]),
  '1e999',
  '12345678901234567890',
  ...WRONG_TYPES,
  ...BROKEN_TEXTS,
];

export const NOT_WHOLE_TEXTS: readonly string[] = [...NOT_DECIMAL_TEXTS, '1.5', '9'.repeat(33)];
