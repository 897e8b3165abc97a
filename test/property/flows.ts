/** Every kind of random trading, with what it starts from. */
import type { Command } from '../../src/core/model/command.ts';
import type { State } from '../../src/core/state/state.ts';
import { EDGE_SET_UP, EdgeFlow } from './edge-flow.ts';
import { FuturesFlow, SET_UP } from './futures-flow.ts';
import { LOAN_SET_UP, LoanFlow } from './loan-flow.ts';
import { MARGIN_SET_UP, MarginFlow } from './margin-flow.ts';
import { StrategyFlow } from './strategy-flow.ts';

export interface Flow {
  readonly setUp: readonly Command[];
  readonly flowOf: (seed: number, state: State) => { next(): Command };
}

export const FLOWS: Readonly<Record<string, Flow>> = {
  futures: { setUp: SET_UP, flowOf: (seed, state) => new FuturesFlow(seed, state) },
  margin: { setUp: MARGIN_SET_UP, flowOf: (seed, state) => new MarginFlow(seed, state) },
  'margin to the last': { setUp: EDGE_SET_UP, flowOf: (seed, state) => new EdgeFlow(seed, state) },
  loans: { setUp: LOAN_SET_UP, flowOf: (seed, state) => new LoanFlow(seed, state) },
  strategies: { setUp: SET_UP, flowOf: (seed, state) => new StrategyFlow(seed, state) },
};
