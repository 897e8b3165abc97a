/** Contracts on metals, stocks and commodities (rules 5.10, 5.13). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { formatRate } from '../../../src/core/model/units.ts';
import { priceText } from '../dsl/words.ts';
import { assertRestartAnywhere } from '../restart-anywhere.ts';
import { BTC_PERPETUAL, FuturesFloor } from './futures-floor.ts';

/** The contract of the examples, as if its base coin were something else. */
function contractOn(symbolType: InstrumentSpec['symbolType']): FuturesFloor {
  const futures = { ...BTC_PERPETUAL.futures!, minFundingRate: '-0.003', maxFundingRate: '0.003' };
  const floor = new FuturesFloor({ ...BTC_PERPETUAL, symbolType, futures });
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '1000000' });
  return floor;
}

function shown(floor: FuturesFloor): { mark: string; rate: string } {
  const instrument = floor.instrument();
  const { markTicks, rate } = floor.state.market(instrument).futures!;
  return { mark: priceText(instrument, markTicks), rate: formatRate(rate) };
}

/** A trade and a book 5 % above the index, for as long as it takes to be sampled. */
function ornsteinUhlenbeckStep(floor: FuturesFloor, seconds: number): void {
  floor.deal('ann', 'bob', '1', '63000');
  floor.buy('ann', '1', '62999');
  floor.sell('bob', '1', '63001');
  for (let n = 0; n < seconds; n++) floor.wait(1000);
}

test('a book that wanders off takes the mark of a coin along, that of a stock only 3 % far', () => {
  for (const [symbolType, mark] of [
    ['crypto', '63000'],
    ['stock', '61800'],
    ['metal', '61800'],
    ['commodity', '61800'],
  ] as const) {
    const floor = contractOn(symbolType);
    ornsteinUhlenbeckStep(floor, 5);
    floor.wait(5000);
    assert.equal(shown(floor).mark, mark, symbolType);
  }
});

test('half a minute of a new basis makes the mark of a metal; a coin takes five minutes', () => {
  const basedMark = (symbolType: InstrumentSpec['symbolType']) => {
    const floor = contractOn(symbolType);
    floor.buy('ann', '1', '59999');
    floor.sell('bob', '1', '60001');
    for (let n = 0; n < 60; n++) floor.wait(5000);
    floor.buy('ann', '1', '60001');
    floor.deal('ann', 'bob', '1', '61000');
    floor.buy('ann', '1', '60899');
    floor.sell('bob', '1', '60901');
    for (let n = 0; n < 6; n++) floor.wait(5000);
    return shown(floor).mark;
  };
  assert.equal(basedMark('metal'), '60900');
  assert.equal(basedMark('crypto'), '60090');
});

test('a basis from when the index was twice as high leaves a contract with a price above zero, and it trades on', () => {
  const floor = contractOn('crypto');
  const lonely = [floor.sell('ann', '1', '30001'), floor.buy('bob', '1', '30000')];
  for (let n = 0; n < 60; n++) floor.wait(5000);
  assert.equal(shown(floor).mark, '30000.5');
  for (const order of lonely) floor.cancel(order === lonely[0] ? 'ann' : 'bob', order);
  // What an empty book repeats is 29999.5 below the index.
  floor.index('25000');
  assert.equal(shown(floor).mark, '12500');
  floor.deal('ann', 'bob', '1', '12500');
  floor.index('24000');
  assert.equal(floor.position('ann'), 'long 1 @ 12500');
});

test('nobody pays interest on a stock: without a premium its funding is zero, that of a metal 0.01 %', () => {
  for (const [symbolType, rate] of [
    ['stock', '0'],
    ['metal', '0.0001'],
    ['crypto', '0.0001'],
  ] as const) {
    const floor = contractOn(symbolType);
    floor.wait(60_000);
    assert.equal(shown(floor).rate, rate, symbolType);
  }
});

test('a restart in the half minute goes on with the same basis (I40)', () => {
  const floor = contractOn('commodity');
  ornsteinUhlenbeckStep(floor, 12);
  assert.equal(shown(floor).mark, '61800');
  floor.wait(60_000);
  assertRestartAnywhere(floor);
});
