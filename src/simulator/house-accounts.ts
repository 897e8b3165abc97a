/**
 * The accounts that agents trade with: ordinary accounts with the flag `house`, which only means that no order, fill
 * or ledger line of theirs is kept. They obey the ledger like everybody. Their numbers lie below those of users and
 * say what they are for, so that a restart finds them again.
 */
import { ANY, type Command, type Unstamped } from '../core/model/command.ts';
import { Bucket } from '../core/model/ledger-accounts.ts';
import { smaller } from '../core/model/units.ts';
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
};

export function houseUid(kind: AgentKind, number: number): number {
  return FIRST_UID[kind] + number;
}

/** What an account should hold of a coin, in 10^-8; the treasury acts below and above. */
export interface Holding {
  readonly uid: number;
  readonly coin: number;
  readonly target: bigint;
  /** Brought up when less than this share of the target is left, in percent. */
  readonly lowPercent: bigint;
  /** Taken down when more than this; 0 = may keep everything. */
  readonly highPercent: bigint;
}

/** Deposits and withdrawals that bring the accounts back to what they should hold. */
export function rebalancing(state: State, holdings: readonly Holding[]): Unstamped<Command>[] {
  const commands: Unstamped<Command>[] = [];
  for (const { uid, coin, target, lowPercent, highPercent } of holdings) {
    const account = state.accountByUid.get(uid);
    if (account === undefined) continue;
    const cash = state.ledger.peek(account.index, coin, Bucket.cash);
    const held = cash + state.ledger.peek(account.index, coin, Bucket.locked);
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

/** Cancels of everything that house accounts have in books: nobody looks after it while the market is off. */
export function withdrawnQuotes(state: State): Unstamped<Command>[] {
  const house = [...state.accountByUid.values()].filter((account) => account.house);
  return house.flatMap(({ uid }) => cancelEverything(state, uid));
}

/** Everything an account has in books. */
export function cancelEverything(state: State, uid: number): Unstamped<Command>[] {
  const traded = state.accountByUid.get(uid)?.openByInstrument.instruments() ?? [];
  const categories = new Set(traded.map((index) => state.instruments[index]!.category));
  return [...categories]
    .sort((a, b) => a - b)
    .map((category) => ({ type: 'cancelAll', uid, category, instrument: ANY }));
}
