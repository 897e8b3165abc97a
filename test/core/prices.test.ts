/** Index, mark and funding rate with the worked numbers of the rule book (rules 5.10, 5.13, 5.14). */
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { Book } from '../../src/core/book/book.ts';
import { OrderSlab } from '../../src/core/book/order-slab.ts';
import {
  type FundingTerms,
  fundingRate,
  impactPrice,
  PremiumAverage,
  premiumOf,
} from '../../src/core/marketdata/funding-rate.ts';
import { type Component, IndexPrice } from '../../src/core/marketdata/index-price.ts';
import { CLAMPED_MARK, CRYPTO_MARK, MarkPrice } from '../../src/core/marketdata/mark-price.ts';
import { Side } from '../../src/core/model/enums.ts';
import type { Instrument } from '../../src/core/model/instrument.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { formatUnits, parseUnits } from '../../src/core/model/units.ts';
import { BTC_PERPETUAL, FuturesFloor } from './futures/futures-floor.ts';

const price = (text: string) => parseUnits(text, 8)!;
const rate = (text: string) => parseUnits(text, 12)!;
const shown = (value: bigint) => formatUnits(value, 8);
const HOUR = 3_600_000;
/** A price band of 5 %. */
const REACH = { below: rate('0.05'), above: rate('0.05') };
/** Eight hours, the interest of coins, at most 0.3 %. */
const FUNDED: FundingTerms = {
  interestRate: rate('0.0001'),
  fundIntervalMs: 8 * HOUR,
  minFundingRate: rate('-0.003'),
  maxFundingRate: rate('0.003'),
};

function indexOf(...rows: readonly (readonly [string, string])[]): IndexPrice {
  const components = rows.map(
    ([weight], n): Component => ({
      exchange: `venue-${n}`,
      spotPair: 'BTC/USDT',
      weight: rate(weight),
      price: 0n,
      volume: 0n,
      changedTime: 0,
      reportedTime: 0,
      reportedSeen: 0,
      byOperator: false,
      outlier: false,
    }),
  );
  const index = new IndexPrice('BTCUSDT', components);
  for (const [n, [, text]] of rows.entries()) index.report(n, price(text), 0n, 0, false);
  return index;
}

test('a venue 7.46 % off the median is dropped and the weights of the others sum to one again', () => {
  const index = indexOf(['0.4', '100'], ['0.3', '101'], ['0.2', '99'], ['0.1', '108']);
  index.update(1000);
  equal(shown(index.price), '100.11111111');
  deepEqual(
    index.components.map((component) => component.outlier),
    [false, false, false, true],
  );
});

test('case 99: a venue 6 % off is dropped, at 3 % it stays out, at 2 % it is back in', () => {
  const index = indexOf(['1', '100'], ['1', '100'], ['1', '100'], ['1', '106']);
  const outAt = (text: string, time: number) => {
    index.report(3, price(text), 0n, time, false);
    index.update(time);
    return index.components[3]!.outlier;
  };
  equal(outAt('106', 1000), true);
  equal(outAt('103', 2000), true);
  equal(outAt('102', 3000), false);
});

test('published weights that sum to 0.9998 are brought to one', () => {
  const index = indexOf(['0.4999', '100'], ['0.4999', '101']);
  index.update(1000);
  equal(shown(index.price), '100.5');
});

test('six venues with weights that sum to 0.9998: 88 448.1665, not 88 430.4768 (rules 5.14)', () => {
  // The venues' prices are not in the book; these make its sum.
  const rows = [
    ['0.2500', '88450'],
    ['0.2000', '88440'],
    ['0.1998', '88452'],
    ['0.1500', '88447.5'],
    ['0.1000', '88449'],
    ['0.1000', '88452.4224'],
  ] as const;
  const sum = rows.reduce((total, [weight, text]) => total + Number(weight) * Number(text), 0);
  equal(sum.toFixed(4), '88430.4768');
  const index = indexOf(...rows);
  index.update(1000);
  equal(Number(shown(index.price)).toFixed(4), '88448.1665');
});

test('a component that has not moved for 15 minutes is out; with none left the last price holds and is stale', () => {
  const index = indexOf(['0.5', '100'], ['0.5', '102']);
  index.report(1, price('101'), 0n, 60_000, false);
  index.update(15 * 60_000 - 1);
  equal(shown(index.price), '100.5');
  index.update(15 * 60_000 + 59_999);
  equal(index.stale, false);
  index.update(15 * 60_000 + 60_000);
  equal(index.stale, true);
});

test('a feed that repeats its price may have stopped; a price that the operator repeats is fresh', () => {
  const index = indexOf(['1', '100']);
  const staleAfter = (byOperator: boolean, from: number) => {
    index.report(0, price('100'), 0n, from + 14 * 60_000, byOperator);
    index.update(from + 16 * 60_000);
    return index.stale;
  };
  equal(staleAfter(true, 0), false);
  equal(staleAfter(false, 14 * 60_000), true);
});

test('a component that drops out and moves the index by more than 0.1 % does so over a minute', () => {
  const index = indexOf(['0.5', '100'], ['0.5', '104']);
  index.update(1000);
  equal(shown(index.price), '102');
  index.report(0, price('100.1'), 0n, 900_000, false);
  index.update(900_500);
  equal(shown(index.price), '102');
  index.update(930_500);
  equal(shown(index.price), '101.05');
  index.update(960_500);
  equal(shown(index.price), '100.1');
});

test('the mark is the median of last trade, index with funding and index with basis', () => {
  const mark = new MarkPrice(CRYPTO_MARK, REACH);
  mark.sampleBasis(price('91512.4'), price('91500'));
  mark.updatePerpetual(price('91530'), price('91500'), rate('0.0001'), 2 * HOUR, 8 * HOUR);
  equal(shown(mark.price), '91512.4');
  mark.updatePerpetual(price('91502'), price('91500'), rate('0.0001'), 2 * HOUR, 8 * HOUR);
  equal(shown(mark.price), '91502.2875');
});

test('case 100: one trade 10 % away moves the mark no farther than the second of the three', () => {
  const mark = new MarkPrice(CRYPTO_MARK, REACH);
  mark.sampleBasis(price('60010'), price('60000'));
  mark.updatePerpetual(price('66000'), price('60000'), 0n, HOUR, 8 * HOUR);
  equal(shown(mark.price), '60010');
});

test('the mark of a metal, stock or commodity stays within 3 % of its index (rules 5.13)', () => {
  const mark = new MarkPrice(CLAMPED_MARK, REACH);
  const made = (last: string, middle: string) => {
    for (let n = 0; n < 6; n++) mark.sampleBasis(price(middle), price('2000'));
    mark.updatePerpetual(price(last), price('2000'), 0n, HOUR, 8 * HOUR);
    return shown(mark.price);
  };
  equal(made('2055', '2060'), '2055');
  equal(made('2061', '2059.99'), '2059.99');
  equal(made('2100', '2080'), '2060');
  equal(made('1900', '1930'), '1940');
  const free = new MarkPrice(CRYPTO_MARK, REACH);
  free.sampleBasis(price('2080'), price('2000'));
  free.updatePerpetual(price('2100'), price('2000'), 0n, HOUR, 8 * HOUR);
  equal(shown(free.price), '2080');
});

test('the basis of coins is the mean of 60 samples, that of others of the last six: 30 seconds (rules 5.13)', () => {
  const based = (mark: MarkPrice) => {
    for (let n = 0; n < 54; n++) mark.sampleBasis(price('2000'), price('2000'));
    for (let n = 0; n < 6; n++) mark.sampleBasis(price('2010'), price('2000'));
    // No trade: the basis stands in for it and is the median.
    mark.updatePerpetual(0n, price('2000'), 0n, HOUR, 8 * HOUR);
    return shown(mark.price);
  };
  equal(based(new MarkPrice(CRYPTO_MARK, REACH)), '2001');
  equal(based(new MarkPrice(CLAMPED_MARK, REACH)), '2010');
});

test('an empty side of the book repeats the last basis; without a trade the basis stands in for it (rules 5.13)', () => {
  const mark = new MarkPrice(CRYPTO_MARK, REACH);
  mark.sampleBasis(price('60012'), price('60000'));
  mark.sampleBasis(undefined, price('60000'));
  mark.updatePerpetual(0n, price('60000'), 0n, HOUR, 8 * HOUR);
  equal(shown(mark.price), '60012');
  mark.sampleBasis(price('60000'), price('60000'));
  mark.updatePerpetual(0n, price('60000'), 0n, HOUR, 8 * HOUR);
  equal(shown(mark.price), '60008');
});

test('a basis leads the mark no farther from the index than the price band, nor beyond half and twice of it', () => {
  const based = (band: string, middle: string, index = '2000') => {
    const mark = new MarkPrice(CRYPTO_MARK, { below: rate(band), above: rate(band) });
    mark.sampleBasis(price(middle), price('2000'));
    mark.updatePerpetual(0n, price(index), 0n, HOUR, 8 * HOUR);
    const perpetual = shown(mark.price);
    mark.updateDelivery(price(index));
    equal(shown(mark.price), perpetual);
    return perpetual;
  };
  equal(based('0.05', '2099.99'), '2099.99');
  equal(based('0.05', '2100.01'), '2100');
  equal(based('0.05', '1899.99'), '1900');
  // The index falls below what the basis takes off.
  equal(based('0.05', '1900', '1000'), '950');
  equal(based('0.9', '500'), '1000');
  equal(based('0.9', '500', '900'), '450');
  equal(based('0.9', '9000'), '3800');
});

test('a sample beyond the band counts as the band: one moment of it moves the mean by a sixtieth of that', () => {
  const mark = new MarkPrice(CRYPTO_MARK, REACH);
  for (let n = 0; n < 59; n++) mark.sampleBasis(price('2000'), price('2000'));
  mark.sampleBasis(price('9000'), price('2000'));
  mark.updateDelivery(price('2000'));
  equal(shown(mark.price), '2001.66666667');
});

test('premium samples are weighted 1 to n, newest heaviest', () => {
  const average = new PremiumAverage();
  for (const text of ['0.0002', '0.0004', '0.0006', '0.0008']) average.add(rate(text));
  equal(average.average(), rate('0.0006'));
});

test('the funding rate of the published table', () => {
  const rows: readonly (readonly [string, number, string])[] = [
    ['0.0003', 8, '0.0001'],
    ['0.001', 8, '0.0005'],
    ['0.001', 4, '0.00025'],
    ['0.001', 1, '0.0000625'],
    ['-0.0008', 8, '-0.0003'],
    ['0.02', 8, '0.003'],
    ['0', 1, '0.0000125'],
  ];
  for (const [average, hours, expected] of rows) {
    const result = fundingRate(rate(average), { ...FUNDED, fundIntervalMs: hours * HOUR });
    equal(formatUnits(result, 12), expected, `Pavg ${average}, ${hours} h`);
  }
});

test('funding of stocks charges no interest for the money (rules 5.10)', () => {
  const stock = { ...FUNDED, interestRate: 0n };
  const shownRate = (average: string, terms: FundingTerms) =>
    formatUnits(fundingRate(rate(average), terms), 12);
  equal(shownRate('0', stock), '0');
  equal(shownRate('0', FUNDED), '0.0001');
  // Within half a thousandth the premium is forgiven whole; beyond it all but that.
  equal(shownRate('0.0005', stock), '0');
  equal(shownRate('0.001', stock), '0.0005');
  equal(shownRate('-0.0008', stock), '-0.0003');
});

test('impact prices and premium of the worked book', () => {
  // Prices in 0.1, sizes in 1: asks 100 @ 100.0, 100 @ 100.5, 100 @ 101; bids 50 @ 99.9, 300 @ 99.5.
  const instrument = { valuePerTickLot: 10n ** 7n, unitsPerLot: 10n ** 8n } as Instrument;
  const slab = new OrderSlab();
  const book = new Book(slab);
  const rest = (side: Side, ticks: number, lots: number) => {
    const slot = slab.allocate(slab.count + 1);
    slab.side[slot] = side;
    slab.price[slot] = ticks;
    slab.remaining[slot] = lots;
    book.rest(slot);
  };
  rest(Side.sell, 1000, 100);
  rest(Side.sell, 1005, 100);
  rest(Side.sell, 1010, 100);
  rest(Side.buy, 999, 50);
  rest(Side.buy, 995, 300);
  const value = price('25000');
  equal(shown(impactPrice(book, instrument, Side.sell, value)!).slice(0, 8), '100.3976');
  equal(shown(impactPrice(book, instrument, Side.buy, value)!).slice(0, 8), '99.57966');
  const premium = (index: string) => formatUnits(premiumOf(book, instrument, price(index), value), 12);
  equal(premium('100.2'), '0');
  equal(premium('99').slice(0, 8), '0.005855');
  equal(premium('101').slice(0, 9), '-0.005964');
  equal(impactPrice(book, instrument, Side.sell, price('40000')), undefined);
});

test('an index is made of six venues at most (rules 5.14)', () => {
  const floor = new FuturesFloor();
  const listed = (venues: number) => {
    const indexComponents = Array.from({ length: venues }, (_, n) => ({
      exchange: `venue-${n}`,
      spotPair: 'NEW/USD',
      weight: '0.1',
    }));
    const spec = { ...BTC_PERPETUAL, symbol: `V${venues}USD`, quoteCoin: 'USD', indexComponents };
    return floor.send({ type: 'listInstrument', time: floor.now, spec });
  };
  equal(listed(6).rejectReason, RejectReason.none);
  const { rejectReason, detail } = listed(7);
  equal(rejectReason, RejectReason.invalidSpecification);
  match(detail!, /indexComponents must be at most 6/);
});
