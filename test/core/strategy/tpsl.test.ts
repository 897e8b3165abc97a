/** Take-profit and stop-loss of positions (rules 3.1 to 3.5, edge cases 109 to 114, 116, 117, 120). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FuturesFloor, futuresFloor } from '../futures/futures-floor.ts';
import { cancel, modify, protect, type StrategyTicket } from './strategy-tickets.ts';

/** Ann is long 1 BTC from bob at 60 000; eve and mel make the market. */
function longAnn(qty = '1'): FuturesFloor {
  const floor = futuresFloor('1000000', 'ann', 'bob', 'eve', 'mel');
  floor.deal('ann', 'bob', qty, '60000');
  return floor;
}

describe('a stop-loss of the whole position', () => {
  test('fires when the last price has fallen to it and sells everything at the market', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: '58000' });
    assert.equal(stop.stands, 'pending');
    floor.buy('mel', '5', '57990');
    floor.deal('eve', 'mel', '0.1', '58000.1');
    assert.equal(stop.stands, 'pending');
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(stop.stands, 'success stopLoss');
    assert.deepEqual(stop.life, ['pending', 'submitting', 'success']);
    assert.equal(floor.position('ann'), 'none');
    assert.deepEqual(stop.child.fills, ['1 @ 57990 taker']);
    assert.equal(stop.delegateType, 'position_stop_loss_market');
    assert.equal(stop.child.record.futures!.reduceOnly, true);
  });

  test('closes what the position is when it fires, not what it was when it was set', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: '58000' });
    floor.deal('ann', 'bob', '2', '60000');
    floor.buy('mel', '5', '57990');
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(stop.child.stands, 'filled 3/3');
    assert.equal(floor.position('ann'), 'none');
  });

  test('of a short fires when the price has risen to it and buys', () => {
    const floor = longAnn();
    const stop = protect(floor, 'bob', { stopLoss: '62000', takeProfit: '55000' });
    floor.sell('mel', '5', '62010');
    floor.deal('mel', 'eve', '0.1', '62000');
    assert.equal(stop.stands, 'success stopLoss');
    assert.deepEqual(stop.child.fills, ['1 @ 62010 taker']);
    assert.equal(floor.position('bob'), 'none');
  });
});

describe('a take-profit', () => {
  test('fires when the price has risen to it; its limit order may rest', () => {
    const floor = longAnn();
    const profit = protect(floor, 'ann', { takeProfit: { at: '63000', limit: '63500' } });
    floor.deal('eve', 'mel', '0.1', '62999.9');
    assert.equal(profit.stands, 'pending');
    floor.deal('eve', 'mel', '0.1', '63000');
    assert.equal(profit.stands, 'success takeProfit');
    assert.equal(profit.child.stands, 'new 0/1');
    assert.equal(profit.child.price, '63500');
    assert.equal(profit.delegateType, 'position_stop_profit_limit');
    assert.equal(floor.position('ann'), 'long 1 @ 60000');
  });

  test('of part of the position closes that part', () => {
    const floor = longAnn();
    const profit = protect(floor, 'ann', { qty: '0.4', takeProfit: '63000' });
    floor.buy('mel', '5', '62990');
    floor.deal('eve', 'mel', '0.1', '63000');
    assert.equal(profit.child.stands, 'filled 0.4/0.4');
    assert.equal(profit.delegateType, 'stop_profit_market');
    assert.equal(floor.position('ann'), 'long 0.6 @ 60000');
  });

  test('of more than is left closes what is left', () => {
    const floor = longAnn();
    const profit = protect(floor, 'ann', { qty: '0.9', takeProfit: '63000' });
    floor.deal('bob', 'ann', '0.7', '60000');
    assert.equal(profit.stands, 'pending');
    floor.buy('mel', '5', '62990');
    floor.deal('eve', 'mel', '0.1', '63000');
    assert.equal(profit.child.stands, 'filled 0.3/0.3');
    assert.equal(profit.record.sizeLots, 3000);
  });
});

describe('both legs are one record', () => {
  test('case 109: with both reached in one command the stop-loss executes', () => {
    const floor = longAnn();
    const both = protect(floor, 'ann', { takeProfit: '61000', stopLoss: '59000' });
    // One sale sweeps bids from above the profit to below the loss.
    floor.buy('mel', '0.1', '61500');
    floor.buy('mel', '0.1', '58900');
    floor.buy('mel', '5', '58800');
    floor.marketOrder('eve', 'sell', '0.2');
    assert.equal(both.stands, 'success stopLoss');
    assert.equal(both.delegateType, 'position_stop_loss_market');
    assert.equal(floor.position('ann'), 'none');
  });

  test('when one fires the other is void', () => {
    const floor = longAnn();
    const both = protect(floor, 'ann', { takeProfit: '61000', stopLoss: '59000', qty: '0.5' });
    floor.buy('mel', '5', '60990');
    floor.deal('eve', 'mel', '0.1', '61000');
    assert.equal(both.stands, 'success takeProfit');
    floor.cancelAll('mel', { category: 'USDT-FUTURES' });
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(floor.position('ann'), 'long 0.5 @ 60000');
  });

  test('a spike inside one command counts', () => {
    const floor = longAnn();
    const profit = protect(floor, 'ann', { takeProfit: '61000' });
    floor.sell('mel', '0.1', '61200');
    floor.buy('mel', '5', '60100');
    floor.marketOrder('eve', 'buy', '0.1');
    assert.equal(profit.stands, 'success takeProfit');
  });
});

describe('which price is looked at', () => {
  test('case 110: a stop by the mark does not fire from trades', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: { at: '58000', by: 'mark' } });
    floor.deal('eve', 'mel', '0.1', '57000');
    floor.wait(1000);
    assert.equal(stop.stands, 'pending');
    floor.buy('mel', '5', '57900');
    floor.index('57950');
    assert.equal(stop.stands, 'success stopLoss');
  });

  test('a stop by trades does not fire from the mark', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: '58000' });
    floor.mark('57000');
    assert.equal(stop.stands, 'pending');
  });

  test('the two legs may look at different prices', () => {
    const floor = longAnn();
    const both = protect(floor, 'ann', { takeProfit: '62000', stopLoss: { at: '58000', by: 'mark' } });
    floor.buy('mel', '5', '57900');
    floor.index('57000');
    assert.equal(both.stands, 'success stopLoss');
  });

  test('a position may be liquidated by the mark before its stop by trades fires', () => {
    const floor = futuresFloor('10000', 'ann', 'eve', 'mel');
    floor.trader('bob', { USDT: '10000000' });
    floor.leverage('ann', 20);
    floor.deal('ann', 'bob', '1', '60000');
    const stop = protect(floor, 'ann', { stopLoss: '52000' });
    floor.buy('bob', '5', '50150');
    floor.index('50200');
    assert.equal(stop.stands, 'cancelled burst_cancel');
    assert.equal(floor.position('ann'), 'none');
  });

  test('by the mark it fires before the same mark liquidates', () => {
    const floor = futuresFloor('10000', 'ann', 'eve', 'mel');
    floor.trader('bob', { USDT: '10000000' });
    floor.leverage('ann', 20);
    floor.deal('ann', 'bob', '1', '60000');
    const stop = protect(floor, 'ann', { stopLoss: { at: '52000', by: 'mark' } });
    floor.buy('bob', '5', '51500');
    floor.index('50000');
    assert.equal(stop.stands, 'success stopLoss');
    assert.ok(floor.executions('ann').every((line) => line.startsWith('user')));
  });
});

describe('what may be set', () => {
  test('case 113: a position has one full record', () => {
    const floor = longAnn();
    protect(floor, 'ann', { stopLoss: '58000' });
    assert.equal(protect(floor, 'ann', { takeProfit: '63000' }).stands, 'refused fullTpslExists');
    assert.equal(protect(floor, 'bob', { takeProfit: '58000' }).stands, 'pending');
  });

  test('case 114: partial records of one kind close no more than the position', () => {
    const floor = longAnn();
    protect(floor, 'ann', { qty: '0.6', stopLoss: '58000' });
    const second = protect(floor, 'ann', { qty: '0.5', stopLoss: '57000' });
    assert.equal(second.stands, 'refused partialTpslAbovePosition');
    assert.equal(second.outcome.bound, 4000);
    // Take-profits of the same position are counted apart.
    assert.equal(protect(floor, 'ann', { qty: '1', takeProfit: '63000' }).stands, 'pending');
    assert.equal(
      protect(floor, 'ann', { qty: '0.1', takeProfit: '64000', stopLoss: '57000' }).stands,
      'refused partialTpslAbovePosition',
    );
    assert.equal(protect(floor, 'ann', { qty: '0.4', stopLoss: '57000' }).stands, 'pending');
  });

  test('without a position there is nothing to protect', () => {
    const floor = longAnn();
    assert.equal(protect(floor, 'eve', { stopLoss: '58000' }).stands, 'refused noPositionToProtect');
    assert.equal(
      protect(floor, 'ann', { stopLoss: '62000', posSide: 'short' }).stands,
      'refused noPositionToProtect',
    );
  });

  test('case 117: triggers must lie on their side of the last price', () => {
    const floor = longAnn();
    const tries: [string, object][] = [
      ['longTakeProfitByLast', { takeProfit: '59000' }],
      ['longTakeProfitByLast', { takeProfit: '60000' }],
      ['longStopLossByLast', { stopLoss: '61000' }],
      ['longTakeProfitByMark', { takeProfit: { at: '60000', by: 'mark' } }],
      ['longStopLossByMark', { stopLoss: { at: '60000', by: 'mark' } }],
    ];
    for (const [rejectReason, words] of tries)
      assert.equal(protect(floor, 'ann', words).stands, `refused ${rejectReason}`);
    const shorts: [string, object][] = [
      ['shortTakeProfitByLast', { takeProfit: '61000' }],
      ['shortStopLossByLast', { stopLoss: '59000' }],
      ['shortTakeProfitByMark', { takeProfit: { at: '61000', by: 'mark' } }],
      ['shortStopLossByMark', { stopLoss: { at: '59000', by: 'mark' } }],
    ];
    for (const [rejectReason, words] of shorts)
      assert.equal(protect(floor, 'bob', words).stands, `refused ${rejectReason}`);
  });

  test('triggers must lie on their side of the average entry', () => {
    const floor = longAnn();
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(protect(floor, 'ann', { takeProfit: '59000' }).stands, 'refused longTakeProfitByEntry');
    assert.equal(protect(floor, 'bob', { stopLoss: '59000' }).stands, 'refused shortStopLossByEntry');
    floor.deal('eve', 'mel', '0.1', '62000');
    assert.equal(protect(floor, 'ann', { stopLoss: '61000' }).stands, 'refused longStopLossByEntry');
    assert.equal(protect(floor, 'bob', { takeProfit: '61000' }).stands, 'refused shortTakeProfitByEntry');
  });

  test('prices must be above zero and on the grid, limit prices too', () => {
    const floor = longAnn();
    const tries: [string, object][] = [
      ['takeProfitNotPositive', { takeProfit: '0' }],
      ['stopLossNotPositive', { stopLoss: '0' }],
      ['takeProfitOffTick', { takeProfit: '63000.05' }],
      ['stopLossOffTick', { stopLoss: '58000.05' }],
      ['takeProfitLimitNotPositive', { takeProfit: { at: '63000', limit: '0' } }],
      ['stopLossLimitNotPositive', { stopLoss: { at: '58000', limit: '0' } }],
      ['takeProfitLimitOffTick', { takeProfit: { at: '63000', limit: '63000.01' } }],
      ['stopLossLimitOffTick', { stopLoss: { at: '58000', limit: '58000.01' } }],
      ['triggerMissing', {}],
      ['sizeOffStep', { qty: '0.00001', stopLoss: '58000' }],
    ];
    for (const [rejectReason, words] of tries)
      assert.equal(protect(floor, 'ann', words).stands, `refused ${rejectReason}`);
  });

  test('a symbol holds twenty of them', () => {
    const floor = longAnn('3');
    for (let n = 0; n < 20; n++)
      assert.equal(protect(floor, 'ann', { qty: '0.1', stopLoss: `5${n % 10}000` }).stands, 'pending');
    const more = protect(floor, 'ann', { qty: '0.1', stopLoss: '58000' });
    assert.equal(more.stands, 'refused tooManyStrategies');
    assert.equal(more.outcome.bound, 20);
  });

  test('a client id is used once, also after the record has ended', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: '58000', clientOid: 'mine' });
    const again = () => protect(floor, 'ann', { qty: '0.1', stopLoss: '57000', clientOid: 'mine' });
    assert.equal(again().stands, 'refused clientOidInUse');
    assert.equal(cancel(floor, 'ann', stop), 'none');
    assert.equal(again().stands, 'refused clientOidInUse');
    assert.equal(protect(floor, 'bob', { takeProfit: '58000', clientOid: 'mine' }).stands, 'pending');
    floor.wait(6 * 3_600_000);
    assert.equal(again().stands, 'pending');
  });
});

describe('how it ends without firing', () => {
  test('case 112: with the position closed by hand it is cancelled', () => {
    const floor = longAnn();
    const full = protect(floor, 'ann', { stopLoss: '58000' });
    const part = protect(floor, 'ann', { qty: '0.5', takeProfit: '63000' });
    const other = protect(floor, 'bob', { stopLoss: '63000' });
    floor.deal('eve', 'ann', '1', '60000');
    assert.equal(full.stands, 'cancelled position_closed');
    assert.equal(part.stands, 'cancelled position_closed');
    assert.equal(other.stands, 'pending');
  });

  test('case 120: with the position flipped the old side is cancelled', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: '58000' });
    floor.deal('eve', 'ann', '3', '60000');
    assert.equal(floor.position('ann'), 'short 2 @ 60000');
    assert.equal(stop.stands, 'cancelled position_closed');
    assert.equal(protect(floor, 'ann', { stopLoss: '62000' }).stands, 'pending');
  });

  test('its owner cancels it, once', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: '58000' });
    assert.equal(cancel(floor, 'bob', stop), 'unknownStrategy');
    assert.equal(cancel(floor, 'ann', stop), 'none');
    assert.equal(stop.stands, 'cancelled normal_cancel');
    assert.equal(cancel(floor, 'ann', stop), 'unknownStrategy');
    floor.deal('eve', 'mel', '0.1', '57000');
    assert.equal(floor.position('ann'), 'long 1 @ 60000');
  });

  test('going offline cancels it', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: '58000' });
    floor.setStatus('offline', 'BTCUSDT', 'USDT-FUTURES');
    assert.equal(stop.stands, 'cancelled delegated_risk_order_cancel');
  });

  test('a record that has fired before its turn finds the position gone', () => {
    const floor = longAnn();
    const first = protect(floor, 'ann', { stopLoss: '58000' });
    const second = protect(floor, 'ann', { qty: '0.5', stopLoss: '58500' });
    floor.buy('mel', '5', '57900');
    floor.deal('eve', 'mel', '0.1', '57950');
    assert.equal(first.stands, 'success stopLoss');
    assert.equal(second.stands, 'cancelled position_closed');
    assert.deepEqual(second.life, ['pending', 'submitting', 'cancelled']);
  });
});

describe('its order', () => {
  test('case 111: outside the band it fails and leaves no order', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: { at: '58000', limit: '5000' } });
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(stop.stands, 'failed sellBelowBand');
    assert.equal(stop.record.childOrderId, 0);
    assert.deepEqual(stop.life, ['pending', 'submitting', 'failed']);
    assert.equal(floor.eventsOf('order').filter(({ order }) => order.origin !== undefined).length, 0);
    assert.equal(floor.position('ann'), 'long 1 @ 60000');
  });

  test('that finds nobody is a success all the same', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: '58000' });
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(stop.stands, 'success stopLoss');
    assert.equal(stop.child.stands, 'cancelled 0/1 ioc_not_full_cancel');
  });

  test('pushes older closing orders out of its way, oldest first, and only as many as it must', () => {
    const floor = longAnn();
    const [one, two, three] = ['64000', '64100', '64200'].map((price) =>
      floor.sell('ann', '0.3', price, { reduceOnly: true }),
    );
    const stop = protect(floor, 'ann', { qty: '0.5', stopLoss: '58000' });
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(stop.stands, 'success stopLoss');
    assert.equal(one!.stands, 'cancelled 0/0.3 tpsl_plan_cancel');
    assert.equal(two!.stands, 'cancelled 0/0.3 tpsl_plan_cancel');
    assert.equal(three!.stands, 'new 0/0.3');
  });

  test('does so in hedge mode too, where closing orders freeze the position', () => {
    const floor = futuresFloor('1000000', 'ann', 'bob', 'eve', 'mel');
    floor.holdMode('ann', 'hedge_mode');
    floor.sell('bob', '1', '60000');
    floor.buy('ann', '1', '60000', { posSide: 'long' });
    const resting = floor.sell('ann', '0.7', '64000', { posSide: 'long' });
    const stop = protect(floor, 'ann', { posSide: 'long', stopLoss: '58000' });
    floor.buy('mel', '5', '57900');
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(resting.stands, 'cancelled 0/0.7 tpsl_plan_cancel');
    assert.equal(stop.child.stands, 'filled 1/1');
    assert.equal(stop.child.record.futures!.closing, true);
    assert.equal(floor.position('ann'), 'none');
  });

  test('that is refused leaves closing orders alone', () => {
    const floor = longAnn();
    const resting = floor.sell('ann', '0.7', '64000', { reduceOnly: true });
    const stop = protect(floor, 'ann', { stopLoss: { at: '58000', limit: '5000' } });
    floor.deal('eve', 'mel', '0.1', '58000');
    assert.equal(stop.stands, 'failed sellBelowBand');
    assert.equal(resting.stands, 'new 0/0.7');
  });

  test('protects long and short of a hedged pair apart', () => {
    const floor = futuresFloor('1000000', 'ann', 'bob', 'eve', 'mel');
    floor.holdMode('ann', 'hedge_mode');
    floor.sell('bob', '1', '60000');
    floor.buy('ann', '1', '60000', { posSide: 'long' });
    floor.buy('bob', '2', '60000');
    floor.sell('ann', '2', '60000', { posSide: 'short' });
    const unnamed = protect(floor, 'ann', { stopLoss: '58000' });
    assert.equal(unnamed.stands, 'refused noPositionToProtect');
    const long = protect(floor, 'ann', { posSide: 'long', stopLoss: '58000' });
    const short = protect(floor, 'ann', { posSide: 'short', stopLoss: '62000' });
    floor.sell('mel', '5', '62010');
    floor.deal('mel', 'eve', '0.1', '62000');
    assert.equal(short.child.stands, 'filled 2/2');
    assert.equal(long.stands, 'pending');
    assert.equal(floor.position('ann'), 'long 1 @ 60000');
  });

  test('closes a rest that is smaller than any order may be', () => {
    const floor = longAnn('0.0001');
    // 0.0001 BTC at 58 000 are 5.8 USDT; at 5 000 they would be below the smallest amount.
    const stop = protect(floor, 'ann', { stopLoss: '58000' });
    floor.buy('mel', '5', '9000');
    floor.deal('eve', 'mel', '0.1', '9100');
    assert.equal(stop.child.stands, 'filled 0.0001/0.0001');
  });
});

describe('modifying it', () => {
  test('moves the trigger; the old one is forgotten', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { stopLoss: '58000' });
    assert.equal(modify(floor, 'ann', stop, { stopLoss: '56000', takeProfit: '65000' }), 'none');
    floor.deal('eve', 'mel', '0.1', '57000');
    assert.equal(stop.stands, 'pending');
    floor.deal('eve', 'mel', '0.1', '56000');
    assert.equal(stop.stands, 'success stopLoss');
  });

  test('is checked like placing it', () => {
    const floor = longAnn();
    const stop = protect(floor, 'ann', { qty: '0.5', stopLoss: '58000' });
    protect(floor, 'ann', { qty: '0.4', stopLoss: '57000' });
    assert.equal(modify(floor, 'ann', stop, { stopLoss: '61000' }), 'longStopLossByLast');
    assert.equal(modify(floor, 'ann', stop, { qty: '0.7' }), 'partialTpslAbovePosition');
    assert.equal(modify(floor, 'ann', stop, { stopLoss: '58000' }), 'strategyUnchanged');
    assert.equal(modify(floor, 'ann', stop, { stopLoss: 'none' }), 'triggerMissing');
    assert.equal(modify(floor, 'bob', stop, { qty: '0.1' }), 'unknownStrategy');
    assert.equal(modify(floor, 'ann', stop, { qty: '0.6' }), 'none');
    assert.equal(stop.record.sizeLots, 6000);
  });

  test('takes one leg away', () => {
    const floor = longAnn();
    const both = protect(floor, 'ann', { takeProfit: '62000', stopLoss: '58000' });
    assert.equal(modify(floor, 'ann', both, { takeProfit: 'none' }), 'none');
    floor.deal('eve', 'mel', '0.1', '63000');
    assert.equal(both.stands, 'pending');
  });
});

test('while trading is halted no trigger fires; afterwards it does', () => {
  const floor = longAnn();
  const stop = protect(floor, 'ann', { stopLoss: { at: '58000', by: 'mark' } });
  floor.buy('mel', '5', '56900');
  floor.send({ type: 'setHalt', time: floor.now, halted: true });
  floor.index('57000');
  assert.equal(stop.stands, 'pending');
  floor.send({ type: 'setHalt', time: floor.now, halted: false });
  floor.wait(1000);
  assert.equal(stop.stands, 'success stopLoss');
});

describe('a stop that the last price reaches in a halt, by the trade of a liquidation,', () => {
  /** Tom is liquidated at 54 100 while nobody else may trade. */
  function reachedInHalt(): { floor: FuturesFloor; stop: StrategyTicket } {
    const floor = longAnn();
    floor.trader('tom', { USDT: '6100' });
    floor.deal('tom', 'bob', '1', '60000');
    const stop = protect(floor, 'ann', { stopLoss: '58000' });
    floor.buy('mel', '1', '54100');
    floor.buy('mel', '1', '54050');
    floor.send({ type: 'setHalt', time: floor.now, halted: true });
    floor.index('54100');
    assert.match(floor.executions('tom').at(-1)!, /^liquidation close 1 @ 54100 /);
    return { floor, stop };
  }

  test('waits and fires when trading goes on', () => {
    const { floor, stop } = reachedInHalt();
    assert.equal(stop.stands, 'pending');
    floor.wait(1000);
    floor.restart();
    assert.equal(stop.stands, 'pending');
    floor.send({ type: 'setHalt', time: floor.now, halted: false });
    assert.equal(stop.stands, 'success stopLoss');
    assert.deepEqual(stop.child.fills, ['1 @ 54050 taker']);
  });

  test('fires although the price has come back', () => {
    const { floor, stop } = reachedInHalt();
    floor.index('60000');
    floor.send({ type: 'setHalt', time: floor.now, halted: false });
    assert.equal(stop.stands, 'success stopLoss');
  });

  test('can be cancelled while it waits', () => {
    const { floor, stop } = reachedInHalt();
    assert.equal(cancel(floor, 'ann', stop), 'none');
    floor.send({ type: 'setHalt', time: floor.now, halted: false });
    assert.equal(floor.position('ann'), 'long 1 @ 60000');
  });
});

test('the hold mode stays while trigger orders or records wait', () => {
  const floor = longAnn();
  protect(floor, 'ann', { stopLoss: '58000' });
  assert.equal(floor.holdMode('ann', 'hedge_mode'), 'positionsOrOrdersOpen');
});
