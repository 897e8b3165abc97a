/**
 * What must hold of the state after every command (rules 10.1). Slow and plain on purpose: property tests call it
 * after each command, `bourse verify` after a replay. A running exchange asserts what it can afford: the ledger at each
 * move, the book at each order that leaves, one account each second (`account-invariants.ts`). Throws `InvariantBroken`
 * with the number of the rule.
 */

import type { Book } from '../book/book.ts';
import { displayedDepth } from '../book/depth.ts';
import { FLAG_RPI, NIL } from '../book/order-slab.ts';
import type { Candle } from '../marketdata/candle-series.ts';
import { OrderType, PRICE_KINDS, Side, TimeInForce } from '../model/enums.ts';
import { Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../model/ledger-accounts.ts';
import { assert, InvariantBroken } from '../model/units.ts';
import { type ContractEnd, EndStage } from '../state/contract-end.ts';
import { HourWork } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { checkAccount } from './account-invariants.ts';
import { checkFunds } from './fund-invariants.ts';
import { checkFutures } from './futures-invariants.ts';
import { checkLending } from './lending-invariants.ts';
import { checkLoans } from './loan-invariants.ts';
import { checkParties } from './party-invariants.ts';
import { checkStrategies } from './strategy-invariants.ts';

export function checkInvariants(state: State): void {
  checkLedger(state);
  for (const market of state.markets) checkBook(market.book);
  checkHolds(state);
  // Before the accounts: their bucket check would report a missing pledge as I04, this one as I37.
  checkLoans(state);
  for (const account of state.accountByUid.values()) checkAccount(state, account);
  checkClientIds(state);
  checkStatistics(state);
  checkFutures(state);
  checkStrategies(state);
  checkParties(state);
  checkLending(state);
  checkFunds(state);
  checkSettling(state);
}

/** I29: only open orders have a client id. */
function checkClientIds({ slab }: State): void {
  let named = 0;
  slab.eachSlot((slot) => {
    if (slab.clientOids.has(slot)) named++;
  });
  assert(slab.clientOids.size === named, 'I29: client ids of closed orders remain');
}

/** I52: what open work has collected and not yet paid out, and nothing else, is being settled. */
function checkSettling({ ledger, works, instruments, coins }: State): void {
  const sums = coins.map(() => 0n);
  const add = (instrument: number, held: bigint) => {
    sums[instruments[instrument]!.futures!.settle]! += held;
  };
  for (const work of works)
    if (work instanceof HourWork)
      for (const { instrument, collected, paid } of work.fundings) add(instrument, collected - paid);
    else add(work.instrument, heldBy(work));
  for (const [coin, sum] of sums.entries()) {
    const held = ledger.balanceOf(SystemAccount.settling, coin, Bucket.cash);
    assert(held === sum, () => `I52: ${held} of coin ${coin} is being settled, open work says ${sum}`);
  }
}

/** Gains that wait, and from when it is known what losers lack, what is to be paid to them. */
function heldBy({ stage, pending, held, lacking, debts, shortage, shared }: ContractEnd): bigint {
  let kept = 0n;
  let covered = 0n;
  for (const each of pending.values()) {
    kept += each.kept;
    covered += each.lacking + each.debt;
  }
  if (stage <= EndStage.counting)
    assert(held === kept, () => `I52: gains of ${kept} wait, the end holds ${held}`);
  if (stage === EndStage.sharing) {
    const expected = kept + lacking + debts - shortage + shared;
    assert(held === expected, () => `I52: the end of a contract holds ${held}, not ${expected}`);
  }
  if (stage === EndStage.covering)
    assert(covered <= lacking + debts && held >= 0n, 'I52: more is covered than was lacking');
  return held;
}

const NEVER_NEGATIVE: ReadonlySet<number> = new Set([
  SystemAccount.insurance,
  SystemAccount.insuranceLending,
  SystemAccount.loanPool,
  SystemAccount.settling,
]);

/** I01-I03, I05, and I04 for what withdrawals hold. */
function checkLedger(state: State): void {
  const sums = new Map<number, bigint>();
  const withdrawing = pendingSums(state);
  state.ledger.eachRow((account, coin, buckets) => {
    let sum = sums.get(coin) ?? 0n;
    for (const amount of buckets) if (amount !== 0n) sum += amount;
    sums.set(coin, sum);
    assert(buckets[Bucket.locked]! >= 0n, () => `I03: locked of account ${account} coin ${coin} is negative`);
    assert(buckets[Bucket.pledge]! >= 0n, () => `I03: pledge of account ${account} coin ${coin} is negative`);
    assert(
      buckets[Bucket.funding]! >= 0n,
      () => `I03: funding of account ${account} coin ${coin} is negative`,
    );
    const pending = withdrawing.size === 0 ? 0n : (withdrawing.get(`${account} ${coin}`) ?? 0n);
    const held = buckets[Bucket.withdrawing]!;
    assert(
      held === pending,
      () => `I04: account ${account} coin ${coin} holds ${held} for withdrawals of ${pending}`,
    );
    if (NEVER_NEGATIVE.has(account)) {
      assert(buckets[Bucket.cash]! >= 0n, () => `I03: system account ${account} coin ${coin} is negative`);
    }
    if (account === SystemAccount.badDebt)
      assert(buckets[Bucket.cash]! <= 0n, () => `I03: bad debt of coin ${coin} is above zero`);
    if (account >= FIRST_USER_ACCOUNT && !state.accounts[account]!.cashCanBeNegative) {
      assert(
        buckets[Bucket.cash]! >= 0n,
        () => `I05: spot account ${account} coin ${coin} has negative cash`,
      );
    }
  });
  for (const [coin, sum] of sums) assert(sum === 0n, () => `I01: coin ${coin} sums to ${sum}`);
}

/** What the withdrawals under way have taken out of wallets, by account and coin. */
function pendingSums(state: State): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { uid, coin, fee, fromFunding, fromUnified } of state.withdrawals.values()) {
    const amount = fromFunding + fromUnified;
    assert(fee >= 0n && fee < amount, () => `I03: a withdrawal of ${amount} pays a fee of ${fee}`);
    const key = `${state.accountByUid.get(uid)!.index} ${coin}`;
    sums.set(key, (sums.get(key) ?? 0n) + amount);
  }
  return sums;
}

/** I12-I16, I21. */
function checkBook(book: Book): void {
  const bid = book.bestTicks(Side.buy, false);
  const ask = book.bestTicks(Side.sell, false);
  assert(bid === 0 || ask === 0 || bid < ask, () => `I12: best bid ${bid} meets best ask ${ask}`);
  const shown = displayedDepth(book, 1);
  if (shown.bids[0] !== undefined && shown.asks[0] !== undefined) {
    assert(shown.bids[0].priceTicks < shown.asks[0].priceTicks, 'I13: displayed book is crossed');
  }
  for (const side of [Side.buy, Side.sell]) {
    let last = side === Side.buy ? Number.POSITIVE_INFINITY : 0;
    book.eachLevel(side, (price, normalLots, rpiLots, normal, rpi) => {
      assert(side === Side.buy ? price < last : price > last, 'I14: levels out of order');
      last = price;
      assert(normal !== NIL || rpi !== NIL, 'I15: empty level');
      checkQueue(book, side, price, normal, normalLots, false);
      checkQueue(book, side, price, rpi, rpiLots, true);
      return true;
    });
  }
}

function checkQueue(book: Book, side: Side, price: number, head: number, lots: number, rpi: boolean): void {
  const { slab } = book;
  let sum = 0n;
  let place = 0;
  for (let slot = head; slot !== NIL; slot = slab.next[slot]!) {
    const remaining = slab.remaining[slot]!;
    assert(slab.side[slot] === side && slab.price[slot] === price, 'I14: order on a wrong level');
    assert(((slab.flags[slot]! & FLAG_RPI) !== 0) === rpi, 'I14: order in a wrong queue');
    assert(slab.prioritySeq[slot]! > place, 'I14: queue out of order');
    assert(remaining > 0 && remaining <= slab.size[slot]!, 'I15/I16: remaining out of range');
    const timeInForce = slab.timeInForce[slot];
    assert(slab.orderType[slot] === OrderType.limit, 'I21: a market order rests');
    assert(
      timeInForce !== TimeInForce.ioc && timeInForce !== TimeInForce.fok,
      'I21: an ioc or fok order rests',
    );
    assert(
      (slab.filled(slot) === 0) === (slab.executions.get(slot) === undefined),
      'I17: executions do not match what is filled',
    );
    place = slab.prioritySeq[slot]!;
    sum += BigInt(remaining);
  }
  if (Number(sum) !== lots) throw new InvariantBroken(`I15: level ${price} shows ${lots}, holds ${sum}`);
}

/** I04: holds belong to open orders; `checkAccount` adds them up. */
function checkHolds({ slab }: State): void {
  for (const holds of [slab.isolatedHolds, slab.marginHolds])
    for (const slot of holds.keys()) assert(slab.id[slot] !== 0, 'I04: a closed order holds money');
}

/** I38, I39. */
function checkStatistics(state: State): void {
  for (const market of state.markets) {
    checkCandles(market.candles.running);
    if (market.futures !== undefined)
      for (const kind of PRICE_KINDS) checkCandles(market.futures.candles[kind].running);
    const day = market.day.statistics(state.now);
    if (day.volumeLots === 0) continue;
    const instrument = state.instruments[market.instrument]!;
    const volume = BigInt(day.volumeLots) * instrument.valuePerTickLot;
    assert(day.turnover >= volume * BigInt(day.lowTicks), 'I39: average below the low');
    assert(day.turnover <= volume * BigInt(day.highTicks), 'I39: average above the high');
  }
}

function checkCandles(candles: readonly (Candle | undefined)[]): void {
  for (const candle of candles) {
    if (candle === undefined) continue;
    const { openTicks, highTicks, lowTicks, closeTicks } = candle;
    assert(lowTicks <= Math.min(openTicks, closeTicks), 'I38: low above open or close');
    assert(highTicks >= Math.max(openTicks, closeTicks), 'I38: high below open or close');
  }
}
