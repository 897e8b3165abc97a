/** Candles of one chart: the past by HTTP, as far back as somebody scrolls, and the present from the stream. */
import type { UTCTimestamp } from 'lightweight-charts';
import type { Push } from '../wire/streams.ts';
import { bookCategory, type Instrument, instTypeOf, type Kline } from '../wire/types.ts';
import { ticker } from './market.ts';
import { api, publicStream, venueNow } from './venue.ts';

/** Name and milliseconds of each width. */
export const WIDTHS = [
  ['1m', 60_000],
  ['3m', 180_000],
  ['5m', 300_000],
  ['15m', 900_000],
  ['30m', 1_800_000],
  ['1H', 3_600_000],
  ['4H', 14_400_000],
  ['6H', 21_600_000],
  ['12H', 43_200_000],
  ['1D', 86_400_000],
  ['1W', 604_800_000],
] as const;

export const widthMs = (name: string): number => WIDTHS.find(([width]) => width === name)?.[1] ?? 60_000;

export type PriceKind = 'market' | 'mark' | 'index';

/** For pixels, so floating point will do. */
export interface Bar {
  readonly time: UTCTimestamp;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

type CandleRow = readonly [
  start: string,
  open: string,
  high: string,
  low: string,
  close: string,
  volume: string,
];

const FIRST_COUNT = 300;
const OLDER_COUNT = 100;

const barOf = ([start, open, high, low, close, volume]: CandleRow): Bar => ({
  time: (Number(start) / 1000) as UTCTimestamp,
  open: Number(open),
  high: Number(high),
  low: Number(low),
  close: Number(close),
  volume: Number(volume),
});

export interface CandleFeed {
  /** Everything anew. */
  readonly onAll: (bars: readonly Bar[]) => void;
  /** The newest bar, changed or added. */
  readonly onBar: (bar: Bar) => void;
}

export class Candles {
  readonly #instrument: Instrument;
  readonly #width: string;
  readonly #kind: PriceKind;
  readonly #feed: CandleFeed;
  #bars: Bar[] = [];
  #leave: (() => void)[] = [];
  #closed = false;
  #loadingOlder = false;
  #noneOlder = false;

  constructor(instrument: Instrument, width: string, kind: PriceKind, feed: CandleFeed) {
    this.#instrument = instrument;
    this.#width = width;
    this.#kind = kind;
    this.#feed = feed;
    void this.#load();
  }

  get bars(): readonly Bar[] {
    return this.#bars;
  }

  close(): void {
    this.#closed = true;
    for (const each of this.#leave) each();
  }

  async #load(): Promise<void> {
    const rows = await this.#ask('market/candles', { limit: String(FIRST_COUNT) });
    if (this.#closed) return;
    this.#bars = rows;
    this.#feed.onAll(rows);
    if (this.#leave.length > 0) return;
    if (this.#kind === 'market') {
      const { category, symbol } = this.#instrument;
      const argument = { instType: instTypeOf(category), topic: 'kline', symbol, interval: this.#width };
      this.#leave = [publicStream.subscribe<Kline>(argument, (push) => this.#push(push))];
    } else this.#leave = [ticker.subscribe(() => this.#follow())];
    // A market that was just opened makes up its past in the first seconds.
    if (rows.length < 20) setTimeout(() => void this.#load(), 1_500);
  }

  async older(): Promise<void> {
    const first = this.#bars[0];
    if (first === undefined || this.#loadingOlder || this.#noneOlder) return;
    this.#loadingOlder = true;
    const endTime = String(first.time * 1000 - 1);
    const older = await this.#ask('market/history-candles', { limit: String(OLDER_COUNT), endTime });
    this.#loadingOlder = false;
    if (this.#closed) return;
    const before = older.filter(({ time }) => time < (this.#bars[0]?.time ?? 0));
    this.#noneOlder = before.length === 0;
    if (this.#noneOlder) return;
    this.#bars = [...before, ...this.#bars];
    this.#feed.onAll(this.#bars);
  }

  async #ask(path: string, more: Readonly<Record<string, string>>): Promise<Bar[]> {
    const { category, symbol } = this.#instrument;
    const answer = await api.get<readonly CandleRow[]>(path, {
      category: bookCategory(category),
      symbol,
      interval: this.#width,
      ...(this.#kind !== 'market' && { type: this.#kind }),
      ...more,
    });
    return answer.ok ? answer.data.map(barOf) : [];
  }

  #push({ action, data }: Push<Kline>): void {
    const bars = data.map(({ start, open, high, low, close, volume }) =>
      barOf([start, open, high, low, close, volume]),
    );
    const last = this.#bars.at(-1)?.time ?? 0;
    // After a break the stream begins later than what is known: the gap is asked for.
    if (action === 'snapshot' && last !== 0 && (bars[0]?.time ?? 0) > last) void this.#load();
    else for (const bar of bars) this.#put(bar);
  }

  #put(bar: Bar): void {
    const last = this.#bars.at(-1);
    if (last !== undefined && bar.time < last.time) return;
    if (last?.time === bar.time) this.#bars[this.#bars.length - 1] = bar;
    else this.#bars.push(bar);
    this.#feed.onBar(bar);
  }

  /** Of mark and index the stream tells only the present price. */
  #follow(): void {
    const shown = ticker.value;
    const price = Number((this.#kind === 'mark' ? shown?.markPrice : shown?.indexPrice) ?? '');
    if (!(price > 0)) return;
    const width = widthMs(this.#width);
    const time = ((Math.floor(venueNow() / width) * width) / 1000) as UTCTimestamp;
    const last = this.#bars.at(-1);
    if (last?.time === time)
      this.#put({ ...last, high: Math.max(last.high, price), low: Math.min(last.low, price), close: price });
    else this.#put({ time, open: price, high: price, low: price, close: price, volume: 0 });
  }
}
