/** Marks and coin prices as of now, for work and reads that go on by them when prices have moved. */

import type { InstantPrices } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { coinUsd } from './collateral.ts';
import { markTicks } from './margin.ts';

export function presentPrices(state: State): InstantPrices {
  return {
    marks: state.instruments.map((instrument) =>
      instrument.futures === undefined ? 0 : markTicks(state, instrument),
    ),
    coins: state.coins.map((_, coin) => coinUsd(state, coin)),
  };
}
