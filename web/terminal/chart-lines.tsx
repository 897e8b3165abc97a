/**
 * Own orders, entry, liquidation, take-profit and stop-loss as lines over the chart. A line that can be amended is a
 * handle: dragged, or moved with the arrow keys and sent with Enter. What the exchange refuses goes back to its place.
 */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import type { Answer } from '../wire/client.ts';
import { add, amount, compare, integer, multiply, sign } from '../wire/decimal.ts';
import { fixed, signed } from '../wire/format.ts';
import { onTick } from '../wire/order-math.ts';
import { type Instrument, type Position, type StrategyOrder, tickOf } from '../wire/types.ts';
import { ordersHere, positionsHere, strategiesHere } from './account.ts';
import { amendOrder, amendStrategy, cancelOrder, cancelStrategy } from './actions.ts';
import type { PriceScale } from './chart.tsx';
import { instrument, priceDigits } from './market.ts';
import { speak } from './notices.ts';
import { isPhone } from './settings.ts';

export type LineKind = 'order' | 'trigger' | 'tp' | 'sl' | 'entry' | 'liq';

export interface Line {
  readonly id: string;
  readonly orderId: string;
  readonly kind: LineKind;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly words: string;
  readonly note?: string;
  readonly amend?: (price: string) => Promise<Answer<unknown>>;
  readonly remove?: () => Promise<Answer<unknown>>;
}

/** The order whose line or row the pointer is on. */
export const highlighted = signal<string | undefined>(undefined);

function strategyLines(order: StrategyOrder): Line[] {
  const { orderId, side, qty, triggerPrice, takeProfit, stopLoss } = order;
  const common = { orderId, side };
  const remove = () => cancelStrategy(order);
  const list: Line[] = [];
  if (triggerPrice !== '')
    list.push({
      ...common,
      id: orderId,
      kind: 'trigger',
      price: triggerPrice,
      words: `Trigger ${side} ${qty}`,
      amend: (price) => amendStrategy(order, { triggerPrice: price }),
      remove,
    });
  for (const [kind, price, other, name] of [
    ['tp', takeProfit, stopLoss, 'takeProfit'],
    ['sl', stopLoss, takeProfit, 'stopLoss'],
  ] as const)
    if (price !== '')
      list.push({
        ...common,
        id: `${orderId}-${kind}`,
        kind,
        price,
        words: kind === 'tp' ? 'TP' : 'SL',
        amend: (next) => amendStrategy(order, { [name]: next }),
        // The last leg goes with its order; of two, the other one stays.
        remove: other === '' ? remove : () => amendStrategy(order, { [name]: '0' }),
      });
  return list;
}

function positionLines({ symbol, posSide, size, avgPrice, liqPrice, unrealisedPnl }: Position): Line[] {
  const side = posSide === 'long' ? 'buy' : 'sell';
  const common = { orderId: '', side } as const;
  const name = `${symbol}-${posSide}`;
  const entry: Line = {
    ...common,
    id: `${name}-entry`,
    kind: 'entry',
    price: avgPrice,
    words: `${posSide === 'long' ? 'Long' : 'Short'} ${size}`,
    note: signed(unrealisedPnl, 2),
  };
  if (sign(amount(liqPrice)) <= 0) return [entry];
  return [entry, { ...common, id: `${name}-liq`, kind: 'liq', price: liqPrice, words: 'Liquidation' }];
}

export const lines = computed((): readonly Line[] => [
  ...positionsHere.value.flatMap(positionLines),
  ...ordersHere.value
    .filter(({ orderType }) => orderType === 'limit')
    .map(
      (order): Line => ({
        id: order.orderId,
        orderId: order.orderId,
        kind: 'order',
        side: order.side,
        price: order.price,
        words: `${order.side === 'buy' ? 'Buy' : 'Sell'} ${order.qty}`,
        amend: (price) => amendOrder(order, price),
        remove: () => cancelOrder(order),
      }),
    ),
  ...strategiesHere.value.flatMap(strategyLines),
]);

/** A line beyond the prices that the chart shows waits at its edge, below the legend: it can still be taken. */
const edgePx = () => (isPhone.peek() ? 46 : 14);
const AXIS_PX = 42;
/** A label and the space to the next one; `panels.css` has its height. */
const tagPx = () => (isPhone.peek() ? 34 : 26);
/** A click that trembles is no drag. */
const SLACK_PX = 3;

/** Labels of lines that are close to one another make room, so that each can be taken; the lines stay. */
function spread(placed: { tag: number }[], lowest: number): void {
  const height = tagPx();
  for (let index = 1; index < placed.length; index++)
    placed[index]!.tag = Math.max(placed[index]!.tag, placed[index - 1]!.tag + height);
  let room = lowest;
  for (const each of placed.toReversed()) {
    each.tag = Math.min(each.tag, room);
    room = each.tag - height;
  }
}

export function ChartLines({ scale }: { readonly scale: PriceScale }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A frame may still come when the panel has just been left.
    const element = box.current!;
    let frame = 0;
    // The price scale moves with every candle, and tells nobody.
    const follow = () => {
      const lowest = element.clientHeight - AXIS_PX;
      const highest = edgePx();
      const placed = [...(element.children as unknown as Iterable<HTMLElement>)]
        .map((line) => {
          const y = scale.yOf(Number(line.dataset.price)) ?? highest;
          const shown = Math.round(Math.max(highest, Math.min(lowest, y)));
          return { line, shown, beyond: Math.abs(shown - y) > 1, tag: shown };
        })
        .sort((a, b) => a.shown - b.shown);
      spread(placed, lowest);
      for (const { line, shown, beyond, tag } of placed) {
        const style = `transform:translateY(${shown}px);--nudge:${tag - shown}px`;
        if (line.dataset.at !== style) line.style.cssText = style;
        line.dataset.at = style;
        line.classList.toggle('beyond', beyond);
      }
      frame = requestAnimationFrame(follow);
    };
    follow();
    return () => cancelAnimationFrame(frame);
  }, [scale]);
  const open = instrument.value;
  return (
    <div class="lines" ref={box}>
      {open !== undefined &&
        lines.value.map((line) => <LineHandle key={line.id} line={line} scale={scale} open={open} />)}
    </div>
  );
}

interface HandleProps {
  readonly line: Line;
  readonly scale: PriceScale;
  readonly open: Instrument;
}

/** Prices that were chosen and not yet confirmed, by line. */
const drafts = signal<ReadonlyMap<string, string>>(new Map());

function setDraft(id: string, price: string | undefined): void {
  const next = new Map(drafts.value);
  if (price === undefined) next.delete(id);
  else next.set(id, price);
  drafts.value = next;
}

/** Until the push of the amended order, which mostly comes before the answer. */
const CONFIRMED_MS = 400;

async function commit({ id, amend, words }: Line): Promise<void> {
  const price = drafts.value.get(id);
  if (price === undefined || amend === undefined) return;
  const answer = await amend(price);
  if (answer.ok) {
    speak(`${words} moved to ${price}`);
    setTimeout(() => setDraft(id, undefined), CONFIRMED_MS);
  } else setDraft(id, undefined);
}

function LineHandle({ line, scale, open }: HandleProps) {
  const { id, orderId, kind, side, words, note, amend, remove } = line;
  const draft = drafts.value.get(id);
  const price = draft ?? line.price;
  const isMoved = compare(amount(price), amount(line.price)) !== 0;
  const shown = fixed(price, priceDigits.value);
  const move = (ticks: number) => {
    const next = add(amount(price), multiply(amount(tickOf(open)), integer(ticks)));
    if (sign(next) > 0) setDraft(id, onTick(next, open));
  };
  const keys = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 10 : 1;
    if (event.key === 'ArrowUp' || event.key === 'ArrowRight') move(step);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowLeft') move(-step);
    else if (event.key === 'Enter') void commit(line);
    else if (event.key === 'Escape' && isMoved) setDraft(id, undefined);
    else if (event.key === 'Delete' || event.key === 'Backspace') void remove?.();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const drag = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const element = event.currentTarget as HTMLElement;
    const area = element.closest('.lines')!.getBoundingClientRect();
    // The label may be beside its line, and is rarely taken at its middle: the line moves as far as the pointer does.
    const grip = event.clientY - element.closest('.line')!.getBoundingClientRect().top;
    element.setPointerCapture(event.pointerId);
    let moved = false;
    const follow = ({ clientY }: PointerEvent) => {
      if (!moved && Math.abs(clientY - event.clientY) < SLACK_PX) return;
      const at = scale.priceAt(clientY - grip - area.top);
      if (at === null || at <= 0) return;
      moved = true;
      // A pixel becomes a price on a tick; from here on it is exact.
      setDraft(id, onTick(amount(at.toFixed(priceDigits.value + 1)), open));
    };
    const end = (last: PointerEvent) => {
      element.removeEventListener('pointermove', follow);
      if (last.type === 'pointerup' && moved) void commit(line);
      else setDraft(id, undefined);
    };
    element.addEventListener('pointermove', follow);
    element.addEventListener('pointerup', end, { once: true });
    element.addEventListener('pointercancel', end, { once: true });
  };
  const state = isMoved ? ' moved' : '';
  const hot = highlighted.value !== undefined && highlighted.value === orderId ? ' hot' : '';
  return (
    <div
      class={`line ${kind} ${side}${state}${hot}`}
      data-price={price}
      data-line-id={id}
      {...(orderId !== '' && { 'data-order-id': orderId })}
      onPointerEnter={() => {
        highlighted.value = orderId || undefined;
      }}
      onPointerLeave={() => {
        highlighted.value = undefined;
      }}
    >
      {amend === undefined ? (
        <span class="tag">
          {words} {kind === 'entry' && <b class={note?.startsWith('−') ? 'down' : 'up'}>{note}</b>}
          <span class="at">{shown}</span>
        </span>
      ) : (
        <span
          class="tag grip"
          role="slider"
          tabIndex={0}
          aria-label={`${words}: arrow keys move it, Enter sends, Escape puts it back, Delete cancels`}
          aria-orientation="vertical"
          aria-valuenow={Number(price)}
          aria-valuetext={shown}
          onKeyDown={keys}
          onPointerDown={drag}
          onBlur={() => {
            if (drafts.value.get(id) === draft && draft !== undefined) setDraft(id, undefined);
          }}
        >
          {words} <span class="at">{shown}</span>
        </span>
      )}
      {remove !== undefined && (
        <button
          type="button"
          class="remove"
          aria-label={`Cancel ${words} at ${shown}`}
          onClick={() => void remove()}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}
