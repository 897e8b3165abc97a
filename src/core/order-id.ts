/** Ids are counted from 1 and printed with 19 digits, as clients expect; equal length makes text sort like numbers. */
const DIGITS = 18;

export function formatOrderId(id: number): string {
  return `1${String(id).padStart(DIGITS, '0')}`;
}

const PRINTED = /^1[0-9]{18}$/;

/** The counter behind a printed id; undefined when the text is not one. */
export function parseOrderId(text: string): number | undefined {
  if (!PRINTED.test(text)) return undefined;
  const id = Number(text.slice(1));
  return id > 0 && id <= Number.MAX_SAFE_INTEGER ? id : undefined;
}
