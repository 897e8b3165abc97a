/** Instruments open, restrict and close by their calendar (rules 9.3, edge case 144), each at its own instant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTRUMENT_STATUS_NAMES } from '../../../src/core/model/enums.ts';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { assertRestartAnywhere } from '../restart-anywhere.ts';
import { BTC_PERPETUAL, FuturesFloor } from './futures-floor.ts';

const HOUR = 3_600_000;
const LAUNCH = OPENING_BELL + HOUR;
const LIMIT_OPEN = OPENING_BELL + 2 * HOUR;
const OFF = OPENING_BELL + 3 * HOUR;

function planned(
  changes: Partial<InstrumentSpec> = {},
  times: { limitOpenTime?: string; offTime?: string } = {},
) {
  const floor = new FuturesFloor({
    ...BTC_PERPETUAL,
    ...changes,
    futures: { ...BTC_PERPETUAL.futures!, ...times },
  });
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  return floor;
}

const status = (floor: FuturesFloor) => INSTRUMENT_STATUS_NAMES[floor.instrument().status];
const ALL = { limitOpenTime: String(LIMIT_OPEN), offTime: String(OFF) };

test('case 144: nothing can be queued before the launch, the first order after the switch is accepted', () => {
  const floor = planned({ status: 'listed', launchTime: String(LAUNCH) });
  floor.at(LAUNCH - 1);
  assert.equal(floor.buy('ann', '1', '60000').rejectReason, 'instrumentListed');
  floor.at(LAUNCH);
  assert.equal(status(floor), 'online');
  assert.equal(floor.buy('ann', '1', '60000').stands, 'new 0/1');
});

test('a contract opens, takes no more openings and closes everybody at the mark', () => {
  const floor = planned({ status: 'listed', launchTime: String(LAUNCH) }, ALL);
  floor.at(LAUNCH);
  floor.deal('ann', 'bob', '1', '60000');
  const waiting = floor.buy('ann', '1', '59000');
  floor.at(LIMIT_OPEN - 1);
  assert.equal(status(floor), 'online');
  floor.at(LIMIT_OPEN);
  assert.equal(status(floor), 'limit_open');
  assert.equal(floor.buy('bob', '2', '58000').rejectReason, 'openingRestricted');
  assert.equal(floor.sell('ann', '0.5', '61000', { reduceOnly: true }).stands, 'new 0/0.5');
  floor.at(OFF - 1);
  assert.equal(floor.position('ann'), 'long 1 @ 60000');
  floor.at(OFF);
  assert.equal(status(floor), 'offline');
  assert.equal(waiting.stands, 'cancelled 0/1 delegated_risk_order_cancel');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.executions('ann').at(-1), 'delisting close 1 @ 60000 fee 0 pnl 0');
  assertRestartAnywhere(floor);
});

test('a jump over all three does each at its own time', () => {
  const floor = planned({ status: 'listed', launchTime: String(LAUNCH) }, ALL);
  const told = floor.eventsOf('instrument').length;
  floor.at(OFF + HOUR);
  assert.equal(floor.eventsOf('instrument').length - told, 3);
  assert.equal(status(floor), 'offline');
});

test('a launch that was past at listing opens nothing, and a status chosen by hand meanwhile holds', () => {
  const past = planned({ status: 'listed', launchTime: String(OPENING_BELL - HOUR) });
  past.at(OFF);
  assert.equal(status(past), 'listed');
  const early = planned({ status: 'listed', launchTime: String(LAUNCH) });
  early.setStatus('limit_close', 'BTCUSDT', 'USDT-FUTURES');
  early.at(LAUNCH);
  assert.equal(status(early), 'limit_close');
});

test('what went offline and was opened again by hand stays open', () => {
  const floor = planned({}, ALL);
  floor.at(OFF);
  floor.setStatus('online', 'BTCUSDT', 'USDT-FUTURES');
  floor.restart();
  floor.at(OFF + HOUR);
  assert.equal(status(floor), 'online');
});

test('a calendar in the wrong order is refused with the field', () => {
  const wrong = { limitOpenTime: String(OFF), offTime: String(LIMIT_OPEN) };
  assert.throws(() => planned({}, wrong), /offTime must not come before limitOpenTime/);
  assert.throws(
    () => planned({ launchTime: String(OFF) }, { offTime: String(LAUNCH) }),
    /launchTime must come before/,
  );
});
