/** The market that is open: ticker, book and trades of one instrument. */
import { computed, signal } from '@preact/signals';
import { BookFold, type BookRow, scaled, unscaled } from '../wire/book.ts';
import { grouped } from '../wire/format.ts';
import type { Push, TopicArgument } from '../wire/streams.ts';
import {
  type BookPush,
  type Category,
  type Instrument,
  instTypeOf,
  type PublicTrade,
  type Ticker,
} from '../wire/types.ts';
import { paint } from './paint.ts';
import { bookGroup, lastInstrument } from './settings.ts';
import { instrumentKey, instruments, publicStream } from './venue.ts';

export const instrument = signal<Instrument | undefined>(undefined);
export const ticker = signal<Ticker | undefined>(undefined);
/** Direction of the last change of price. */
export const lastMove = signal<'up' | 'down' | ''>('');
export const trades = signal<readonly PublicTrade[]>([]);
export const bookSeq = signal(0);

export const priceDigits = computed(() => Number(instrument.value?.pricePrecision ?? 2));
export const sizeDigits = computed(() => Number(instrument.value?.quantityPrecision ?? 4));

/** A row of the book on the screen: one signal a cell, so that a change draws no component again. */
export interface BookCell {
  readonly price: ReturnType<typeof signal<string>>;
  readonly size: ReturnType<typeof signal<string>>;
  readonly sum: ReturnType<typeof signal<string>>;
  readonly style: ReturnType<typeof signal<string>>;
  readonly mine: ReturnType<typeof signal<string>>;
  readonly hidden: ReturnType<typeof signal<boolean>>;
}

export const ROWS_MAX = 60;
const cells = (): BookCell[] =>
  Array.from({ length: ROWS_MAX }, () => ({
    price: signal(''),
    size: signal(''),
    sum: signal(''),
    style: signal(''),
    mine: signal(''),
    hidden: signal(true),
  }));
export const bookCells = { asks: cells(), bids: cells() };
/** How many rows a side there is room for. */
export const bookRows = signal(12);
export const spread = signal('');
/** Best bid and ask as they are on the screen. */
export const best = signal<{ readonly bid: string; readonly ask: string }>({ bid: '', ask: '' });
/** Own resting sizes by side and price, for the stars in the book. */
export const ownPrices = signal<ReadonlySet<string>>(new Set());

const TRADES_MAX = 100;
let book: BookFold | undefined;
let folded: PublicTrade[] = [];
let leave: (() => void)[] = [];

export function openInstrument(category: Category, symbol: string): void {
  const next = instruments.value.get(instrumentKey(category, symbol));
  if (next === undefined || next === instrument.value) return;
  for (const each of leave) each();
  folded = [];
  trades.value = [];
  ticker.value = undefined;
  if (instrument.value !== undefined && instrument.value.symbol !== symbol) bookGroup.value = 1;
  instrument.value = next;
  lastInstrument.value = instrumentKey(category, symbol);
  const topic = (name: string): TopicArgument => ({ instType: instTypeOf(category), topic: name, symbol });
  const fold = new BookFold(Number(next.pricePrecision), Number(next.quantityPrecision));
  book = fold;
  paint('book', drawBook);
  leave = [
    publicStream.subscribe<Ticker>(topic('ticker'), ({ data }) => {
      const last = data.at(-1);
      if (last !== undefined) paint('ticker', () => showTicker(last));
    }),
    publicStream.subscribe<BookPush>(topic('books'), (push) => foldBook(fold, topic('books'), push)),
    publicStream.subscribe<PublicTrade>(topic('publicTrade'), foldTrades),
  ];
}

function showTicker(next: Ticker): void {
  const before = ticker.value?.lastPrice;
  ticker.value = next;
  if (before === undefined || before === next.lastPrice) return;
  const digits = priceDigits.value;
  lastMove.value = scaled(next.lastPrice, digits) > scaled(before, digits) ? 'up' : 'down';
}

function foldTrades({ action, data }: Push<PublicTrade>): void {
  folded = (action === 'snapshot' ? [...data] : [...data, ...folded]).slice(0, TRADES_MAX);
  paint('trades', () => {
    trades.value = folded;
  });
}

export function foldBook(fold: BookFold, argument: TopicArgument, { action, data }: Push<BookPush>): void {
  for (const push of data)
    if (!fold.apply(action, push)) {
      publicStream.renew(argument);
      return;
    }
  if (fold === book) paint('book', drawBook);
}

/** Also when the number of rows, the grouping or the own orders changed. */
export function redrawBook(): void {
  paint('book', drawBook);
}

function drawBook(): void {
  if (book === undefined) return;
  const count = Math.min(bookRows.value, ROWS_MAX);
  const asks = book.rows('asks', count, bookGroup.value);
  const bids = book.rows('bids', count, bookGroup.value);
  const most = Math.max(asks.at(-1)?.sumLots ?? 0, bids.at(-1)?.sumLots ?? 0);
  drawSide('sell', bookCells.asks, asks, most, count);
  drawSide('buy', bookCells.bids, bids, most, count);
  bookSeq.value = book.seq;
  const digits = priceDigits.value;
  const [bid, ask] = [book.best('bids'), book.best('asks')];
  best.value = {
    bid: bid === undefined ? '' : unscaled(bid, digits),
    ask: ask === undefined ? '' : unscaled(ask, digits),
  };
  spread.value = bid === undefined || ask === undefined ? '–' : grouped(unscaled(ask - bid, digits));
}

function drawSide(
  side: string,
  cells: readonly BookCell[],
  rows: readonly BookRow[],
  most: number,
  count: number,
): void {
  const [prices, sizes] = [priceDigits.value, sizeDigits.value];
  const own = ownPrices.value;
  for (let index = 0; index < count; index++) {
    const cell = cells[index]!;
    const row = rows[index];
    cell.hidden.value = row === undefined;
    if (row === undefined) continue;
    const price = unscaled(row.priceTicks, prices);
    cell.price.value = grouped(price);
    cell.size.value = grouped(unscaled(row.sizeLots, sizes));
    cell.sum.value = grouped(unscaled(row.sumLots, sizes));
    // Pixels, not money.
    cell.style.value = `--bar:${most === 0 ? 0 : Math.round((row.sumLots / most) * 100)}%`;
    cell.mine.value = own.has(`${side} ${price}`) ? '★' : '';
  }
}

export function midPrice(): string {
  const { bid, ask } = best.value;
  if (bid === '' || ask === '') return ticker.value?.lastPrice ?? '';
  const digits = priceDigits.value;
  return unscaled(Math.floor((scaled(bid, digits) + scaled(ask, digits)) / 2), digits);
}
