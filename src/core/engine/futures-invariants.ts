/** What must hold of positions and margin after every command (rules 10.1). */

import { NIL } from '../book/order-slab.ts';
import { closingOrders } from '../futures/reduce-only-orders.ts';
import { inCoinAt } from '../futures/split-fill.ts';
import {
  crossedIsDue,
  hasUnsafeIndex,
  isActionable,
  isolatedIsDue,
} from '../liquidation/liquidation-check.ts';
import { shortfallOf } from '../margin/clearing-shortfall.ts';
import { warningRatio } from '../margin/debts.ts';
import { hasReachedRatio, type Risk, unrealisedOf } from '../margin/margin.ts';
import type { FuturesMarket } from '../marketdata/futures-market.ts';
import { InstrumentStatus, Side } from '../model/enums.ts';
import { tradeValue } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import type { Position } from '../model/position.ts';
import { assert, larger, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { ContractEnd } from '../state/contract-end.ts';
import type { Market } from '../state/market.ts';
import { awaitsMoney, awaitsPriceCheck, endOf, isEnding } from '../state/open-work.ts';
import { holdersOf } from '../state/position-holders.ts';
import type { State } from '../state/state.ts';
import { checkMarginCache } from './account-invariants.ts';

export function checkFutures(state: State): void {
  for (const index of state.indices) {
    const whole = index.stale || index.weightsSumToOne;
    assert(whole, () => `I43: the weights in use of ${index.name} do not sum to 1`);
  }
  const clearing = new Map<number, bigint>();
  const held = heldIn(state);
  for (const market of state.markets) {
    const { futures } = market;
    if (futures === undefined) continue;
    checkContract(state, market, held[market.instrument] ?? NOTHING);
    checkMark(futures);
    const coin = futures.terms.settle;
    clearing.set(coin, (clearing.get(coin) ?? 0n) + futures.clearing);
  }
  for (const [coin, sum] of clearing) {
    const cash = state.ledger.balanceOf(SystemAccount.clearing, coin, Bucket.cash);
    assert(cash === sum, () => `I07: clearing of coin ${coin} holds ${cash}, contracts say ${sum}`);
  }
  for (const account of state.accountByUid.values()) {
    checkCloses(state, account);
    const risk = checkMarginCache(state, account);
    if (!isUnsettled(state, account)) checkRisk(state, account, risk);
  }
}

/** What all positions of one contract come to. */
interface Held {
  size: number;
  long: number;
  basis: bigint;
  readonly accounts: Set<Account>;
  readonly positions: Position[];
}

const NOTHING: Held = { size: 0, long: 0, basis: 0n, accounts: new Set(), positions: [] };

/** By instrument; nothing where nobody holds a position. */
function heldIn(state: State): (Held | undefined)[] {
  const contracts: (Held | undefined)[] = [];
  for (const account of state.accountByUid.values()) {
    for (const position of account.positions.values()) {
      const { instrument, size, long, basis } = position;
      const held = contracts[instrument] ?? { ...NOTHING, accounts: new Set(), positions: [] };
      contracts[instrument] = held;
      held.size += size;
      if (long) held.long += size;
      held.basis += basis;
      held.accounts.add(account);
      held.positions.push(position);
    }
  }
  return contracts;
}

const uidsOf = (accounts: ReadonlySet<Account>) => [...accounts].map(({ uid }) => uid).join();

/**
 * Who waits for money, or holds a contract that has ended, is looked at when he is settled (rules 14.3, 14.5); others in
 * their turn (rules 18.1).
 */
function isUnsettled(state: State, { index, positions }: Account): boolean {
  if (awaitsPriceCheck(state, index) || state.dueAccounts.has(index)) return true;
  if (state.works.length === 0) return false;
  return (
    awaitsMoney(state, index) || [...positions.values()].some((each) => isEnding(state, each.instrument))
  );
}

/** I06 to I09, I42. Positions of a contract that has ended close one by one: what is still open has its settlement value. */
function checkContract(state: State, market: Market, held: Held): void {
  const { size, long, basis, accounts, positions } = held;
  const futures = market.futures!;
  const { symbol } = state.instruments[market.instrument]!;
  assert(
    market.holders.size === accounts.size && accounts.isSubsetOf(market.holders),
    () => `holders of ${symbol}: ${uidsOf(market.holders)}, positions of ${uidsOf(accounts)}`,
  );
  const { positions: table } = market;
  const agrees = positions.length === table.size && positions.every((position) => table.has(position));
  assert(agrees, () => `the table of positions of ${symbol} is not what accounts hold`);
  const end = endOf(state, market.instrument);
  const open = end === undefined ? 0n : valueAt(state, end, size);
  assert(end !== undefined || size === 0, () => `I06: sizes of ${symbol} sum to ${size}`);
  assert(
    long === futures.openInterest,
    () => `open interest of ${symbol} is ${futures.openInterest}, longs hold ${long}`,
  );
  if (end === undefined) checkEnded(state, market);
  assert(
    futures.cleared + basis === open,
    () => `I08: ${symbol} has cleared ${futures.cleared}, basis ${basis}`,
  );
  if (futures.terms.coinMargined) {
    checkShortfall(state, market);
    return;
  }
  const quiet = market.holders.size === 0;
  assert(!quiet || futures.clearing === 0n, () => `I09: ${symbol} clears ${futures.clearing} for nobody`);
  assert(
    futures.clearing + basis === open,
    () => `I07: clearing of ${symbol} ${futures.clearing}, basis ${basis}`,
  );
}

function valueAt(state: State, { instrument, priceTicks }: ContractEnd, size: number): bigint {
  const value = tradeValue(state.instruments[instrument]!, priceTicks, Math.abs(size));
  return size < 0 ? -value : value;
}

/** I49: what the house would lack is what everybody has won, less what it has been paid, but for the roundings. */
function checkShortfall(state: State, market: Market): void {
  const futures = market.futures!;
  const { markTicks, clearing, instrument } = futures;
  if (markTicks === 0) return;
  let won = 0n;
  let positions = 0n;
  for (const { position } of holdersOf(state, instrument.index)) {
    won += BigInt(inCoinAt(instrument, unrealisedOf(state, position), markTicks));
    positions++;
  }
  const apart = shortfallOf(futures) - (won - clearing);
  assert(
    apart >= -positions && apart <= positions + 1n,
    () =>
      `I49: the house lacks ${shortfallOf(futures)} of ${instrument.symbol}, positions say ${won - clearing}`,
  );
}

/** I43: the mark of a perpetual lies within what it was made of, as far as it may leave its index. */
function checkMark({ instrument, terms, index, mark }: FuturesMarket): void {
  const { price } = mark;
  if (terms.delivery !== undefined || price === 0n) return;
  const [last, funded, based] = mark.inputs;
  const lowest = mark.clampToIndex(smaller(last, smaller(funded, based)), index.price);
  const highest = mark.clampToIndex(larger(last, larger(funded, based)), index.price);
  assert(
    lowest <= price && price <= highest,
    () => `I43: mark of ${instrument.symbol} ${price} beyond ${lowest} to ${highest}`,
  );
}

/** I42: what is offline, and what has been delivered must be, holds no orders and no positions. */
function checkEnded(state: State, { instrument: index, futures, holders, book }: Market): void {
  const { symbol, status } = state.instruments[index]!;
  const delivery = futures!.terms.delivery;
  const delivered = delivery !== undefined && delivery.time <= state.now;
  assert(
    !delivered || status === InstrumentStatus.offline,
    () => `I42: ${symbol} is delivered and not offline`,
  );
  if (status !== InstrumentStatus.offline) return;
  assert(holders.size === 0, () => `I42: ${symbol} is offline and has positions`);
  const quiet = book.bestTicks(Side.buy, true) === 0 && book.bestTicks(Side.sell, true) === 0;
  assert(quiet, () => `I42: ${symbol} is offline and has orders`);
}

/** I26, and I35 for isolated positions. */
function checkCloses(state: State, account: Account): void {
  const { slab } = state;
  for (const position of account.positions.values()) {
    const closing = closingOrders(state, account, position.instrument, position.posSide);
    const frozen = closing.reduce((sum, slot) => sum + slab.remaining[slot]!, 0);
    assert(frozen <= position.lots, () => `I26: ${frozen} lots are being closed of ${position.lots}`);
    if (!position.isolated || hasUnsafeIndex(state, position) || isUnsettled(state, account)) continue;
    assert(!isolatedIsDue(state, position), 'I35: an isolated position is due');
  }
}

/** I35 for the crossed part, I36, and the warning. */
function checkRisk(state: State, account: Account, risk: Risk): void {
  const above = hasReachedRatio(risk, warningRatio(state, account));
  assert(account.warned === above, () => `the warning of account ${account.uid} is ${account.warned}`);
  const due = isActionable(state, account) && crossedIsDue(state, account);
  assert(!due, () => `I35: account ${account.uid} is due`);
  assert(!account.liquidating || account.firstOrder === NIL, 'I36: an account in liquidation has orders');
}
