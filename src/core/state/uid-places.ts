/**
 * The place of each account by its uid. Uids are given out in ascending order and accounts opened in this order, so a page, which is
 * a range of uids, has a run of neighbours as a rule. Then a place is a sum, and nothing is read that is not in the processor's
 * cache: among a hundred thousand accounts each read that depends on the one before is waited for.
 */
const PAGE_UIDS = 1024;
const NONE = -1;

export class UidPlaces {
  /** By the first of their uids over `PAGE_UIDS`. */
  private readonly pages = new Map<number, Page>();

  /** -1 for a uid without an account. */
  get(uid: number): number {
    const number = Math.floor(uid / PAGE_UIDS);
    const page = this.pages.get(number);
    return page === undefined ? NONE : page.get(uid - number * PAGE_UIDS);
  }

  set(uid: number, place: number): void {
    const number = Math.floor(uid / PAGE_UIDS);
    const page = this.pages.get(number);
    const at = uid - number * PAGE_UIDS;
    if (page === undefined) this.pages.set(number, new Page(at, place));
    else page.set(at, place);
  }
}

class Page {
  /** Where the run begins, what to add there for a place, and how long it is. */
  private readonly first: number;
  private readonly firstPlace: number;
  private length = 1;
  /** All places of the page, once one of them did not continue the run; they count from 1, and 0 is none. */
  private places: Int32Array | undefined;

  constructor(at: number, place: number) {
    this.first = at;
    this.firstPlace = place;
  }

  get(at: number): number {
    const { places } = this;
    if (places !== undefined) return places[at]! - 1;
    const distance = at - this.first;
    return distance >= 0 && distance < this.length ? this.firstPlace + distance : NONE;
  }

  set(at: number, place: number): void {
    const continues = at === this.first + this.length && place === this.firstPlace + this.length;
    if (this.places === undefined && continues) {
      this.length++;
      return;
    }
    this.places ??= this.written();
    this.places[at] = place + 1;
  }

  private written(): Int32Array {
    const places = new Int32Array(PAGE_UIDS);
    for (let n = 0; n < this.length; n++) places[this.first + n] = this.firstPlace + n + 1;
    return places;
  }
}
