/**
 * How many orders an account has open in each instrument. Orders come and go all the time, so the counts stay in one
 * place: a `Map` that instruments leave and join again would be built anew every few orders.
 */
const NONE = new Uint16Array(0);

export class OpenCounts {
  private counts = NONE;

  of(instrument: number): number {
    return instrument < this.counts.length ? this.counts[instrument]! : 0;
  }

  add(instrument: number): void {
    if (instrument >= this.counts.length) {
      const wider = new Uint16Array(instrument + 8);
      wider.set(this.counts);
      this.counts = wider;
    }
    this.counts[instrument]!++;
  }

  drop(instrument: number): void {
    this.counts[instrument]!--;
  }

  /** Instruments with open orders, ascending. */
  instruments(): number[] {
    const instruments: number[] = [];
    for (const [instrument, open] of this.counts.entries()) if (open > 0) instruments.push(instrument);
    return instruments;
  }
}
