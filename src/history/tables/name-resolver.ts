/** Instruments and coins by the indices in events, as they were described to the history. */
import type { Instrument } from '../../core/model/instrument.ts';

export class NameResolver {
  readonly #instruments: readonly Instrument[];
  readonly #coins: readonly string[];

  constructor(instruments: readonly Instrument[], coins: readonly string[]) {
    this.#instruments = instruments;
    this.#coins = coins;
  }

  instrument(index: number): Instrument {
    const instrument = this.#instruments[index];
    if (instrument === undefined) throw new Error(`instrument ${index} was not described to history`);
    return instrument;
  }

  readonly coin = (index: number): string => {
    const coin = this.#coins[index];
    if (coin === undefined) throw new Error(`coin ${index} was not described to history`);
    return coin;
  };
}
