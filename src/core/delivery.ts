/**
 * The end of a delivery contract (domain.md 5.15). At the very instant, in this order: its orders go, the settlement
 * price is fixed, every position closes at it, losers' shortfalls are paid by the fund and beyond it by the winners,
 * the contract goes offline and the next quarter is listed.
 */
import type { Account } from './account.ts';
import { cancelWhere } from './cancel.ts';
import { endForcedOrder, forcedOrder } from './forced-orders.ts';
import type { FuturesSettlement } from './futures-settlement.ts';
import type { FuturesSpec, Instrument, InstrumentSpec } from './instrument.ts';
import { Bucket, SystemAccount } from './ledger.ts';
import { listSpecification } from './listing.ts';
import type { Position } from './position.ts';
import { deliveryAfter, quarterSymbol } from './quarters.ts';
import type { Market, State } from './state.ts';
import { CancelReason, InstrumentStatus, OrderKind } from './terms.ts';
import { divCeil, larger, smaller } from './units.ts';

interface Holder {
  readonly account: Account;
  readonly position: Position;
}

export function deliver(state: State, settlement: FuturesSettlement, market: Market): void {
  const instrument = state.instruments[market.instrument]!;
  for (const account of state.accountByUid.values()) {
    cancelWhere(state, account, CancelReason.delivery, (index) => index === instrument.index);
  }
  settlePositions(state, settlement, market, instrument);
  closeClearing(state, market);
  instrument.status = InstrumentStatus.offline;
  state.events.push({ type: 'instrument', instrument: instrument.index });
  listNextQuarter(state, instrument);
}

function settlePositions(
  state: State,
  settlement: FuturesSettlement,
  market: Market,
  instrument: Instrument,
): void {
  const priceTicks = market.futures!.settlementTicks;
  const holders = holdersOf(state, instrument.index);
  settlement.begin(instrument, market);
  const profits = new Map<Holder, bigint>();
  let shortage = 0n;
  for (const holder of holders) {
    const { account, position } = holder;
    const before = position.realised;
    const slot = forcedOrder(state, account, position, position.lots, OrderKind.delivery);
    settlement.settleAlone(slot, priceTicks, position.lots);
    endForcedOrder(state, slot);
    const profit = position.realised - before;
    if (profit > 0n) profits.set(holder, profit);
    if (position.isolated) shortage += releaseMargin(state, settlement, holder);
    state.touched.add(account);
  }
  if (shortage > 0n) shareShortage(state, instrument, profits, shortage);
}

/** Gives back what an isolated position has left; returns what it lacks beyond the fund. */
function releaseMargin(state: State, settlement: FuturesSettlement, { account, position }: Holder): bigint {
  const { ledger } = state;
  const coin = state.instruments[position.instrument]!.futures!.settle;
  const isolated = ledger.cell(account.index, coin, Bucket.isolated);
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const rest = position.iso;
  let shortage = 0n;
  if (rest >= 0n) {
    ledger.move(isolated, ledger.cell(account.index, coin, Bucket.cash), rest);
  } else {
    const paid = smaller(-rest, larger(0n, ledger.balance(fund)));
    ledger.move(fund, isolated, paid);
    shortage = -rest - paid;
    // Carried by the clearing account until the winners have paid for it.
    ledger.move(ledger.cell(SystemAccount.clearing, coin, Bucket.cash), isolated, shortage);
  }
  position.iso = 0n;
  settlement.forget(account, position);
  return shortage;
}

/** Winners give up their share of what nobody else could pay, rounded against them; the dust goes to the fund. */
function shareShortage(
  state: State,
  instrument: Instrument,
  profits: ReadonlyMap<Holder, bigint>,
  shortage: bigint,
): void {
  const { ledger } = state;
  const coin = instrument.futures!.settle;
  const clearing = ledger.cell(SystemAccount.clearing, coin, Bucket.cash);
  const total = [...profits.values()].reduce((sum, profit) => sum + profit, 0n);
  let collected = 0n;
  for (const [{ account }, profit] of profits) {
    const share = divCeil(profit * shortage, total);
    ledger.move(ledger.cell(account.index, coin, Bucket.cash), clearing, share);
    collected += share;
  }
  ledger.move(clearing, ledger.cell(SystemAccount.insurance, coin, Bucket.cash), collected - shortage);
}

/** Coin-margined profit is not zero-sum in coin: what is left of the contract belongs to the fund. */
function closeClearing(state: State, market: Market): void {
  const futures = market.futures!;
  const { ledger } = state;
  const coin = futures.terms.settle;
  const clearing = ledger.cell(SystemAccount.clearing, coin, Bucket.cash);
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  if (futures.clearing >= 0n) {
    ledger.move(clearing, fund, futures.clearing);
    futures.clearing = 0n;
  } else {
    const paid = smaller(-futures.clearing, larger(0n, ledger.balance(fund)));
    ledger.move(fund, clearing, paid);
    futures.clearing += paid;
  }
}

function holdersOf(state: State, instrument: number): Holder[] {
  const holders: Holder[] = [];
  for (const account of state.accountByUid.values()) {
    for (const position of account.positions.values()) {
      if (position.instrument === instrument) holders.push({ account, position });
    }
  }
  return holders.sort((a, b) => a.account.uid - b.account.uid || a.position.id - b.position.id);
}

/** The later contract becomes this quarter's, and a new one is listed behind it. */
function listNextQuarter(state: State, delivered: Instrument): void {
  const { spec } = delivered;
  if (spec.futures?.deliveryPeriod !== 'this_quarter') return;
  const sibling = state.instruments.find(
    ({ spec: other }) =>
      other.category === spec.category &&
      other.baseCoin === spec.baseCoin &&
      other.futures?.deliveryPeriod === 'next_quarter',
  );
  const from = sibling?.spec ?? spec;
  if (sibling !== undefined) {
    sibling.spec = withPeriod(sibling.spec, 'this_quarter');
    state.events.push({ type: 'instrument', instrument: sibling.index });
  }
  const deliveryTime = deliveryAfter(Number(from.futures!.deliveryTime), 1);
  listSpecification(state, {
    ...withPeriod(from, sibling === undefined ? 'this_quarter' : 'next_quarter', deliveryTime, state.now),
    symbol: quarterSymbol(spec.baseCoin, spec.quoteCoin, deliveryTime),
    status: 'online',
    launchTime: String(state.now),
  });
}

function withPeriod(
  spec: InstrumentSpec,
  deliveryPeriod: FuturesSpec['deliveryPeriod'],
  deliveryTime?: number,
  startTime?: number,
): InstrumentSpec {
  const times =
    deliveryTime === undefined
      ? {}
      : { deliveryTime: String(deliveryTime), deliveryStartTime: String(startTime) };
  return { ...spec, futures: { ...spec.futures!, deliveryPeriod, ...times } };
}
