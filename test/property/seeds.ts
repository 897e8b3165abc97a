/**
 * How many random flows a property tries. `npm test` takes few; `PROPERTY_SEEDS=all` takes all that the property was
 * written with, `PROPERTY_SEEDS=N` another number, and `PROPERTY_FIRST=N` begins at another seed, as
 * `npm run campaign -- property` does.
 */
import assert from 'node:assert/strict';

const { PROPERTY_SEEDS, PROPERTY_FIRST } = process.env;

interface Extent {
  /** Seeds of the long form. */
  readonly all: number;
  readonly first?: number;
  /** Seeds of `npm test`, and the first of them where another one meets more. */
  readonly few?: number;
  readonly fewFrom?: number;
}

export class Seeds implements Iterable<number> {
  readonly count: number;
  readonly first: number;
  readonly #all: number;
  readonly #few: number;

  constructor({ all, first = 1, few = 1, fewFrom = first }: Extent) {
    this.#all = all;
    this.#few = few;
    if (PROPERTY_SEEDS === undefined) this.count = few;
    else this.count = PROPERTY_SEEDS === 'all' ? all : Number(PROPERTY_SEEDS);
    if (PROPERTY_FIRST !== undefined) this.first = Number(PROPERTY_FIRST);
    else this.first = this.count < all ? fewFrom : first;
    assert.ok(this.count >= 1 && Number.isSafeInteger(this.first), `${PROPERTY_SEEDS} ${PROPERTY_FIRST}`);
  }

  *[Symbol.iterator](): Generator<number> {
    for (let n = 0; n < this.count; n++) yield this.first + n;
  }

  /**
   * The flows came to what the property is about: so often over all seeds, and over fewer half of their share, as seeds
   * differ. Seeds that were drawn, and fewer than those of `npm test`, may miss it.
   */
  met(what: string, count: number, least: number): void {
    if (PROPERTY_FIRST !== undefined || this.count < this.#few) return;
    const share = this.count >= this.#all ? 1 : this.count / this.#all / 2;
    assert.ok(count >= Math.floor(least * share), `${count} ${what} in ${this.count} of ${this.#all} seeds`);
  }
}

/** The size of a random trial that is one flow: few in `npm test`, all with `PROPERTY_SEEDS=all`. */
export const sizeOf = (few: number, all: number): number => (PROPERTY_SEEDS === 'all' ? all : few);
