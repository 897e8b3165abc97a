import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { OrderType, Side, Source, StpMode, TimeInForce } from '../../src/core/model/enums.ts';
import { Bucket } from '../../src/core/model/ledger-accounts.ts';
import { depth, openOrders } from '../../src/core/reads/reads.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { Rig, type RigOptions } from './rig.ts';

const USER = 1_000_000_001;
const BTC_ONLY: RigOptions = { only: (_category, symbol) => symbol === 'BTCUSDT' };

async function running(options: RigOptions = {}, ms = 5000): Promise<Rig> {
  const rig = await new Rig(options).open();
  rig.run(ms);
  return rig;
}

function addUser(rig: Rig, usdt: bigint, btc: bigint): void {
  const { coinByName } = rig.state;
  rig.give({ type: 'openAccount', uid: USER, masterUid: 0, marketMaker: false, house: false });
  for (const [name, amount] of [
    ['USDT', usdt],
    ['BTC', btc],
  ] as const) {
    const coin = coinByName.get(name)!;
    if (amount === 0n) continue;
    rig.give({ type: 'deposit', uid: USER, coin, amount: amount * 10n ** 8n, reference: 'test' });
  }
}

function userOrder(
  rig: Rig,
  side: Side,
  priceTicks: number,
  sizeLots: number,
  timeInForce: TimeInForce,
): void {
  rig.give({
    type: 'placeOrder',
    uid: USER,
    source: Source.api,
    instrument: spot(rig).index,
    side,
    orderType: OrderType.limit,
    timeInForce,
    stpMode: StpMode.none,
    priceTicks,
    sizeLots,
    quoteAmount: 0n,
    clientOid: '',
  });
}

const spot = (rig: Rig) => rig.state.instrument('SPOT', 'BTCUSDT')!;
const best = (rig: Rig, side: Side) => rig.state.market(spot(rig)).book.bestTicks(side, false);
const middle = (rig: Rig) => (best(rig, Side.buy) + best(rig, Side.sell)) / 2;

test('five seconds after the start every book of the catalogue has 20 levels a side and the books agree', async () => {
  const rig = await running();
  assert.ok(rig.market.views.length >= 30);
  for (const view of rig.market.views) {
    const { asks, bids } = depth(rig.state, view.instrument, 50);
    assert.ok(
      asks.length >= 20 && bids.length >= 20,
      `${view.name}: ${bids.length} bids, ${asks.length} asks`,
    );
    const spreadBps = ((asks[0]!.priceTicks - bids[0]!.priceTicks) / view.fairTicks) * 10_000;
    const stepBps = (view.instrument.tickStep / view.fairTicks) * 10_000;
    assert.ok(spreadBps <= Math.max(view.parameters.maxSpreadBps, 3 * stepBps), `${view.name}: ${spreadBps}`);
  }
  checkInvariants(rig.state);
});

test('the same seed makes the same market, another seed another', async () => {
  const hash = async (seed: number) => stateHash((await running({ seed }, 4000)).state);
  const first = await hash(7);
  assert.equal(await hash(7), first);
  assert.notEqual(await hash(8), first);
});

test('a market order of ten times the best size moves the price, and the market recovers within a minute', async () => {
  const rig = await running(BTC_ONLY, 20_000);
  addUser(rig, 10_000_000n, 0n);
  const [top] = depth(rig.state, spot(rig), 1).asks;
  const before = middle(rig);
  userOrder(rig, Side.buy, Math.floor(before * 1.04), top!.lots * 10, TimeInForce.ioc);
  const moved = best(rig, Side.sell);
  const { halfSpreadTicks } = rig.market.views[0]!;
  assert.ok(moved > top!.priceTicks + 2 * halfSpreadTicks, `${top!.priceTicks} to ${moved}`);
  rig.run(60_000);
  const { fairTicks } = rig.market.views[0]!;
  assert.ok(Math.abs(middle(rig) - fairTicks) < 6 * halfSpreadTicks, `${middle(rig)} beside ${fairTicks}`);
  const { asks } = depth(rig.state, spot(rig), 50);
  const offered = asks.reduce((sum, { lots }) => sum + lots, 0);
  assert.ok(offered > rig.market.views[0]!.depthLots / 4, 'the book is filled up again');
});

test('a large resting order near the price is traded against', async () => {
  const rig = await running(BTC_ONLY, 10_000);
  addUser(rig, 100_000_000n, 0n);
  const lots = Math.floor(rig.market.views[0]!.depthLots);
  userOrder(rig, Side.buy, best(rig, Side.sell) - 1, lots, TimeInForce.gtc);
  rig.run(60_000);
  const [order] = openOrders(rig.state, { uid: USER, limit: 1 });
  const filled = order === undefined ? lots : order.filledLots;
  assert.ok(filled > lots / 50, `${filled} of ${lots} lots`);
});

test('a price that the world outside has left is walked to, band by band', async () => {
  const rig = await running(BTC_ONLY, 5000);
  const before = middle(rig);
  assert.equal(rig.market.options.feed.shock('BTC', 0.7, 0), true);
  rig.run(60_000);
  assert.ok(middle(rig) < before * 0.73, `${before} to ${middle(rig)}`);
  checkInvariants(rig.state);
});

test('a house account that has run low is brought up, and one that swims in money is relieved', async () => {
  const rig = await running(BTC_ONLY, 1000);
  const { state } = rig;
  const uid = rig.market.members.find(({ agent }) => agent.name === 'maker:SPOT:BTCUSDT')!.agent.uid;
  const coin = state.coinByName.get('USDT')!;
  const account = state.accountByUid.get(uid)!;
  assert.equal(account.house, true);
  const held = () =>
    state.ledger.balanceOf(account.index, coin, Bucket.cash) +
    state.ledger.balanceOf(account.index, coin, Bucket.locked);
  const full = held();
  const cash = state.ledger.balanceOf(account.index, coin, Bucket.cash);
  rig.give({ type: 'withdraw', uid, coin, amount: (cash * 8n) / 10n, reference: 'test' });
  rig.run(25_000);
  assert.ok(held() > (full * 9n) / 10n);
  rig.give({ type: 'deposit', uid, coin, amount: full * 5n, reference: 'test' });
  rig.run(25_000);
  assert.ok(held() < full * 2n);
});

test('a stopped agent takes its orders along and comes back when it is let', async () => {
  const rig = await running(BTC_ONLY, 3000);
  const name = 'maker:SPOT:BTCUSDT';
  const { uid } = rig.market.members.find(({ agent }) => agent.name === name)!.agent;
  const count = () => openOrders(rig.state, { uid, limit: 100 }).length;
  assert.ok(count() > 10);
  assert.equal(rig.market.setRunning(name, false), 1);
  rig.run(3000);
  assert.equal(count(), 0);
  assert.equal(rig.market.setRunning(name, true), 1);
  rig.run(3000);
  assert.ok(count() > 10);
  assert.equal(rig.market.setRunning('maker:NOBODY', false), 0);
});

test('orders, fills and ledger lines of house accounts leave no events; public trades and candles do', async () => {
  const rig = await new Rig(BTC_ONLY).open();
  const seen = new Map<string, number>();
  rig.venue.onPublished(({ events }) => {
    for (const { type } of events) seen.set(type, (seen.get(type) ?? 0) + 1);
  });
  rig.run(70_000, 500);
  for (const type of ['order', 'fill', 'ledgerLine', 'positionClosed'])
    assert.equal(seen.get(type), undefined, type);
  assert.ok(seen.get('trade')! > 20);
  assert.ok(seen.get('candle')! > 0);
});

test('when a quarter is delivered, the next one gets its market', async () => {
  const delivery = Date.UTC(2026, 11, 25, 8);
  const rig = await new Rig({
    startTime: delivery - 12 * 60_000,
    only: (category, symbol) => /^BTCUSD[HZ]?/.test(symbol) && category !== 'MARGIN',
  }).open();
  const before = rig.market.views.length;
  rig.run(13 * 60_000, 5000);
  const opened = rig.market.views.slice(before);
  assert.deepEqual(
    opened.map(({ instrument: { spec } }) => spec.symbol),
    ['BTCUSDM27'],
  );
  const { asks, bids } = depth(rig.state, opened[0]!.instrument, 5);
  assert.ok(asks.length > 0 && bids.length > 0, 'the new quarter is quoted');
  const old = rig.state.instrument('COIN-FUTURES', 'BTCUSDZ26')!;
  assert.deepEqual(depth(rig.state, old, 5), { asks: [], bids: [] });
  checkInvariants(rig.state);
});

test('a wild market keeps its books two-sided and its ledger exact', async () => {
  const rig = await new Rig({
    level: 'wild',
    only: (_category, symbol) => /^(BTC|SOL)USDT$/.test(symbol),
  }).open();
  rig.run(120_000, 1000);
  for (const view of rig.market.views) {
    assert.ok(view.best(Side.buy) > 0 && view.best(Side.sell) > view.best(Side.buy), view.name);
  }
  checkInvariants(rig.state);
});
