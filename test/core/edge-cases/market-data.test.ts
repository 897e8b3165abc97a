/** What the public is told (rules 10.2, 137 to 143) in the words of the interface, where these make the row. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { publicFillView, tickerView } from '../../../src/api/routes/market/market-view.ts';
import { Generated24hStats } from '../../../src/sequencer/generated-24h-stats.ts';
import { FuturesFloor, futuresFloor } from '../futures/futures-floor.ts';
import { TradingFloor } from '../trading-floor.ts';

const HOUR = 3_600_000;

test('case 137: the ticker of a pair without a trade for 25 h shows its last price and no change', () => {
  const floor = new TradingFloor();
  floor.printPrice('60000');
  floor.wait(60_000);
  floor.printPrice('61000');
  floor.wait(25 * HOUR);
  const { lastPrice, openPrice24h, highPrice24h, lowPrice24h, volume24h, turnover24h, price24hPcnt } =
    tickerView({ state: floor.state, generated24h: new Generated24hStats() }, floor.instrument());
  deepEqual([lastPrice, openPrice24h, highPrice24h, lowPrice24h], ['61000', '61000', '61000', '61000']);
  deepEqual([volume24h, turnover24h, price24hPcnt], ['0', '0', '0']);
});

test('case 142: a fill of 0.5 BTC at 60 000 in coin futures has a size of 30000', () => {
  const floor = new FuturesFloor();
  floor.index('60000', 'BTCUSD');
  for (const name of ['ann', 'bob']) floor.trader(name, { BTC: '10' });
  floor.deal('ann', 'bob', '0.5', '60000', { on: 'BTCUSD' });
  const [fill] = floor.publicFills('BTCUSD');
  const { size, price, side } = publicFillView(fill!, floor.instrument('BTCUSD'));
  deepEqual([size, price, side], ['30000', '60000', 'buy']);
});

/** What the public has seen: fills, volume and last price of the day, and the running candle. */
function seen(floor: FuturesFloor) {
  const { volume, last } = floor.ticker();
  const { volume: traded, close, high, low } = floor.runningCandle('1D')!;
  return { fills: floor.publicFills().length, volume, last, traded, close, high, low };
}

test('case 143: deleveraging is not in public fills, candles or ticker', () => {
  const floor = futuresFloor('100000', 'bob');
  floor.trader('ann', { USDT: '5060' });
  floor.mark('50000');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.deal('ann', 'bob', '1', '50000');
  const before = seen(floor);
  floor.mark('40000');
  equal(floor.executions('bob').at(-1), 'adl close 1 @ 45027.1 fee 0 pnl 4972.9');
  deepEqual(seen(floor), before);
});

test('case 143: nor is the netting of a hedged pair', () => {
  const floor = futuresFloor('10000000', 'bob');
  floor.trader('ann', { USDT: '1440' });
  floor.holdMode('ann', 'hedge_mode');
  floor.leverage('ann', 100);
  floor.sell('bob', '2', '60000');
  floor.buy('ann', '2', '60000', { posSide: 'long' });
  floor.buy('bob', '2', '60000');
  floor.sell('ann', '2', '60000', { posSide: 'short' });
  const before = seen(floor);
  floor.mark('150000');
  equal(floor.executions('ann').at(-1), 'offset close 2 @ 150000 fee 0 pnl -180000');
  deepEqual(seen(floor), before);
});

test('a liquidation that goes through the book is in all three (rules 8.1)', () => {
  const floor = futuresFloor('100000', 'bob', 'cat');
  floor.trader('ann', { USDT: '5060' });
  floor.mark('50000');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.deal('ann', 'bob', '1', '50000');
  floor.buy('cat', '1', '45100');
  floor.mark('45200');
  deepEqual(seen(floor), {
    fills: 2,
    volume: '2',
    last: '45100',
    traded: '2',
    close: '45100',
    high: '50000',
    low: '45100',
  });
});
