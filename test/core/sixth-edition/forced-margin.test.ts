/** What stands behind a crossed position that is closed by force, and what pays when it is closed (rules 16.2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalName } from '../dsl/words.ts';
import { inPortions, nextPortion } from '../fourth-edition/in-portions.ts';
import { BTC_PERPETUAL, FUTURES_COINS, FuturesFloor, priced } from '../futures/futures-floor.ts';
import { fund } from '../second-edition/fund-floor.ts';

/** Has a price and no value as collateral. */
const GOLD = { coin: 'XAU', name: 'XAU', chains: [] };

function floorOf(edition: number, ...names: string[]): FuturesFloor {
  const floor = new FuturesFloor(BTC_PERPETUAL, [...FUTURES_COINS, GOLD], [priced('XAU')]);
  for (const name of names) floor.trader(name, { USDT: '100000' });
  floor.send({ type: 'setEdition', time: floor.now, edition });
  floor.index('2500', 'XAUUSD');
  floor.index('3000', 'ETHUSD');
  return floor;
}

/** Loses so much USDT of the account to cat, whose 100 000 it was; for the fees it has 36 and 0.0002 of the second price. */
function lose(floor: FuturesFloor, name: string, amount: number): void {
  floor.deal(name, 'cat', '1', '60000');
  floor.deal('cat', name, '1', String(60_000 - amount));
}

interface Words {
  readonly edition?: number;
  /** Coins in ann's funding wallet. */
  readonly aside?: Readonly<Record<string, string>>;
  /** Before the price falls. */
  readonly first?: (floor: FuturesFloor) => void;
  readonly isolated?: boolean;
}

/** A of rules 15.1: ann has 2 000 USDT and is long 1 from 60 000 against bob, who owes nothing. Mark 50 000. */
function crash({ edition = 6, aside = {}, first, isolated = false }: Words): FuturesFloor {
  const floor = floorOf(edition, 'bob', 'cat');
  floor.trader('ann', { USDT: '2036' });
  if (isolated) floor.isolate('ann');
  floor.leverage('ann', 100);
  for (const [coin, amount] of Object.entries(aside)) floor.fund('ann', amount, coin);
  floor.deal('ann', 'bob', '1', '60000');
  first?.(floor);
  floor.mark('50000');
  assert.equal(floor.position('ann'), 'none');
  return floor;
}

const lastOf = (floor: FuturesFloor, name: string) => floor.executions(name).at(-1);
const walletsOf = (floor: FuturesFloor, name = 'ann', coin = 'USDT') => [
  floor.cash(name, coin),
  floor.funding(name, coin),
];
const take = (floor: FuturesFloor, amount: string) =>
  refusalName(floor.requestWithdrawal('ann', amount, 'USDT', { from: ['spot'] }).rejectReason);

test('16.2: the example: who has 50 000 aside pays for the position, and no stranger does', () => {
  const before = crash({ edition: 5, aside: { USDT: '50000' } });
  assert.equal(lastOf(before, 'bob'), 'adl close 1 @ 58034.9 fee 0 pnl 1965.1');
  assert.deepEqual(walletsOf(before), ['0.07906', '50000']);
  assert.equal(take(before, '50000'), 'none');
  const floor = crash({ aside: { USDT: '50000' } });
  // W: 50 000 * (1 - 0.004 - 0.0006)
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 49770 fee 0 pnl 10230');
  // 2 000 - 10 230 - 29.862 = -8 259.862
  assert.deepEqual(walletsOf(floor), ['0', '41740.138']);
  assert.equal(take(floor, '41740.138'), 'none');
});

test('16.2 (b): what is taken has lines of its own and a record, of which nobody is the initiator', () => {
  const floor = crash({ aside: { USDT: '50000' } });
  assert.deepEqual(floor.lines('ann').slice(-2), [
    'forcedTransferOut -8259.862 fee 0 USDT = 41740.138 in spot',
    'forcedTransferIn 8259.862 fee 0 USDT = 0',
  ]);
  const [record, ...more] = floor.eventsOf('transfer');
  assert.deepEqual(more, []);
  const { initiatorUid, fromUid, toUid, amount } = record!;
  assert.deepEqual(
    [initiatorUid, fromUid, toUid, amount],
    [0, floor.uid('ann'), floor.uid('ann'), 825_986_200_000n],
  );
  const lines = floor.lineRecords('ann').slice(-2);
  assert.deepEqual(
    lines.map(({ reference }) => reference),
    [String(record!.transferId), String(record!.transferId)],
  );
});

test('16.2 (a): a wallet that does not reach to W moves the bankruptcy price', () => {
  const floor = crash({ aside: { USDT: '5000' } });
  // (60 000 - 7 000) / 0.9994 = 53 031.82
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 53031.9 fee 0 pnl 6968.1');
  // 2 000 - 6 968.1 - 31.81914 = -4 999.91914
  assert.deepEqual(walletsOf(floor), ['0', '0.08086']);
});

test('16.2 (a): other coins count by their collateral value, and as much as is needed is sold', () => {
  const floor = crash({ aside: { ETH: '2' } });
  // 6 000 count 5 700: (60 000 - 7 700) / 0.9994 = 52 331.40
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 52331.4 fee 0 pnl 7668.6');
  // 2 000 - 7 668.6 - 31.39884 = -5 699.99884, for which 5 699.99884 / 3 000 / 0.999 ETH are sold.
  assert.deepEqual(walletsOf(floor), ['0', '0']);
  assert.deepEqual(walletsOf(floor, 'ann', 'ETH'), ['0', '0.09809848']);
  assert.deepEqual(floor.lines('ann').slice(-4), [
    'forcedTransferOut -1.90190152 fee 0 ETH = 0.09809848 in spot',
    'forcedTransferIn 1.90190152 fee 0 ETH = 1.90190152',
    'forcedOut -1.90190152 fee 0 ETH = 0',
    'forcedIn 5699.99884 fee 0 USDT = 0',
  ]);
});

test('16.2 (b): the coin that is owed goes first, then others in the order of 6.8', () => {
  const floor = crash({ aside: { ETH: '4', USDT: '500', USD: '300' } });
  // 2 000 + 500 + 300 + 11 400 reach beyond W: 8 259.862 are owed, and ETH pays what dollars do not.
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 49770 fee 0 pnl 10230');
  assert.deepEqual(walletsOf(floor), ['0', '0']);
  // USD counts in full and ETH at 0.95. 8 259.862 - 500 - 299.7 = 7 460.162: / 3 000 / 0.999.
  assert.deepEqual(walletsOf(floor, 'ann', 'USD'), ['0', '0']);
  assert.deepEqual(walletsOf(floor, 'ann', 'ETH'), ['0', '1.51079012']);
});

test('16.2 (a): coins without collateral value, withdrawals under way and isolated positions do not count', () => {
  const gold = crash({ aside: { XAU: '20' } });
  assert.equal(lastOf(gold, 'bob'), 'adl close 1 @ 58034.9 fee 0 pnl 1965.1');
  assert.equal(gold.funding('ann', 'XAU'), '20');
  const leaving = crash({
    aside: { USDT: '5000' },
    first: (floor) => floor.requestWithdrawal('ann', '4000', 'USDT', { from: ['spot'] }),
  });
  // (60 000 - 3 000) / 0.9994 = 57 034.22
  assert.equal(lastOf(leaving, 'bob'), 'adl close 1 @ 57034.3 fee 0 pnl 2965.7');
  assert.equal(leaving.withdrawing('ann', 'USDT'), '4000');
  const isolated = crash({ aside: { USDT: '50000' }, isolated: true });
  // (60 000 - 600) / 0.9994 = 59 435.66
  assert.equal(lastOf(isolated, 'bob'), 'adl close 1 @ 59435.7 fee 0 pnl 564.3');
  assert.deepEqual(walletsOf(isolated), ['1400', '50000']);
});

test('16.2: the owner closes no farther than before', () => {
  const close = (edition: number) => {
    const floor = floorOf(edition, 'bob', 'cat');
    floor.trader('ann', { USDT: '2036' });
    floor.leverage('ann', 100);
    floor.fund('ann', '50000', 'USDT');
    floor.deal('ann', 'bob', '1', '60000');
    floor.buy('cat', '1', '57000');
    return floor.sell('ann', '1', '57000', { reduceOnly: true }).stands;
  };
  assert.equal(close(6), close(5));
  assert.notEqual(close(6), 'filled 1/1');
});

/**
 * The finding: ann owes 30 000 USDT, has ETH behind it that becomes worthless, and has won 20 000 by a long of 1 from 60 000
 * against bob, who has 2 000 USDT and 50 000 aside. Mark 80 000.
 */
function rally(edition: number): FuturesFloor {
  const floor = floorOf(edition, 'cat');
  floor.trader('ann', { USDT: '78', ETH: '100' });
  floor.trader('bob', { USDT: '2012' });
  for (const name of ['ann', 'bob']) floor.leverage(name, 100);
  lose(floor, 'ann', 30_000);
  floor.deal('ann', 'bob', '1', '60000');
  floor.fund('bob', '50000', 'USDT');
  assert.deepEqual([floor.cash('ann', 'USDT'), floor.cash('bob', 'USDT')], ['-30000', '2000']);
  floor.tell('0.00000001', 'ETHUSD');
  floor.mark('80000');
  assert.deepEqual([floor.position('ann'), floor.position('bob')], ['none', 'none']);
  return floor;
}

test('16.2 (a): a counterparty below zero bears what its wallet can pay', () => {
  const before = rally(5);
  // (60 000 + 2 000) / 1.0006 = 61 962.82
  assert.equal(lastOf(before, 'bob'), 'adl close 1 @ 61962.8 fee 0 pnl -1962.8');
  assert.deepEqual(walletsOf(before, 'bob'), ['37.2', '50000']);
  const floor = rally(6);
  // W: 80 000 * (1 - 0.0046)
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 79632 fee 0 pnl -19632');
  // 2 000 - 19 632 = -17 632, taken in the same second.
  assert.deepEqual(walletsOf(floor, 'bob'), ['0', '32368']);
  // -30 000 + 19 632 - 47.7792 and what 100 ETH bring; before, -30 000 + 1 962.8 - 37.17768.
  assert.equal(floor.cash('ann', 'USDT'), '-10415.77919901');
  assert.equal(before.cash('ann', 'USDT'), '-28074.37767901');
});

/** Ann as in the example, with nothing aside; bob has this aside, owes 12 000 on the strength of his profit of 10 000. */
function owing(aside: string): FuturesFloor {
  const floor = floorOf(6, 'cat');
  floor.trader('ann', { USDT: '2036' });
  floor.trader('bob', { USDT: '57.6', ETH: '10' });
  for (const name of ['ann', 'bob']) floor.leverage(name, 100);
  lose(floor, 'bob', 12_000);
  floor.deal('ann', 'bob', '1', '60000');
  assert.equal(floor.cash('bob', 'USDT'), '-12000');
  floor.fund('bob', aside, 'USDT');
  floor.tell('0.00000001', 'ETHUSD');
  floor.mark('50000');
  return floor;
}

test('16.2 (a): who owes on the strength of a profit is deleveraged like others when the wallet can pay', () => {
  const poor = owing('1');
  // As in 15.1: at the mark he is at -2 000, now -1 999.
  assert.equal(lastOf(poor, 'bob'), 'adl close 1 @ 50000 fee 0 pnl 10000');
  assert.equal(poor.cash('ann', 'USDT'), '-8030');
  assert.deepEqual(walletsOf(poor, 'bob'), ['-1998.99999991', '0']);
  const rich = owing('50000');
  assert.equal(lastOf(rich, 'bob'), 'adl close 1 @ 58034.9 fee 0 pnl 1965.1');
  assert.equal(rich.cash('ann', 'USDT'), '0.07906');
  // 50 000 + 1 965.1 - 12 000, and what 10 ETH bring.
  assert.deepEqual(walletsOf(rich, 'bob'), ['0', '39965.10000009']);
});

test('16.2 (b): the funds pay only what the wallet lacks', () => {
  const floor = crash({
    aside: { USDT: '5000' },
    first: (each) => {
      fund(each, '100000');
      fund(each, '100000', { lending: true });
      each.buy('cat', '1', '49770');
    },
  });
  // cat's bid at W is beyond Pb 53 031.9: the fund pays (53 031.9 - 49 770) * 0.9994, as rounded for the whole size.
  assert.equal(floor.executions('ann').at(-1), 'liquidation close 1 @ 49770 fee 29.862 pnl -10230');
  assert.deepEqual(walletsOf(floor), ['0', '0']);
  // 100 000 - (10 230 + 29.862 - 7 000) + 29.862
  assert.equal(floor.insurance(), '96770');
});

test('16.2 (b): what comes into the wallet of an account that still owes is taken when it comes', () => {
  const floor = owing('0.00000001');
  assert.equal(floor.cash('ann', 'USDT'), '-8030');
  floor.fund('ann', '5000', 'USDT');
  assert.deepEqual(walletsOf(floor), ['-3030', '0']);
  floor.fund('ann', '4000', 'USDT');
  assert.deepEqual(walletsOf(floor), ['0', '970']);
});

test('16.2 (b): nothing is taken for a position that cannot be closed at its price', () => {
  const floor = floorOf(6, 'bob', 'cat');
  floor.trader('ann', { USDT: '78', ETH: '100' });
  floor.leverage('ann', 100);
  lose(floor, 'ann', 30_000);
  floor.deal('ann', 'bob', '1', '60000');
  floor.fund('ann', '50000', 'USDT');
  floor.wait(15 * 60_000 + 1000);
  floor.index('0.00000001', 'ETHUSD');
  // 0.000001 * 0.999 of the ETH.
  assert.deepEqual(walletsOf(floor), ['-29999.99999901', '50000']);
  assert.equal(floor.position('ann'), 'long 1 @ 60000');
  floor.mark('61000');
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 60719.4 fee 0 pnl -719.4');
  // 50 000 - 29 999.99999901 + 719.4 - 36.43164
  assert.deepEqual(walletsOf(floor), ['0', '20682.96836099']);
});

test('16.2 (b): a loser whose margin the fund and the winners are to cover keeps her wallet meanwhile (14.5)', () => {
  const floor = inPortions(new FuturesFloor(), 1000);
  floor.send({ type: 'setEdition', time: floor.now, edition: 6 });
  floor.trader('dan', { USDT: '100000' });
  floor.trader('cat', { USDT: '2000' });
  floor.isolate('cat');
  floor.leverage('cat', 100);
  floor.deal('cat', 'dan', '1', '60000');
  floor.withdraw('cat', floor.cash('cat', 'USDT'), 'USDT');
  floor.fund('cat', '20000', 'USDT');
  floor.arrange(({ state }) => {
    const { mark } = state.market(floor.instrument()).futures!;
    mark.price = 50_000n * 10n ** 8n;
    mark.inputs.fill(mark.price);
    state.priceVersion++;
    state.portion = 1;
  });
  const instrument = floor.instrument().index;
  floor.send({ type: 'setInstrumentStatus', time: floor.now, instrument, status: 'offline' });
  let owed = 0;
  while (floor.state.works.length > 0) {
    owed = Math.min(owed, Number(floor.cash('cat', 'USDT')));
    assert.equal(floor.funding('cat', 'USDT'), '20000');
    nextPortion(floor);
  }
  assert.ok(owed < -9000, String(owed));
  assert.deepEqual(walletsOf(floor, 'cat'), ['0', '20000']);
});
