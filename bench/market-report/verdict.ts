/** What the samples say: a table of the books, and one line for each thing that must hold. */

import type { RunningExchange } from '../../src/app/start/start-exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { formatRate } from '../../src/core/model/units.ts';
import { printTable } from '../report.ts';
import type { BookCount, Sampler } from './sampler.ts';

const WANTED = 0.99;

export function printVerdict({ sequencer, market }: RunningExchange, sampler: Sampler): boolean {
  const { state } = sequencer;
  const rows = sampler.books.map((book) => {
    const { view, samples, spreadSum, depthSum, worstSpreadBps } = book;
    const rate = view.market.futures?.rate;
    const scale = 10 ** -view.instrument.quantityPrecision;
    return [
      view.name,
      share(book, book.oneSided),
      share(book, book.tooWide),
      share(book, book.tooThin),
      (spreadSum / samples).toFixed(2),
      worstSpreadBps.toFixed(1),
      Math.round(depthSum / samples).toLocaleString('en-US'),
      ((book.volume - book.firstVolume) * scale).toPrecision(4),
      rate === undefined || view.instrument.futures?.delivery !== undefined ? '' : formatRate(rate),
    ];
  });
  printTable(
    ['book', 'two-sided', 'spread ok', 'depth ok', 'mean bps', 'worst', 'mean depth', 'volume', 'funding'],
    rows,
  );
  const all = (bad: (book: BookCount) => number) =>
    sampler.books.every((book) => book.samples > 0 && bad(book) <= (1 - WANTED) * book.samples);
  checkInvariants(state);
  const client = market!.client;
  const verdicts: [string, boolean][] = [
    [`${sampler.samples} logical seconds sampled on ${sampler.books.length} books`, sampler.samples > 0],
    ['both sides quoted 99 % of the time on every book', all(({ oneSided }) => oneSided)],
    ['spread within its bound 99 % of the time on every book', all(({ tooWide }) => tooWide)],
    ['depth within its bound 99 % of the time on every book', all(({ tooThin }) => tooThin)],
    ['last within 0.5 % of the index (delivery 4 %) 99 % of the time', all(({ lastOff }) => lastOff)],
    ['mark within 0.5 % of the index (delivery 4 %) 99 % of the time', all(({ markOff }) => markOff)],
    [
      '24 h volume and last price moved on every book',
      sampler.books.every(({ volume, firstVolume, prices }) => volume > firstVolume && prices.size > 1),
    ],
    [
      'funding rates never zero after the first minute',
      sampler.books.every(({ zeroRates }) => zeroRates === 0),
    ],
    ['funding rates within 0.3 %', sampler.books.every(({ wildRates }) => wildRates === 0)],
    [`no agent out of money (${sampler.outOfMoney} orders refused for it)`, sampler.outOfMoney === 0],
    ['I01 and the other invariants hold exactly', true],
  ];
  console.log('');
  for (const [what, ok] of verdicts) console.log(`${ok ? 'ok  ' : 'FAIL'}  ${what}`);
  const refusals =
    [...client.refusals].map(([rejectReason, count]) => `${rejectReason}: ${count}`).join(', ') || 'none';
  console.log(
    `      ${client.commands} commands of agents; refused by reason: ${refusals}; not taken: ${client.unavailable}`,
  );
  return verdicts.every(([, ok]) => ok);
}

function share({ samples }: BookCount, bad: number): string {
  return `${((100 * (samples - bad)) / samples).toFixed(2)} %`;
}
