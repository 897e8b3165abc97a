/** Ids are counted from 1 and printed with 19 digits, as clients expect; equal length makes text sort like numbers. */
const DIGITS = 18;
/** The last digits of an id come from a table, and ids in use at a time share most of what stands before them. */
const TAIL_DIGITS = 3;
const TAIL = 10 ** TAIL_DIGITS;
const TAILS = Array.from({ length: TAIL }, (_, tail) => String(tail).padStart(TAIL_DIGITS, '0'));
const HEADS_KEPT = 1024;
const heads = Array.from({ length: HEADS_KEPT }, () => ({ head: -1, printed: '' }));
/**
 * An order's id is printed in its result and in each of its records, one after the other, and those of a trade in turns:
 * the last two are kept.
 */
let last = { id: -1, printed: '' };
let before = { id: -1, printed: '' };

export function formatOrderId(id: number): string {
  if (id === last.id) return last.printed;
  const older = before;
  before = last;
  last = older;
  if (id === last.id) return last.printed;
  const head = Math.floor(id / TAIL);
  const known = heads[head & (HEADS_KEPT - 1)]!;
  if (known.head !== head) {
    known.head = head;
    known.printed = `1${String(head).padStart(DIGITS - TAIL_DIGITS, '0')}`;
  }
  last.id = id;
  last.printed = known.printed + TAILS[id - head * TAIL]!;
  return last.printed;
}

const PRINTED = /^1[0-9]{18}$/;

/** The counter behind a printed id; undefined when the text is not one. */
export function parseOrderId(text: string): number | undefined {
  if (!PRINTED.test(text)) return undefined;
  const id = Number(text.slice(1));
  return id > 0 && id <= Number.MAX_SAFE_INTEGER ? id : undefined;
}
