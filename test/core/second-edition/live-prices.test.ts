/** Prices that the house trades at (rules 13.6). Every command is followed by `checkInvariants`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConvertible } from '../../../src/core/margin/conversion-price.ts';
import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { MARGIN } from '../borrowing/margin-floor.ts';
import { money, moneyUnits, refusalName } from '../dsl/words.ts';
import type { FuturesFloor } from '../futures/futures-floor.ts';
import { LoanFloor } from '../loan/loan-floor.ts';
import { ConversionFloor } from './conversion-floor.ts';
import { PERPETUAL, PriceFloor } from './price-floor.ts';

const MINUTE = 60_000;

const paid = (floor: ConversionFloor, before: string) =>
  money(moneyUnits(before) - moneyUnits(floor.cash('ann', 'USDT')));

test('R6: the example of rules 13.6: 1 BTC at a mean of 60 300 costs 60 360.36036037', () => {
  const floor = new ConversionFloor().withDebt();
  for (let n = 0; n < 60; n++) floor.btc(n < 30 ? '60600' : '60000');
  const before = floor.cash('ann', 'USDT');
  assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'none');
  assert.equal(paid(floor, before), '60360.36036037');
  assert.equal(floor.cash('ann', 'BTC'), '0');
});

test('R6 (c): a price that was told 61 s ago is not traded at, whoever told it', () => {
  for (const by of ['feed', 'hand'] as const) {
    const floor = new ConversionFloor().withDebt();
    floor.btc('60000');
    if (by === 'hand') for (const name of ['BTCUSD', 'BTCUSDT']) floor.say('60000', name);
    const told = floor.now - (by === 'feed' ? 1000 : 0);
    floor.now = told + 60_001;
    assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'conversionPriceOld');
    // Who pays in coin needs no price.
    assert.equal(floor.transfer('bob uta', 'bob spot', '1', 'BTC'), 'none');
    for (const name of ['BTCUSD', 'BTCUSDT']) floor.say('60000', name);
    assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'none');
  }
});

test('R6 (c): a stablecoin that is priced by old indices of other coins is not traded at', () => {
  const floor = new ConversionFloor();
  const coinOf = (name: string) => floor.state.coinByName.get(name)!;
  const converts = () => isConvertible(floor.state, coinOf('ETH'), coinOf('USDT'));
  floor.tell('3000', 'ETHUSD');
  floor.btc('60000');
  assert.equal(converts(), true);
  // The index of ETH is fresh; what USDT is worth was said when both prices of BTC last came.
  floor.wait(61_000);
  floor.tell('3000', 'ETHUSD');
  floor.wait(1000);
  assert.equal(converts(), false);
  floor.btc('60000');
  assert.equal(converts(), true);
});

test('R6 (c): the lower of now and the mean counts for what is paid', () => {
  const floor = new ConversionFloor();
  floor.trader('ann', { BTC: '10' });
  floor.trader('bob', { USDT: '1000000', BTC: '10' });
  floor.btc('60000');
  floor.sell('bob', '1', '60000', { category: 'SPOT' });
  assert.equal(floor.buy('ann', '1', '60000', { category: 'MARGIN' }).stands, 'filled 1/1');
  for (let n = 0; n < 60; n++) floor.btc(n < 30 ? '60000' : '60600');
  const before = moneyUnits(floor.cash('ann', 'BTC'));
  assert.equal(floor.repay('ann', 'USDT', 'BTC'), 'none');
  // 60 000 at 60 300 and not at 60 600, and the fee.
  assert.equal(money(before - moneyUnits(floor.cash('ann', 'BTC'))), '0.9960209');
});

function lender(without: readonly SecondEditionRule[] = []) {
  const floor = new LoanFloor();
  floor.trader('ann', { BTC: '1', USDT: '5000' });
  const id = floor.borrow('ann', { loan: '10000 USDT', pledge: 'BTC' });
  floor.send({ type: 'setEdition', time: floor.now, edition: 2, by: 'test' });
  floor.arrange(({ state }) => {
    for (const rule of without) state.rules[rule] = false;
  });
  floor.feedLives = false;
  const pledge = () => floor.loan('ann', id)!.loan.pledge;
  const repay = () => {
    const before = pledge();
    const result = floor.repay('ann', id, { amount: '1000', fromPledge: true });
    return `${refusalName(result.rejectReason)} ${money(before - pledge())}`;
  };
  return { floor, repay };
}

test('R6 (c): a loan paid from its pledge costs the same fee and needs a price of the last minute', () => {
  const { floor, repay } = lender();
  for (let n = 0; n < 60; n++) floor.index('60000');
  assert.equal(repay(), 'none 0.01668336');
  floor.wait(61_000);
  assert.equal(repay(), 'conversionPriceOld 0');
  const old = lender(['livePrices']);
  old.floor.wait(10 * MINUTE);
  assert.equal(old.repay(), 'none 0.01666667');
});

test('R6 (c): a stablecoin pays at the lower of this second and its mean', () => {
  const floor = new ConversionFloor().withDebt();
  floor.deposit('ann', '100000', 'USDC');
  for (let n = 0; n < 60; n++) {
    floor.tell('1', 'USDCUSDT');
    floor.btc('60000');
  }
  floor.tell('0.99', 'USDCUSDT');
  floor.btc('60000');
  assert.equal(floor.usd('USDC'), '0.99983333');
  assert.equal(floor.repay('ann', 'BTC', 'USDC'), 'none');
  // 60 000 at 0.99 and not at the mean, and the fee.
  assert.equal(money(moneyUnits('100000') - moneyUnits(floor.cash('ann', 'USDC'))), '60666.7273334');
});

test('R6 (c): a debt is not paid with a stablecoin whose price nobody has told for a minute', () => {
  const floor = new ConversionFloor().withDebt();
  // The feed of BTCUSDT stops: nobody votes on USDT, and what is left is the value of before.
  for (let n = 0; n < 62; n++) {
    floor.tell(n % 2 === 0 ? '60000' : '60000.00000001', 'BTCUSD');
    floor.wait(1000);
  }
  assert.equal(floor.usd('USDT'), '1.00000000');
  assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'conversionPriceOld');
  floor.btc('60000', '61855.67');
  assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'conversionPriceOld');
  for (let n = 0; n < 60; n++) floor.btc('60000', '61855.67');
  assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'none');
});

/** ann would sell a BTC that she borrows; the price is that of a minute ago. */
function lendingInSilence(without: readonly SecondEditionRule[] = []) {
  const floor = new ConversionFloor(without);
  floor.trader('ann', { USDT: '50000' });
  floor.trader('bob', { USDT: '1000000', BTC: '100' });
  floor.btc('60000');
  const rests = floor.sell('ann', '0.5', '60600', MARGIN);
  for (let n = 0; n < 61; n++) floor.wait(1000);
  const wanted = floor.sell('ann', '0.5', '60700', MARGIN).stands;
  floor.buy('bob', '0.5', '60600', { category: 'SPOT' });
  return { wanted, rests: rests.stands };
}

test('R6 (d): at a stale price nothing is lent, neither to a new order nor by a fill', () => {
  assert.deepEqual(lendingInSilence(), {
    wanted: 'refused noCoinPrice',
    rests: 'cancelled 0/0.5 delegated_risk_order_cancel',
  });
  assert.deepEqual(lendingInSilence(['livePrices']), { wanted: 'new 0/0.5', rests: 'filled 0.5/0.5' });
});

/** The exchange was down for ten minutes, and nobody has told it a price yet. */
function lendingAfterDowntime(byOperator: boolean) {
  const floor = new ConversionFloor();
  floor.trader('ann', { USDT: '50000' });
  floor.trader('bob', { USDT: '1000000', BTC: '100' });
  floor.trader('dan', { USDT: '50000' });
  floor.btc('60000');
  for (const name of ['BTCUSD', 'BTCUSDT']) if (byOperator) floor.say('60000', name);
  floor.deal('dan', 'bob', '0.1', '60000');
  const rests = floor.sell('ann', '0.5', '60600', MARGIN);
  floor.wait(10 * MINUTE);
  const stale = floor.indexOf('BTCUSD').stale;
  const wanted = floor.sell('ann', '0.5', '60700', MARGIN).stands;
  const asked = () => refusalName(floor.requestWithdrawal('dan', '10', 'USDT').rejectReason);
  const left = asked();
  floor.buy('bob', '0.5', '60600', { category: 'SPOT' });
  const stood = rests.stands;
  floor.btc('60000');
  const later = [floor.sell('ann', '0.1', '60700', MARGIN).stands, asked()];
  return { stale, wanted, left, stood, later };
}

test('R6 (d): after a downtime nothing is lent and nothing leaves at the price of before it', () => {
  assert.deepEqual(lendingAfterDowntime(false), {
    stale: false,
    wanted: 'refused noCoinPrice',
    left: 'insufficientBalance',
    stood: 'cancelled 0/0.5 delegated_risk_order_cancel',
    later: ['new 0/0.1', 'none'],
  });
  // A person's word holds for a quarter of an hour.
  assert.deepEqual(lendingAfterDowntime(true), {
    stale: false,
    wanted: 'new 0/0.5',
    left: 'none',
    stood: 'filled 0.5/0.5',
    later: ['new 0/0.1', 'none'],
  });
});

test('R6 (a): a feed that is silent for sixty seconds in which prices were taken is out', () => {
  const floor = new ConversionFloor();
  floor.btc('60000');
  for (let n = 0; n < 59; n++) floor.wait(1000);
  assert.equal(floor.indexOf('BTCUSD').stale, false);
  floor.wait(1000);
  assert.equal(floor.indexOf('BTCUSD').stale, true);
});

test('R6 (a): seconds that nobody saw silence no feed, a quarter of an hour without a change does', () => {
  const floor = new ConversionFloor();
  floor.btc('60000');
  floor.wait(10 * MINUTE);
  assert.equal(floor.indexOf('BTCUSD').stale, false);
  floor.tell('60000', 'BTCUSD');
  floor.wait(5 * MINUTE);
  assert.equal(floor.indexOf('BTCUSD').stale, true);
});

test('R6 (a): what a person said is live for a quarter of an hour', () => {
  const floor = new ConversionFloor();
  floor.say('60000', 'BTCUSD');
  for (let n = 0; n < 14; n++) for (let s = 0; s < 30; s++) floor.wait(2000);
  assert.equal(floor.indexOf('BTCUSD').stale, false);
  floor.wait(MINUTE);
  assert.equal(floor.indexOf('BTCUSD').stale, true);
});

const TWO_VOICES: InstrumentSpec = {
  ...PERPETUAL,
  indexComponents: ['here', 'there'].map((exchange) => ({ exchange, spotPair: 'BTC/USDT', weight: '0.5' })),
};

/** These components tell a price; a second later the exchange has seen it. */
function tellVoices(floor: FuturesFloor, price: string, components: readonly number[]): void {
  const index = floor.state.indexByName.get('BTCUSDT')!;
  for (const component of components) {
    const told = { index, component, price: moneyUnits(price), volume: 0n, by: '' };
    floor.send({ type: 'componentPrice', time: floor.now, ...told });
  }
  floor.wait(1000);
}

/** A contract with two voices. */
class TwoVoices extends PriceFloor {
  constructor(without: readonly SecondEditionRule[] = []) {
    super(TWO_VOICES, without, []);
    this.trader('ann', { USDT: '4000' });
    this.trader('bob', { USDT: '1000000' });
    this.voices('60000', [0, 1]);
    this.leverage('ann', 20);
    this.deal('ann', 'bob', '1', '60000');
    this.buy('bob', '1', '54500');
  }

  voices(price: string, components: readonly number[]): void {
    tellVoices(this, price, components);
  }
}

test('R6 (b): at an index with one voice left of two nobody is liquidated until the other is back', () => {
  const floor = new TwoVoices();
  for (let n = 0; n < 61; n++) floor.voices(n % 2 === 0 ? '60000' : '60000.1', [0]);
  const index = floor.state.indices[floor.state.indexByName.get('BTCUSDT')!]!;
  assert.deepEqual([index.stale, index.thin], [false, true]);
  for (let n = 0; n < 60; n++) floor.voices(n % 2 === 0 ? '56000' : '56000.1', [0]);
  // The price goes on.
  assert.equal(floor.markOf(), '56000.1');
  assert.equal(floor.position('ann'), 'long 1 @ 60000');
  assert.equal(floor.transfer('ann uta', 'ann spot', '1', 'USDT'), 'insufficientBalance');
  const before = floor.image();
  floor.restart();
  assert.deepEqual(floor.image(), before);
  floor.voices('56000', [0, 1]);
  assert.equal(index.name, 'BTCUSDT');
  assert.equal(floor.position('ann'), 'none');
});

test('R6 (a): an index was told when the latest of its live components was', () => {
  const floor = new TwoVoices();
  const index = () => floor.state.indices[floor.state.indexByName.get('BTCUSDT')!]!;
  floor.voices('60001', [1]);
  assert.equal(index().reportedAt(floor.now), floor.now - 1000);
  const told = floor.now - 1000;
  for (let n = 0; n < 60; n++) floor.wait(1000);
  // Both are silent for too long: none is live.
  assert.deepEqual([told < floor.now, index().reportedAt(floor.now), index().stale], [true, 0, true]);
});

test('R6 (b): an index that had one voice for a day is not thin, and an index is thin only when others were told', () => {
  const floor = new TwoVoices();
  const index = () => floor.state.indices[floor.state.indexByName.get('BTCUSDT')!]!;
  const price = (n: number) => (n % 2 === 0 ? '60000' : '60000.1');
  for (let n = 0; n < 61; n++) floor.voices(price(n), [0]);
  assert.equal(index().thin, true);
  // A day later nobody remembers the other.
  floor.wait(24 * 60 * MINUTE);
  for (let n = 0; n < 2; n++) floor.voices(price(n), [0]);
  assert.deepEqual([index().stale, index().thin], [false, false]);
});

test('R6 (b): while an index is thin an opening fill needs initial margin, by 13.1 (f)', () => {
  const rest = (thin: boolean) => {
    const floor = new TwoVoices();
    floor.trader('cat', { USDT: '645' });
    floor.leverage('cat', 100);
    const resting = floor.sell('cat', '1', '60000');
    const price = (n: number) => (n % 2 === 0 ? '60060' : '60060.1');
    for (let n = 0; n < 61; n++) floor.voices(price(n), thin ? [0] : [0, 1]);
    floor.buy('bob', '1', '60000');
    return resting.stands;
  };
  assert.equal(rest(false), 'filled 1/1');
  assert.equal(rest(true), 'cancelled 0/1 delegated_risk_order_cancel');
});

test('R6 (b): a thin index withholds withdrawals of who has crossed positions, and of nobody else', () => {
  const floor = new TwoVoices();
  floor.trader('dan', { USDT: '100' });
  for (let n = 0; n < 61; n++) floor.voices(n % 2 === 0 ? '60000' : '60000.1', [0]);
  const asked = (name: string) => refusalName(floor.requestWithdrawal(name, '10', 'USDT').rejectReason);
  assert.deepEqual([asked('ann'), asked('dan')], ['insufficientBalance', 'none']);
  floor.voices('60000', [0, 1]);
  assert.equal(asked('ann'), 'none');
});

/** Ann knows that the price has fallen to 52 000 while the feed says nothing, and takes back margin that she added. */
function marginTakenInSilence(without: readonly SecondEditionRule[], silentMs: number) {
  const floor = new PriceFloor(PERPETUAL, without);
  floor.trader('ann', { USDT: '20000' });
  floor.trader('bob', { USDT: '100000' });
  floor.isolate('ann');
  floor.leverage('ann', 20);
  floor.seconds(2);
  floor.deal('ann', 'bob', '1', '60000');
  assert.equal(floor.addMargin('ann', '9000'), 'none');
  floor.wait(silentMs);
  const taken = floor.addMargin('ann', '-9000');
  // Margin may be added at any time.
  assert.equal(floor.addMargin('ann', '1'), 'none');
  floor.seconds(1, '52000');
  return { taken, ann: money(floor.worth('ann', '52000')), stands: floor.position('ann') };
}

test('R6 (d): margin of a position is not removed at a price that nobody has told for a minute', () => {
  const kept = { ann: '11964', stands: 'long 1 @ 60000 iso 12001' };
  // A downtime, and a silence that made the index stale.
  for (const silent of [61_000, 16 * MINUTE])
    assert.deepEqual(marginTakenInSilence([], silent), { taken: 'staleIndexPrice', ...kept });
  // Before, she lost 3 001 of the 8 000, and who was on the other side bore the rest.
  const { taken, ann } = marginTakenInSilence(['livePrices'], 61_000);
  assert.deepEqual([taken, ann], ['none', '16963']);
});

test('R6 (d): margin is removed at a price of this minute, and not at one that hangs on one voice', () => {
  const floor = new TwoVoices();
  floor.trader('cat', { USDT: '20000' });
  floor.isolate('cat');
  floor.deal('cat', 'bob', '1', '60000');
  assert.equal(floor.addMargin('cat', '5000'), 'none');
  assert.equal(floor.addMargin('cat', '-1000'), 'none');
  for (let n = 0; n < 61; n++) floor.voices(n % 2 === 0 ? '60000' : '60000.1', [0]);
  assert.equal(floor.addMargin('cat', '-1000'), 'staleIndexPrice');
  floor.voices('60000', [0, 1]);
  assert.equal(floor.addMargin('cat', '-1000'), 'none');
});

test('R7 (e): while a thin index keeps a lost position open, the other wallet stands behind it', () => {
  const floor = new TwoVoices();
  floor.fund('ann', '1500', 'USDT');
  const take = (amount: string) =>
    refusalName(floor.requestWithdrawal('ann', amount, 'USDT', { from: ['spot'] }).rejectReason);
  for (let n = 0; n < 61; n++) floor.voices(n % 2 === 0 ? '60000' : '60000.1', [0]);
  assert.equal(take('100'), 'none');
  for (let n = 0; n < 60; n++) floor.voices(n % 2 === 0 ? '55000' : '55000.1', [0]);
  // She has 4 000 less fees of 36, has lost 4 999.9, and 1 400 beside it.
  assert.equal(floor.position('ann'), 'long 1 @ 60000');
  assert.deepEqual([take('365'), take('364')], ['insufficientMargin', 'none']);
});

test('R6 (b): at a thin index no coin is sold for a debt until the other voice is back', () => {
  const floor = new ConversionFloor([], { perpetual: TWO_VOICES });
  floor.trader('ann', { USDT: '15000' });
  floor.trader('bob', { USDT: '1000000', BTC: '100' });
  floor.coinLeverage('ann', 5, 'BTC');
  tellVoices(floor, '60000', [0, 1]);
  floor.buy('bob', '1', '60000', { category: 'SPOT' });
  assert.equal(floor.sell('ann', '1', '60000', { category: 'MARGIN' }).stands, 'filled 1/1');
  for (let n = 0; n < 61; n++) tellVoices(floor, n % 2 === 0 ? '60000' : '60000.1', [0]);
  for (let n = 0; n < 61; n++) tellVoices(floor, n % 2 === 0 ? '73500' : '73500.1', [0]);
  assert.equal(floor.usd('BTC'), '73500.00000000');
  assert.equal(floor.cash('ann', 'BTC'), '-1');
  tellVoices(floor, '73500', [0, 1]);
  assert.equal(floor.cash('ann', 'BTC'), '0');
});

test('R6 (b): at a thin index no loan is closed by force until the other voice is back', () => {
  const floor = new LoanFloor(undefined, TWO_VOICES);
  tellVoices(floor, '60000', [0, 1]);
  floor.trader('ann', { BTC: '1' });
  const id = floor.borrow('ann', { loan: '30000 USDT', pledge: 'BTC' });
  floor.send({ type: 'setEdition', time: floor.now, edition: 2, by: 'test' });
  floor.feedLives = false;
  tellVoices(floor, '60000', [0, 1]);
  for (let n = 0; n < 61; n++) tellVoices(floor, n % 2 === 0 ? '60000' : '60000.1', [0]);
  for (let n = 0; n < 61; n++) tellVoices(floor, n % 2 === 0 ? '40000' : '40000.1', [0]);
  assert.notEqual(floor.loan('ann', id), undefined);
  tellVoices(floor, '40000', [0, 1]);
  assert.equal(floor.eventsOf('loanReduced').length, 1);
  assert.equal(floor.loan('ann', id), undefined);
});

test('R6 (e): an index that comes back is what is told; a change of its voices is spread, and the desk waits for it', () => {
  const floor = new TwoVoices();
  const index = floor.state.indices[floor.state.indexByName.get('BTCUSDT')!]!;
  const [btc, usdt] = ['BTC', 'USDT'].map((name) => floor.state.coinByName.get(name)!) as [number, number];
  for (let n = 0; n < 61; n++) floor.voices(n % 2 === 0 ? '60000' : '60000.1', [0]);
  for (let n = 0; n < 61; n++) floor.wait(1000);
  assert.equal(index.stale, true);
  // Both are back, and the world has moved meanwhile.
  floor.voices('66000', [0, 1]);
  assert.deepEqual([index.stale, index.isSpread, money(index.price)], [false, false, '66000']);
  // One says something else, and falls silent.
  floor.voices('66600', [1]);
  for (let n = 0; n < 61; n++) floor.voices(n % 2 === 0 ? '66000' : '66000.1', [0]);
  assert.equal(index.isSpread, true);
  floor.tell('66000', 'BTCUSD');
  assert.equal(isConvertible(floor.state, btc, usdt), false);
  for (let n = 0; n < 61; n++) floor.voices(n % 2 === 0 ? '66000' : '66000.1', [0]);
  floor.tell('66000', 'BTCUSD');
  floor.wait(1000);
  assert.deepEqual([index.isSpread, isConvertible(floor.state, btc, usdt)], [false, true]);
});

/** The world is at 66 779, the index is what the operator said ten minutes ago. */
function theft(without: readonly SecondEditionRule[]) {
  const floor = new ConversionFloor(without).withDebt();
  for (const name of ['BTCUSD', 'BTCUSDT']) floor.say('60000', name);
  floor.wait(10 * MINUTE);
  const before = floor.worthOf('ann', '66779');
  const answer = floor.repay('ann', 'BTC', 'USDT');
  return { answer, gain: floor.worthOf('ann', '66779') - before };
}

test('R6: a debt was paid at a price of ten minutes ago; now the desk waits for one of this minute', () => {
  const old = theft(['livePrices']);
  assert.equal(old.answer, 'none');
  assert.ok(old.gain > moneyUnits('6700'), `${old.gain}`);
  assert.deepEqual(theft([]), { answer: 'conversionPriceOld', gain: 0n });
});

/** 10 000 USDT were lent on BTC; the world is at 40 000, where the pledge no longer covers the debt. */
function loanTheft(without: readonly SecondEditionRule[]) {
  const { floor, repay } = lender(without);
  floor.tell('60000', 'BTCUSDT', 'ops');
  floor.wait(10 * MINUTE);
  return repay();
}

test('R6: a loan was paid from its pledge at a price of ten minutes ago; now the desk waits', () => {
  assert.equal(loanTheft(['livePrices']), 'none 0.01666667');
  assert.equal(loanTheft([]), 'conversionPriceOld 0');
});
