/** Coin-margined contracts are paused while their index is stale or silent (rules 13.2 (f)), the rule of the third edition. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import {
  InstrumentStatus,
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  StrategyKind,
  TimeInForce,
  TriggerBy,
} from '../../../src/core/model/enums.ts';
import { shownStatus } from '../../../src/core/model/instrument-status.ts';
import { NO_LEG } from '../../../src/core/model/tpsl.ts';
import { StateWriter } from '../../../src/core/snapshot/fields.ts';
import { stateFields } from '../../../src/core/snapshot/state-fields.ts';
import { lotsOf, money, moneyUnits, refusalName, ticksOf } from '../dsl/words.ts';
import { FuturesFloor } from '../futures/futures-floor.ts';
import { Auditor } from '../oracle/auditor.ts';

const ON = { on: 'BTCUSD' } as const;
const CLOSING = { ...ON, reduceOnly: true } as const;
const FAMILY = ['long', 'short', 'heir', 'late long', 'late short'] as const;

/** Friends without fees, each a main account of its own, with a feed that talks. */
function venue(edition: number): FuturesFloor {
  const floor = new FuturesFloor();
  for (const name of FAMILY) {
    floor.trader(name, { BTC: '40' });
    floor.setFees(name, '0', '0', 'BTCUSD');
  }
  floor.trader('desk', { BTC: '40' }, { house: true });
  floor.send({ type: 'setEdition', time: floor.now, edition });
  floor.mark('50000', 'BTCUSD');
  return floor;
}

/** Long and short 20 BTC since 50 000; the mark is 60 000. */
function straddle(edition: number): FuturesFloor {
  const floor = venue(edition);
  floor.deal('long', 'short', '20', '50000', ON);
  floor.mark('60000', 'BTCUSD');
  return floor;
}

/** The feed has said nothing for longer than it is believed. */
function silence(floor: FuturesFloor, seconds = 61): void {
  for (let n = 0; n < seconds; n++) floor.wait(1000);
}

/** The feed says what it was outside all the time, and everybody goes home: what the family has more. */
function goHome(floor: FuturesFloor): string {
  floor.mark('54000', 'BTCUSD');
  for (const name of FAMILY) {
    const held = floor.position(name, ON);
    if (held !== 'none') floor[held.startsWith('long') ? 'sell' : 'buy'](name, '20', '54000', CLOSING);
  }
  for (const name of FAMILY) equal(floor.position(name, ON), 'none');
  const sum = FAMILY.reduce((total, name) => total + moneyUnits(floor.cash(name, 'BTC')), 0n);
  return money(sum - moneyUnits(String(40 * FAMILY.length)));
}

/** The short is handed over at 60 000 in a silence. */
function handOver(edition: number): string {
  const floor = straddle(edition);
  silence(floor);
  floor.sell('heir', '20', '60000', ON);
  floor.buy('short', '20', '60000', ON);
  return goHome(floor);
}

test('R2 (f): a short handed over at a mark that stands still took coin from the house, and takes nothing now', () => {
  // A loss of 200 000 dollars paid at 60 000 and the profits of the others at 54 000.
  equal(handOver(2), '0.37037036');
  equal(handOver(3), '-0.00000001');
});

/** The same with two pairs that were opened at 50 000 and at 60 000: in the silence both sides of the trade only close. */
function closeAgainstEachOther(edition: number): string {
  const floor = straddle(edition);
  floor.deal('late long', 'late short', '20', '60000', ON);
  silence(floor);
  floor.sell('late long', '20', '60000', CLOSING);
  floor.buy('short', '20', '60000', CLOSING);
  return goHome(floor);
}

test('R2 (f): two that only close take as much from the house, so closing waits as well', () => {
  equal(closeAgainstEachOther(2), '0.37037036');
  equal(closeAgainstEachOther(3), '-0.00000002');
});

test('R2 (f): no order is taken, of the house neither, 25108; orders that rest stay, and can be cancelled', () => {
  const floor = straddle(3);
  const [bid, ask] = [floor.buy('heir', '1', '59000', ON), floor.sell('late long', '1', '61000', ON)];
  silence(floor);
  equal(shownStatus(floor.instrument('BTCUSD')), InstrumentStatus.limitOpen);
  for (const order of [
    floor.buy('heir', '1', '61000', ON),
    floor.buy('heir', '1', '55000', ON),
    floor.buy('short', '1', '61000', CLOSING),
    floor.marketOrder('long', 'sell', '1', ON),
    floor.marketOrder('long', 'sell', '1', CLOSING),
    floor.buy('desk', '1', '61000', ON),
    floor.sell('desk', '1', '59000', ON),
  ])
    equal(order.stands, 'refused staleIndexPrice');
  equal(floor.amend('heir', bid, { price: '61000' }), 'staleIndexPrice');
  equal(floor.amend('late long', ask, { price: '59000' }), 'staleIndexPrice');
  deepEqual([bid.stands, ask.stands], ['new 0/1', 'new 0/1']);
  equal(floor.cancel('heir', bid), 'none');
  // Other contracts go on.
  floor.index('60000');
  floor.trader('ann', { USDT: '100000' });
  equal(floor.buy('ann', '0.1', '60000').stands, 'new 0/0.1');
});

test('R2 (f): a hedged account closes neither side, and no position is moved', () => {
  const floor = venue(3);
  floor.trader('sub', { BTC: '40' }, { master: 'heir' });
  floor.holdMode('heir', 'hedge_mode');
  floor.sell('long', '2', '50000', ON);
  floor.buy('heir', '2', '50000', { ...ON, posSide: 'long' });
  silence(floor);
  equal(floor.sell('heir', '1', '50000', { ...ON, posSide: 'long' }).stands, 'refused staleIndexPrice');
  deepEqual(floor.move('heir', 'heir', 'sub', { side: 'sell', qty: '1', on: 'BTCUSD' }), ['staleIndexPrice']);
});

test('R2 (f): it begins after 60 seconds, those included that nobody saw, and ends when the mark has followed', () => {
  const floor = straddle(3);
  silence(floor, 59);
  equal(floor.instrument('BTCUSD').paused, false);
  silence(floor, 1);
  equal(floor.instrument('BTCUSD').paused, true);
  floor.index('60000', 'BTCUSD');
  equal(floor.instrument('BTCUSD').paused, false);
  // The venue was down: a feed is live for 60 seconds that were seen, and what it says now is not the mark yet.
  floor.wait(600_000);
  equal(floor.instrument('BTCUSD').paused, true);
  floor.tell('54000', 'BTCUSD');
  equal(floor.buy('short', '1', '60000', ON).stands, 'refused staleIndexPrice');
  floor.wait(1000);
  equal(floor.buy('short', '1', '54000', ON).stands, 'new 0/1');
  const changes = floor
    .eventsOf('instrument')
    .filter(({ instrument }) => instrument === floor.instrument('BTCUSD').index);
  ok(changes.length >= 4);
});

test('R2 (f): a price of the operator is valid for 15 minutes', () => {
  const floor = straddle(3);
  floor.tell('60000', 'BTCUSD', 'operator');
  floor.wait(1000);
  floor.wait(600_000);
  equal(floor.instrument('BTCUSD').paused, false);
  floor.wait(300_000);
  equal(floor.instrument('BTCUSD').paused, true);
});

test('R2 (f): it survives a restart, and a contract without any price is not said to be paused', () => {
  const floor = straddle(3);
  silence(floor);
  floor.restart();
  equal(floor.instrument('BTCUSD').paused, true);
  equal(floor.buy('heir', '1', '60000', ON).stands, 'refused staleIndexPrice');
  const fresh = new FuturesFloor();
  fresh.send({ type: 'setEdition', time: fresh.now, edition: 3 });
  silence(fresh);
  equal(fresh.instrument('BTCUSD').paused, false);
});

/** The long sells when the mark is at 59 500 or below. */
function stop(floor: FuturesFloor): string {
  const leg = { triggerBy: TriggerBy.mark, orderType: OrderType.market, limitTicks: 0 };
  const outcome = floor.send({
    type: 'placeStrategy',
    time: floor.now,
    uid: floor.uid('long'),
    source: Source.api,
    instrument: floor.instrument('BTCUSD').index,
    kind: StrategyKind.trigger,
    side: Side.sell,
    posSide: PosSide.none,
    reduceOnly: true,
    stpMode: StpMode.none,
    sizeLots: lotsOf(floor.instrument('BTCUSD'), '20'),
    quoteAmount: 0n,
    takeProfit: NO_LEG,
    stopLoss: NO_LEG,
    trigger: { ...leg, triggerTicks: ticksOf(floor.instrument('BTCUSD'), '59500') },
    callbackPpm: 0,
    clientOid: '',
  });
  return refusalName(outcome.rejectReason);
}

test('R2 (f): what a mark reaches in the silence fires when the index is told, and is not lost', () => {
  const floor = straddle(3);
  equal(stop(floor), 'none');
  // The basis of these quotes takes the mark along while the venue is down.
  floor.buy('desk', '30', '59000', ON);
  floor.sell('desk', '30', '59010', ON);
  floor.wait(600_000);
  const market = floor.state.market(floor.instrument('BTCUSD'));
  ok(market.futures!.markTicks < ticksOf(floor.instrument('BTCUSD'), '59500'));
  equal(floor.position('long', ON), 'long 20 @ 50000');
  equal(floor.state.strategies.byId.size, 1);
  floor.index('60000', 'BTCUSD');
  equal(floor.position('long', ON), 'none');
});

test('R2 (f): the margin of an isolated position stays where it is', () => {
  const floor = venue(3);
  floor.isolate('long', 'BTCUSD');
  floor.leverage('long', 100, 'BTCUSD');
  floor.deal('long', 'short', '1', '50000', ON);
  equal(floor.addMargin('long', '1', ON), 'none');
  silence(floor);
  equal(floor.addMargin('long', '-1', ON), 'staleIndexPrice');
  equal(floor.addMargin('long', '1', ON), 'none');
});

test('I51: a trade of users on a contract that is paused is found', () => {
  const floor = straddle(3);
  floor.sell('heir', '1', '60000', ON);
  silence(floor);
  const auditor = new Auditor(floor.state);
  const tick = { type: 'tick', time: floor.now } as const;
  auditor.observe(tick, floor.exchange.apply(tick), []);
  const instrument = floor.instrument('BTCUSD');
  instrument.paused = false;
  const command = {
    type: 'placeOrder',
    time: floor.now,
    uid: floor.uid('short'),
    source: Source.api,
    instrument: instrument.index,
    side: Side.buy,
    orderType: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    stpMode: StpMode.none,
    priceTicks: ticksOf(instrument, '60000'),
    sizeLots: lotsOf(instrument, '1'),
    quoteAmount: 0n,
    clientOid: '',
  } as const;
  const outcome = floor.exchange.apply(command);
  equal(outcome.rejectReason, 0);
  instrument.paused = true;
  throws(() => auditor.observe(command, outcome, floor.exchange.takeEvents()), /I51/);
});

/** Everything that the second edition keeps, behind the digest of commands so far. */
function formatTwo(floor: FuturesFloor): Uint8Array {
  const w = new StateWriter(2);
  stateFields(w, floor.state);
  return w.written().slice(32);
}

test('13.12: the third edition follows the first or the second, and changes nothing but this', () => {
  const floor = straddle(2);
  silence(floor);
  equal(floor.instrument('BTCUSD').paused, false);
  equal(floor.buy('heir', '1', '59000', ON).stands, 'new 0/1');
  const before = formatTwo(floor);
  floor.send({ type: 'setEdition', time: floor.now, edition: 3 });
  floor.arrange(({ state }) => state.enterEdition(2));
  deepEqual(formatTwo(floor), before);
  floor.arrange(({ state }) => state.enterEdition(3));
  // Known at the next second.
  floor.wait(1000);
  equal(floor.instrument('BTCUSD').paused, true);
});
