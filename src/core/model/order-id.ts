/** Ids are counted from 1 and printed with 19 digits, as clients expect; equal length makes text sort like numbers. */
const DIGITS = 18;
/** What stands before an id of so many digits. */
const PREFIXES = Array.from({ length: DIGITS + 1 }, (_, digits) => `1${'0'.repeat(DIGITS - digits)}`);

/** An order's id is printed in its result and in each of its records, one after the other: the last one is kept. */
const last = { id: -1, printed: '' };

export function formatOrderId(id: number): string {
  if (id === last.id) return last.printed;
  const digits = String(id);
  last.id = id;
  last.printed = PREFIXES[digits.length]! + digits;
  return last.printed;
}

const PRINTED = /^1[0-9]{18}$/;

/** The counter behind a printed id; undefined when the text is not one. */
export function parseOrderId(text: string): number | undefined {
  if (!PRINTED.test(text)) return undefined;
  const id = Number(text.slice(1));
  return id > 0 && id <= Number.MAX_SAFE_INTEGER ? id : undefined;
}
