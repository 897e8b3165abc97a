/**
 * Candles of one instrument and width (wire.md 5.3): the past at the start, then the running one at most once a second
 * while there are trades, each ended one with its last values, and a flat one for an interval without trades.
 */
import type { CandleClosed } from '../../core/event.ts';
import type { Instrument } from '../../core/instrument.ts';
import type { Candle } from '../../core/market/candle-series.ts';
import { type CandleWidth, candleOpen, candleWidthIndex } from '../../core/market/candle-width.ts';
import { runningCandle } from '../../core/reads.ts';
import { readCandles } from '../../gateway/candle-query.ts';
import { priceText } from '../../gateway/market-view.ts';
import { type CandleRow, type CandleView, candleRow, flatCandle } from '../../record/candle-view.ts';
import type { Floor } from '../floor.ts';
import type { Push } from '../frames.ts';
import { CLOSED_CANDLES_KEPT, FIRST_CANDLES } from '../limits.ts';
import { StandingChannel } from '../standing-channel.ts';
import type { Subscription } from '../subscription.ts';

interface CandleData {
  readonly start: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly turnover: string;
}

export class KlineChannel extends StandingChannel {
  override readonly replaceable = false;
  protected override readonly pauseMs = 1_000;
  /** The instrument whose trades these are: MARGIN has the candles of the SPOT book it shares. */
  private readonly traded: Instrument;
  private readonly width: CandleWidth;
  private readonly widthIndex: number;
  /** Ended and not pushed yet, oldest first. */
  private ended: CandleRow[] = [];
  /** The last ones that ended, for readers whose past was read a moment before. */
  private recent: CandleRow[] = [];
  private toldOpenTime: number;
  private toldVolumeLots: number;

  constructor(key: string, floor: Floor, instrument: Instrument, width: CandleWidth) {
    super(key, floor);
    const { state } = floor.venue;
    this.traded = state.instruments[state.market(instrument).instrument]!;
    this.width = width;
    this.widthIndex = candleWidthIndex(width);
    this.toldOpenTime = candleOpen(this.widthIndex, state.now);
    this.toldVolumeLots = this.running()?.volumeLots ?? 0;
  }

  closed(candle: CandleClosed): void {
    if (candle.width !== this.width) return;
    const row = candleRow(candle, this.traded);
    this.ended.push(row);
    this.recent = [...this.recent, row].slice(-CLOSED_CANDLES_KEPT);
  }

  override enter(subscription: Subscription): void {
    const { venue, settled, clock } = this.floor;
    const request = {
      instrument: this.traded,
      type: 'market' as const,
      width: this.width,
      startTime: undefined,
      endTime: undefined,
      limit: FIRST_CANDLES,
    };
    const begin = (past: readonly CandleView[]) => {
      const rows = new Map(past.map((view) => [Number(view[0]), dataOf(rowOf(view))]));
      const last = Number(past.at(-1)?.[0] ?? 0);
      for (const row of this.recent) if (row.openTime >= last) rows.set(row.openTime, dataOf(row));
      const now = this.present();
      if (now !== undefined) rows.set(now.openTime, dataOf(now));
      const data = [...rows.values()].slice(-FIRST_CANDLES);
      const push: Push = { action: 'snapshot', data: JSON.stringify(data), ts: clock.now() };
      settled.whenSettled(() => {
        if (data.length > 0) subscription.push(push);
        this.add(subscription);
      });
    };
    // A venue that has stopped answers nobody; the process is about to end.
    readCandles(venue, request).then(begin, () => {});
  }

  protected override hasChanged(): boolean {
    if (this.ended.length > 0) return true;
    const { state } = this.floor.venue;
    const openTime = candleOpen(this.widthIndex, state.now);
    if (openTime !== this.toldOpenTime) return true;
    return (this.running()?.volumeLots ?? 0) !== this.toldVolumeLots;
  }

  protected override next(nowMs: number): Push | undefined {
    const { state } = this.floor.venue;
    const rows = this.ended;
    this.ended = [];
    this.toldOpenTime = candleOpen(this.widthIndex, state.now);
    this.toldVolumeLots = this.running()?.volumeLots ?? 0;
    const now = this.present();
    if (now !== undefined && rows.at(-1)?.openTime !== now.openTime) rows.push(now);
    if (rows.length === 0) return undefined;
    return { action: 'update', data: JSON.stringify(rows.map(dataOf)), ts: nowMs };
  }

  /** Readers begin with the past, which has to be asked for (`enter`). */
  protected override whole(nowMs: number): Push {
    return { action: 'snapshot', data: '[]', ts: nowMs };
  }

  private running(): Candle | undefined {
    return runningCandle(this.floor.venue.state, this.traded, this.width);
  }

  /** The candle of the present interval: flat at the last price while nothing trades; none before the first trade. */
  private present(): CandleRow | undefined {
    const running = this.running();
    if (running !== undefined) return candleRow(running, this.traded);
    const { state } = this.floor.venue;
    const { lastTicks } = state.market(this.traded).day;
    if (lastTicks === 0) return undefined;
    return flatCandle(candleOpen(this.widthIndex, state.now), priceText(this.traded, lastTicks));
  }
}

function rowOf([start, open, high, low, close, volume, turnover]: CandleView): CandleRow {
  return { openTime: Number(start), open, high, low, close, volume, turnover };
}

function dataOf({ openTime, open, high, low, close, volume, turnover }: CandleRow): CandleData {
  return { start: String(openTime), open, high, low, close, volume, turnover };
}
