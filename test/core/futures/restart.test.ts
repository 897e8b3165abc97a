/** A restart within a funding period or between the steps of a fall ends where no restart ends (I40). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderKind } from '../../../src/core/model/enums.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { assertRestartAnywhere } from '../restart-anywhere.ts';
import { BTC_FUNDED, FuturesFloor } from './futures-floor.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const EIGHT = OPENING_BELL + 8 * HOUR;

test('in the middle of a funding period', () => {
  const floor = new FuturesFloor(BTC_FUNDED);
  for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { USDT: '100000' });
  floor.isolate('cat');
  floor.deal('ann', 'bob', '1', '60000');
  floor.deal('cat', 'bob', '0.5', '60000');
  // Premium and basis samples, a book on both sides, candles of every price.
  floor.buy('ann', '1', '60050');
  floor.sell('bob', '1', '60250');
  for (let minute = 1; minute <= 12; minute++) {
    floor.index(String(60_000 + 10 * minute));
    floor.wait(MINUTE);
    floor.at(OPENING_BELL + minute * 37 * MINUTE);
  }
  floor.at(EIGHT);
  assert.equal(floor.eventsOf('fundingSettled').length > 0, true);
  assert.notEqual(floor.fields('ann').totalFunding, '0');
  floor.at(EIGHT + HOUR);
  assertRestartAnywhere(floor);
});

test('between the steps of a fall: into the book, into the fund, into the other side', () => {
  const floor = new FuturesFloor();
  for (const name of ['ann', 'bob', 'cat', 'dan', 'eve']) floor.trader(name, { USDT: '30000' });
  for (const name of ['ann', 'dan']) {
    floor.isolate(name);
    floor.leverage(name, 20);
  }
  floor.deal('ann', 'bob', '1', '60000');
  floor.deal('dan', 'eve', '1', '60000');
  floor.deal('cat', 'eve', '3', '60000');
  floor.buy('bob', '0.4', '57400');
  floor.sell('bob', '0.5', '61000', { reduceOnly: true });
  for (const price of ['59000', '57500', '57000', '55000', '50000', '49000']) floor.index(price);
  const kinds = new Set(floor.eventsOf('fill').map(({ fill }) => fill.futures!.kind));
  assert.ok(kinds.size >= 3, `ordinary, liquidated and deleveraged fills, not ${[...kinds].join(', ')}`);
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.position('cat'), 'none');
  floor.wait(MINUTE);
  assertRestartAnywhere(floor);
});

test('of a coin-margined contract as well: a fall into the book and into the other side', () => {
  const floor = new FuturesFloor();
  const on = { on: 'BTCUSD' } as const;
  floor.index('60000', 'BTCUSD');
  for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { BTC: '1' });
  floor.isolate('ann', 'BTCUSD');
  floor.leverage('ann', 20, 'BTCUSD');
  floor.deal('ann', 'bob', '2', '60000', on);
  floor.deal('cat', 'bob', '1', '60000', on);
  floor.buy('bob', '0.5', '57300', on);
  for (const price of ['59500', '58000', '57000', '54000']) {
    floor.index(price, 'BTCUSD');
    floor.wait(MINUTE);
  }
  assert.equal(floor.position('ann', on), 'none');
  const kinds = new Set(floor.eventsOf('fill').map(({ fill }) => fill.futures!.kind));
  assert.ok(kinds.has(OrderKind.liquidation) && kinds.has(OrderKind.adl));
  floor.at(EIGHT + HOUR);
  assertRestartAnywhere(floor);
});
