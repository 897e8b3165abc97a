/** Who acts while liquidations wait is liquidated before, whoever made him due (rules 18.1, 19.1 (c)). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishWork, nextPortion, setPortion } from '../fourth-edition/in-portions.ts';
import { BTC_PERPETUAL, FuturesFloor } from '../futures/futures-floor.ts';
import { when } from '../strategy/strategy-tickets.ts';

const ETH: typeof BTC_PERPETUAL = {
  ...BTC_PERPETUAL,
  symbol: 'ETHUSDT',
  baseCoin: 'ETH',
  openingPrice: '3000',
  indexComponents: [{ exchange: 'elsewhere', spotPair: 'ETH/USDT', weight: '1' }],
};

test('19.1 (c): whom the liquidation of the other named account makes due is liquidated before the command', () => {
  const floor = new FuturesFloor(BTC_PERPETUAL, undefined, [ETH]);
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  floor.index('3000', 'ETHUSDT');
  floor.trader('zoe', { USDT: '1000000' });
  floor.trader('ben', { USDT: '2400' });
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) floor.leverage('ben', 100, symbol);
  for (let n = 0; n < 20; n++) floor.trader(`idle ${n}`, {});
  floor.trader('amy', { USDT: '6100' });
  floor.isolate('amy');
  floor.leverage('amy', 10);
  floor.deal('amy', 'ben', '1', '60000');
  floor.sell('zoe', '20', '3000', { on: 'ETHUSDT' });
  floor.buy('ben', '20', '3000', { on: 'ETHUSDT' });
  floor.buy('zoe', '20', '2586', { on: 'ETHUSDT' });
  setPortion(floor, 1);
  floor.tell('2586', 'ETHUSDT');
  floor.mark('52800');
  const held = () => [
    floor.position('amy').slice(0, 4),
    floor.position('ben').slice(0, 5),
    floor.position('ben', { on: 'ETHUSDT' }).slice(0, 4),
  ];
  assert.deepEqual(held(), ['long', 'short', 'long'], 'her turn has not come, and he is not due');
  floor.pay('ben', 'amy', '1', 'USDT');
  assert.deepEqual(held(), ['none', 'none', 'none'], 'without his short he is due');
  finishWork(floor);
});

test('18.1: under the eighth edition a strategy order does not wait for the liquidations of others', () => {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 8 });
  for (const name of ['eve', 'tom', 'zoe']) floor.trader(name, { USDT: '1000000' });
  for (let n = 0; n < 30; n++) floor.trader(`idle ${n}`, {});
  floor.trader('ann', { USDT: '7000' });
  // The round goes on after her turn.
  for (let n = 30; n < 60; n++) floor.trader(`idle ${n}`, {});
  floor.leverage('ann', 10);
  floor.deal('ann', 'eve', '1', '60000');
  floor.buy('zoe', '1', '53000');
  floor.buy('zoe', '0.1', '53150');
  for (let n = 0; n < 10; n++) when(floor, 'tom', 'sell', '0.01', '53155', { limit: '52000' });
  setPortion(floor, 1);
  floor.index('53160');
  floor.sell('eve', '0.001', '53150');
  for (let n = 0; n < 20; n++) {
    const before = floor.events.length;
    nextPortion(floor);
    const own = floor.events.slice(before);
    const closed = own.findIndex((each) => each.type === 'fill' && each.fill.uid === floor.uid('ann'));
    if (closed < 0) continue;
    const fired = own.findIndex((each) => each.type === 'fill' && each.fill.uid === floor.uid('tom'));
    assert.ok(fired >= 0 && fired < closed, `tom's order is event ${fired}, her close ${closed}`);
    return;
  }
  assert.fail('ann was not liquidated');
});
