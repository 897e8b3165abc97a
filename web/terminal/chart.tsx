/** Candles and volume, with the account's own lines over them. */

import type { Signal } from '@preact/signals';
import { effect, useSignal } from '@preact/signals';
import {
  type CandlestickData,
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type SeriesMarker,
  type Time,
} from 'lightweight-charts';
import { useEffect, useRef } from 'preact/hooks';
import { Choice, Select } from '../parts/choice.tsx';
import { isFutures } from '../wire/types.ts';
import { fills } from './account.ts';
import { type Bar, Candles, type PriceKind, WIDTHS, widthMs } from './candles.ts';
import { chartColours, watchColours } from './chart-colours.ts';
import { ChartLines } from './chart-lines.tsx';
import { Depth } from './depth.tsx';
import { instrument, priceDigits, ticker } from './market.ts';
import { paint } from './paint.ts';

type View = PriceKind | 'depth';

/** What the lines need to know of the chart. */
export interface PriceScale {
  yOf(price: number): number | null;
  priceAt(y: number): number | null;
}

/** Tests and styles look here for what is drawn. */
export function Chart({ width, slot }: { readonly width: Signal<string>; readonly slot: number }) {
  const view = useSignal<View>('market');
  const box = useRef<HTMLDivElement>(null);
  const scale = useSignal<PriceScale | undefined>(undefined);
  const legend = useSignal<Bar | undefined>(undefined);

  useEffect(() => {
    const element = box.current!;
    const drawn = draw(element);
    scale.value = {
      yOf: (price) => drawn.candles.priceToCoordinate(price),
      priceAt: (y) => drawn.candles.coordinateToPrice(y),
    };
    const endColours = watchColours(() => drawn.paintColours());
    let feed: Candles | undefined;
    const endData = effect(() => {
      const open = instrument.value;
      const [chosen, kind] = [width.value, view.value];
      feed?.close();
      if (open === undefined || kind === 'depth') return;
      drawn.format(Number(open.pricePrecision));
      element.dataset.bars = '0';
      let fresh = true;
      const mine = new Candles(open, chosen, kind, {
        onAll: (bars) => {
          drawn.all(bars, fresh);
          fresh &&= bars.length === 0;
          element.dataset.bars = String(bars.length);
          if (bars.length > 0 && slot === 1) performance.mark('candles');
          legend.value = bars.at(-1);
        },
        onBar: (bar) =>
          paint(`bar ${slot}`, () => {
            drawn.one(bar);
            legend.value = bar;
          }),
      });
      feed = mine;
      drawn.onOlder(() => void mine.older());
    });
    const endMarks = effect(() => {
      const open = instrument.value;
      const width_ = widthMs(width.value);
      const own = fills.value.filter(
        ({ category, symbol }) => symbol === open?.symbol && category === open?.category,
      );
      drawn.marks(
        own
          .map(
            ({ side, execTime, createdTime }): SeriesMarker<Time> => ({
              time: ((Math.floor(Number(execTime ?? createdTime) / width_) * width_) / 1000) as Time,
              position: side === 'buy' ? 'belowBar' : 'aboveBar',
              shape: side === 'buy' ? 'arrowUp' : 'arrowDown',
              color: side === 'buy' ? chartColours().up : chartColours().down,
            }),
          )
          .reverse(),
      );
    });
    return () => {
      endColours();
      endData();
      endMarks();
      feed?.close();
      drawn.chart.remove();
    };
  }, []);

  const futures = instrument.value !== undefined && isFutures(instrument.value.category);
  const views: readonly (readonly [View, string])[] = futures
    ? [
        ['market', 'Last'],
        ['mark', 'Mark'],
        ['index', 'Index'],
        ['depth', 'Depth'],
      ]
    : [
        ['market', 'Last'],
        ['depth', 'Depth'],
      ];
  return (
    <section class="panel chart" aria-label={slot === 1 ? 'Chart' : 'Second chart'} data-slot={slot}>
      <div class="chart-bar">
        <div class="widths">
          <Choice
            label="Width of a candle"
            kind="tabs"
            options={WIDTHS.map(([name]) => [name, name])}
            value={width.value}
            onChange={(chosen) => {
              width.value = chosen;
            }}
          />
        </div>
        <Select
          label="What the chart shows"
          options={views}
          value={view.value}
          onChange={(chosen) => {
            view.value = chosen;
          }}
        />
      </div>
      <div class="chart-area">
        <div class="chart-box" ref={box} hidden={view.value === 'depth'} />
        {view.value === 'depth' ? <Depth /> : <Legend bar={legend.value} />}
        {view.value !== 'depth' && scale.value !== undefined && <ChartLines scale={scale.value} />}
        <a class="attribution" href="https://www.tradingview.com/" rel="noopener noreferrer" target="_blank">
          Charts by TradingView
        </a>
      </div>
    </section>
  );
}

function Legend({ bar }: { readonly bar: Bar | undefined }) {
  if (bar === undefined)
    return <p class="legend">{ticker.value === undefined ? 'Loading candles…' : 'No candles yet'}</p>;
  const digits = priceDigits.value;
  const tone = bar.close >= bar.open ? 'up' : 'down';
  return (
    <p class="legend">
      <span>UTC</span>
      {(['open', 'high', 'low', 'close'] as const).map((name) => (
        <span key={name}>
          {name.charAt(0).toUpperCase()} <b class={tone}>{bar[name].toFixed(digits)}</b>
        </span>
      ))}
    </p>
  );
}

interface Drawn {
  readonly chart: IChartApi;
  readonly candles: ISeriesApi<'Candlestick'>;
  all(bars: readonly Bar[], fresh: boolean): void;
  one(bar: Bar): void;
  marks(list: SeriesMarker<Time>[]): void;
  onOlder(load: () => void): void;
  format(digits: number): void;
  paintColours(): void;
}

/** Bars that are left of the first visible one when older ones are asked for. */
const SPARE_BARS = 20;
const VISIBLE_BARS = 90;

const rootPx = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

function draw(element: HTMLElement): Drawn {
  const chart = createChart(element, {
    autoSize: true,
    // The library writes its logo as HTML, which the policy of the page refuses; the link below the chart stands for it.
    layout: { attributionLogo: false, fontSize: Math.round(rootPx() * 0.85) },
    // A browser in the locale `C` names one that is no valid tag.
    localization: { locale: 'en-US' },
    timeScale: { timeVisible: true, secondsVisible: false, rightOffset: 6, borderVisible: false },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.08, bottom: 0.22 } },
    crosshair: { mode: 0 },
    handleScale: { axisPressedMouseMove: true },
  });
  const candles = chart.addSeries(CandlestickSeries, { priceLineStyle: 2 });
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  });
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } });
  const markers = createSeriesMarkers(candles, []);
  let load: () => void = () => undefined;
  let known: readonly Bar[] = [];
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    if (range !== null && known.length > 0 && range.from < SPARE_BARS) load();
  });
  const column = ({ time, volume: value, open, close }: Bar) => ({
    time,
    value,
    color: close >= open ? chartColours().upFaint : chartColours().downFaint,
  });
  const candle = ({ time, open, high, low, close }: Bar): CandlestickData => ({
    time,
    open,
    high,
    low,
    close,
  });
  const drawn: Drawn = {
    chart,
    candles,
    all(bars, fresh) {
      known = bars;
      candles.setData(bars.map(candle));
      volume.setData(bars.map(column));
      if (fresh && bars.length > 0)
        chart.timeScale().setVisibleLogicalRange({ from: bars.length - VISIBLE_BARS, to: bars.length + 6 });
    },
    one(bar) {
      candles.update(candle(bar));
      volume.update(column(bar));
    },
    marks: (list) => markers.setMarkers(list),
    onOlder(next) {
      load = next;
    },
    format(digits) {
      candles.applyOptions({ priceFormat: { type: 'price', precision: digits, minMove: 10 ** -digits } });
    },
    paintColours() {
      const { up, down, grid, ink, paper } = chartColours();
      chart.applyOptions({
        layout: { background: { color: paper }, textColor: ink },
        grid: { vertLines: { color: grid }, horzLines: { color: grid } },
      });
      candles.applyOptions({
        upColor: up,
        downColor: down,
        borderUpColor: up,
        borderDownColor: down,
        wickUpColor: up,
        wickDownColor: down,
      });
      if (known.length > 0) volume.setData(known.map(column));
    },
  };
  drawn.paintColours();
  return drawn;
}
