/**
 * What must hold of one account (rules 10.1): its open orders and their counts, its buckets against the orders,
 * positions, loans and withdrawals that they are for, its margin cache against the rule. A running exchange checks one
 * account each second, in turn, so texts with amounts are made for a failure only; `invariants.ts` checks every account.
 */

import { FLAG_CLOSING, NIL } from '../book/order-slab.ts';
import { computeRisk, type Risk } from '../margin/margin.ts';
import { accountRisk } from '../margin/margin-cache.ts';
import type { Side } from '../model/enums.ts';
import { type Instrument, isFutures } from '../model/instrument.ts';
import { Bucket, FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { OPEN_ORDERS_PER_PRODUCT_LINE_MAX } from '../model/limits.ts';
import { assert, InvariantBroken } from '../model/units.ts';
import { heldCoin, holdOf } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** 2^32 over the golden ratio: its multiples, taken in steps of any length, come near every number below 2^32. */
const GOLDEN = 0x9e3779b1;
const TWO_POW_32 = 2 ** 32;

/**
 * Checks the account whose turn it is by the sequence number of the command. A remainder would leave accounts out for
 * ever where each second brings the same number of commands; while only the clock runs, each has its turn within twice as
 * many seconds as there are accounts.
 */
export function checkNextAccount(state: State, seq: number): void {
  const accounts = state.accountByUid.size;
  if (accounts === 0) return;
  const account = state.accounts[FIRST_USER_ACCOUNT + turnOf(seq, accounts)]!;
  checkAccount(state, account);
  // Without a cache there is nothing to compare, and a check must not be what makes one.
  if (account.margin !== undefined) checkMarginCache(state, account);
}

export function turnOf(seq: number, accounts: number): number {
  return Math.floor(((Math.imul(seq, GOLDEN) >>> 0) / TWO_POW_32) * accounts);
}

export function checkAccount(state: State, account: Account): void {
  checkOrders(state, account);
  checkPositions(state, account);
  checkBuckets(state, account);
}

/** I18, I28 to I30: the list of open orders, what is counted of it and the client ids. */
function checkOrders(state: State, account: Account): void {
  const { slab } = state;
  const isPulled = state.pulled.has(account.index);
  const perInstrument = new Map<Instrument, number>();
  let [spot, futures, margin, closing] = [0, 0, 0, 0];
  let previous = NIL;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    const instrument = state.instrumentOf(slot);
    const rests = slab.level[slot] !== NIL;
    assert(slab.account[slot] === account.index && rests !== isPulled, 'I18: listed order does not rest');
    assert(slab.accountPrevious[slot] === previous, 'I18: the list of open orders is broken');
    assert(previous === NIL || slab.id[slot]! > slab.id[previous]!, 'I30: open orders out of order');
    previous = slot;
    perInstrument.set(instrument, (perInstrument.get(instrument) ?? 0) + 1);
    if (isFutures(instrument.category)) futures++;
    else spot++;
    if (instrument.margin !== undefined) margin++;
    if ((slab.flags[slot]! & FLAG_CLOSING) !== 0) closing++;
    const clientOid = slab.clientOids.get(slot);
    if (clientOid === undefined) continue;
    // Of two orders of one id the table finds one.
    const found = slab.clientOids.find(account.index, clientOid, slab.account);
    assert(found === slot, 'I29: client id table disagrees');
  }
  assert(account.lastOrder === previous, 'I18: the list of open orders is broken');
  assert(spot === account.openSpot && futures === account.openFutures, 'I28: open order counts disagree');
  assert(margin === account.openMargin, 'I28: margin order counts disagree');
  assert(closing === account.openClosing, 'I28: closing order counts disagree');
  assert(
    spot <= OPEN_ORDERS_PER_PRODUCT_LINE_MAX && futures <= OPEN_ORDERS_PER_PRODUCT_LINE_MAX,
    'I28: too many open orders',
  );
  for (const [{ index, symbol, maxSymbolOrders }, open] of perInstrument) {
    assert(
      state.openOrders.of(account.index, index) === open,
      () => `I28: open order count of ${symbol} disagrees`,
    );
    const fits = maxSymbolOrders === 0 || open <= maxSymbolOrders;
    assert(fits, () => `I28: ${open} open orders on ${symbol}, which allows ${maxSymbolOrders}`);
  }
}

/** I03, I10, I11. */
function checkPositions(state: State, account: Account): void {
  for (const position of account.positions.values()) {
    const { symbol } = state.instruments[position.instrument]!;
    assert(position.size !== 0, () => `I10: an empty position of ${account.uid} in ${symbol} remains`);
    for (const basis of [position.basis, position.queueBasis])
      assert(basis === 0n || basis > 0n === position.long, 'I11: basis against the size');
    assert(position.iso >= 0n && (position.isolated || position.iso === 0n), 'I03: isolated margin');
    const { fundingOwed } = position;
    assert(fundingOwed >= 0n && (position.isolated || fundingOwed === 0n), 'I03: funding that is owed');
  }
}

/** I03 to I05, I37: each bucket holds what its orders, positions, loans and withdrawals say, and is not negative. */
function checkBuckets(state: State, account: Account): void {
  const { ledger } = state;
  const expected = earmarked(state, account);
  const { index, uid } = account;
  for (const coin of ledger.coinsOf(index)) {
    const first = ledger.find(index, coin);
    for (const bucket of EARMARKED) {
      const key = keyOf(coin, bucket);
      // Most hold nothing for nothing.
      if (ledger.balanceNumber(first + bucket) === 0 && !expected.has(key)) continue;
      const held = ledger.balance(first + bucket);
      const sum = expected.get(key) ?? 0n;
      if (held !== sum)
        throw new InvariantBroken(
          `I04: bucket ${bucket} of account ${uid} coin ${coin} holds ${held} for ${sum}`,
        );
      expected.delete(key);
    }
    if (ledger.amount(first + Bucket.funding) < 0)
      throw new InvariantBroken(`I03: funding of ${uid} coin ${coin} is negative`);
    if (ledger.amount(first + Bucket.cash) < 0 && !account.cashCanBeNegative)
      throw new InvariantBroken(`I05: spot account ${uid} coin ${coin} has negative cash`);
  }
  for (const [key, sum] of expected)
    assert(
      sum === 0n,
      () => `I04: account ${uid} has no row for ${sum} of coin ${Math.floor(key / BUCKET_KEYS)}`,
    );
}

/** By coin and bucket (`keyOf`). */
type Earmarked = Map<number, bigint>;

const BUCKET_KEYS = 16;

function keyOf(coin: number, bucket: Bucket): number {
  return coin * BUCKET_KEYS + bucket;
}

/** What the account's orders, positions, loans and withdrawals hold. */
function earmarked(state: State, { index, uid, firstOrder, positions }: Account): Earmarked {
  const { slab } = state;
  const sums: Earmarked = new Map();
  const add = (bucket: Bucket, coin: number, amount: bigint): void => {
    if (amount < 0n)
      throw new InvariantBroken(`I03: something of account ${uid} holds ${amount} in bucket ${bucket}`);
    const key = keyOf(coin, bucket);
    sums.set(key, (sums.get(key) ?? 0n) + amount);
  };
  for (let slot = firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    const instrument = state.instrumentOf(slot);
    if (instrument.futures !== undefined)
      add(Bucket.isolatedOrders, instrument.futures.settle, slab.isolatedHolds.get(slot) ?? 0n);
    else add(Bucket.locked, heldCoin(instrument, slab.side[slot] as Side), heldBy(state, instrument, slot));
  }
  for (const { instrument, iso } of positions.values())
    add(Bucket.isolated, state.instruments[instrument]!.futures!.settle, iso);
  for (const { pledgeCoin, pledge } of state.loans.of(index)) add(Bucket.pledge, pledgeCoin, pledge);
  for (const { uid: owner, coin, fee, fromFunding, fromUnified } of state.withdrawals.values()) {
    if (owner !== uid) continue;
    const amount = fromFunding + fromUnified;
    assert(fee >= 0n && fee < amount, () => `I03: a withdrawal of ${amount} pays a fee of ${fee}`);
    add(Bucket.withdrawing, coin, amount);
  }
  return sums;
}

const EARMARKED: readonly Bucket[] = [
  Bucket.locked,
  Bucket.pledge,
  Bucket.withdrawing,
  Bucket.isolated,
  Bucket.isolatedOrders,
];

/** Returns what an order holds. A margin order holds what was there; with what it would borrow it has what it needs. */
function heldBy(state: State, instrument: Instrument, slot: number): bigint {
  const need = BigInt(holdOf(state, instrument, slot));
  const hold = state.slab.marginHolds.get(slot);
  assert((hold !== undefined) === (instrument.margin !== undefined), 'I04: a margin order without its hold');
  if (hold === undefined) return need;
  assert(
    hold.held >= 0n && hold.borrowed >= 0n && hold.held + hold.borrowed === need,
    'I04: hold of a margin order',
  );
  return hold.held;
}

/** The cached margin of an account is what the rule computes, which is returned. */
export function checkMarginCache(state: State, account: Account): Risk {
  const cached = accountRisk(state, account);
  const exact = computeRisk(state, account);
  for (const figure of ['equity', 'effective', 'initial', 'maintenance'] as const) {
    if (cached[figure] !== exact[figure])
      throw new InvariantBroken(
        `margin of ${account.uid}: ${figure} cached ${cached[figure]}, exactly ${exact[figure]}`,
      );
  }
  return exact;
}
