/**
 * Prices from a CSV file (its format is in docs/market.md): rows of trades, or rows of candles. Each row becomes one
 * or four prices at their times, counted from the first row of the file.
 */
import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseUnits } from '../../core/model/units.ts';
import { REPLAY_LINES_MAX } from '../limits.ts';
import { SimulatorError } from '../simulator-error.ts';

export interface ReplayedPrices {
  /** Milliseconds after the first row, ascending. */
  readonly times: Float64Array;
  /** Number of the pair. */
  readonly pairs: Uint16Array;
  /** In the quote coin. */
  readonly prices: Float64Array;
  /** `BASE/QUOTE` by number. */
  readonly names: readonly string[];
}

const TRADES = ['time', 'pair', 'price'];
const CANDLES = ['time', 'pair', 'open', 'high', 'low', 'close'];
/** Length of a candle when the file has only one row of a pair. */
const CANDLE_MS = 60_000;

interface Row {
  readonly time: number;
  readonly pair: number;
  /** One price, or open, high, low and close. */
  readonly prices: readonly number[];
}

/** `progress` is called with the share of the file that was read, from 0 to 1. */
export async function readReplay(file: string, progress: (share: number) => void): Promise<ReplayedPrices> {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new SimulatorError(`${file} does not exist`);
  const stream = createReadStream(file);
  const reader = new RowReader(file);
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    reader.line(line);
    if (reader.lines % 50_000 === 0) progress(stream.bytesRead / Math.max(1, size));
  }
  progress(1);
  return arrange(reader);
}

class RowReader {
  readonly file: string;
  readonly rows: Row[] = [];
  readonly names: string[] = [];
  candles = false;
  lines = 0;
  private columns: readonly string[] | undefined;

  constructor(file: string) {
    this.file = file;
  }

  line(text: string): void {
    if (++this.lines > REPLAY_LINES_MAX) this.fail(`has more than ${REPLAY_LINES_MAX} lines`);
    const trimmed = text.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return;
    const cells = trimmed.split(',').map((cell) => cell.trim());
    if (this.columns === undefined) this.head(cells);
    else this.row(cells);
  }

  private head(cells: readonly string[]): void {
    const names = cells.map((cell) => cell.toLowerCase());
    this.candles = CANDLES.every((name) => names.includes(name));
    if (!this.candles && !TRADES.every((name) => names.includes(name))) {
      this.fail(`the first line must name the columns ${TRADES.join(',')} or ${CANDLES.join(',')}`);
    }
    this.columns = names;
  }

  private row(cells: readonly string[]): void {
    const cell = (name: string) => cells[this.columns!.indexOf(name)] ?? '';
    const time = instant(cell('time'));
    if (time === undefined) this.fail(`time "${cell('time')}" must be Unix time in milliseconds or ISO 8601`);
    const pair = cell('pair').toUpperCase();
    if (!/^[A-Z0-9]{2,16}\/[A-Z0-9]{2,16}$/.test(pair)) {
      this.fail(`pair "${cell('pair')}" must be written such as BTC/USDT`);
    }
    const prices = (this.candles ? CANDLES.slice(2) : ['price']).map((name) => {
      const price = parseUnits(cell(name), 18) === undefined ? 0 : Number(cell(name));
      if (price <= 0) this.fail(`${name} "${cell(name)}" must be a decimal above zero`);
      return price;
    });
    const last = this.rows.at(-1);
    if (last !== undefined && time < last.time) this.fail('times must not go back');
    let number = this.names.indexOf(pair);
    if (number < 0) number = this.names.push(pair) - 1;
    this.rows.push({ time, pair: number, prices });
  }

  private fail(problem: string): never {
    throw new SimulatorError(`${this.file}, line ${this.lines}: ${problem}`);
  }
}

function instant(text: string): number | undefined {
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isNaN(ms) || text === '' ? undefined : ms;
}

function arrange({ rows, names, candles, file }: RowReader): ReplayedPrices {
  if (rows.length === 0) throw new SimulatorError(`${file} has no rows`);
  const start = rows[0]!.time;
  const points: { time: number; pair: number; price: number }[] = [];
  const span = candles ? candleSpan(rows) : 0;
  for (const { time, pair, prices } of rows) {
    const path = candles ? candlePath(prices) : prices;
    for (const [n, price] of path.entries()) {
      points.push({ time: time - start + (span * n) / path.length, pair, price });
    }
  }
  points.sort((a, b) => a.time - b.time);
  return {
    times: Float64Array.from(points, ({ time }) => time),
    pairs: Uint16Array.from(points, ({ pair }) => pair),
    prices: Float64Array.from(points, ({ price }) => price),
    names,
  };
}

/** A rising candle dips before it rises, a falling one the reverse. */
function candlePath(prices: readonly number[]): number[] {
  const [open, high, low, close] = prices as [number, number, number, number];
  return close >= open ? [open, low, high, close] : [open, high, low, close];
}

/** Time from one candle of a pair to its next. */
function candleSpan(rows: readonly Row[]): number {
  const [first] = rows;
  const next = rows.find(({ pair, time }) => pair === first!.pair && time > first!.time);
  return next === undefined ? CANDLE_MS : next.time - first!.time;
}
