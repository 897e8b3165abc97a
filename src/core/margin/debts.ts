/** Debts of an account and the margin they require (rules 6.1, 6.3). Coin amounts and dollars, both in 10^-8. */

import { NIL } from '../book/order-slab.ts';
import { Side } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { tierIndex } from '../model/margin-tiers.ts';
import {
  divCeil,
  divFloor,
  larger,
  MONEY_ONE,
  MONEY_SCALE,
  powerOfTen,
  RATE_ONE,
  smaller,
} from '../model/units.ts';
import { heldCoin, holdOf } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { coinUsd, collateralRate, isIndexed } from './collateral.ts';
import { lendingLimit } from './custody.ts';

const DEFAULT_LEVERAGE = 3;
/** For accounts without debts (rules 0.5). */
const WARNING_RATIO = (RATE_ONE * 8n) / 10n;

/** Leverage of debts in a coin: the account's setting, at most the present maximum. */
export function coinLeverage(state: State, account: Account, coin: number): number {
  const most = Math.max(1, state.lending[coin]!.maxLeverage);
  return Math.min(account.coinLeverage.get(coin) ?? DEFAULT_LEVERAGE, most);
}

/** The margin ratio at which the account is liquidated: the strictest of the pairs that lend what it owes (rules 6.9). */
export function liquidationRatio(state: State, account: Account): bigint {
  return strictest(state, account, 'liquidationRatio', RATE_ONE);
}

/** The same for the level at which it is warned. */
export function warningRatio(state: State, account: Account): bigint {
  return strictest(state, account, 'warningRatio', WARNING_RATIO);
}

function strictest(
  state: State,
  account: Account,
  level: 'liquidationRatio' | 'warningRatio',
  withoutDebt: bigint,
): bigint {
  let ratio = withoutDebt;
  if (!state.ledger.hasNegativeCash(account.index)) return ratio;
  for (const coin of state.ledger.coinsOf(account.index)) {
    if (balanceOf(state, account, coin) < 0n) ratio = smaller(ratio, state.lending[coin]![level]);
  }
  return ratio;
}

/** Does the account owe anything, unrealised losses aside? */
export function isInDebt(state: State, account: Account): boolean {
  const { ledger } = state;
  if (!ledger.hasNegativeCash(account.index)) return false;
  return ledger.coinsOf(account.index).some((coin) => balanceOf(state, account, coin) < 0n);
}

/** A spot or margin order that is being considered. */
export interface SpotIntent {
  readonly instrument: Instrument;
  readonly side: Side;
  /** The worst price it may trade at. */
  readonly priceTicks: number;
  /** Amounts of the coin it pays: the whole, the part to borrow, and the part it holds of the cash at once. */
  readonly need: bigint;
  readonly borrowed: bigint;
  readonly hold: bigint;
}

/** Margin requirements of open spot and margin orders. */
export interface OrderRequirements {
  /** Amounts that orders would borrow, by coin. */
  readonly borrowed: ReadonlyMap<number, bigint>;
  /** Dollars of margin value that their trades would cost. */
  readonly haircut: bigint;
}

/** Requirements of all open orders but `leaveOut`, without the cash that has arrived since they were placed. */
export function openOrderRequirements(state: State, account: Account, leaveOut: number): OrderRequirements {
  const borrowed = new Map<number, bigint>();
  let haircut = 0n;
  const { slab } = state;
  for (let slot = account.firstOrder; account.openSpot > 0 && slot !== NIL; slot = slab.accountNext[slot]!) {
    const instrument = state.instrumentOf(slot);
    if (instrument.futures !== undefined || slot === leaveOut) continue;
    const side = slab.side[slot] as Side;
    const part = slab.marginHolds.get(slot)?.borrowed ?? 0n;
    addBorrowed(borrowed, heldCoin(instrument, side), part);
    const priceTicks = slab.price[slot]!;
    const need = BigInt(holdOf(state, instrument, slot));
    haircut += haircutLoss(state, account, { instrument, side, priceTicks, need, borrowed: part });
  }
  return { borrowed, haircut };
}

/** Requirements of open orders and of `intent`. `open`: those of open orders, if already computed. */
export function orderClaims(
  state: State,
  account: Account,
  intent: SpotIntent | undefined,
  leaveOut: number,
  open: OrderRequirements = openOrderRequirements(state, account, leaveOut),
): OrderRequirements {
  const borrowed = new Map(open.borrowed);
  let { haircut } = open;
  if (intent !== undefined) {
    const { instrument, side, borrowed: part } = intent;
    addBorrowed(borrowed, heldCoin(instrument, side), part);
    haircut += haircutLoss(state, account, intent);
  }
  // Cash that has arrived since an order was placed reduces the amount to borrow.
  for (const [coin, part] of borrowed) {
    const holds =
      intent !== undefined && heldCoin(intent.instrument, intent.side) === coin ? intent.hold : 0n;
    const cash = larger(0n, state.ledger.balanceOf(account.index, coin, Bucket.cash)) - holds;
    borrowed.set(coin, larger(0n, part - cash));
  }
  return { borrowed, haircut };
}

function addBorrowed(borrowed: Map<number, bigint>, coin: number, part: bigint): void {
  if (part > 0n) borrowed.set(coin, (borrowed.get(coin) ?? 0n) + part);
}

/**
 * Paying with a coin of a high collateral rate for one of a lower rate costs margin value: value x (rate given - rate
 * received). The borrowed part counts in full as a debt. A price worse than the coins' value costs the difference too:
 * otherwise an account could move its collateral or its loan to an accomplice and leave the loss to the exchange.
 */
function haircutLoss(state: State, account: Account, order: Omit<SpotIntent, 'hold'>): bigint {
  const { instrument, side, need, borrowed } = order;
  const given = heldCoin(instrument, side);
  const received = given === instrument.quote ? instrument.base : instrument.quote;
  const usd = divCeil(need * coinUsd(state, given), MONEY_ONE);
  const debt = divCeil(borrowed * coinUsd(state, given), MONEY_ONE);
  const worth = coinUsd(state, received) * larger(0n, balanceOf(state, account, received));
  const receivedRate = collateralRate(state, received, worth / MONEY_ONE + usd);
  const givenRate = collateralRate(state, given, 0n);
  const own = larger(0n, usd - debt);
  const kept = (part: bigint) => valueAfter(state, order, part) * receivedRate;
  return divCeil(larger(0n, own * givenRate - kept(own)) + debt * RATE_ONE - kept(debt), RATE_ONE);
}

/** Dollar value received for dollars given at the order's price; at most the value given. */
function valueAfter(
  state: State,
  { instrument, side, priceTicks }: Pick<SpotIntent, 'instrument' | 'side' | 'priceTicks'>,
  usd: bigint,
): bigint {
  const price = BigInt(priceTicks) * powerOfTen(MONEY_SCALE - instrument.pricePrecision);
  const asked = price * coinUsd(state, instrument.quote);
  const fair = coinUsd(state, instrument.base) * MONEY_ONE;
  const [gets, gives] = side === Side.buy ? [fair, asked] : [asked, fair];
  return gets >= gives ? usd : divFloor(usd * gets, gives);
}

/** Cash and what orders hold. */
export function balanceOf(state: State, account: Account, coin: number): bigint {
  const { ledger } = state;
  return (
    ledger.balanceOf(account.index, coin, Bucket.cash) + ledger.balanceOf(account.index, coin, Bucket.locked)
  );
}

/** Dollars of initial margin for a debt; `debt` includes the amounts that open orders would borrow. */
export function debtInitial(state: State, account: Account, coin: number, debt: bigint): bigint {
  const usd = divCeil(debt * coinUsd(state, coin), MONEY_ONE);
  return divCeil(usd, BigInt(coinLeverage(state, account, coin)));
}

/** Dollars of maintenance margin: the whole debt at the rate of its tier. */
export function debtMaintenance(state: State, coin: number, debt: bigint): bigint {
  const { tiers } = state.lending[coin]!.terms;
  const usd = divCeil(debt * coinUsd(state, coin), MONEY_ONE);
  return divCeil(usd * tiers[tierIndex(tiers, usd)]!.rate, RATE_ONE);
}

/** Amount of a coin that the account's open margin orders would borrow. */
export function pendingBorrow(state: State, account: Account, coin: number, leaveOut: number = NIL): bigint {
  const { slab } = state;
  const all = state.lending[coin]!.reservedBy.get(account.index) ?? 0n;
  if (all === 0n || leaveOut === NIL || slab.account[leaveOut] !== account.index) return all;
  const left = slab.marginHolds.get(leaveOut)?.borrowed ?? 0n;
  const borrows = heldCoin(state.instrumentOf(leaveOut), slab.side[leaveOut] as Side) === coin;
  return borrows ? all - left : all;
}

/** The largest further debt that pool, custody, account, party and tier allow; the account's margin is another matter. */
export function lendable(state: State, account: Account, coin: number, leaveOut: number = NIL): bigint {
  const { terms, reserved, maxLeverage } = state.lending[coin]!;
  if (maxLeverage === 0 || !isIndexed(state, coin)) return 0n;
  const leftOut = state.slab.marginHolds.get(leaveOut)?.borrowed ?? 0n;
  const owes = (one: Account) =>
    larger(0n, -balanceOf(state, one, coin)) + pendingBorrow(state, one, coin, leaveOut);
  const own = owes(account);
  const master = state.accounts[account.party]!;
  const party = [master, ...master.subAccounts].reduce((sum, one) => sum + owes(one), 0n);
  const limits = [
    lendingLimit(state, coin) - state.ledger.totalDebt(coin) - (reserved - leftOut),
    terms.userLimit - own,
    terms.masterSubLimit - party,
    tierLimit(state, account, coin) - own,
  ];
  return larger(0n, limits.reduce(smaller));
}

/** The largest debt that the leverage set for the coin allows, in the coin. */
function tierLimit(state: State, account: Account, coin: number): bigint {
  const leverage = coinLeverage(state, account, coin);
  const price = coinUsd(state, coin);
  let usd = 0n;
  for (const tier of state.lending[coin]!.terms.tiers) if (tier.maxLeverage >= leverage) usd = tier.upTo;
  return price === 0n ? 0n : (usd * MONEY_ONE) / price;
}
