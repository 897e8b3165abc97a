/**
 * Conversion: sells one coin of an account to the house for another, at index prices, to pay a debt (rules 6.8). The
 * house is the counterparty of both legs (`sys:convert`).
 */

import { coinUsd, collateralTiers, countsAsMargin, hasUnsafePrice, isIndexed } from '../margin/collateral.ts';
import { conversionRate } from '../margin/conversion-price.ts';
import { balanceOf, isInDebt } from '../margin/debts.ts';
import { coinEquity } from '../margin/margin.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import {
  compare,
  divCeil,
  divFloor,
  larger,
  MONEY_ONE,
  MONEY_SCALE,
  parseUnits,
  RATE_ONE,
  RATE_SCALE,
  smaller,
} from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';

/** 0.1 % (rules 0.5). */
const CONVERSION_FEE_RATE = RATE_ONE / 1000n;

export interface Conversion {
  readonly debtCoin: number;
  readonly payCoin: number;
  /** Most of the debt coin to receive. */
  readonly wanted: bigint;
  /** Most of the payment coin to sell. */
  readonly available: bigint;
  readonly forced: boolean;
}

/** The sold and the received amount; both 0n when a price is missing, `received` 0n when it rounds to nothing. */
export function quote(state: State, conversion: Conversion): { sold: bigint; received: bigint } {
  const { debtCoin, payCoin, wanted, available, forced } = conversion;
  const { debt: debtPrice, pay } = conversionRate(state, debtCoin, payCoin, forced);
  const usd = divFloor(wanted * coinUsd(state, debtCoin), MONEY_ONE);
  const discount = forced ? exchangeDiscount(state, payCoin, usd) : 0n;
  const payPrice = pay * (RATE_ONE - discount) * (RATE_ONE - CONVERSION_FEE_RATE);
  if (debtPrice === 0n || payPrice === 0n || wanted <= 0n || available <= 0n)
    return { sold: 0n, received: 0n };
  const costs = debtPrice * RATE_ONE * RATE_ONE;
  const whole = divCeil(wanted * costs, payPrice);
  if (whole <= available) return { sold: whole, received: wanted };
  return { sold: available, received: divFloor(available * payPrice, costs) };
}

/** Returns the received amount of the debt coin. */
export function convert(state: State, account: Account, conversion: Conversion): bigint {
  const { debtCoin, payCoin, forced } = conversion;
  const { sold, received } = quote(state, conversion);
  if (received === 0n) return 0n;
  const cash = (coin: number) => state.ledger.cell(account.index, coin, Bucket.cash);
  const house = (coin: number) => state.ledger.cell(SystemAccount.convert, coin, Bucket.cash);
  const conversionId = state.nextId();
  const reference = String(conversionId);
  post(state, {
    from: cash(payCoin),
    to: house(payCoin),
    amount: sold,
    fromLine: forced ? 'forcedOut' : 'convertOut',
    reference,
  });
  post(state, {
    from: house(debtCoin),
    to: cash(debtCoin),
    amount: received,
    toLine: forced ? 'forcedIn' : 'convertIn',
    reference,
  });
  state.markDirty(account);
  if (!account.house) {
    state.emit({
      type: 'conversion',
      conversionId,
      uid: account.uid,
      fromCoin: payCoin,
      fromAmount: sold,
      toCoin: debtCoin,
      toAmount: received,
      forced,
      time: state.now,
    });
  }
  return received;
}

/** Larger amounts get a worse rate: that of the tier the dollar value is in. */
function exchangeDiscount(state: State, coin: number, usd: bigint): bigint {
  let discount = 0n;
  for (const tier of collateralTiers(state.coins[coin]!)) {
    const start = parseUnits(tier.tierStartValue, MONEY_SCALE) ?? 0n;
    if (start > 0n && usd <= start) break;
    discount = parseUnits(tier.exchangeDiscount ?? '0', RATE_SCALE) ?? 0n;
  }
  return discount;
}

/** Debt in a coin, an unrealised loss included. */
export function debtOf(state: State, account: Account, coin: number): bigint {
  return larger(0n, -coinEquity(state, account, coin));
}

/** Sells other coins for debts, largest debt first, until `enough`; coins with stale prices are left out. */
export function liquidateCollateral(state: State, account: Account, enough: () => boolean): void {
  for (const debtCoin of debtsInOrder(state, account)) {
    for (const payCoin of paymentsInOrder(state, account)) {
      if (enough()) return;
      const wanted = debtOf(state, account, debtCoin);
      if (wanted === 0n) break;
      const available = payable(state, account, payCoin);
      convert(state, account, { debtCoin, payCoin, wanted, available, forced: true });
    }
  }
}

/** Would a forced conversion receive anything? */
export function isConvertible(state: State, account: Account): boolean {
  const payments = paymentsInOrder(state, account);
  return debtsInOrder(state, account).some((debtCoin) =>
    payments.some((payCoin) => {
      const wanted = debtOf(state, account, debtCoin);
      const available = payable(state, account, payCoin);
      return quote(state, { debtCoin, payCoin, wanted, available, forced: true }).received > 0n;
    }),
  );
}

/** Forced conversion of debts that interest or losses have raised above the account's limit (rules 6.8). */
export function repayFromCollateral(state: State, account: Account): void {
  if (!isInDebt(state, account)) return;
  const excess = (coin: number) => {
    const { userLimit } = state.lending[coin]!.terms;
    return userLimit === 0n ? 0n : -balanceOf(state, account, coin) - userLimit;
  };
  // Few accounts are above it, and every account with a debt is checked after each change.
  if (!state.ledger.coinsOf(account.index).some((coin) => excess(coin) > 0n)) return;
  for (const debtCoin of debtsInOrder(state, account)) {
    if (excess(debtCoin) <= 0n) continue;
    for (const payCoin of paymentsInOrder(state, account)) {
      const wanted = excess(debtCoin);
      const available = payable(state, account, payCoin);
      convert(state, account, { debtCoin, payCoin, wanted, available, forced: true });
    }
  }
}

/** Does the account owe a coin whose index is stale or thin, or hold one as margin? */
export function hasUnsafeCoin(state: State, account: Account): boolean {
  return state.ledger.coinsOf(account.index).some((coin) => {
    const balance = balanceOf(state, account, coin);
    return (balance < 0n || (balance > 0n && countsAsMargin(state, coin))) && hasUnsafePrice(state, coin);
  });
}

/** Largest dollar value first, then by name. */
export function debtsInOrder(state: State, account: Account): number[] {
  return state.ledger
    .coinsOf(account.index)
    .map((coin) => ({ coin, usd: debtOf(state, account, coin) * coinUsd(state, coin) }))
    .filter(({ coin, usd }) => usd > 0n && !hasUnsafePrice(state, coin))
    .sort((a, b) => compare(b.usd, a.usd) || byName(state, a.coin, b.coin))
    .map(({ coin }) => coin);
}

const FIRST_PAYMENTS = ['USDT', 'USDC'];

/** USDT, USDC, then by collateral rate, highest first, then by name; coins without collateral value are left out. */
function paymentsInOrder(state: State, account: Account): number[] {
  return inOrderOfPayment(state, account, (coin) => payable(state, account, coin));
}

/** The same of coins that are somewhere else. */
export function inOrderOfPayment(
  state: State,
  account: Account,
  available: (coin: number) => bigint,
): number[] {
  return state.ledger
    .coinsOf(account.index)
    .map((coin) => ({ coin, ...rankOf(state, coin) }))
    .filter(({ coin }) => isDebtPayment(state, coin) && available(coin) > 0n)
    .sort((a, b) => a.place - b.place || compare(b.rate, a.rate) || byName(state, a.coin, b.coin))
    .map(({ coin }) => coin);
}

/** Is the coin sold for debts? Not without collateral value or with a stale price. */
export function isDebtPayment(state: State, coin: number): boolean {
  return rankOf(state, coin).rate > 0n && !hasUnsafePrice(state, coin);
}

function rankOf(state: State, coin: number): { place: number; rate: bigint } {
  const spec = state.coins[coin]!;
  const [first] = collateralTiers(spec);
  const rate = !isIndexed(state, coin) ? 0n : (parseUnits(first?.discountRate ?? '0', RATE_SCALE) ?? 0n);
  const place = FIRST_PAYMENTS.indexOf(spec.coin);
  return { place: place < 0 ? FIRST_PAYMENTS.length : place, rate };
}

/** Cash less the unrealised loss in the same coin. */
function payable(state: State, account: Account, coin: number): bigint {
  const cash = state.ledger.balanceOf(account.index, coin, Bucket.cash);
  return larger(0n, smaller(cash, coinEquity(state, account, coin)));
}

function byName(state: State, a: number, b: number): number {
  const [one, other] = [state.coins[a]!.coin, state.coins[b]!.coin];
  return one < other ? -1 : one > other ? 1 : 0;
}
