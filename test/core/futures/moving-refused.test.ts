/**
 * What a main account may not move, and attempts to profit by moves. A refused move changes nothing; figures are
 * worked out by hand, and every command is followed by `checkInvariants` and the auditor.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentStatusName } from '../../../src/core/model/enums.ts';
import { meaningOf } from '../../property/audited-run.ts';
import type { RefusalName } from '../dsl/words.ts';
import { BTC_COIN, BTC_PERPETUAL, FuturesFloor, type MoveWords } from './futures-floor.ts';

const MINUTE = 60_000;

interface Funds {
  readonly ann?: string;
  readonly ben?: string;
  readonly main?: string;
}

/** `main` with its sub-accounts `ann` and `ben`; `bob` is somebody else, `eve` is his sub-account. */
function family({ ann = '20000', ben = '20000', main = '20000' }: Funds = {}, floor = new FuturesFloor()) {
  floor.trader('bob', { USDT: '1000000' });
  floor.trader('main', { USDT: main });
  floor.trader('ann', { USDT: ann }, { master: 'main' });
  floor.trader('ben', { USDT: ben }, { master: 'main' });
  floor.trader('eve', { USDT: '20000' }, { master: 'bob' });
  return floor;
}

/** Every part of the move is refused for this reason, and nothing has changed but that it was asked. */
function refuses(
  floor: FuturesFloor,
  reason: RefusalName,
  [by, from, to]: readonly [string, string, string],
  ...items: readonly MoveWords[]
): void {
  const before = meaningOf(floor.state);
  const told = floor.events.length;
  const reasons = floor.move(by, from, to, ...items);
  assert.deepEqual([...new Set(reasons)], [reason]);
  assert.deepEqual(meaningOf(floor.state), before, `a move refused with ${reason} changed something`);
  assert.equal(floor.events.length, told);
}

const LONG_1 = { side: 'sell', qty: '1' } as const;

test('only the main account moves, only within its own accounts, and not to itself', () => {
  const floor = family();
  floor.deal('ann', 'bob', '1', '60000');
  refuses(floor, 'notOneParty', ['ann', 'ann', 'ben'], LONG_1);
  refuses(floor, 'notOneParty', ['ann', 'ann', 'main'], LONG_1);
  refuses(floor, 'notOneParty', ['bob', 'ann', 'ben'], LONG_1);
  refuses(floor, 'notOneParty', ['bob', 'ann', 'eve'], LONG_1);
  refuses(floor, 'notOneParty', ['main', 'ann', 'eve'], LONG_1);
  refuses(floor, 'notOneParty', ['main', 'bob', 'ann'], { side: 'buy', qty: '1' });
  refuses(floor, 'sameAccount', ['main', 'ann', 'ann'], LONG_1);
  const many = Array.from({ length: 11 }, () => ({ side: 'sell', qty: '0.01' }) as const);
  refuses(floor, 'tooManyMoves', ['main', 'ann', 'ben'], ...many);
  assert.equal(new Set(floor.move('main', 'ann', 'ben', ...many.slice(1))).size, 1);
  assert.equal(floor.position('ben'), 'long 0.1 @ 60000');
});

test('a quantity is on the lot step, at least an order and at most the position; the last of a position may be less', () => {
  const floor = family(
    {},
    new FuturesFloor({ ...BTC_PERPETUAL, minOrderQty: '0.01', minOrderAmount: '900' }),
  );
  floor.deal('ann', 'bob', '1', '60000');
  const way = ['main', 'ann', 'ben'] as const;
  refuses(floor, 'sizeOffStep', way, { side: 'sell', qty: '0.00005' });
  refuses(floor, 'sizeTooSmall', way, { side: 'sell', qty: '0' });
  refuses(floor, 'sizeTooSmall', way, { side: 'sell', qty: '0.005' });
  refuses(floor, 'belowMinimumAmount', way, { side: 'sell', qty: '0.0149' });
  refuses(floor, 'moveAbovePosition', way, { side: 'sell', qty: '1.0001' });
  refuses(floor, 'noPositionToMove', way, { side: 'buy', qty: '1' });
  refuses(floor, 'noPositionToMove', ['main', 'ben', 'ann'], LONG_1);
  assert.deepEqual(floor.move(...way, { side: 'sell', qty: '0.9999' }), ['none']);
  assert.deepEqual(floor.move(...way, { side: 'sell', qty: '0.0001' }), ['none']);
  assert.equal(floor.position('ben'), 'long 1 @ 60000');
});

test('a hedged account gives the side that was named, whatever it has on the other', () => {
  const floor = family();
  floor.holdMode('ann', 'hedge_mode');
  floor.sell('bob', '1', '60000');
  floor.buy('ann', '1', '60000', { posSide: 'long' });
  refuses(floor, 'noPositionToMove', ['main', 'ann', 'ben'], { side: 'buy', qty: '1' });
});

test('nothing moves while trading is halted, or while the contract takes no opening or no closing orders', () => {
  const floor = family();
  floor.deal('ann', 'bob', '1', '60000');
  const way = ['main', 'ann', 'ben'] as const;
  floor.send({ type: 'setHalt', time: floor.now, halted: true });
  refuses(floor, 'tradingHalted', way, LONG_1);
  floor.send({ type: 'setHalt', time: floor.now, halted: false });
  const states: readonly [InstrumentStatusName, RefusalName][] = [
    ['limit_open', 'openingRestricted'],
    ['limit_close', 'closingRestricted'],
    ['restrictedAPI', 'apiRestricted'],
    ['offline', 'instrumentOffline'],
  ];
  for (const [status, reason] of states) {
    floor.setStatus(status, 'BTCUSDT', 'USDT-FUTURES');
    refuses(floor, reason, way, LONG_1);
  }
});

test('a contract about to be delivered is not moved any more', () => {
  const DELIVERY = Date.UTC(2026, 2, 27, 8);
  const quarter = {
    ...BTC_COIN,
    symbol: 'BTCUSDH26',
    futures: {
      ...BTC_COIN.futures!,
      type: 'delivery',
      fundInterval: '',
      deliveryTime: String(DELIVERY),
      deliveryStartTime: '1767225600000',
      deliveryPeriod: 'this_quarter',
    },
  } as const;
  const floor = family({}, new FuturesFloor(BTC_PERPETUAL, undefined, [quarter]));
  for (const name of ['ann', 'ben', 'bob']) floor.deposit(name, '1', 'BTC');
  floor.at(DELIVERY - 20 * MINUTE);
  floor.index('60000', 'BTCUSD');
  floor.deal('ann', 'bob', '0.2', '60000', { on: 'BTCUSDH26' });
  const half = { side: 'sell', qty: '0.1', on: 'BTCUSDH26' } as const;
  assert.deepEqual(floor.move('main', 'ann', 'ben', half), ['none']);
  floor.at(DELIVERY - 10 * MINUTE);
  refuses(floor, 'deliveryNear', ['main', 'ann', 'ben'], half);
});

test('exploit: a move at an unreliable price would leave the loss with an account that cannot pay', () => {
  const floor = family();
  floor.leverage('ben', 100);
  floor.deal('ann', 'bob', '1', '60000');
  // The floor opened a second after the price was told.
  floor.wait(MINUTE - 1000);
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.1' }), ['none']);
  floor.wait(1);
  refuses(floor, 'staleIndexPrice', ['main', 'ann', 'ben'], LONG_1);
  // A book of one's own makes an old price no younger.
  floor.buy('main', '1', '59999');
  floor.sell('main', '1', '60001');
  refuses(floor, 'staleIndexPrice', ['main', 'ann', 'ben'], LONG_1);
  floor.cancelAll('main', { category: 'USDT-FUTURES' });
  floor.wait(20 * MINUTE);
  refuses(floor, 'staleIndexPrice', ['main', 'ann', 'ben'], LONG_1);
  floor.deal('ann', 'bob', '0.1', '60000');
  floor.index('60001');
  assert.deepEqual(floor.move('main', 'ann', 'ben', LONG_1), ['none']);
});

test('exploit: while the index stands still and the market has fallen, a poor account cannot be sold the old price', () => {
  const floor = family({ ben: '700', main: '12035.99' });
  floor.trader('cat', { USDT: '100000' });
  floor.leverage('ben', 100);
  floor.deal('ann', 'bob', '1', '60000');
  floor.wait(MINUTE - 1000);
  // Nobody has told a price since, and others offer at 54000.
  floor.sell('cat', '1', '54000');
  assert.equal(floor.view('ann')!.markTicks, 600_000);
  // 600 and 36 would be enough, but 6000 are lost already.
  refuses(floor, 'receiverLacksMargin', ['main', 'ann', 'ben'], LONG_1);
  // 6000, 36 and the 6000.
  refuses(floor, 'receiverLacksMargin', ['main', 'ann', 'main'], LONG_1);
  floor.deposit('main', '0.01', 'USDT');
  assert.deepEqual(floor.move('main', 'ann', 'main', LONG_1), ['none']);
  // The other way round nothing is lost: a short is taken at 60000 where buyers pay nothing.
  floor.deal('bob', 'ann', '0.1', '53999');
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'buy', qty: '0.1' }), ['none']);
});

test('exploit: nor can an isolated one, whose margin is all it has', () => {
  const floor = family();
  floor.trader('cat', { USDT: '100000' });
  floor.isolate('ben');
  floor.leverage('ben', 100);
  floor.deal('ann', 'bob', '1', '60000');
  // 600 behind 276; of these the book takes 294, and 276 are more than nine tenths of 306.
  floor.sell('cat', '1', '59706');
  refuses(floor, 'receiverTooRisky', ['main', 'ann', 'ben'], LONG_1);
  floor.cancelAll('cat', { category: 'USDT-FUTURES' });
  floor.sell('cat', '1', '59707');
  assert.deepEqual(floor.move('main', 'ann', 'ben', LONG_1), ['none']);
});

test('exploit: an account without margin takes nothing, and neither does one that would need more than it has', () => {
  const floor = family({ ben: '6035.99' });
  floor.trader('void', {}, { master: 'main' });
  floor.deal('ann', 'bob', '1', '60000');
  refuses(floor, 'receiverLacksMargin', ['main', 'ann', 'void'], LONG_1);
  // 60000 / 10, and 36 to close it.
  refuses(floor, 'receiverLacksMargin', ['main', 'ann', 'ben'], LONG_1);
  floor.deposit('ben', '0.01', 'USDT');
  assert.deepEqual(floor.move('main', 'ann', 'ben', LONG_1), ['none']);
  assert.deepEqual(floor.risk('ben').available, '0');
});

test('exploit: a losing account cannot hand its positions on when liquidation is near', () => {
  const floor = family({ ann: '700' });
  floor.leverage('ann', 100);
  floor.deal('ann', 'bob', '1', '60000');
  // 700 - 36 - 340 = 324 stand behind 274.436: more than four fifths.
  floor.mark('59660');
  refuses(floor, 'giverNearLiquidation', ['main', 'ann', 'ben'], LONG_1);
  refuses(floor, 'giverNearLiquidation', ['main', 'ann', 'ben'], { side: 'sell', qty: '0.1' });
  // 364 behind 274.62: three quarters.
  floor.mark('59700');
  assert.deepEqual(floor.move('main', 'ann', 'ben', LONG_1), ['none']);
  assert.equal(floor.cash('ann', 'USDT'), '364');
});

test('exploit: the same holds for an isolated position by itself, however rich its account is', () => {
  const floor = family();
  floor.isolate('ann');
  floor.leverage('ann', 100);
  floor.deal('ann', 'bob', '1', '60000');
  // 600 - 260 = 340 behind 274.8: just above four fifths.
  floor.mark('59740');
  refuses(floor, 'giverNearLiquidation', ['main', 'ann', 'ben'], LONG_1);
  // 600 - 250 = 350.
  floor.mark('59750');
  assert.deepEqual(floor.move('main', 'ann', 'ben', LONG_1), ['none']);
  // 20000 - 36, less the loss.
  assert.equal(floor.cash('ann', 'USDT'), '19714');
});

test('who gives a position away keeps the margin for orders that would have closed it', () => {
  const floor = family({ ann: '7000' });
  floor.deal('ann', 'bob', '1', '60000');
  // Two sells of 61000 against a long of 60000: 62000 at most, 6200 and fees.
  for (const _ of [1, 2]) assert.equal(floor.sell('ann', '1', '61000').stands, 'new 0/1');
  // Without the long they would open 122000 and need 12200.
  refuses(floor, 'giverLacksMargin', ['main', 'ann', 'ben'], LONG_1);
  // With 0.9 of it they open 68000 and need 6800 and 73.2 of fees: 6964 are there.
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.1' }), ['none']);
  refuses(floor, 'giverLacksMargin', ['main', 'ann', 'ben'], { side: 'sell', qty: '0.1' });
});

test('an account below its initial margin may give, but not take', () => {
  const floor = family({ ann: '6100' });
  floor.deal('ann', 'bob', '1', '60000');
  floor.deal('ben', 'bob', '0.1', '60000');
  // 6064 - 1000 = 5064 stand behind 5900 and the fee.
  floor.mark('59000');
  refuses(floor, 'receiverLacksMargin', ['main', 'ben', 'ann'], { side: 'sell', qty: '0.1' });
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.1' }), ['none']);
});

test('what a receiver in want of margin gets only closed is welcome', () => {
  const floor = family({ ben: '6100' });
  floor.deal('bob', 'ben', '1', '60000');
  floor.deal('ann', 'bob', '1', '60000');
  floor.mark('61000');
  // 6088 - 1000 = 5088 stand behind 6100 and 36.6; with a tenth closed behind 5490 and 32.94.
  assert.equal(floor.risk('ben').available, '-1048.6');
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.1' }), ['none']);
  assert.equal(floor.position('ben'), 'short 0.9 @ 60000');
  assert.equal(floor.risk('ben').available, '-434.94');
});

test('the tier that the receiver’s leverage allows bounds what it takes, its orders included', () => {
  const floor = family({ ann: '100000', ben: '100000' });
  floor.leverage('ben', 125);
  floor.deal('ann', 'bob', '3', '60000');
  refuses(floor, 'aboveTier', ['main', 'ann', 'ben'], { side: 'sell', qty: '3' });
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '2' }), ['none']);
  floor.buy('ben', '0.5', '50000');
  // 120000 and 25000 and 6000 are above 150000.
  refuses(floor, 'aboveTier', ['main', 'ann', 'ben'], { side: 'sell', qty: '0.1' });
});

test('a contract that allows one position takes no second one', () => {
  const floor = family({}, new FuturesFloor({ ...BTC_PERPETUAL, maxPositionNum: '1' }));
  floor.holdMode('ben', 'hedge_mode');
  floor.sell('bob', '0.1', '60000');
  floor.buy('ben', '0.1', '60000', { posSide: 'long' });
  floor.deal('bob', 'ann', '0.1', '60000');
  refuses(floor, 'tooManyPositions', ['main', 'ann', 'ben'], { side: 'buy', qty: '0.1' });
});

test('an isolated position is paid in its own coin: other coins do not help, and asking opens no account in it', () => {
  const floor = family();
  floor.trader('dan', { BTC: '5' }, { master: 'main' });
  floor.isolate('dan');
  floor.deal('ann', 'bob', '1', '60000');
  refuses(floor, 'receiverLacksMargin', ['main', 'ann', 'dan'], LONG_1);
  floor.deposit('dan', '5999', 'USDT');
  refuses(floor, 'receiverLacksMargin', ['main', 'ann', 'dan'], LONG_1);
  floor.deposit('dan', '1', 'USDT');
  assert.deepEqual(floor.move('main', 'ann', 'dan', LONG_1), ['none']);
  assert.equal(floor.position('dan'), 'long 1 @ 60000 iso 6000');
  assert.equal(floor.cash('dan', 'USDT'), '0');
});

test('what is added to an isolated position in trouble must not leave it in trouble', () => {
  const floor = family();
  floor.isolate('ben');
  floor.leverage('ben', 100);
  floor.deal('ben', 'bob', '1', '60000');
  floor.deal('ann', 'bob', '1', '60000');
  floor.mark('59680');
  // 280 + 29.84 behind 288.2544: above nine tenths. With 0.2 more 399.36 stand behind 329.4336.
  refuses(floor, 'receiverTooRisky', ['main', 'ann', 'ben'], { side: 'sell', qty: '0.05' });
  assert.deepEqual(floor.move('main', 'ann', 'ben', { side: 'sell', qty: '0.2' }), ['none']);
});

test('exploit: collateral whose price is old carries no more than it did', () => {
  const floor = family();
  floor.trader('dan', { ETH: '100' }, { master: 'main' });
  floor.index('2000', 'ETHUSD');
  floor.deal('ann', 'bob', '1', '60000');
  assert.deepEqual(floor.move('main', 'ann', 'dan', { side: 'sell', qty: '0.1' }), ['none']);
  floor.wait(20 * MINUTE);
  floor.index('60001');
  refuses(floor, 'noCoinPrice', ['main', 'ann', 'dan'], { side: 'sell', qty: '0.1' });
  // What it holds already may go.
  assert.deepEqual(floor.move('main', 'dan', 'ann', { side: 'sell', qty: '0.1' }), ['none']);
});

test('exploit: an account that is due and waits for a fresh price can neither be emptied nor filled', () => {
  const floor = family({ ann: '100' });
  floor.deposit('ann', '1', 'ETH');
  for (const name of ['ann', 'ben', 'bob']) floor.deposit(name, '0.1', 'BTC');
  floor.index('2000', 'ETHUSD');
  floor.index('60000', 'BTCUSD');
  floor.leverage('ann', 100);
  floor.deal('ann', 'bob', '0.5', '60000');
  floor.isolate('ann', 'BTCUSD');
  floor.deal('ann', 'bob', '0.2', '60000', { on: 'BTCUSD' });
  assert.equal(floor.addMargin('ann', floor.cash('ann', 'BTC'), { on: 'BTCUSD' }), 'none');
  floor.wait(20 * MINUTE);
  floor.index('60001', 'BTCUSD');
  // 100 - 18 and 0.95 of 50 dollars stand behind 138; the contract has no price to close it at.
  floor.index('50', 'ETHUSD');
  assert.equal(floor.risk('ann').effective, '129.5');
  assert.equal(floor.risk('ann').maintenance, '138');
  const coin = { side: 'sell', qty: '0.1', on: 'BTCUSD' } as const;
  refuses(floor, 'accountLiquidating', ['main', 'ann', 'ben'], coin);
  floor.deal('ben', 'bob', '0.1', '60000', { on: 'BTCUSD' });
  refuses(floor, 'accountLiquidating', ['main', 'ben', 'ann'], coin);
  floor.deposit('ann', '1000', 'USDT');
  assert.deepEqual(floor.move('main', 'ann', 'ben', coin), ['none']);
});
