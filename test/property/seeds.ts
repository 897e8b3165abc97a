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
  /** Seeds of `npm test`. */
  readonly few?: number;
  readonly first?: number;
}

export class Seeds implements Iterable<number> {
  readonly count: number;
  readonly first: number;
  readonly #all: number;

  constructor({ all, few = 1, first = 1 }: Extent) {
    this.#all = all;
    this.first = PROPERTY_FIRST === undefined ? first : Number(PROPERTY_FIRST);
    if (PROPERTY_SEEDS === undefined) this.count = few;
    else this.count = PROPERTY_SEEDS === 'all' ? all : Number(PROPERTY_SEEDS);
    assert.ok(this.count >= 1 && Number.isSafeInteger(this.first), `${PROPERTY_SEEDS} ${PROPERTY_FIRST}`);
  }

  *[Symbol.iterator](): Generator<number> {
    for (let n = 0; n < this.count; n++) yield this.first + n;
  }

  /**
   * The flows came to what the property is about: so often over all seeds, and over fewer their share of it. Seeds that
   * were drawn may miss it.
   */
  met(what: string, count: number, least: number): void {
    if (PROPERTY_FIRST !== undefined) return;
    const share = Math.min(1, this.count / this.#all);
    assert.ok(count >= Math.floor(least * share), `${count} ${what} in ${this.count} of ${this.#all} seeds`);
  }
}
