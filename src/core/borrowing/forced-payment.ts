/**
 * What an account still owes when its positions are closed and its coins are sold is paid by what it has elsewhere, at once
 * (rules 16.2, 17.1): a claim that waits would be worth less at the next price.
 */

import { smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { type Conversion, convert, debtOf, debtsInOrder, inOrderOfPayment, quote } from './conversion.ts';

/** Something of an account that is not in its unified account. */
export interface Means {
  /** What there is of a coin. */
  readonly held: (coin: number) => bigint;
  /** Brings so much of it to cash. */
  readonly take: (coin: number, amount: bigint) => void;
}

/** Nothing is taken for a crossed position that cannot be closed. */
export function hasCrossed({ positions }: Account): boolean {
  for (const { isolated } of positions.values()) if (!isolated) return true;
  return false;
}

/** Would anything be paid with it? */
export function wouldPay(state: State, account: Account, means: Means): boolean {
  const { held } = means;
  const coins = state.ledger.coinsOf(account.index).filter((coin) => held(coin) > 0n);
  if (coins.length === 0) return false;
  if (coins.some((coin) => debtOf(state, account, coin) > 0n)) return true;
  const payments = inOrderOfPayment(state, account, held);
  return debtsInOrder(state, account).some((debtCoin) =>
    payments.some((payCoin) => quote(state, sale(state, account, means, debtCoin, payCoin)).received > 0n),
  );
}

/** First each coin that is owed, then others, as much as is sold for the debts that are left. */
export function payFrom(state: State, account: Account, means: Means, enough: () => boolean): void {
  const { held, take } = means;
  for (const coin of state.ledger.coinsOf(account.index)) {
    const amount = smaller(held(coin), debtOf(state, account, coin));
    if (amount > 0n) take(coin, amount);
  }
  for (const debtCoin of debtsInOrder(state, account)) {
    for (const payCoin of inOrderOfPayment(state, account, held)) {
      if (enough()) return;
      const conversion = sale(state, account, means, debtCoin, payCoin);
      const { sold, received } = quote(state, conversion);
      if (received === 0n) continue;
      take(payCoin, sold);
      convert(state, account, { ...conversion, available: sold });
    }
  }
}

function sale(
  state: State,
  account: Account,
  { held }: Means,
  debtCoin: number,
  payCoin: number,
): Conversion {
  const wanted = debtOf(state, account, debtCoin);
  return { debtCoin, payCoin, wanted, available: held(payCoin), forced: true };
}
