/**
 * Accounts of agents: ordinary accounts with the flag `house`, which only means that their orders, fills and ledger
 * lines are not stored. The ledger treats them like all others. Their uids lie below those of users and encode their
 * purpose, so that a restart finds them again.
 */

import { ANY, type Command, type Unstamped } from '../core/model/command.ts';
import { Bucket } from '../core/model/ledger-accounts.ts';
import { smaller } from '../core/model/units.ts';
import { bucketBalance } from '../core/reads/ledger-reads.ts';
import { openCategories } from '../core/reads/reads.ts';
import type { State } from '../core/state/state.ts';
import type { AgentKind } from './agents/agent.ts';

/** First number of each kind; makers add the number of their instrument, others their own. */
const FIRST_UID: Readonly<Record<AgentKind, number>> = {
  maker: 900_000_000,
  rpi: 900_100_000,
  taker: 900_200_000,
  momentum: 900_300_000,
  reversion: 900_400_000,
  arbitrage: 900_500_000,
  retail: 900_600_000,
  tape: 900_700_000,
};

export function houseUid(kind: AgentKind, number: number): number {
  return FIRST_UID[kind] + number;
}

/** Target balance of a coin, in 10^-8, with the bounds at which the treasury acts. */
export interface Holding {
  readonly uid: number;
  readonly coin: number;
  readonly target: bigint;
  /** Topped up when less than this percentage of the target is left. */
  readonly lowPercent: bigint;
  /** Reduced when above this percentage; 0 = never. */
  readonly highPercent: bigint;
}

/** Deposits and withdrawals that restore the target balances. */
export function rebalancing(state: State, holdings: readonly Holding[]): Unstamped<Command>[] {
  const commands: Unstamped<Command>[] = [];
  for (const { uid, coin, target, lowPercent, highPercent } of holdings) {
    const account = state.accountByUid.get(uid);
    if (account === undefined) continue;
    const cash = bucketBalance(state, account.index, coin, Bucket.cash);
    const held = cash + bucketBalance(state, account.index, coin, Bucket.locked);
    if (held * 100n < target * lowPercent) {
      commands.push({
        type: 'deposit',
        uid,
        coin,
        amount: target - held,
        reference: 'market treasury',
      });
    } else if (highPercent !== 0n && held * 100n > target * highPercent) {
      const surplus = smaller(held - target, cash);
      commands.push({ type: 'withdraw', uid, coin, amount: surplus, reference: 'market treasury' });
    }
  }
  return commands;
}

/** Cancels all orders of house accounts: no agent manages them while the simulator is off. */
export function withdrawnQuotes(state: State): Unstamped<Command>[] {
  const house = [...state.accountByUid.values()].filter((account) => account.house);
  return house.flatMap(({ uid }) => cancelEverything(state, uid));
}

/** Cancels all orders of an account. */
export function cancelEverything(state: State, uid: number): Unstamped<Command>[] {
  return openCategories(state, uid).map((category) => ({
    type: 'cancelAll',
    uid,
    category,
    instrument: ANY,
  }));
}
