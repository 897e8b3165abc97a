/** Take-profit and stop-loss that come with an opening order (rules 3.6, edge cases 115, 116). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KEEP_LEG } from '../../../src/core/model/tpsl.ts';
import { MARGIN, MarginFloor, SPOT } from '../borrowing/margin-floor.ts';
import type { OrderWords } from '../dsl/words.ts';
import { type FuturesFloor, futuresFloor } from '../futures/futures-floor.ts';
import { openFloor } from '../trading-floor.ts';
import { attachedOf, cancel, changeOf, modify } from './strategy-tickets.ts';

function floorOfFour(): FuturesFloor {
  const floor = futuresFloor('1000000', 'ann', 'bob', 'eve', 'mel');
  floor.deal('eve', 'mel', '0.1', '60000');
  return floor;
}

describe('the record', () => {
  test('case 115: comes with the first fill, grows with each and is fixed when the order closes', () => {
    const floor = floorOfFour();
    const order = floor.buy('ann', '1', '59900', { takeProfit: '63000', stopLoss: '58000' });
    assert.deepEqual(attachedOf(floor, 'ann'), []);
    assert.equal(order.record.preset!.stopLoss.triggerTicks, 580_000);
    floor.sell('bob', '0.1', '59900');
    const [record] = attachedOf(floor, 'ann');
    assert.equal(record!.record.sizeLots, 1000);
    floor.sell('bob', '0.2', '59900');
    assert.equal(record!.record.sizeLots, 3000);
    floor.cancel('ann', order);
    assert.equal(record!.stands, 'pending');
    floor.buy('mel', '5', '57990');
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(record!.child.stands, 'filled 0.3/0.3');
    assert.equal(record!.delegateType, 'strategy_preset_tpsl_market');
    assert.equal(floor.position('ann'), 'none');
  });

  test('never comes when nothing is filled', () => {
    const floor = floorOfFour();
    const order = floor.buy('ann', '1', '59900', { stopLoss: '58000' });
    floor.cancel('ann', order);
    assert.deepEqual(attachedOf(floor, 'ann'), []);
  });

  test('comes with a market order too', () => {
    const floor = floorOfFour();
    floor.sell('bob', '1', '60000');
    floor.marketOrder('ann', 'buy', '1', { takeProfit: { at: '63000', limit: '62900' } });
    const [record] = attachedOf(floor, 'ann');
    floor.deal('eve', 'mel', '0.1', '63000');
    assert.equal(record!.delegateType, 'strategy_preset_tpsl_limit');
    assert.equal(record!.child.price, '62900');
  });

  test('counts only what a flip opens', () => {
    const floor = floorOfFour();
    floor.deal('bob', 'ann', '1', '60000');
    floor.sell('bob', '3', '60000');
    floor.buy('ann', '3', '60000', { stopLoss: '58000' });
    const [record] = attachedOf(floor, 'ann');
    assert.equal(record!.record.sizeLots, 20_000);
    assert.equal(floor.position('ann'), 'long 2 @ 60000');
  });

  test('is cancelled when the position goes; later fills of the order begin another', () => {
    const floor = floorOfFour();
    floor.buy('ann', '1', '59900', { stopLoss: '58000' });
    floor.sell('bob', '0.4', '59900');
    floor.buy('mel', '0.4', '59950');
    floor.sell('ann', '0.4', '59950', { reduceOnly: true });
    floor.sell('bob', '0.1', '59900');
    const [first, second] = attachedOf(floor, 'ann');
    assert.equal(first!.stands, 'cancelled position_closed');
    assert.equal(second!.stands, 'pending');
    assert.equal(second!.record.sizeLots, 1000);
  });

  test('fires in the very command that made it when the sweep goes on to its price', () => {
    const floor = floorOfFour();
    floor.sell('bob', '0.5', '60000');
    floor.sell('bob', '0.5', '61000');
    floor.buy('mel', '5', '59900');
    floor.marketOrder('ann', 'buy', '1', { takeProfit: '60500' });
    const [record] = attachedOf(floor, 'ann');
    assert.equal(record!.stands, 'success takeProfit');
    assert.equal(record!.record.sizeLots, 10_000);
  });

  test('does not see prices from before its order was filled', () => {
    const floor = floorOfFour();
    floor.buy('mel', '0.1', '60500');
    floor.buy('ann', '0.1', '59500', { takeProfit: '60200' });
    floor.sell('bob', '0.2', '59500');
    const [record] = attachedOf(floor, 'ann');
    assert.equal(record!.stands, 'pending');
  });

  test('is modified and cancelled like any other', () => {
    const floor = floorOfFour();
    floor.sell('bob', '1', '60000');
    floor.buy('ann', '1', '60000', { stopLoss: '58000' });
    const [record] = attachedOf(floor, 'ann');
    assert.equal(modify(floor, 'ann', record!, { stopLoss: '57000' }), 'none');
    assert.equal(cancel(floor, 'ann', record!), 'none');
    assert.equal(record!.stands, 'cancelled normal_cancel');
  });
});

describe('what may be attached', () => {
  test('case 116: closing orders carry none', () => {
    const floor = floorOfFour();
    floor.deal('ann', 'bob', '1', '60000');
    const closing = floor.sell('ann', '1', '61000', { reduceOnly: true, stopLoss: '65000' });
    assert.equal(closing.stands, 'refused presetNotOpening');
  });

  test('case 116: nor do closing orders of hedge mode', () => {
    const floor = futuresFloor('1000000', 'ann', 'bob', 'eve', 'mel');
    floor.holdMode('ann', 'hedge_mode');
    floor.sell('bob', '1', '60000');
    const opening = floor.buy('ann', '1', '60000', { posSide: 'long', stopLoss: '58000' });
    assert.equal(opening.stands, 'filled 1/1');
    const closing = floor.sell('ann', '1', '61000', { posSide: 'long', stopLoss: '65000' });
    assert.equal(closing.stands, 'refused presetNotOpening');
  });

  test('triggers are measured by the last price, or by the limit price of an order that waits', () => {
    const floor = floorOfFour();
    const place = (price: string, words: object) => floor.buy('ann', '0.1', price, words).stands;
    assert.equal(place('60000', { takeProfit: '59000' }), 'refused longTakeProfitByLast');
    assert.equal(place('60000', { stopLoss: '60000' }), 'refused longStopLossByLast');
    assert.equal(place('50000', { stopLoss: '55000' }), 'refused longStopLossByLast');
    assert.equal(place('50000', { takeProfit: '55000', stopLoss: '49000' }), 'new 0/0.1');
    const short = floor.sell('bob', '0.1', '70000', { takeProfit: '65000', stopLoss: '71000' });
    assert.equal(short.stands, 'new 0/0.1');
  });

  test('a refused preset leaves no order', () => {
    const floor = floorOfFour();
    const order = floor.buy('ann', '0.1', '60000', { takeProfit: { at: '63000', limit: '63000.01' } });
    assert.equal(order.stands, 'refused takeProfitLimitOffTick');
    assert.deepEqual(floor.openOrders('ann'), []);
  });
});

describe('changing it through the order', () => {
  test('changes what later fills bring and what earlier ones have brought', () => {
    const floor = floorOfFour();
    const order = floor.buy('ann', '1', '59900', { stopLoss: '58000' });
    floor.sell('bob', '0.1', '59900');
    const preset = { takeProfit: KEEP_LEG, stopLoss: changeOf(order.instrument, '57000') };
    assert.equal(floor.amend('ann', order, { preset }), 'none');
    assert.equal(floor.amend('ann', order, { preset }), 'nothingToAmend');
    const [record] = attachedOf(floor, 'ann');
    floor.cancel('ann', order);
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(record!.stands, 'pending');
    floor.deal('eve', 'mel', '0.1', '57000');
    assert.equal(record!.stands, 'success stopLoss');
  });

  test('keeps the place of the order in its queue', () => {
    const floor = floorOfFour();
    const order = floor.buy('ann', '1', '59900', { stopLoss: '58000' });
    const behind = floor.buy('mel', '1', '59900');
    const preset = { takeProfit: changeOf(order.instrument, '65000'), stopLoss: KEEP_LEG };
    assert.equal(floor.amend('ann', order, { preset }), 'none');
    floor.sell('bob', '1', '59900');
    assert.equal(order.stands, 'filled 1/1');
    assert.equal(behind.stands, 'new 0/1');
  });

  test('removes it; amending price or quantity leaves it', () => {
    const floor = floorOfFour();
    const order = floor.buy('ann', '1', '59900', { stopLoss: '58000' });
    assert.equal(floor.amend('ann', order, { qty: '2' }), 'none');
    assert.equal(order.record.preset!.stopLoss.triggerTicks, 580_000);
    const preset = { takeProfit: KEEP_LEG, stopLoss: changeOf(order.instrument, 'none') };
    assert.equal(floor.amend('ann', order, { preset }), 'none');
    floor.sell('bob', '1', '59900');
    assert.deepEqual(attachedOf(floor, 'ann'), []);
  });
});

describe('on spot', () => {
  test('a buy is protected; its stop sells what the fee has left of it', () => {
    const floor = openFloor('bob', 'mel');
    floor.trader('ann', { USDT: '100000' });
    floor.sell('bob', '1', '60000');
    floor.buy('ann', '1', '60000', { stopLoss: '58000' });
    floor.buy('mel', '2', '57900');
    floor.buy('bob', '0.1', '58000');
    floor.sell('mel', '0.1', '58000');
    const [record] = attachedOf(floor, 'ann');
    assert.equal(record!.stands, 'success stopLoss');
    assert.equal(record!.child.stands, 'filled 0.999/0.999');
    assert.equal(floor.cash('ann', 'BTC'), '0');
  });

  test('a sale carries none', () => {
    const floor = openFloor('ann');
    assert.equal(floor.sell('ann', '1', '60000', { stopLoss: '65000' }).stands, 'refused presetNotOpening');
  });

  test('a market buy by amount is protected for what it bought', () => {
    const floor = openFloor('ann', 'bob');
    floor.sell('bob', '1', '60000');
    floor.marketBuy('ann', '30000', { takeProfit: { at: '61000', by: 'mark' } });
    const [record] = attachedOf(floor, 'ann');
    assert.equal(record!.record.sizeLots, 500_000);
    // Spot has no mark price: the record follows trades.
    assert.equal(record!.record.takeProfit.triggerBy, 0);
  });
});

describe('where positions and debts stand beside it', () => {
  /** ann buys 0.5 BTC of the market with a stop at 58 000. */
  function protectedAnn(money: string, words: OrderWords): MarginFloor {
    const floor = new MarginFloor().stocked();
    floor.trader('ann', { USDT: money });
    floor.trader('mel', { USDT: '1000000', BTC: '10' });
    floor.buy('ann', '0.5', '60000', { ...words, stopLoss: '58000' });
    floor.cancelAll('market');
    return floor;
  }
  function fallTo58000(floor: MarginFloor): void {
    floor.buy('mel', '2', '57900', SPOT);
    floor.buy('market', '0.1', '58000', SPOT);
    floor.sell('mel', '0.1', '58000', SPOT);
  }

  test('a spot stop sells all it holds: the money that comes in carries the position as well as the coin did', () => {
    const floor = protectedAnn('30000', SPOT);
    floor.deal('ann', 'mel', '3', '60000');
    // Most of the coin could not be sent away now, which says nothing about selling it.
    assert.ok(Number(floor.risk('ann').available) < 20_000);
    fallTo58000(floor);
    assert.equal(attachedOf(floor, 'ann')[0]!.child.stands, 'filled 0.4995/0.4995');
  });

  test('a margin stop sells what the fee has left and borrows no coin to sell', () => {
    const floor = protectedAnn('20000', MARGIN);
    assert.equal(floor.cash('ann', 'USDT'), '-10000');
    fallTo58000(floor);
    assert.equal(attachedOf(floor, 'ann')[0]!.child.stands, 'filled 0.4995/0.4995');
    assert.equal(floor.cash('ann', 'BTC'), '0');
  });

  test('a margin stop without anything left to sell has failed instead of selling short', () => {
    const floor = protectedAnn('20000', MARGIN);
    floor.buy('mel', '0.4995', '59990', SPOT);
    floor.sell('ann', '0.4995', '59990', SPOT);
    fallTo58000(floor);
    assert.equal(attachedOf(floor, 'ann')[0]!.stands, 'failed insufficientBalance');
    assert.equal(floor.owed('BTC'), '0');
  });
});
