/** Ids are counted from 1 and printed with 19 digits, as clients expect; equal length makes text sort like numbers. */
const DIGITS = 18;
/** What stands before an id of so many digits. */
const PREFIXES = Array.from({ length: DIGITS + 1 }, (_, digits) => `1${'0'.repeat(DIGITS - digits)}`);

export function formatOrderId(id: number): string {
  const digits = String(id);
  return PREFIXES[digits.length]! + digits;
}

const PRINTED = /^1[0-9]{18}$/;

/** The counter behind a printed id; undefined when the text is not one. */
export function parseOrderId(text: string): number | undefined {
  if (!PRINTED.test(text)) return undefined;
  const id = Number(text.slice(1));
  return id > 0 && id <= Number.MAX_SAFE_INTEGER ? id : undefined;
}
