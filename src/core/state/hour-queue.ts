/**
 * Loans by their next hour, of equal ones by id. Hours are charged in order and each is followed by one an hour later, so a
 * loan goes behind all others and nothing is searched: a heap would look at a dozen other loans, which are in no cache.
 */
import type { Loan } from '../model/loan.ts';

export class HourQueue {
  private head: Loan | undefined;
  private tail: Loan | undefined;
  /** Added out of order, as those of a snapshot are: they wait until somebody asks. */
  private unordered: Loan[] = [];

  first(): Loan | undefined {
    this.order();
    return this.head;
  }

  /** How many hours begin until a time, that one included; counts no more than so many. */
  countUntil(time: number, most: number): number {
    let count = 0;
    for (let loan = this.first(); loan !== undefined && loan.queuedHour <= time; loan = loan.later)
      if (++count === most) break;
    return count;
  }

  add(loan: Loan): void {
    loan.queuedHour = loan.nextHour();
    if (this.tail === undefined || isEarlier(this.tail, loan)) this.append(loan);
    else this.unordered.push(loan);
  }

  /** After an hour may have been charged. */
  settle(loan: Loan): void {
    if (loan.queuedHour === loan.nextHour()) return;
    this.remove(loan);
    this.add(loan);
  }

  remove(loan: Loan): void {
    this.order();
    const { earlier, later } = loan;
    if (earlier === undefined) this.head = later;
    else earlier.later = later;
    if (later === undefined) this.tail = earlier;
    else later.earlier = earlier;
    loan.earlier = undefined;
    loan.later = undefined;
  }

  private append(loan: Loan): void {
    loan.earlier = this.tail;
    loan.later = undefined;
    if (this.tail === undefined) this.head = loan;
    else this.tail.later = loan;
    this.tail = loan;
  }

  private order(): void {
    if (this.unordered.length === 0) return;
    const all = this.unordered;
    this.unordered = [];
    for (let loan = this.head; loan !== undefined; loan = loan.later) all.push(loan);
    this.head = undefined;
    this.tail = undefined;
    for (const loan of inOrder(all)) this.append(loan);
  }
}

/** By hour and id, as numbers: a million calls to compare two loans would take four times as long. */
function inOrder(loans: readonly Loan[]): readonly Loan[] {
  const byId = areByIds(loans) ? loans : [...loans].sort((a, b) => a.id - b.id);
  const count = byId.length;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { queuedHour } of byId) {
    first = Math.min(first, queuedHour);
    last = Math.max(last, queuedHour);
  }
  if ((last - first + 1) * count > Number.MAX_SAFE_INTEGER)
    return [...byId].sort((a, b) => a.queuedHour - b.queuedHour || a.id - b.id);
  const keys = new Float64Array(count);
  for (let n = 0; n < count; n++) keys[n] = (byId[n]!.queuedHour - first) * count + n;
  keys.sort();
  const sorted = new Array<Loan>(count);
  for (let n = 0; n < count; n++) sorted[n] = byId[keys[n]! - Math.floor(keys[n]! / count) * count]!;
  return sorted;
}

function areByIds(loans: readonly Loan[]): boolean {
  for (let n = 1; n < loans.length; n++) if (loans[n]!.id < loans[n - 1]!.id) return false;
  return true;
}

function isEarlier(a: Loan, b: Loan): boolean {
  return a.queuedHour < b.queuedHour || (a.queuedHour === b.queuedHour && a.id < b.id);
}
