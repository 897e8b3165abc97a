/** Snapshots and replay (I40): the log alone, or a snapshot and the rest of the log, give the same state. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { UnreadableRecord } from '../../src/core/model/bytes.ts';
import type { Event } from '../../src/core/model/event.ts';
import { ReplayDivergence } from '../../src/core/model/replay-divergence.ts';
import { canonicalState } from '../../src/core/snapshot/canonical-state.ts';
import { type StateFields, StateReader, StateWriter } from '../../src/core/snapshot/fields.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import { stateFields } from '../../src/core/snapshot/state-fields.ts';
import type { State } from '../../src/core/state/state.ts';
import { assertRestartAnywhere } from './restart-anywhere.ts';
import { PLENTY, TradingFloor } from './trading-floor.ts';

const HOUR = 3_600_000;

/** A busy day: every kind of order, refusal, fee, lock, cancel, modification, countdown and candle. */
function busyDay(): TradingFloor {
  const floor = new TradingFloor();
  for (const name of ['ann', 'bob']) floor.trader(name, PLENTY);
  floor.trader('mm', PLENTY, { marketMaker: true });
  floor.trader('sub', PLENTY, { master: 'ann' });
  floor.trader('bot', PLENTY, { house: true });
  floor.setFees('mm', '-0.00005', '0.0003');
  floor.sell('mm', '3', '60000', { tif: 'rpi' });
  floor.sell('bot', '2', '60000');
  const long = floor.sell('ann', '5', '60010', { clientOid: 'ann-1', stp: 'cancel_maker' });
  floor.buy('bob', '4', '60010', { source: 'retail' });
  floor.wait(1500);
  floor.buy('sub', '10', '60010', { stp: 'cancel_maker' });
  floor.buy('bob', '1', '70000');
  floor.marketBuy('bob', '1000', { source: 'retail' });
  floor.wait(59_000);
  const bid = floor.buy('bob', '2', '59000', { tif: 'post_only', clientOid: 'bob-1' });
  floor.buy('ann', '2', '59000', { clientOid: 'ann-2' });
  floor.amend('bob', bid, { qty: '1' });
  floor.amend('bob', bid, { price: '61000', autoCancel: true });
  floor.amend('ann', long, { qty: '6' });
  floor.countdown('sub', 30);
  floor.wait(HOUR);
  floor.sell('bot', '1', '59000', { tif: 'ioc' });
  floor.buy('ann', '0.5', '2600', { on: 'ETHUSDT' });
  floor.marketSell('bob', '0.2', { on: 'ETHUSDT' });
  floor.setStatus('limit_open', 'ETHUSDT');
  floor.withdraw('bob', '500', 'USDT');
  floor.wait(23 * HOUR);
  floor.sell('mm', '1', '59500');
  floor.buy('ann', '3', '59500', { tif: 'fok' });
  floor.buy('ann', '1', '59500');
  floor.countdown('ann', 60);
  return floor;
}

interface Run {
  readonly image: Uint8Array;
  readonly events: readonly Event[];
}

function replay(log: readonly Uint8Array[]): Run {
  const exchange = new Exchange();
  const events: Event[] = [];
  for (const bytes of log) {
    exchange.apply(decodeCommand(bytes));
    events.push(...exchange.takeEvents());
  }
  checkInvariants(exchange.state);
  return { image: Uint8Array.from(saveState(exchange.state)), events };
}

test('I40: a replay of the whole log gives the same state and the same events', () => {
  const floor = busyDay();
  const again = replay(floor.log);
  deepEqual(again.image, floor.image());
  deepEqual(again.events, floor.events);
});

test('I40: a snapshot after any command and the rest of the log give the same state and events', () => {
  assertRestartAnywhere(busyDay());
});

test('a loaded snapshot saves to the same bytes', () => {
  const image = busyDay().image();
  deepEqual(Uint8Array.from(saveState(loadState(image))), image);
});

test('queues, locks, client ids, ticker, candles and fills survive a restart', () => {
  const floor = busyDay();
  const view = () => ({
    depth: floor.depth(),
    ticker: floor.ticker(),
    candle: floor.runningCandle('1D'),
    fills: floor.publicFills(),
    open: floor.openOrders('ann'),
    locked: floor.locked('ann', 'BTC'),
  });
  const before = view();
  floor.restart();
  deepEqual(view(), before);
  equal(floor.buy('ann', '1', '59000', { clientOid: 'ann-2' }).rejectReason, 'clientOidInUse');
  floor.wait(60_000);
  deepEqual(floor.openOrders('ann'), []);
});

test('place in the queue survives a restart, also where it differs from the order of ids', () => {
  const floor = new TradingFloor();
  for (const name of ['ann', 'bob', 'cid']) floor.trader(name, PLENTY);
  const older = floor.buy('ann', '1', '59000');
  const younger = floor.buy('bob', '1', '59000');
  floor.amend('ann', older, { qty: '2' });
  floor.restart();
  floor.sell('cid', '1', '59000');
  equal(younger.stands, 'filled 1/1');
  equal(older.stands, 'new 0/2');
});

test('a failed modification is remembered over a restart', () => {
  const floor = new TradingFloor();
  floor.trader('ann', PLENTY);
  const order = floor.buy('ann', '1', '59000');
  floor.amend('ann', order, { price: '99999', autoCancel: true });
  floor.restart();
  equal(floor.amend('ann', order, { qty: '2' }), 'amendAfterFailure');
});

test('a snapshot of a newer format is refused with both numbers, one of no format as well', () => {
  const newer = busyDay().image();
  newer[0] = 11;
  const refusal = {
    name: 'UnreadableRecord',
    message: /has format 11, this version reads formats 1 to 10: start/,
  };
  throws(() => loadState(newer), refusal);
  newer[0] = 0;
  throws(() => loadState(newer), UnreadableRecord);
});

/** A state as a program with that format would save it. */
function imageOf(state: State, format: number): Uint8Array {
  const w = new StateWriter(format);
  w.u16(format);
  stateFields(w, state);
  return w.written();
}

test('a snapshot of an older format goes through every upgrade from there on, in order', () => {
  const { state: busy } = busyDay();
  const image = saveState(busy);
  const upgradesFrom = (format: number) => {
    const older = imageOf(busy, format);
    const run: string[] = [];
    const upgrades = ['1 to 2', '2 to 3', '3 to 4', '4 to 5', '5 to 6'].map((name) => (state: State) => {
      equal(state.accountByUid.size, 5, 'the older state is whole');
      run.push(name);
    });
    const state = loadState(older, upgrades);
    deepEqual(canonicalState(state), canonicalState(loadState(image)), 'the hash knows of no file format');
    return run;
  };
  deepEqual(upgradesFrom(1), ['1 to 2', '2 to 3', '3 to 4', '4 to 5', '5 to 6']);
  deepEqual(upgradesFrom(3), ['3 to 4', '4 to 5', '5 to 6']);
  deepEqual(upgradesFrom(6), []);
  throws(() => upgradesFrom(7), /has format 7, this version reads formats 1 to 6/);
});

test('columns in which an order comes twice, or has an owner or an instrument that does not exist, are refused', () => {
  const floor = new TradingFloor();
  for (const name of ['ann', 'bob']) floor.trader(name, PLENTY);
  const orders = [floor.buy('ann', '1', '59000', { clientOid: 'mine' }), floor.buy('bob', '1', '59000')];
  const image = saveState(floor.state).slice();
  const columns = new DataView(image.buffer);
  const ids = orders.map(({ orderId }) => orderId);
  let at = 0;
  while (columns.getFloat64(at, true) !== ids[0] || columns.getFloat64(at + 8, true) !== ids[1]) at++;
  const damagedAt = (place: number, write: (view: DataView, place: number) => void) => {
    const damaged = image.slice();
    write(new DataView(damaged.buffer), place);
    return () => loadState(damaged);
  };
  throws(
    damagedAt(at + 8, (view, place) => view.setFloat64(place, ids[0]!, true)),
    /order 1\d* behind order 1/,
  );
  throws(
    damagedAt(at, (view, place) => view.setFloat64(place, 0, true)),
    /order 0 behind order 0/,
  );
  throws(
    damagedAt(at, (view, place) => view.setFloat64(place, Number.NaN, true)),
    /order NaN behind/,
  );
  throws(
    damagedAt(at + 16, (view, place) => view.setInt32(place, 99, true)),
    /place 99 in a table/,
  );
  throws(
    damagedAt(at + 24, (view, place) => view.setInt32(place, -1, true)),
    /place -1 in a table/,
  );
  throws(
    damagedAt(at - 4, (view, place) => view.setInt32(place, 100, true)),
    /100 items in/,
  );
});

test('a field of a later format is there in that format and not in the ones before', () => {
  const hour = (f: StateFields, known: number) => (f.format >= 2 ? f.f64(known) : known);
  const written = new StateWriter(2);
  written.u16(2);
  hour(written, 7);
  equal(hour(new StateReader(written.written()), 0), 7);
  equal(hour(new StateReader(Uint8Array.of(1, 0)), 0), 0);
});

test('no place and no count of a damaged snapshot makes a table grow to what it says', () => {
  const floor = new TradingFloor();
  floor.trader('ann', PLENTY);
  const whole = saveState(floor.state);
  const before = process.memoryUsage().arrayBuffers;
  let refused = 0;
  for (let at = 2; at < whole.length; at++) {
    const damaged = Uint8Array.from(whole);
    damaged[at]! ^= 64;
    try {
      loadState(damaged);
    } catch {
      refused++;
    }
    ok(process.memoryUsage().arrayBuffers - before < 500e6, `byte ${at}`);
  }
  ok(refused > 10, `${refused} refused`);
});

test('a snapshot that was cut short or has something behind it is refused', () => {
  const image = busyDay().image();
  throws(() => loadState(image.subarray(0, image.length - 1)), UnreadableRecord);
  throws(() => loadState(Uint8Array.of(...image, 0)), UnreadableRecord);
});

test('a checkpoint with the digest of the writer passes, another one stops the replay', () => {
  const floor = busyDay();
  const digest = floor.state.digest.value;
  const exchange = new Exchange();
  for (const bytes of floor.log) exchange.apply(decodeCommand(bytes));
  equal(exchange.apply({ type: 'checkpoint', time: floor.now, digest }).rejectReason, 0);
  throws(() => exchange.apply({ type: 'checkpoint', time: floor.now, digest: digest + 1 }), ReplayDivergence);
});

test('the digest notices one command that went another way', () => {
  const floor = busyDay();
  const exchange = new Exchange();
  for (const bytes of floor.log) {
    const command = decodeCommand(bytes);
    const differs = command.type === 'placeOrder' && command.quoteAmount !== 0n;
    exchange.apply(differs ? { ...command, quoteAmount: command.quoteAmount + 100_000_000n } : command);
  }
  equal(exchange.state.digest.value === floor.state.digest.value, false);
});
