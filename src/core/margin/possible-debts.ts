/**
 * Which accounts may be in debt with their positions valued at the mark. In a pass over all accounts a bound in plain numbers
 * excludes most of them; only the rest needs big integers.
 */
import { Bucket } from '../model/ledger-accounts.ts';
import type { Account } from '../state/account.ts';
import type { InstantPrices } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { markTicks } from './margin.ts';

/** More than all roundings of a few numbers together. */
const SAFETY = 1 + 1e-9;

/**
 * True for an account without negative cash, whose positions are crossed and linear, settle in one coin, and have lost less
 * than its cash of that coin, at present prices or those of an instant before. False says nothing.
 */
export function surelyOwesNothing(state: State, account: Account, at?: InstantPrices): boolean {
  const { ledger, instruments } = state;
  if (ledger.hasNegativeCash(account.index)) return false;
  let coin = -1;
  let lost = 0;
  for (const { instrument: index, isolated, size, basis } of account.positions.values()) {
    const instrument = instruments[index]!;
    const { settle, coinMargined } = instrument.futures!;
    if (isolated || coinMargined || (coin !== -1 && coin !== settle)) return false;
    coin = settle;
    const ticks = at?.marks[index] ?? markTicks(state, instrument);
    const value = ticks * size * instrument.valuePerTickLotNumber;
    lost += Math.max(0, Number(basis) - value);
  }
  return lost === 0 || Number(ledger.amountOf(account.index, coin, Bucket.cash)) > lost * SAFETY + 1;
}
