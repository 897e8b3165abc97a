/** What another leverage of debts would mean, without choosing it (wire 4.3, rules 6.3, 6.5). */

import { debtOf } from '../borrowing/conversion.ts';
import { coinUsd } from '../margin/collateral.ts';
import { lendable } from '../margin/debts.ts';
import { computeRisk } from '../margin/margin.ts';
import { divFloor, larger, MONEY_ONE, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

export interface CoinLeveragePreview {
  /** All in 10^-8 of the coin: what could be borrowed, what the present debt would bind, and how much more that is. */
  readonly borrowable: bigint;
  readonly required: bigint;
  readonly change: bigint;
}

export function previewCoinLeverage(
  state: State,
  account: Account,
  coin: number,
  leverage: number,
): CoinLeveragePreview {
  const price = coinUsd(state, coin);
  if (price === 0n) return { borrowable: 0n, required: 0n, change: 0n };
  // The account as it would be; nothing of it may be changed, for it shares everything else.
  const asIf = Object.create(account, {
    coinLeverage: { value: new Map(account.coinLeverage).set(coin, leverage) },
    margin: { value: undefined, writable: true },
  }) as Account;
  const before = computeRisk(state, account);
  const after = computeRisk(state, asIf);
  const inCoin = (usd: bigint) => divFloor(usd * MONEY_ONE, price);
  const free = larger(0n, after.effective - after.initial);
  return {
    borrowable: smaller(lendable(state, asIf, coin), inCoin(free * BigInt(leverage))),
    required: debtOf(state, account, coin) / BigInt(leverage),
    change: inCoin(after.initial - before.initial),
  };
}
