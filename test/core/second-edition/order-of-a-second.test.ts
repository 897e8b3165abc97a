/** Each step of a second uses what the steps before it made of the same second (rules 13.11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarginFloor } from '../borrowing/margin-floor.ts';
import { moneyUnits, priceText } from '../dsl/words.ts';
import { ConversionFloor } from './conversion-floor.ts';
import { fund, secondEdition } from './fund-floor.ts';

const HOURS_8 = 8 * 3_600_000;

test('13.11: indices, means, stablecoins, coin prices and marks of one second come from the prices told before it', () => {
  const floor = new ConversionFloor();
  floor.trader('mia', { USDT: '10000000' }, { marketMaker: true });
  floor.btc('60000');
  // Up to the second before a basis sample.
  while (floor.now % 5000 !== 4000) floor.btc('60000');
  floor.buy('mia', '1', '57150');
  floor.sell('mia', '1', '57170');
  floor.btc('54150', '57000');
  assert.equal(floor.now % 5000, 0);
  const index = floor.indexOf('BTCUSDT');
  assert.equal(index.price, moneyUnits('57000'));
  // One second of sixty at 57 000.
  assert.equal(index.highest, moneyUnits('59950'));
  // One of sixty at 0.95; the coin by its own index.
  assert.equal(floor.usd('USDT'), '0.99916667');
  assert.equal(floor.usd('BTC'), '54150.00000000');
  const { mark } = floor.state.market(floor.instrument()).futures!;
  assert.ok(mark.inputs[2] > moneyUnits('57000'), 'the basis was sampled against the index of this second');
});

/** At a full hour with everything to do: the fund changed, a candle ends, the house lacks too much, funding is due. */
test('13.11: the record of the fund and ends of candles come first, flags of contracts before funding', () => {
  const floor = new MarginFloor(undefined, undefined, { BTC: { houseShortUsd: '100' } });
  secondEdition(floor);
  const hour = Math.ceil(floor.now / HOURS_8) * HOURS_8;
  floor.at(hour - 20_000);
  for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { BTC: '10' });
  floor.index('50000', 'BTCUSD');
  floor.deal('ann', 'bob', '1', '50000', { on: 'BTCUSD' });
  floor.index('60000', 'BTCUSD');
  floor.deal('cat', 'ann', '1', '60000', { on: 'BTCUSD' });
  fund(floor, '1000');
  floor.at(hour - 1000);
  floor.tell('66000', 'BTCUSD');
  const before = floor.events.length;
  floor.at(hour);
  const told = floor.events.slice(before);
  const first = (type: string) => told.findIndex((event) => event.type === type);
  const order = ['insuranceHour', 'candle', 'priceCandle', 'instrument', 'fundingSettled'].map(first);
  const said = order.join(' ');
  assert.ok(!order.includes(-1), said);
  assert.ok(order[0]! < Math.min(...order.slice(1)), said);
  assert.ok(Math.max(order[1]!, order[2]!) < order[3]!, said);
  assert.ok(order[3]! < order[4]!, said);
  // The candle that ended has the prices of its interval.
  const contract = floor.instrument('BTCUSD');
  assert.equal(priceText(contract, floor.state.market(contract).futures!.markTicks), '66000');
  const ended = floor.eventsOf('priceCandle').findLast(({ kind, instrument }) => {
    return kind === 'mark' && instrument === contract.index;
  })!;
  assert.equal(priceText(contract, ended.closeTicks), '60000');
});
