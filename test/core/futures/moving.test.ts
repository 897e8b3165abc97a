/**
 * Positions that a main account hands from one of its accounts to another (rules 5.16, wire 4.1), at the mark and outside the book.
 * Figures are worked out by hand; every command is followed by `checkInvariants` and the auditor.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StrategyReason, StrategyStatus } from '../../../src/core/model/enums.ts';
import { money } from '../dsl/words.ts';
import { assertRestartAnywhere } from '../restart-anywhere.ts';
import { FuturesFloor } from './futures-floor.ts';

/** `main` with its sub-accounts `ann` and `ben`, and `bob`, who is somebody else. */
function family(words: { ann?: string; ben?: string; main?: string; coin?: string } = {}): FuturesFloor {
  const { ann = '20000', ben = '5000', main = '10000', coin = 'USDT' } = words;
  const floor = new FuturesFloor();
  floor.trader('bob', { [coin]: '1000000' });
  floor.trader('main', { [coin]: main });
  floor.trader('ann', { [coin]: ann }, { master: 'main' });
  floor.trader('ben', { [coin]: ben }, { master: 'main' });
  return floor;
}

function openInterest(floor: FuturesFloor, symbol = 'BTCUSDT'): number {
  const instrument = floor.instrument(symbol);
  return floor.state.market(instrument).futures!.openInterest / 10 ** instrument.quantityPrecision;
}

test('part of a long changes hands at the mark: profit is realised, nobody pays, nobody sees a trade', () => {
  const floor = family();
  floor.deal('ann', 'bob', '1', '60000');
  floor.mark('61000');
  const seen = { fees: floor.house('sys:fee', 'USDT'), ticker: floor.ticker(), depth: floor.depth() };

  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.4' }), ['none']);

  // 0.4 x (61000 - 60000) = 400 of profit; 20000 less the fee of 36 before.
  assert.equal(floor.position('ann'), 'long 0.6 @ 60000');
  assert.equal(floor.cash('ann', 'USDT'), '20364');
  assert.equal(floor.executions('ann').at(-1), 'move close 0.4 @ 61000 fee 0 pnl 400');
  assert.equal(floor.lines('ann').at(-1), 'sellDeal 400 fee 0 USDT = 20364');
  assert.equal(floor.position('ben'), 'long 0.4 @ 61000');
  assert.equal(floor.cash('ben', 'USDT'), '5000');
  assert.deepEqual(floor.executions('ben'), ['move open 0.4 @ 61000 fee 0 pnl 0']);
  assert.equal(floor.lines('ben').at(-1), 'buyDeal 0 fee 0 USDT = 5000');
  // 24400 / 10 and the closing fee of 14.64.
  assert.equal(floor.risk('ben').initial, '2454.64');
  assert.equal(floor.position('bob'), 'short 1 @ 60000');
  assert.equal(openInterest(floor), 1);
  assert.equal(floor.house('sys:fee', 'USDT'), seen.fees);
  assert.equal(floor.insurance(), '0');
  assert.deepEqual(floor.ticker(), seen.ticker);
  assert.deepEqual(floor.depth(), seen.depth);
  assert.equal(floor.publicFills().length, 1, 'only ann and bob have traded');
});

test('the record of a move names both accounts, the giving order and the fill of each', () => {
  const floor = family();
  floor.deal('ann', 'bob', '1', '60000');
  floor.mark('59000');
  floor.move('main', 'ann', 'main', { side: 'sell', qty: '1' });
  const [moved, ...more] = floor.eventsOf('positionMoved');
  assert.equal(more.length, 0);
  const closed = floor.fillsOf('ann').at(-1)!;
  const opened = floor.fillsOf('main').at(-1)!;
  assert.equal(closed.execLinkId, opened.execLinkId);
  assert.deepEqual(moved, {
    type: 'positionMoved',
    orderId: closed.orderId,
    openOrderId: opened.orderId,
    closeExecId: closed.execId,
    openExecId: opened.execId,
    masterUid: floor.uid('main'),
    fromUid: floor.uid('ann'),
    toUid: floor.uid('main'),
    instrument: floor.instrument().index,
    category: floor.instrument().category,
    long: true,
    sizeLots: 10_000,
    priceTicks: 590_000,
    time: floor.now,
  });
});

test('a position that is given away whole has ended: its record, its protection and its closing orders', () => {
  const floor = family();
  floor.sell('bob', '1', '60000');
  floor.buy('ann', '1', '60000', { takeProfit: '70000', stopLoss: '50000' });
  const closing = floor.sell('ann', '0.5', '65000', { reduceOnly: true });
  floor.mark('60500');
  assert.deepEqual(floor.move('main', 'ann', 'main', { side: 'sell', qty: '1' }), ['none']);
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.position('main'), 'long 1 @ 60500');
  assert.equal(closing.stands, 'cancelled 0/0.5 delegated_risk_order_cancel');
  const { order } = floor.eventsOf('strategyOrder').at(-1)!;
  assert.deepEqual([order.status, order.reason], [StrategyStatus.cancelled, StrategyReason.positionGone]);
  const [ended] = floor.eventsOf('positionClosed');
  assert.equal(ended!.uid, floor.uid('ann'));
  // 500 of profit; the fee of 36 was for opening.
  assert.deepEqual([ended!.realised, ended!.openFee, ended!.closeFee], [500_0000_0000n, 36_0000_0000n, 0n]);
  assert.deepEqual(
    [ended!.openedLots, ended!.closedLots, ended!.closedValue],
    [10_000, 10_000, 60500_0000_0000n],
  );
});

test('closing orders that no longer fit what is left are trimmed, as after any fill', () => {
  const floor = family();
  floor.deal('ann', 'bob', '1', '60000');
  const closing = floor.sell('ann', '0.8', '65000', { reduceOnly: true });
  floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.4' });
  assert.equal(closing.stands, 'new 0/0.6');
});

test('a short is given away with a buy', () => {
  const floor = family();
  floor.deal('bob', 'ann', '1', '60000');
  floor.mark('61000');
  assert.deepEqual(floor.move('main', 'ann', 'main', { side: 'sell', qty: '1' }), ['noPositionToMove']);
  assert.deepEqual(floor.move('main', 'ann', 'main', { side: 'buy', qty: '1' }), ['none']);
  // 20000 less the maker's fee of 12 and the loss of 1000.
  assert.equal(floor.cash('ann', 'USDT'), '18988');
  assert.equal(floor.position('main'), 'short 1 @ 61000');
  assert.equal(openInterest(floor), 1);
});

test('in one-way mode what is received closes the opposite position first, and the rest opens', () => {
  const floor = family();
  floor.deal('ann', 'bob', '1', '60000');
  floor.deal('bob', 'ben', '0.3', '60000');
  floor.mark('61000');
  assert.equal(openInterest(floor), 1);
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.5' }), ['none']);
  assert.deepEqual(floor.executions('ben').slice(-2), [
    'move close 0.3 @ 61000 fee 0 pnl -300',
    'move open 0.2 @ 61000 fee 0 pnl 0',
  ]);
  assert.equal(floor.position('ben'), 'long 0.2 @ 61000');
  // 5000 less the maker's fee of 3.6 and the loss of 300.
  assert.equal(floor.cash('ben', 'USDT'), '4696.4');
  // A long of 0.3 and a short of 0.3 are gone.
  assert.equal(openInterest(floor), 0.7);
  assert.equal(floor.eventsOf('positionMoved')[0]!.openExecId, floor.fillsOf('ben').at(-1)!.execId);
});

test('in hedge mode a long comes to the long position and a short to the short one', () => {
  const floor = family();
  floor.holdMode('ben', 'hedge_mode');
  floor.holdMode('ann', 'hedge_mode');
  floor.sell('bob', '1', '60000');
  floor.buy('ann', '1', '60000', { posSide: 'long' });
  floor.buy('bob', '0.5', '60000');
  floor.sell('ann', '0.5', '60000', { posSide: 'short' });
  floor.deal('main', 'bob', '0.1', '60000');
  const moves = [
    { side: 'sell', qty: '0.4' },
    { side: 'buy', qty: '0.2' },
  ] as const;
  assert.deepEqual(floor.move('main', 'ann', 'ben', ...moves), ['none', 'none']);
  assert.equal(floor.position('ann', { long: true }), 'long 0.6 @ 60000');
  assert.equal(floor.position('ann', { long: false }), 'short 0.3 @ 60000');
  assert.equal(floor.position('ben', { long: true }), 'long 0.4 @ 60000');
  assert.equal(floor.position('ben', { long: false }), 'short 0.2 @ 60000');
  // The one-way account nets.
  assert.deepEqual(floor.move('main', 'ben', 'main', { side: 'buy', qty: '0.2' }), ['none']);
  assert.equal(floor.position('main'), 'short 0.1 @ 60000');
});

test('an isolated position takes its share of margin and profit back to cash; the receiver uses its own mode', () => {
  const floor = family();
  floor.isolate('ann');
  floor.isolate('main');
  floor.leverage('main', 20);
  floor.deal('ann', 'bob', '1', '60000');
  assert.equal(floor.position('ann'), 'long 1 @ 60000 iso 6000');
  assert.equal(floor.cash('ann', 'USDT'), '13964');
  floor.mark('61000');
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.5' }), ['none']);
  // Half of 6000, and half of 1000.
  assert.equal(floor.cash('ann', 'USDT'), '17464');
  assert.equal(floor.position('ann'), 'long 0.5 @ 60000 iso 3000');
  assert.equal(floor.position('ben'), 'long 0.5 @ 61000');
  assert.deepEqual(floor.move('main', 'ben', 'main', { side: 'sell', qty: '0.5' }), ['none']);
  // 30500 / 20.
  assert.equal(floor.position('main'), 'long 0.5 @ 61000 iso 1525');
  assert.equal(floor.cash('main', 'USDT'), '8475');
  assert.equal(floor.cash('ben', 'USDT'), '5000');
});

test('a coin-margined position is realised in coin at the mark', () => {
  const floor = family({ coin: 'BTC', ann: '1', ben: '1', main: '1' });
  floor.index('60000', 'BTCUSD');
  floor.deal('ann', 'bob', '0.5', '60000', { on: 'BTCUSD' });
  floor.mark('66000', 'BTCUSD');
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.5', on: 'BTCUSD' }), ['none']);
  // 1 - 0.5 x 0.0006 and 3000 dollars of profit at 66000, the rest of a unit left to the house.
  assert.equal(floor.cash('ann', 'BTC'), '1.04515454');
  assert.equal(floor.position('ann', { on: 'BTCUSD' }), 'none');
  assert.equal(floor.position('ben', { on: 'BTCUSD' }), 'long 0.5 @ 66000');
  assert.equal(floor.cash('ben', 'BTC'), '1');
  assert.equal(openInterest(floor, 'BTCUSD'), 0.5);
});

test('a losing crossed position with other collateral leaves a debt, as any close at a loss does', () => {
  const floor = family({ ann: '0.00000001' });
  floor.index('1', 'USDTUSD');
  floor.index('60000', 'BTCUSD');
  floor.deposit('ann', '1', 'BTC');
  floor.deal('ann', 'bob', '0.5', '60000');
  floor.mark('58000');
  assert.deepEqual(floor.move('main', 'ann', 'main', { side: 'sell', qty: '0.5' }), ['none']);
  // The fee of 18 and the loss of 1000.
  assert.equal(floor.cash('ann', 'USDT'), '-1017.99999999');
  assert.equal(floor.position('main'), 'long 0.5 @ 58000');
});

test('items of one request are carried out one after the other, each on its own', () => {
  const floor = family();
  floor.deal('ann', 'bob', '1', '60000');
  const moves = ['0.6', '0.6', '0.00005', '0.4'].map((qty) => ({ side: 'sell', qty }) as const);
  assert.deepEqual(floor.move('main', 'ann', 'main', ...moves), [
    'none',
    'moveAbovePosition',
    'sizeOffStep',
    'none',
  ]);
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.position('main'), 'long 1 @ 60000');
  assert.equal(floor.eventsOf('positionMoved').length, 2);
});

test('there and back again, and after a restart, leaves everything as it was', () => {
  const floor = family();
  floor.deal('ann', 'bob', '1', '60000');
  const money = ['ann', 'ben'].map((name) => floor.cash(name, 'USDT'));
  floor.leverage('ben', 20);
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '1' }), ['none']);
  floor.restart();
  assert.deepEqual(floor.move('main', 'ben', 'ann', { side: 'sell', qty: '1' }), ['none']);
  assert.equal(floor.position('ann'), 'long 1 @ 60000');
  assert.deepEqual(
    ['ann', 'ben'].map((name) => floor.cash(name, 'USDT')),
    money,
  );
});

test('a move is no way out of the deleveraging queue: who earns most goes first, in whatever account', () => {
  const floor = family({ ann: '10000', ben: '10000' });
  floor.trader('cat', { USDT: '10000' });
  floor.deal('ann', 'bob', '1', '60000');
  floor.mark('61000');
  floor.deal('cat', 'bob', '1', '61000');
  floor.mark('62000');
  assert.deepEqual([floor.adlRank('ann'), floor.adlRank('cat')], ['1', '0.5']);
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '1' }), ['none']);
  assert.equal(floor.position('ben'), 'long 1 @ 62000');
  assert.deepEqual([floor.adlRank('ben'), floor.adlRank('cat')], ['1', '0.5']);
  // In parts and back again nothing is gained either.
  assert.deepEqual(floor.move('main', 'ben', 'ann', { side: 'sell', qty: '0.3' }), ['none']);
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.3' }), ['none']);
  assert.deepEqual([floor.adlRank('ben'), floor.adlRank('cat')], ['1', '0.5']);
  assertRestartAnywhere(floor);
});

test('what turns a position of the receiver takes along only what it opens', () => {
  const floor = family();
  floor.deal('bob', 'ben', '0.4', '60000');
  floor.deal('ann', 'bob', '1', '60000');
  floor.mark('60600');
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '1' }), ['none']);
  assert.equal(floor.position('ben'), 'long 0.6 @ 60600');
  const [position] = floor.state.accountByUid.get(floor.uid('ben'))!.positions.values();
  assert.equal(money(position!.queueBasis), '36000');
  floor.restart();
  const [again] = floor.state.accountByUid.get(floor.uid('ben'))!.positions.values();
  assert.equal(money(again!.queueBasis), '36000');
});

test('a retry that carries the name of the first try moves nothing twice, also after a restart', () => {
  const floor = family();
  floor.deal('ann', 'bob', '1', '60000');
  const half = { side: 'sell', qty: '0.5' } as const;
  const named = (clientOid: string, by = 'main') =>
    floor.named(clientOid).move(by, by === 'main' ? 'ann' : 'bob', by === 'main' ? 'ben' : 'eve', half);
  // Nothing was moved, so nothing was named.
  floor.withdraw('ben', '5000', 'USDT');
  assert.deepEqual(named('one'), ['receiverLacksMargin']);
  floor.deposit('ben', '5000', 'USDT');
  assert.deepEqual(named('one'), ['none']);
  assert.deepEqual(named('one'), ['moveOidInUse']);
  floor.restart();
  assert.deepEqual(named('one'), ['moveOidInUse']);
  assert.equal(floor.position('ann'), 'long 0.5 @ 60000');
  // The name of a transfer is another name, and so is that of somebody else.
  assert.equal(floor.transfer('main uta', 'main spot', '1', 'USDT', { clientOid: 'one' }), 'none');
  floor.trader('eve', { USDT: '10000' }, { master: 'bob' });
  floor.deal('bob', 'ann', '2', '60000');
  assert.deepEqual(named('one', 'bob'), ['none']);
  assert.deepEqual(named('two'), ['noPositionToMove']);
  assertRestartAnywhere(floor);
});
