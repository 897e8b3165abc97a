/** What the other wallets keep behind a unified account that owes (rules 16.1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalName } from '../dsl/words.ts';
import { ConversionFloor } from '../second-edition/conversion-floor.ts';

const MARGIN = { category: 'MARGIN' } as const;
const SPOT = { category: 'SPOT' } as const;
const WAITS = 'walletAwaitsPrice';
const LACKS = 'insufficientMargin';

class WalletFloor extends ConversionFloor {
  constructor(edition = 6) {
    super();
    this.send({ type: 'setEdition', time: this.now, edition });
    this.trader('bob', { USDT: '1000000', BTC: '100' });
    this.btc('60000');
  }

  /** What a withdrawal from the funding wallet is refused with. */
  take(name: string, amount: string, coin = 'USDT'): string {
    return refusalName(this.requestWithdrawal(name, amount, coin, { from: ['spot'] }).rejectReason);
  }

  /** Nothing is told for 61 seconds of the clock. */
  fallSilent(): void {
    this.wait(61_000);
  }

  /** Ann has 15 000 USDT and sells one BTC that she borrows: 75 000 less the fee of 60. */
  sellsShort(name = 'ann'): this {
    if (!this.isHere(name)) this.trader(name);
    this.deposit(name, '15060', 'USDT');
    this.coinLeverage(name, 5, 'BTC');
    this.buy('bob', '1', '60000', SPOT);
    this.sell(name, '1', '60000', MARGIN);
    assert.deepEqual([this.cash(name, 'BTC'), this.cash(name, 'USDT')], ['-1', '75000']);
    return this;
  }
}

test('16.1: the example: at a price of a minute ago nothing leaves the wallet beside a debt', () => {
  const taken = (edition: number) => {
    const floor = new WalletFloor(edition).sellsShort();
    floor.fund('ann', '50000', 'USDT');
    floor.fallSilent();
    const refusal = floor.take('ann', '50000');
    // Outside it is 90 000 by now: 75 000 - 90 000.
    floor.btc('90000');
    return { refusal, owes: Number(floor.cash('ann', 'BTC')) < 0, has: floor.funding('ann', 'USDT') };
  };
  assert.deepEqual(taken(5), { refusal: 'none', owes: true, has: '0' });
  // 0.1675 BTC are owed: 15 075 / 0.999 are taken (rules 16.2).
  assert.deepEqual(taken(6), { refusal: WAITS, owes: false, has: '34909.9099099' });
});

test('16.1 (a): every way out is closed, of sub-accounts too; the way into the unified account is open', () => {
  const floor = new WalletFloor();
  floor.trader('main', {});
  floor.trader('sub', {}, { master: 'main' });
  floor.sellsShort('sub');
  floor.fund('sub', '1000', 'USDT');
  const ways = () => [
    floor.take('sub', '1'),
    refusalName(floor.pay('sub', 'bob', '1', 'USDT', { from: ['spot'] }).rejectReason),
    refusalName(floor.pay('sub', 'bob', '1', 'USDT', { from: ['spot', 'uta'] }).rejectReason),
    floor.transfer('sub spot', 'main spot', '1', 'USDT'),
    floor.transfer('sub spot', 'main uta', '1', 'USDT', { by: 'main' }),
  ];
  assert.deepEqual(ways(), ['none', 'none', 'none', 'none', 'none']);
  floor.fallSilent();
  assert.deepEqual(ways(), [WAITS, WAITS, WAITS, WAITS, WAITS]);
  assert.equal(floor.transfer('sub spot', 'sub uta', '1', 'USDT'), 'none');
  // Her main account owes nothing.
  floor.fund('main', '1', 'USDT');
  assert.equal(floor.take('main', '1'), 'none');
  floor.btc('60000');
  assert.deepEqual(ways(), ['none', 'none', 'none', 'none', 'none']);
});

test('16.1 (a): a word by hand holds for a quarter of an hour', () => {
  const floor = new WalletFloor().sellsShort();
  floor.fund('ann', '1000', 'USDT');
  for (const name of ['BTCUSD', 'BTCUSDT']) floor.say('60000', name);
  floor.fallSilent();
  assert.equal(floor.take('ann', '1'), 'none');
  floor.wait(15 * 60_000);
  assert.equal(floor.take('ann', '1'), WAITS);
});

test('16.1 (a): who keeps the coin that is owed may take the others', () => {
  const floor = new WalletFloor().sellsShort();
  floor.fund('ann', '1.5', 'BTC');
  floor.fund('ann', '50000', 'USDT');
  floor.fallSilent();
  assert.equal(floor.take('ann', '0.50000001', 'BTC'), WAITS);
  assert.equal(floor.take('ann', '50000'), 'none');
  assert.equal(floor.take('ann', '0.5', 'BTC'), 'none');
  assert.equal(floor.take('ann', '0.00000001', 'BTC'), WAITS);
});

test('16.1 (a): a debt in dollars against coins of an old price is kept in full', () => {
  const floor = new WalletFloor();
  floor.trader('ann', { USDT: '15000' });
  floor.coinLeverage('ann', 5, 'USDT');
  floor.sell('bob', '1', '60000', SPOT);
  floor.buy('ann', '1', '60000', MARGIN);
  assert.equal(floor.cash('ann', 'USDT'), '-45000');
  floor.fund('ann', '50000', 'USDT');
  floor.fund('ann', '1', 'BTC');
  floor.fallSilent();
  assert.equal(floor.take('ann', '5000.00000001'), WAITS);
  assert.equal(floor.take('ann', '5000'), 'none');
  // Coins of an old price stand for nothing, and may go.
  assert.equal(floor.take('ann', '1', 'BTC'), 'none');
});

test('16.1 (a): behind a crossed long its entry value is kept, behind a short everything', () => {
  const floor = new WalletFloor();
  for (const name of ['ann', 'cat']) floor.trader(name, { USDT: '10000' });
  floor.deal('ann', 'cat', '1', '60000');
  for (const name of ['ann', 'cat']) floor.fund(name, '100000', 'USDT');
  floor.fallSilent();
  assert.equal(floor.take('ann', '40000.00000001'), WAITS);
  assert.equal(floor.take('ann', '40000'), 'none');
  assert.equal(floor.take('cat', '1'), WAITS);
});

test('16.1 (a): a loss at a price that is told counts by it, where other coins of the account have an old one', () => {
  const floor = new WalletFloor();
  // 36 are the fee.
  floor.trader('ann', { USDT: '1036', BTC: '1' });
  floor.deal('ann', 'bob', '1', '60000');
  floor.fund('ann', '5000', 'USDT');
  // BTCUSD, which prices her BTC, falls silent; the contract goes by BTCUSDT.
  floor.seconds(62, '60000');
  floor.seconds(1, '58000');
  assert.deepEqual(
    [floor.cash('ann', 'USDT'), floor.markOf(), floor.usd('USDT')],
    ['1000', '58000', '1.00000000'],
  );
  // She lacks 1 000 of the 2 000 that she has lost.
  assert.equal(floor.take('ann', '4000.00000001'), WAITS);
  assert.equal(floor.take('ann', '4000'), 'none');
});

test('16.1 (a): isolated positions alone keep nothing back', () => {
  const floor = new WalletFloor();
  for (const name of ['ann', 'cat']) floor.trader(name, { USDT: '10000' });
  floor.isolate('cat');
  floor.deal('ann', 'cat', '1', '60000');
  floor.fund('cat', '1000', 'USDT');
  floor.fallSilent();
  assert.equal(floor.take('cat', '1000'), 'none');
});

/**
 * Ann has 15 000 USDT and owes one BTC, is long 0.2 isolated with a margin of 1 200, and has 20 000 in the funding wallet. BTC
 * jumps from 60 000 to 90 000, which everybody is told, and the 75 000 are sold: 75 000 / 90 000 * 0.999 = 0.8325 of the debt.
 */
function besideIsolated(edition: number): WalletFloor {
  const floor = new WalletFloor(edition);
  // Rules 16.2 (b) would take the debt from the wallet.
  floor.arrange(({ state }) => {
    state.rules.forcedTransfer = false;
  });
  floor.trader('ann', { USDT: '2000' });
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.deal('ann', 'bob', '0.2', '60000');
  floor.withdraw('ann', floor.cash('ann', 'USDT'), 'USDT');
  floor.sellsShort();
  floor.fund('ann', '20000', 'USDT');
  floor.btc('90000');
  assert.deepEqual([floor.cash('ann', 'USDT'), floor.cash('ann', 'BTC')], ['0', '-0.1675']);
  assert.equal(floor.position('ann'), 'long 0.2 @ 60000 iso 1200');
  return floor;
}

test('16.1 (b): an isolated position does not answer for a debt, at a price of this second either', () => {
  // 20 000 + 1 200 + 6 000 - 15 075, and since the sixth edition without the position.
  for (const [edition, most] of [
    [5, '12125'],
    [6, '4925'],
  ] as const) {
    const floor = besideIsolated(edition);
    assert.equal(floor.take('ann', `${most}.00000001`), LACKS);
    assert.equal(floor.take('ann', most), 'none');
  }
});

test('16.1 (b): the owner can give the worth of the position to a friend, as far as the price band, past the debt', () => {
  const floor = besideIsolated(6);
  floor.trader('friend', { USDT: '100000' });
  floor.buy('friend', '0.2', '85500');
  assert.equal(floor.sell('ann', '0.2', '85500', { reduceOnly: true }).stands, 'filled 0.2/0.2');
  // 900 are the friend's; 7 200 - 900 - 10.26, less the fee of the sale, pay some of the debt.
  assert.equal(floor.position('friend'), 'long 0.2 @ 85500');
  assert.equal(floor.cash('ann', 'BTC'), '-0.09768389');
});
