/** What a book with nobody in it can say about the price that everybody's margin is measured by (rules 5.13, 5.15). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { priceText } from '../dsl/words.ts';
import { BTC_COIN, BTC_PERPETUAL, FuturesFloor } from './futures-floor.ts';

const BAND = { buyLimitPriceRatio: '0.05', sellLimitPriceRatio: '0.05' } as const;
const PERPETUAL: InstrumentSpec = { ...BTC_PERPETUAL, ...BAND };
const QUARTER: InstrumentSpec = {
  ...BTC_COIN,
  ...BAND,
  symbol: 'BTCUSDH26',
  futures: {
    ...BTC_COIN.futures!,
    type: 'delivery',
    fundInterval: '',
    deliveryTime: String(Date.UTC(2026, 2, 27, 8)),
    deliveryStartTime: String(OPENING_BELL),
    deliveryPeriod: 'this_quarter',
  },
};

/** `sue` is short of ten contracts that nobody else quotes, ten times as much as she has; `max` wants her out of them. */
function deserted(on: 'BTCUSDT' | 'BTCUSDH26') {
  const floor = new FuturesFloor(PERPETUAL, undefined, [QUARTER]);
  floor.index('60000', 'BTCUSD');
  for (const name of ['sue', 'lou', 'max', 'moe']) floor.trader(name, { USDT: '80000', BTC: '1.3' });
  floor.leverage('sue', 20, on);
  floor.deal('lou', 'sue', '10', '60000', { on });
  const mark = () => {
    const instrument = floor.instrument(on);
    return priceText(instrument, floor.state.market(instrument).futures!.markTicks);
  };
  /** Five minutes: as long as the mean of the basis goes back. */
  const fiveMinutes = () => {
    for (let n = 0; n < 60; n++) floor.wait(5000);
  };
  return { floor, mark, fiveMinutes };
}

for (const on of ['BTCUSDT', 'BTCUSDH26'] as const) {
  test(`two lonely orders lead the mark of a deserted ${on} no farther than the price band, whatever they trade`, () => {
    const { floor, mark, fiveMinutes } = deserted(on);
    for (let n = 0; n < 3; n++) {
      const bid = floor.buy('max', '0.0001', '62999', { on });
      const ask = floor.sell('moe', '0.0001', '1000000', { on });
      fiveMinutes();
      assert.ok(Number(mark()) <= 63_000, mark());
      floor.cancel('max', bid);
      floor.cancel('moe', ask);
      floor.deal('max', 'moe', '0.0001', '63000', { on });
    }
    fiveMinutes();
    assert.equal(mark(), '63000');
  });

  test(`the middle of the book is what the basis of ${on} follows (rules 5.13)`, () => {
    const { floor, mark, fiveMinutes } = deserted(on);
    floor.buy('max', '1', '61799', { on });
    floor.sell('moe', '1', '61801', { on });
    if (on === 'BTCUSDT') floor.deal('lou', 'max', '0.01', '61800');
    fiveMinutes();
    assert.equal(mark(), '61800');
  });
}

test('a mark never leads farther from the index than the band, however long somebody walks it', () => {
  const { floor, mark, fiveMinutes } = deserted('BTCUSDH26');
  const on = 'BTCUSDH26';
  floor.trader('whale', { BTC: '1000' });
  for (const [bid, ask] of [
    ['62999', '63001'],
    ['66100', '66102'],
    ['66150', '66152'],
  ] as const) {
    floor.sell('moe', '1', ask, { on });
    floor.buy('whale', '1', bid, { on });
    fiveMinutes();
    assert.ok(Number(mark()) <= 63_000, mark());
    floor.buy('whale', '1', ask, { on });
  }
  assert.equal(mark(), '63000');
});

test('the farthest that an old basis leads a mark follows the index down (rules 5.13: an empty side repeats the last)', () => {
  const { floor, mark, fiveMinutes } = deserted('BTCUSDH26');
  const on = 'BTCUSDH26';
  const bid = floor.buy('max', '1', '57600', { on });
  const ask = floor.sell('moe', '1', '57602', { on });
  fiveMinutes();
  assert.equal(mark(), '57601');
  floor.cancel('max', bid);
  floor.cancel('moe', ask);
  floor.index('30000', 'BTCUSD');
  assert.equal(mark(), '28500');
});
