/** R7, the reach of the insurance fund (rules 13.7): what a forced close takes from the book and from the fund. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hourLeft, symbolHourLeft } from '../../../src/core/margin/fund-budgets.ts';
import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { MARGIN, MarginFloor, SPOT } from '../borrowing/margin-floor.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { money, moneyUnits } from '../dsl/words.ts';
import { BTC_PERPETUAL, FuturesFloor } from '../futures/futures-floor.ts';
import { fund, secondEdition } from './fund-floor.ts';

const HOUR = 3_600_000;
const BANDED: InstrumentSpec = { ...BTC_PERPETUAL, buyLimitPriceRatio: '0.05', sellLimitPriceRatio: '0.05' };
/** A second contract of the same coin. */
const OTHER: InstrumentSpec = { ...BANDED, symbol: 'BTCUSDX' };

interface Words {
  readonly without?: readonly SecondEditionRule[];
  readonly insured?: string;
  readonly longs?: readonly string[];
}

/** Each of the longs holds 1 BTC from 60 000, isolated at 125x (iso 480); ben is the other side, cas a stranger. */
function example({ without = [], insured = '2400', longs = ['amy'] }: Words = {}): FuturesFloor {
  const floor = secondEdition(new FuturesFloor(BANDED, undefined, [OTHER]), ...without);
  if (insured !== '') fund(floor, insured);
  floor.trader('ben', { USDT: '1000000' });
  floor.trader('cas', { USDT: '1000000' });
  for (const name of longs) {
    floor.trader(name, { USDT: '1000' });
    floor.isolate(name);
    floor.leverage(name, 125);
    floor.deal(name, 'ben', '1', '60000');
    assert.equal(floor.position(name), 'long 1 @ 60000 iso 480');
  }
  return floor;
}

const total = (floor: FuturesFloor, ...names: string[]) =>
  names.reduce((sum, name) => sum + moneyUnits(floor.cash(name, 'USDT')), 0n);

test('R7 (a): the example of rules 13.7: a bid far beyond bankruptcy is out of reach of a forced close, which is deleveraged at Pb', () => {
  const floor = example();
  const bid = floor.buy('ben', '1', '56900');
  floor.mark('59780');
  assert.equal(floor.executions('amy').at(-1), 'liquidation close 1 @ 59555.8 fee 35.73348 pnl -444.2');
  assert.equal(bid.stands, 'new 0/1');
  assert.equal(floor.position('ben'), 'none');
  // 2400 + 480 - 444.2: nothing was paid.
  assert.equal(floor.insurance(), '2435.8');
});

test('R7: the theft of the first edition, an own bid inside the band that the fund pays for, is gone', () => {
  const gain = (...without: SecondEditionRule[]) => {
    const floor = example({ without });
    floor.buy('ben', '1', '56900');
    floor.mark('59780');
    assert.equal(floor.position('ben'), 'none');
    return total(floor, 'amy', 'ben') - moneyUnits('1001000');
  };
  // 3 100 for ben, 480 and fees lost by amy: the rest came from the fund.
  assert.equal(money(gain('fundReach')), '2307.284564');
  // Opening fees, the forced fee and the remainder are lost.
  assert.equal(money(gain()), '-83.8');
});

test('R7 (a): the example of rules 13.7: a bid at W costs the fund 14.90 net, and the two accounts that opened against each other lose 45', () => {
  const floor = example();
  floor.buy('ben', '1', '59505.1');
  floor.mark('59780');
  assert.equal(floor.executions('amy').at(-1), 'liquidation close 1 @ 59505.1 fee 35.70306 pnl -494.9');
  assert.equal(floor.insurance(), '2385.1');
  assert.equal(money(total(floor, 'amy', 'ben') - moneyUnits('1001000')), '-45.00102');
});

test('R7 (a): a bid one tick beyond W is not reached', () => {
  const floor = example();
  const bid = floor.buy('cas', '1', '59505');
  floor.mark('59780');
  assert.equal(bid.stands, 'new 0/1');
  assert.equal(floor.executions('ben').at(-1), 'adl close 1 @ 59555.8 fee 0 pnl 444.2');
});

test('R7 (a): a short is the mirror image', () => {
  const floor = secondEdition(new FuturesFloor(BANDED));
  fund(floor, '2400');
  for (const name of ['amy', 'ben', 'cas']) floor.trader(name, { USDT: '10000' });
  floor.isolate('amy');
  floor.leverage('amy', 125);
  floor.deal('ben', 'amy', '1', '60000');
  // Pb (60 000 + 480)/1.0006 = 60 443.7; W = 60 220 * 1.0046 = 60 497.0.
  const beyond = floor.sell('cas', '0.5', '60497.1');
  const at = floor.sell('cas', '0.5', '60497');
  floor.mark('60220');
  assert.equal(beyond.stands, 'new 0/0.5');
  assert.equal(at.stands, 'filled 0.5/0.5');
  assert.equal(floor.executions('amy').at(-1), 'liquidation close 0.5 @ 60443.7 fee 18.13311 pnl -221.85');
});

test('R7 (a): the maintenance is that of all tiers together, not the rate of the last one', () => {
  const floor = secondEdition(new FuturesFloor(BTC_PERPETUAL));
  fund(floor, '1000000');
  floor.trader('amy', { USDT: '25000' });
  floor.trader('ben', { USDT: '10000000' });
  floor.trader('cas', { USDT: '10000000' });
  floor.isolate('amy');
  floor.leverage('amy', 50);
  floor.deal('amy', 'ben', '16.6', '60000');
  // N = 16.6 * 59 100 = 981 060: MM = 0.01 N - 4 650 = 5 160.6, W = 59 100 * (1 - 0.00526023 - 0.0006) = 58 753.7.
  const beyond = floor.buy('cas', '8', '58753.6');
  const at = floor.buy('cas', '8.6', '58753.7');
  floor.mark('59100');
  assert.deepEqual([at.stands, beyond.stands], ['filled 8.6/8.6', 'new 0/8']);
});

test('R7 (a): orders of the own party beyond Pb are cancelled, up to Pb they trade', () => {
  const floor = example();
  floor.trader('sub', { USDT: '10000' }, { master: 'amy' });
  const fair = floor.buy('sub', '0.4', '59600');
  const greedy = floor.buy('sub', '0.3', '59540');
  const far = floor.buy('sub', '0.1', '59000');
  const stranger = floor.buy('cas', '0.3', '59510');
  floor.mark('59780');
  assert.equal(fair.stands, 'filled 0.4/0.4');
  assert.equal(greedy.stands, 'cancelled 0/0.3 delegated_risk_order_cancel');
  assert.equal(far.stands, 'new 0/0.1');
  assert.equal(stranger.stands, 'filled 0.3/0.3');
});

test('R7 (a): a crossed account gives no more than the distance to W for its first position, whatever it could bear', () => {
  const run = (...without: SecondEditionRule[]) => {
    const floor = secondEdition(new FuturesFloor(BANDED), ...without);
    fund(floor, '2400');
    floor.trader('amy', { USDT: '3100' });
    floor.trader('ben', { USDT: '1000000' });
    floor.leverage('amy', 50);
    floor.deal('amy', 'ben', '2', '60000');
    const bid = floor.buy('ben', '2', '57100');
    floor.mark('58720');
    return { floor, bid };
  };
  const before = run('fundReach');
  assert.equal(before.bid.stands, 'partially_filled 1.6898/2');
  const { floor, bid } = run();
  assert.equal(bid.stands, 'new 0/2');
  // Pb (120 000 - 3 028)/(2 * 0.9994) = 58 521.2 is above W = 58 720 * 0.9954 = 58 449.9.
  assert.equal(floor.executions('ben').at(-1), 'adl close 2 @ 58521.2 fee 0 pnl 2957.6');
});

test('R7 (a): where the account can bear W, what the book does not take is deleveraged at W', () => {
  const floor = secondEdition(new FuturesFloor(BANDED));
  floor.trader('amy', { USDT: '1000000' });
  floor.trader('ben', { USDT: '1000000' });
  floor.deal('amy', 'ben', '2', '60000');
  floor.mark('59780');
  floor.force('amy');
  assert.match(floor.executions('ben').at(-1)!, /^adl close 2 @ 59505.1 fee 0/);
});

test('R7 (a): forced trades pay no maker rebate', () => {
  const rebate = (...without: SecondEditionRule[]) => {
    const floor = example({ without });
    floor.setFees('cas', '-0.0002', '0.0006');
    floor.buy('cas', '1', '59700');
    floor.mark('59780');
    return floor.executions('cas').at(-1);
  };
  // The floor of fees pays none either: the fee of a liquidation is the insurance fund's (rules 13.10).
  assert.equal(rebate('fundReach', 'feeFloors'), 'user open 1 @ 59700 fee -11.94 pnl 0');
  assert.equal(rebate('feeFloors'), 'user open 1 @ 59700 fee 0 pnl 0');
  assert.equal(rebate(), 'user open 1 @ 59700 fee 0 pnl 0');
});

test('R7 (a): what else a crossed account lacks is not taken from those who stand against a small position', () => {
  const given = (...without: SecondEditionRule[]) => {
    const floor = secondEdition(new MarginFloor(), ...without);
    floor.trader('market', { USDT: '1000000', BTC: '100' });
    floor.trader('amy', { USDT: '21000' });
    floor.trader('cas', { USDT: '10000' });
    floor.deal('amy', 'cas', '0.01', '60000', { category: 'USDT-FUTURES' });
    floor.coinLeverage('amy', 5, 'BTC');
    floor.buy('market', '1.6', '60000', SPOT);
    floor.sell('amy', '1.6', '60000', MARGIN);
    // She owes 1.6 BTC, 144 000, and has 117 000: what is missing has nothing to do with her contract.
    floor.index('90000', 'BTCUSD');
    return floor.executions('cas').at(-1)!;
  };
  assert.match(given('fundReach'), /^adl close 0.01 @ 1\d{6}[.\d]* fee 0 pnl -9\d{3}/);
  assert.equal(given(), 'adl close 0.01 @ 60036.1 fee 0 pnl -0.361');
});

test('R7 (b): one close costs the fund a fifth of what it has, the rest is deleveraged', () => {
  const floor = example();
  const bid = floor.buy('cas', '1', '58728.6');
  floor.mark('59000');
  // Net loss of a whole BTC 1 271.4 - 480 = 791.4, budget 480: 0.6065 BTC.
  assert.equal(bid.stands, 'partially_filled 0.6065/1');
  assert.equal(floor.executions('ben').at(-1), 'adl close 0.3935 @ 59555.8 fee 0 pnl 174.7927');
  // 479.9841 for the fills; the deleveraged part brings its fee and a remainder.
  assert.equal(money(moneyUnits('2400') - moneyUnits(floor.insurance())), '465.8968');
});

test('R7 (b): closes of an hour cost one symbol 30 % and the coin 60 % of the base; the next hour begins anew', () => {
  const floor = example({ longs: ['amy', 'ann', 'art', 'avi'] });
  floor.trader('ada', { USDT: '1000' });
  floor.isolate('ada', 'BTCUSDX');
  floor.leverage('ada', 125, 'BTCUSDX');
  floor.deal('ada', 'ben', '1', '60000', { on: 'BTCUSDX' });
  floor.buy('cas', '10', '58728.6');
  floor.buy('cas', '10', '58728.6', { on: 'BTCUSDX' });
  floor.mark('59000');
  const coin = floor.state.coinByName.get('USDT')!;
  const symbol = floor.instrument('BTCUSDT').index;
  const paid = floor.state.fundHours.paidFor(symbol);
  assert.ok(paid <= moneyUnits('720') && paid > moneyUnits('690'), money(paid));
  const other = floor.state.fundHours.paidFor(floor.instrument('BTCUSDX').index);
  assert.ok(other > 0n, 'another symbol has a budget of its own');
  assert.equal(hourLeft(floor.state, 'futures', coin), moneyUnits('1440') - paid - other);
  floor.at(OPENING_BELL + HOUR);
  assert.equal(floor.state.fundHours.paidFor(symbol), 0n);
  const base = moneyUnits(floor.insurance());
  assert.equal(symbolHourLeft(floor.state, coin, symbol), (base * 30n) / 100n);
});

test('R7 (b): the example of rules 13.7: 10 000 at 12:00 and 5 000 at 12:10 let one symbol cost 4 500 and the coin 9 000 until 13:00', () => {
  const floor = secondEdition(new FuturesFloor(BANDED));
  const coin = floor.state.coinByName.get('USDT')!;
  const symbol = floor.instrument('BTCUSDT').index;
  const left = () =>
    [symbolHourLeft(floor.state, coin, symbol), hourLeft(floor.state, 'futures', coin)].map(money);
  assert.deepEqual(left(), ['0', '0']);
  fund(floor, '10000');
  floor.at(OPENING_BELL + 12 * HOUR);
  assert.deepEqual(left(), ['3000', '6000']);
  floor.at(OPENING_BELL + 12 * HOUR + 600_000);
  fund(floor, '5000');
  assert.deepEqual(left(), ['4500', '9000']);
  floor.restart();
  assert.deepEqual(left(), ['4500', '9000']);
  fund(floor, '-3000');
  assert.deepEqual(left(), ['3600', '7200']);
  floor.at(OPENING_BELL + 13 * HOUR);
  assert.deepEqual(left(), ['3600', '7200']);
});

test('R7 (b): closes that bring as much as they cost use no budget, even with an empty fund', () => {
  const floor = example({ insured: '' });
  // Beyond Pb 59 555.8, and 15.80 short of bankruptcy: less than the fee.
  const bid = floor.buy('cas', '1', '59540');
  floor.mark('59780');
  assert.equal(bid.stands, 'filled 1/1');
  assert.equal(floor.insurance(), '20');
  assert.equal(floor.state.fundHours.paidFor(floor.instrument('BTCUSDT').index), 0n);
});

test('R7 (b): what earlier fills left above bankruptcy pays before the fund does', () => {
  const kept = (...without: SecondEditionRule[]) => {
    const floor = secondEdition(new FuturesFloor(BANDED), ...without);
    fund(floor, '10000');
    floor.trader('amy', { USDT: '1036' });
    floor.trader('ben', { USDT: '1000000' });
    floor.leverage('amy', 100);
    floor.deal('amy', 'ben', '1', '60000');
    floor.buy('ben', '0.5', '59200');
    floor.buy('ben', '0.5', '58960');
    floor.mark('59230');
    return { cash: floor.cash('amy', 'USDT'), fund: floor.insurance() };
  };
  const old = kept('fundReach');
  const now = kept();
  assert.ok(
    moneyUnits(old.cash) > 0n && moneyUnits(old.fund) < moneyUnits(now.fund),
    JSON.stringify({ old, now }),
  );
});

test('R7 (b): what deleveraging leaves is paid within the same budgets, the rest is a debt', () => {
  const floor = secondEdition(new FuturesFloor(BTC_PERPETUAL));
  fund(floor, '100');
  for (const name of ['amy', 'ben']) {
    floor.trader(name, { USDT: '600' });
    floor.isolate(name);
    floor.leverage(name, 125);
  }
  floor.trader('cas', { USDT: '1000000' });
  floor.deal('amy', 'ben', '1', '60000');
  // ben cannot give more than he has: his short ends at its own bankruptcy price.
  floor.mark('55000');
  assert.equal(floor.position('amy'), 'none');
  const lost = moneyUnits('100') - moneyUnits(floor.insurance());
  assert.ok(lost <= moneyUnits('20'), money(lost));
});

test('R7 (a): a close that was filled up to Pb does not go on beyond it', () => {
  const floor = example();
  const fair = floor.buy('cas', '1', '59600');
  const beyond = floor.buy('cas', '1', '59540');
  floor.trader('sub', { USDT: '10000' }, { master: 'amy' });
  const own = floor.buy('sub', '0.1', '59530');
  floor.mark('59780');
  assert.deepEqual([fair.stands, beyond.stands, own.stands], ['filled 1/1', 'new 0/1', 'new 0/0.1']);
});
