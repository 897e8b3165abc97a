/**
 * Candles of one instrument and interval (wire 5.3): past candles at the start, then the running one at most once a
 * second while there are trades, each ended one with its final values, and a flat one for an interval without trades.
 * An ended candle is never pushed after its successor: clients take a candle for complete when the next one begins.
 */

import type { Candle } from '../../../core/marketdata/candle-series.ts';
import { type CandleInterval, candleIntervalIndex, candleOpen } from '../../../core/model/candle-interval.ts';
import type { CandleClosed } from '../../../core/model/event.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { runningCandle } from '../../../core/reads/reads.ts';
import {
  type CandleRow,
  type CandleView,
  candleRow,
  flatCandle,
  joinCandles,
} from '../../../views/candle-view.ts';
import { readCandles } from '../../routes/market/candle-query.ts';
import { priceText } from '../../routes/market/market-view.ts';
import type { Push } from '../frames.ts';
import { CLOSED_CANDLES_KEPT, FIRST_CANDLES } from '../limits.ts';
import { SnapshotChannel } from '../snapshot-channel.ts';
import type { StreamContext } from '../stream-context.ts';
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

export class KlineChannel extends SnapshotChannel {
  override readonly replaceable = false;
  protected override readonly pauseMs = 1_000;
  /** The instrument that trades: MARGIN shows the candles of the SPOT book it shares. */
  private readonly traded: Instrument;
  private readonly interval: CandleInterval;
  private readonly intervalIndex: number;
  /** Ended and not pushed yet, oldest first. */
  private ended: CandleRow[] = [];
  /** The latest ended candles, for readers whose past was read a moment before. */
  private recent: CandleRow[] = [];
  private sentOpenTime: number;
  private sentVolumeLots: number;
  /** The generated part of the interval in which the exchange started (`market.md`). */
  private made: CandleRow | undefined;
  private readonly begun: Promise<void>;
  /** The running candle as it was read for the push that is being sent. */
  private shown: CandleRow | undefined;

  constructor(key: string, context: StreamContext, instrument: Instrument, interval: CandleInterval) {
    super(key, context);
    const { state } = context.sequencer;
    this.traded = state.instruments[state.market(instrument).instrument]!;
    this.interval = interval;
    this.intervalIndex = candleIntervalIndex(interval);
    this.sentOpenTime = candleOpen(this.intervalIndex, state.now);
    this.sentVolumeLots = this.running()?.volumeLots ?? 0;
    this.begun = this.loadPast();
  }

  closed(candle: CandleClosed): void {
    if (candle.interval !== this.interval) return;
    const row = candleRow(candle, this.traded);
    this.ended.push(row);
    this.recent = [...this.recent, row].slice(-CLOSED_CANDLES_KEPT);
  }

  override enter(subscription: Subscription): void {
    const { sequencer, durable, clock } = this.context;
    const request = {
      instrument: this.traded,
      type: 'market' as const,
      interval: this.interval,
      startTime: undefined,
      endTime: undefined,
      limit: FIRST_CANDLES,
    };
    const begin = (text: string) => {
      const past = JSON.parse(text) as CandleView[];
      const now = this.present();
      const nowMs = clock.now();
      const last = Number(past.at(-1)?.[0] ?? 0);
      durable.whenDurable(() => {
        const news = inOrder(
          this.recent.filter(({ openTime }) => openTime >= last),
          now,
        );
        const rows = new Map([...past.map(rowOf), ...this.complete(news)].map((row) => [row.openTime, row]));
        const data = [...rows.values()].slice(-FIRST_CANDLES).map(dataOf);
        if (data.length > 0) subscription.push({ action: 'snapshot', data: JSON.stringify(data), ts: nowMs });
        this.add(subscription);
      });
    };
    // A stopped sequencer never responds; the process is about to end.
    this.begun.then(() => readCandles(sequencer, request)).then(begin, () => {});
  }

  protected override hasChanged(): boolean {
    if (this.ended.length > 0) return true;
    const { state } = this.context.sequencer;
    const openTime = candleOpen(this.intervalIndex, state.now);
    if (openTime !== this.sentOpenTime) return true;
    return (this.running()?.volumeLots ?? 0) !== this.sentVolumeLots;
  }

  protected override next(nowMs: number): Push | undefined {
    this.sentOpenTime = candleOpen(this.intervalIndex, this.context.sequencer.state.now);
    this.sentVolumeLots = this.running()?.volumeLots ?? 0;
    this.shown = this.present();
    if (this.shown === undefined && this.ended.length === 0) return undefined;
    return { action: 'update', data: '[]', ts: nowMs };
  }

  /** The state is ahead of the ended candles known so far: both agree when the reading is durable. */
  protected override onDurable(push: Push): Push {
    const rows = inOrder(this.ended, this.shown);
    this.ended = [];
    return { ...push, data: JSON.stringify(this.complete(rows).map(dataOf)) };
  }

  /** New readers begin with past candles, which need a query (`enter`). */
  protected override whole(nowMs: number): Push {
    return { action: 'snapshot', data: '[]', ts: nowMs };
  }

  private async loadPast(): Promise<void> {
    const { symbol, spec } = this.traded;
    const series = { category: spec.category, symbol, type: 'market' as const, interval: this.interval };
    this.made = await this.context.sequencer.history.generatedPart(series, this.sentOpenTime);
  }

  private complete(rows: readonly CandleRow[]): readonly CandleRow[] {
    const { made } = this;
    if (made === undefined) return rows;
    return rows.map((row) => (row.openTime === made.openTime ? joinCandles(made, row) : row));
  }

  private running(): Candle | undefined {
    return runningCandle(this.context.sequencer.state, this.traded, this.interval);
  }

  /** The candle of the present interval: flat at the last price while nothing trades; none before the first trade. */
  private present(): CandleRow | undefined {
    const running = this.running();
    if (running !== undefined) return candleRow(running, this.traded);
    const { state } = this.context.sequencer;
    const { lastTicks } = state.market(this.traded).day;
    if (lastTicks === 0) return undefined;
    return flatCandle(candleOpen(this.intervalIndex, state.now), priceText(this.traded, lastTicks));
  }
}

/** The ended candles, and the running one as it was read unless it has ended. */
function inOrder(ended: readonly CandleRow[], running: CandleRow | undefined): readonly CandleRow[] {
  if (running === undefined || ended.some(({ openTime }) => openTime === running.openTime)) return ended;
  return [...ended, running].sort((a, b) => a.openTime - b.openTime);
}

function rowOf([start, open, high, low, close, volume, turnover]: CandleView): CandleRow {
  return { openTime: Number(start), open, high, low, close, volume, turnover };
}

function dataOf({ openTime, open, high, low, close, volume, turnover }: CandleRow): CandleData {
  return { start: String(openTime), open, high, low, close, volume, turnover };
}
