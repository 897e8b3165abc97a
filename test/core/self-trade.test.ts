/** Self-trade prevention (rules 1.8). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openFloor, PLENTY } from './trading-floor.ts';

const XAU = { on: 'XAUUSDT' } as const;

/** Own sell s1 1 @ 100, others' sells o1 1 @ 100 and o2 1 @ 101. */
function exampleBook(ownFirst: boolean) {
  const floor = openFloor('me', 'other');
  const own = () => floor.sell('me', '1', '100', XAU);
  const early = ownFirst ? own() : undefined;
  const o1 = floor.sell('other', '1', '100', XAU);
  const s1 = early ?? own();
  const o2 = floor.sell('other', '1', '101', XAU);
  return { floor, s1, o1, o2 };
}

test('example: cancel_taker that meets the own order first fills nothing', () => {
  const { floor, s1, o1 } = exampleBook(true);
  const buy = floor.buy('me', '3', '101', { ...XAU, stp: 'cancel_taker' });
  equal(buy.stands, 'cancelled 0/3 stp_cancel');
  equal(s1.stands, 'new 0/1');
  equal(o1.stands, 'new 0/1');
  equal(floor.locked('me', 'USDT'), '0');
});

test('example: cancel_maker cancels s1, fills 2 and rests with 1', () => {
  const { floor, s1, o1, o2 } = exampleBook(true);
  const buy = floor.buy('me', '3', '101', { ...XAU, stp: 'cancel_maker' });
  equal(s1.stands, 'cancelled 0/1 stp_cancel');
  deepEqual([o1.stands, o2.stands], ['filled 1/1', 'filled 1/1']);
  equal(buy.stands, 'partially_filled 2/3');
  equal(floor.locked('me', 'XAU'), '0');
});

test('example: cancel_taker with o1 ahead of s1 fills 1 and cancels 2', () => {
  const { floor, s1 } = exampleBook(false);
  const buy = floor.buy('me', '3', '101', { ...XAU, stp: 'cancel_taker' });
  equal(buy.stands, 'cancelled 1/3 stp_cancel');
  equal(s1.stands, 'new 0/1');
});

test('case 41: a taker with none trades with its own order whatever that one says; both sides pay', () => {
  const floor = openFloor('me');
  const sell = floor.sell('me', '1', '100', { ...XAU, stp: 'cancel_both' });
  const buy = floor.buy('me', '1', '100', XAU);
  deepEqual([sell.stands, buy.stands], ['filled 1/1', 'filled 1/1']);
  deepEqual([sell.fee, buy.fee], ['0.1', '0.001']);
  equal(floor.cash('me', 'USDT'), '9999999.9');
  equal(floor.cash('me', 'XAU'), '99999.999');
});

test('each ledger line of a trade with oneself shows the balance after that line', () => {
  const floor = openFloor('me');
  floor.sell('me', '1', '100', XAU);
  floor.buy('me', '1', '100', XAU);
  deepEqual(floor.lines('me').slice(-4), [
    'tradeOut -100 fee 0 USDT = 9999900',
    'tradeIn 1 fee 0.001 XAU = 100000.999',
    'tradeOut -1 fee 0 XAU = 99999.999',
    'tradeIn 100 fee 0.1 USDT = 9999999.9',
  ]);
});

test('case 42: a master with cancel_maker cancels the order of its sub-account', () => {
  const floor = openFloor('master');
  floor.trader('sub', PLENTY, { master: 'master' });
  const sell = floor.sell('sub', '1', '100', XAU);
  const buy = floor.buy('master', '1', '100', { ...XAU, stp: 'cancel_maker' });
  equal(sell.stands, 'cancelled 0/1 stp_cancel');
  equal(buy.stands, 'new 0/1');
  equal(floor.locked('sub', 'XAU'), '0');
});

test('two sub-accounts of one master are one party; those of two masters are not', () => {
  const floor = openFloor('master', 'stranger');
  floor.trader('sub one', PLENTY, { master: 'master' });
  floor.trader('sub two', PLENTY, { master: 'master' });
  floor.trader('sub three', PLENTY, { master: 'stranger' });
  floor.sell('sub one', '1', '100', XAU);
  const sibling = floor.buy('sub two', '1', '100', { ...XAU, stp: 'cancel_taker' });
  equal(sibling.stands, 'cancelled 0/1 stp_cancel');
  const foreign = floor.buy('sub three', '1', '100', { ...XAU, stp: 'cancel_taker' });
  equal(foreign.stands, 'filled 1/1');
});

test('case 43: cancel_both after a fill cancels both and keeps the fill', () => {
  const { floor, s1, o1, o2 } = exampleBook(false);
  const buy = floor.buy('me', '3', '101', { ...XAU, stp: 'cancel_both' });
  equal(buy.stands, 'cancelled 1/3 stp_cancel');
  equal(s1.stands, 'cancelled 0/1 stp_cancel');
  equal(o1.stands, 'filled 1/1');
  equal(o2.stands, 'new 0/1');
});

test('an order that rests beside its own is no self-trade', () => {
  const floor = openFloor('me');
  floor.sell('me', '1', '101', XAU);
  equal(floor.buy('me', '1', '100', { ...XAU, stp: 'cancel_both' }).stands, 'new 0/1');
});

test('an own RPI order that an API taker cannot see is no self-trade', () => {
  const floor = openFloor();
  floor.trader('mm', PLENTY, { marketMaker: true });
  const ask = floor.sell('mm', '1', '100', { ...XAU, tif: 'rpi' });
  const api = floor.buy('mm', '1', '100', { ...XAU, stp: 'cancel_both' });
  equal(api.stands, 'new 0/1');
  equal(ask.stands, 'new 0/1');
  const retail = floor.buy('mm', '1', '100', { ...XAU, stp: 'cancel_both', source: 'retail' });
  equal(retail.stands, 'cancelled 0/1 stp_cancel');
  equal(ask.stands, 'cancelled 0/1 stp_cancel');
});

test('a market buy whose money is spent before its own order leaves that order alone', () => {
  const floor = openFloor('me', 'other');
  floor.sell('other', '1', '100', XAU);
  const own = floor.sell('me', '1', '100', XAU);
  const buy = floor.marketBuy('me', '100', { ...XAU, stp: 'cancel_both' });
  equal(buy.stands, 'filled 1');
  equal(own.stands, 'new 0/1');
});

test('a market sell stops at the own bid under cancel_taker', () => {
  const floor = openFloor('me', 'other');
  floor.buy('other', '1', '100', XAU);
  floor.buy('me', '1', '99.9', XAU);
  const sell = floor.marketSell('me', '3', { ...XAU, stp: 'cancel_taker' });
  equal(sell.stands, 'cancelled 1/3 stp_cancel');
  equal(floor.locked('me', 'XAU'), '0');
});
