/** Worked numbers and sentences of rules 0 to 4 and 7 to 9 that no other test here has. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { lent, TERMS } from '../borrowing/margin-floor.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { money, refusalName } from '../dsl/words.ts';
import {
  BTC_COIN,
  BTC_FUNDED,
  BTC_PERPETUAL,
  FUTURES_COINS,
  FuturesFloor,
} from '../futures/futures-floor.ts';
import { BTCUSDT } from '../listings.ts';
import { LoanFloor } from '../loan/loan-floor.ts';
import { TradingFloor } from '../trading-floor.ts';

test('an instrument whose prices and sizes have more than eight decimals together is not listed (rules 0.3)', () => {
  const floor = new TradingFloor([]);
  const list = (pricePrecision: string, quantityPrecision: string) =>
    floor.send({
      type: 'listInstrument',
      time: floor.now,
      spec: {
        ...BTCUSDT,
        symbol: `P${pricePrecision}Q${quantityPrecision}`,
        pricePrecision,
        quantityPrecision,
      },
    });
  equal(refusalName(list('2', '6').rejectReason), 'none');
  const { rejectReason, detail } = list('3', '6');
  equal(refusalName(rejectReason), 'invalidSpecification');
  match(detail!, /pricePrecision \+ quantityPrecision must be at most 8/);
});

/** Ann is long 3 for 300.2: 1 at 100 and 2 at 100.1. */
function longThree() {
  const floor = new FuturesFloor({ ...BTC_PERPETUAL, openingPrice: '100' });
  floor.index('100');
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '10000' });
  floor.deal('ann', 'bob', '1', '100');
  floor.deal('ann', 'bob', '2', '100.1');
  const basis = (name: string) => {
    const position = floor.state.accountByUid.get(floor.uid(name))!.positions.values().next().value;
    return position === undefined ? 'none' : money(position.basis);
  };
  return { floor, basis };
}

test('three closes of one third: what each releases, and what is left of the cost (rules 4.5)', () => {
  const { floor, basis } = longThree();
  const left = [basis('ann')];
  for (let n = 0; n < 3; n++) {
    floor.deal('bob', 'ann', '1', '101');
    left.push(basis('ann'));
    // What one side releases is what the other does, so that clearing holds nothing in between.
    equal(basis('bob'), left.at(-1) === 'none' ? 'none' : `-${left.at(-1)}`);
  }
  deepEqual(left, ['300.2', '200.13333334', '100.06666667', 'none']);
  const profits = floor
    .fillsOf('ann')
    .flatMap(({ futures }) => (futures!.closing ? [money(futures!.pnl)] : []));
  deepEqual(profits, ['0.93333334', '0.93333333', '0.93333333']);
  equal(
    floor.fillsOf('ann').reduce((sum, { futures }) => sum + futures!.pnl, 0n),
    280_000_000n,
  );
});

test('a reduce-only order may be smaller than any other when it closes the whole position (rules 1.10)', () => {
  const floor = new FuturesFloor({ ...BTC_PERPETUAL, minOrderQty: '0.01' });
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  floor.deal('ann', 'bob', '0.025', '60000');
  equal(floor.sell('ann', '0.005', '60000', { reduceOnly: true }).rejectReason, 'sizeTooSmall');
  floor.deal('bob', 'ann', '0.02', '60000');
  equal(floor.position('ann'), 'long 0.005 @ 60000');
  floor.buy('bob', '0.01', '60000');
  equal(floor.sell('ann', '0.01', '60000', { reduceOnly: true }).stands, 'filled 0.005/0.005');
  equal(floor.position('ann'), 'none');
});

test('the published repayment: 1.00000713 pay interest of 0.00000712 and principal of 1.00000001 (rules 7.6)', () => {
  const floor = new LoanFloor();
  floor.trader('ann', { USDT: '50000', ETH: '1' });
  // 0.00000356 an hour.
  equal(floor.setRate('ETH', 'FLEXIBLE', '0.0311856'), 'none');
  const id = floor.borrow('ann', { loan: '2 ETH', pledge: 'USDT' });
  equal(money(floor.loan('ann', id)!.loan.interestOwed()), '0.00000712');
  const repaid = floor.repay('ann', id, { amount: '1.00000713' }).repaid!;
  deepEqual([repaid.interest, repaid.principal].map(money), ['0.00000712', '1.00000001']);
  equal(money(floor.loan('ann', id)!.loan.principal), '0.99999999');
});

test('what is due at one instant happens in its order: status, funding, interest, delivery (rules 9.4)', () => {
  const delivery = Date.UTC(2026, 2, 27, 8);
  const quarterly = {
    ...BTC_COIN,
    symbol: 'BTCUSDH26',
    futures: {
      ...BTC_COIN.futures!,
      type: 'delivery' as const,
      fundInterval: '',
      deliveryTime: String(delivery),
      deliveryStartTime: String(OPENING_BELL + 3_600_000),
      deliveryPeriod: 'this_quarter' as const,
    },
  };
  const launched = { ...BTCUSDT, symbol: 'NEWUSDT', status: 'listed' as const, launchTime: String(delivery) };
  const floor = new FuturesFloor(BTC_FUNDED, lent(FUTURES_COINS, TERMS), [quarterly, launched]);
  floor.index('1', 'USDTUSD');
  for (const name of ['ann', 'bob']) floor.trader(name, { BTC: '10' });
  floor.at(delivery - 7_200_000);
  floor.index('60000');
  floor.index('60000', 'BTCUSD');
  floor.deal('ann', 'bob', '1', '60000');
  floor.deal('ann', 'bob', '1', '60000', { on: 'BTCUSDH26' });
  floor.at(delivery - 1);
  const told = floor.events.length;
  floor.at(delivery);
  const story = floor.events.slice(told).flatMap((event) => {
    if (event.type === 'instrument') return ['status'];
    if (event.type === 'fundingSettled') return ['funding'];
    if (event.type === 'ledgerLine' && event.kind === 'interest') return ['interest'];
    if (event.type === 'fill') return ['delivery'];
    return [];
  });
  deepEqual([...new Set(story)], ['status', 'funding', 'interest', 'delivery']);
});

/**
 * A contract that settles each hour, so many minutes after it did. Two minutes without a premium, then bids above the
 * index and so long a time, in one jump or second by second: the rate tells how many samples there were.
 */
function afterDowntime(minute: number, ms: number, stepMs: number): FuturesFloor {
  const terms = { minFundingRate: '-0.003', maxFundingRate: '0.003', fundInterval: '1' };
  const floor = new FuturesFloor({ ...BTC_PERPETUAL, futures: { ...BTC_PERPETUAL.futures!, ...terms } });
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '10000000' });
  floor.at(OPENING_BELL + minute * 60_000);
  floor.index('60001');
  floor.deal('ann', 'bob', '1', '60000');
  for (let second = 0; second < 120; second++) floor.wait(1000);
  floor.buy('ann', '5', '60100');
  floor.sell('bob', '5', '60200');
  const end = floor.now + ms;
  while (floor.now < end) floor.at(Math.min(end, floor.now + stepMs));
  return floor;
}

test('seconds that nobody saw make the same funding rates as those that were seen (rules 9.4)', () => {
  for (const [minute, ms] of [
    [52, 4000],
    [52, 299_000],
    [52, 590_000],
    [20, 1_200_000],
  ] as const) {
    const [jumped, ticked] = [ms, 1000].map((step) => {
      const floor = afterDowntime(minute, ms, step);
      const settled = floor.eventsOf('fundingSettled').filter(({ instrument }) => instrument === 0);
      const { rate, mark } = floor.state.market(floor.instrument()).futures!;
      // The mark holds while nobody looks; as long as the index is fresh it is the same again at the first look.
      return { rate, rates: settled.map((each) => each.rate), mark: ms < 600_000 ? mark.price : 0n };
    });
    deepEqual(jumped, ticked, `after ${ms} ms`);
  }
});
