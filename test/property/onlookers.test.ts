/** Nobody who looks changes what happens: exchanges that are asked much, little or nothing come to the same. */
import { test } from 'node:test';
import type { Command } from '../../src/core/command.ts';
import type { State } from '../../src/core/state.ts';
import { EDGE_SET_UP, EdgeFlow } from './edge-flow.ts';
import { FuturesFlow, SET_UP } from './futures-flow.ts';
import { LOAN_SET_UP, LoanFlow } from './loan-flow.ts';
import { MARGIN_SET_UP, MarginFlow } from './margin-flow.ts';
import { assertLooksChangeNothing } from './onlookers.ts';
import { StrategyFlow } from './strategy-flow.ts';

const FIRST_SEED = 1001;
const SEEDS = 3;
const COMMANDS = 500;

interface Flow {
  readonly setUp: readonly Command[];
  readonly flowOf: (seed: number, state: State) => { next(): Command };
}

const FLOWS: Readonly<Record<string, Flow>> = {
  futures: { setUp: SET_UP, flowOf: (seed, state) => new FuturesFlow(seed, state) },
  margin: { setUp: MARGIN_SET_UP, flowOf: (seed, state) => new MarginFlow(seed, state) },
  'margin to the last': { setUp: EDGE_SET_UP, flowOf: (seed, state) => new EdgeFlow(seed, state) },
  loans: { setUp: LOAN_SET_UP, flowOf: (seed, state) => new LoanFlow(seed, state) },
  strategies: { setUp: SET_UP, flowOf: (seed, state) => new StrategyFlow(seed, state) },
};

for (const [name, { setUp, flowOf }] of Object.entries(FLOWS)) {
  test(`${name}: what happens does not depend on who has looked`, () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
      assertLooksChangeNothing(seed, setUp, COMMANDS, (state) => flowOf(seed, state));
  });
}
