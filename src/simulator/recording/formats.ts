/**
 * The formats of recorded market data, a row each: how a file of it is recognised, and what one of its rows says. Columns are
 * found by the names of a header; files without one are recognised by their shape.
 */
import { parseUnits } from '../../core/model/units.ts';
import { IncrementalBooks, type LevelChange } from './incremental-book.ts';
import { pairOf } from './pair-names.ts';

export const TAKER_BUYS = 1;
export const TAKER_SELLS = 2;

export type FormatName = (typeof FORMATS)[number]['name'];

/** What a row says: a price, and of a trade its size and the side of the taker. */
export interface Entry {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly pair: string;
  /** One price, or open, high, low and close of a candle. */
  readonly prices: readonly number[];
  readonly size?: number;
  readonly side?: typeof TAKER_BUYS | typeof TAKER_SELLS;
  /** Of a book: price and size of each level, the bids first, best first. */
  readonly levels?: Levels;
}

/** Levels of a recorded book. */
export interface Levels {
  /** How many of the levels are bids. */
  readonly bids: number;
  /** Price and size of each. */
  readonly values: Float64Array;
}

/** A row that cannot be read, and why. */
export class BadRow extends Error {
  override readonly name = 'BadRow';
}

/** One row of a file, by the names of its columns. */
export interface Cells {
  get(name: string): string;
  /** Pair of a file whose rows do not name it; undefined when it is not known. */
  readonly pair: string | undefined;
}

interface Format {
  readonly name: string;
  /** Each row is a candle from its time on. */
  readonly candles?: true;
  /** Each row is a trade with its size, and can be traded again. */
  readonly trades?: true;
  /** Columns that its header has. */
  readonly header: readonly string[];
  /** Columns of a file without header, by their place. */
  readonly places?: readonly string[];
  readonly fits?: (cells: readonly string[]) => boolean;
  /** Reads a row. */
  readonly read?: ReadRow;
  /** Of formats whose rows tell changes: a reader of one file. */
  readonly begin?: () => FileReader;
}

/** Undefined when the row says nothing about the price. */
type ReadRow = (cells: Cells) => Entry | undefined;

/** The rows of one file, one after the other. */
export interface FileReader {
  readonly read: ReadRow;
  /** What is left to say behind the last row. */
  readonly end: () => readonly Entry[];
}

export function readerOf({ read, begin }: Format): FileReader {
  return begin?.() ?? { read: read!, end: () => [] };
}

/** Names of the columns of price and size of a level. */
type Column = readonly [price: string, size: string];

const TARDIS = ['exchange', 'symbol', 'timestamp', 'local_timestamp'];
const LEVELS_MAX = 25;
const columnsOf = (side: string): readonly Column[] =>
  Array.from({ length: LEVELS_MAX }, (_, n) => [`${side}[${n}].price`, `${side}[${n}].amount`] as const);
const BID_COLUMNS = columnsOf('bids');
const ASK_COLUMNS = columnsOf('asks');
const isTime = (text: string | undefined) => /^\d{13,19}$/.test(text ?? '');
const isNumber = (text: string | undefined) => /^\d+(\.\d+)?$/.test(text ?? '');
const isFlag = (text: string | undefined) => /^(true|false)$/i.test(text ?? '');

export const FORMATS = [
  {
    name: 'prices',
    header: ['time', 'pair', 'price'],
    read: (cells) => ({
      time: instant(cells, 'time'),
      pair: ownPair(cells),
      prices: [decimal(cells, 'price')],
      ...ownTrade(cells),
    }),
  },
  {
    name: 'candles',
    candles: true,
    header: ['time', 'pair', 'open', 'high', 'low', 'close'],
    read: (cells) => ({ time: instant(cells, 'time'), pair: ownPair(cells), prices: candle(cells) }),
  },
  {
    name: 'binance-klines',
    candles: true,
    header: ['open_time', 'open', 'high', 'low', 'close', 'volume', 'close_time'],
    places: [
      ...['open_time', 'open', 'high', 'low', 'close', 'volume', 'close_time', 'quote_volume', 'count'],
      ...['taker_buy_volume', 'taker_buy_quote_volume', 'ignore'],
    ],
    fits: (cells) => cells.length === 12 && isTime(cells[0]) && isTime(cells[6]) && isNumber(cells[1]),
    read: (cells) => ({ time: instant(cells, 'open_time'), pair: filePair(cells), prices: candle(cells) }),
  },
  {
    name: 'binance-aggTrades',
    trades: true,
    header: ['agg_trade_id', 'price', 'quantity', 'transact_time', 'is_buyer_maker'],
    places: [
      ...['agg_trade_id', 'price', 'quantity', 'first_trade_id', 'last_trade_id', 'transact_time'],
      ...['is_buyer_maker', 'is_best_match'],
    ],
    fits: (cells) => (cells.length === 8 || cells.length === 7) && isTime(cells[5]) && isFlag(cells[6]),
    read: (cells) => ({
      time: instant(cells, 'transact_time'),
      pair: filePair(cells),
      prices: [decimal(cells, 'price')],
      size: decimal(cells, 'quantity'),
      side: sideOfMaker(cells),
    }),
  },
  {
    name: 'binance-trades',
    trades: true,
    header: ['id', 'price', 'qty', 'time', 'is_buyer_maker'],
    places: ['id', 'price', 'qty', 'quote_qty', 'time', 'is_buyer_maker', 'is_best_match'],
    fits: (cells) => (cells.length === 7 || cells.length === 6) && isTime(cells[4]) && isFlag(cells[5]),
    read: (cells) => ({
      time: instant(cells, 'time'),
      pair: filePair(cells),
      prices: [decimal(cells, 'price')],
      size: decimal(cells, 'qty'),
      side: sideOfMaker(cells),
    }),
  },
  // Before the trades, whose columns it has as well.
  {
    name: 'tardis-incremental-book',
    header: [...TARDIS, 'is_snapshot', 'side', 'price', 'amount'],
    begin: () => {
      const books = new IncrementalBooks();
      return { read: (cells) => books.change(levelChange(cells)), end: () => books.end() };
    },
  },
  {
    name: 'tardis-trades',
    trades: true,
    header: [...TARDIS, 'side', 'price', 'amount'],
    read: (cells) => ({
      ...ofTardis(cells),
      prices: [decimal(cells, 'price')],
      size: decimal(cells, 'amount'),
      side: sideOfTaker(cells.get('side')),
    }),
  },
  {
    name: 'tardis-quotes',
    header: [...TARDIS, 'ask_price', 'bid_price'],
    read: (cells) => between(cells, [['bid_price', 'bid_amount']], [['ask_price', 'ask_amount']]),
  },
  {
    name: 'tardis-book-snapshot',
    header: [...TARDIS, 'asks[0].price', 'bids[0].price'],
    read: (cells) => between(cells, BID_COLUMNS, ASK_COLUMNS),
  },
  {
    name: 'tardis-derivative-ticker',
    header: [...TARDIS, 'index_price', 'mark_price'],
    // A ticker has only the columns that have changed.
    read: (cells) => {
      const column = ['index_price', 'mark_price', 'last_price'].find((name) => cells.get(name) !== '');
      return column === undefined ? undefined : { ...ofTardis(cells), prices: [decimal(cells, column)] };
    },
  },
  {
    name: 'ccxt-ohlcv',
    candles: true,
    header: [],
    places: ['time', 'open', 'high', 'low', 'close', 'volume'],
    read: (cells) => ({ time: instant(cells, 'time'), pair: filePair(cells), prices: candle(cells) }),
  },
] as const satisfies readonly Format[];

export const FORMAT_NAMES: readonly FormatName[] = FORMATS.map(({ name }) => name);

export function formatNamed(name: string): Format | undefined {
  return FORMATS.find((format) => format.name === name);
}

/** By the header, or by the first row of a file without one. */
export function formatOf(cells: readonly string[]): Format | undefined {
  const names = cells.map((cell) => cell.toLowerCase());
  const formats: readonly Format[] = FORMATS;
  return (
    formats.find(({ header }) => header.length > 0 && header.every((name) => names.includes(name))) ??
    formats.find(({ fits }) => fits?.(cells) === true)
  );
}

/** Milliseconds; micro- and nanoseconds are recognised by their size. */
export function instantOf(text: string): number | undefined {
  if (!/^\d{1,19}$/.test(text)) {
    const ms = text === '' ? Number.NaN : Date.parse(text);
    return Number.isNaN(ms) ? undefined : ms;
  }
  if (text.length <= 14) return Number(text);
  const decimals = text.length <= 17 ? 3 : 6;
  return Number(`${text.slice(0, -decimals)}.${text.slice(-decimals)}`);
}

function instant(cells: Cells, name: string): number {
  const text = cells.get(name);
  const time = instantOf(text);
  if (time === undefined) throw new BadRow(`${name} "${text}" must be Unix time in milliseconds or ISO 8601`);
  return time;
}

function decimal(cells: Cells, name: string): number {
  const text = cells.get(name);
  const plain = parseUnits(text, 18) !== undefined || /^\d+(\.\d+)?e-?\d{1,2}$/i.test(text);
  const value = plain ? Number(text) : 0;
  if (!(value > 0 && value < 1e15)) throw new BadRow(`${name} "${text}" must be a decimal above zero`);
  return value;
}

function candle(cells: Cells): readonly number[] {
  const [open, high, low, close] = ['open', 'high', 'low', 'close'].map((name) => decimal(cells, name));
  if (high! < Math.max(open!, close!, low!) || low! > Math.min(open!, close!))
    throw new BadRow('high must be the highest price of the candle, and low the lowest');
  return [open!, high!, low!, close!];
}

/** A book: its levels, and the price between the best of them. */
function between(cells: Cells, bids: readonly Column[], asks: readonly Column[]): Entry | undefined {
  const bidLevels = levelsOf(cells, bids);
  const askLevels = levelsOf(cells, asks);
  const best = [bidLevels[0], askLevels[0]].filter((price) => price !== undefined);
  if (best.length === 0) return undefined;
  if (best.length === 2 && best[0]! >= best[1]!) throw new BadRow('the best bid must be below the best ask');
  return {
    ...ofTardis(cells),
    prices: [best.reduce((sum, price) => sum + price, 0) / best.length],
    levels: { bids: bidLevels.length / 2, values: Float64Array.from([...bidLevels, ...askLevels]) },
  };
}

function levelChange(cells: Cells): LevelChange {
  const [snapshot, side, amount] = [cells.get('is_snapshot'), cells.get('side'), cells.get('amount')];
  if (!isFlag(snapshot)) throw new BadRow(`is_snapshot "${snapshot}" must be true or false`);
  if (side !== 'bid' && side !== 'ask') throw new BadRow(`side "${side}" must be bid or ask`);
  return {
    ...ofTardis(cells),
    isSnapshot: snapshot.toLowerCase() === 'true',
    isBid: side === 'bid',
    price: decimal(cells, 'price'),
    size: Number(amount) === 0 && amount !== '' ? 0 : decimal(cells, 'amount'),
  };
}

/** Price and size of each level that the row has. */
function levelsOf(cells: Cells, columns: readonly Column[]): readonly number[] {
  const levels: number[] = [];
  for (const [price, size] of columns) {
    if (cells.get(price) === '') break;
    levels.push(decimal(cells, price), decimal(cells, size));
  }
  return levels;
}

/** In the order in which they arrived: times of the venue itself go back now and then. */
function ofTardis(cells: Cells): Pick<Entry, 'time' | 'pair'> {
  const symbol = cells.get('symbol');
  const pair = cells.pair ?? pairOf(symbol);
  if (pair === undefined)
    throw new BadRow(`symbol "${symbol}" is not known: name its pair, such as --as tardis-trades:BTC/USDT`);
  return { time: instant(cells, 'local_timestamp'), pair };
}

function ownPair(cells: Cells): string {
  const text = cells.get('pair');
  const pair = /^[A-Za-z0-9]{2,16}\/[A-Za-z0-9]{2,16}$/.test(text) ? text.toUpperCase() : undefined;
  if (pair === undefined) throw new BadRow(`pair "${text}" must be written such as BTC/USDT`);
  return pair;
}

function ownTrade(cells: Cells): Pick<Entry, 'size' | 'side'> {
  if (cells.get('size') === '') return {};
  return { size: decimal(cells, 'size'), side: sideOfTaker(cells.get('side')) };
}

function filePair({ pair }: Cells): string {
  if (pair === undefined)
    throw new BadRow(
      'the pair is not known: name the file as BTCUSDT-… or give it, such as --as binance-trades:BTC/USDT',
    );
  return pair;
}

function sideOfMaker(cells: Cells): NonNullable<Entry['side']> {
  const text = cells.get('is_buyer_maker').toLowerCase();
  if (text !== 'true' && text !== 'false') throw new BadRow(`is_buyer_maker "${text}" must be true or false`);
  return text === 'true' ? TAKER_SELLS : TAKER_BUYS;
}

function sideOfTaker(text: string): NonNullable<Entry['side']> {
  const side = { buy: TAKER_BUYS, sell: TAKER_SELLS, unknown: TAKER_BUYS } as const;
  const found = side[text.toLowerCase() as keyof typeof side];
  if (found === undefined) throw new BadRow(`side "${text}" must be buy or sell`);
  return found;
}
