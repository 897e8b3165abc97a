/** The order that is being written. One record of signals, so that keys, book and form change the same one. */
import { computed, effect, signal } from '@preact/signals';
import { amount, type Decimal, decimal, integer, sign, textOf } from '../wire/decimal.ts';
import { baseSize, quoteWorth, type SizeUnit, shareOf } from '../wire/order-math.ts';
import type { FieldName, LegDraft, OrderDraft, OrderTypeId } from '../wire/order-types.ts';
import { isFutures, type Side } from '../wire/types.ts';
import { client, contractSetup, isHedged, positionsHere } from './account.ts';
import { best, instrument, midPrice, ticker } from './market.ts';

export const type = signal<OrderTypeId>('limit');
export const side = signal<Side>('buy');
export const price = signal('');
/** As it was typed, in `unit`. */
export const size = signal('');
export const unit = signal<SizeUnit>('base');
export const timeInForce = signal('gtc');
export const reduceOnly = signal(false);
export const triggerPrice = signal('');
export const triggerBy = signal<'market' | 'mark'>('market');
export const sends = signal<'market' | 'limit'>('market');
export const callbackRatio = signal('1');
export const activationPrice = signal('');
export const scope = signal<'full' | 'partial'>('full');
export const attached = signal(false);
const NO_LEG: LegDraft = { price: '', by: 'market', limit: '' };
export const takeProfit = signal<LegDraft>(NO_LEG);
export const stopLoss = signal<LegDraft>(NO_LEG);

/** They are for one order: the next may be of the other side, where they would be refused. */
export function dropLegs(): void {
  attached.value = false;
  takeProfit.value = NO_LEG;
  stopLoss.value = NO_LEG;
}

/** What the exchange said against the last order, at the field that it is about. */
export const refusal = signal<
  { readonly field: FieldName | undefined; readonly code: string; readonly msg: string } | undefined
>(undefined);

/** A price of the book goes into the field that a price is wanted for. */
export function takePrice(text: string): void {
  if (type.value === 'trigger' && sends.value === 'market') triggerPrice.value = text;
  else {
    if (type.value === 'market') type.value = 'limit';
    price.value = text;
  }
}

/** The price at which an order of this side would be filled, or is meant to be. */
export function priceFor(of: Side): Decimal {
  const limited = type.value === 'limit' || (type.value === 'trigger' && sends.value === 'limit');
  const written = limited
    ? decimal(price.value)
    : type.value === 'trigger'
      ? decimal(triggerPrice.value)
      : undefined;
  if (written !== undefined) return written;
  return amount((of === 'buy' ? best.value.ask : best.value.bid) || ticker.value?.lastPrice || '0');
}

export const sizeFor = (of: Side): string => {
  const open = instrument.value;
  return open === undefined ? '' : baseSize(size.value, unit.value, priceFor(of), open);
};

export function draftFor(of: Side): OrderDraft | undefined {
  const open = instrument.value;
  if (open === undefined) return undefined;
  const held = positionsHere.value[0]?.posSide;
  const base = sizeFor(of);
  return {
    type: type.value,
    category: open.category,
    symbol: open.symbol,
    side: of,
    price: price.value,
    size: base,
    quoteAmount:
      unit.value === 'quote' ? size.value : base === '' ? '' : quoteWorth(base, priceFor(of), open),
    timeInForce: timeInForce.value,
    reduceOnly: reduceOnly.value,
    triggerPrice: triggerPrice.value,
    triggerBy: triggerBy.value,
    sends: sends.value,
    callbackRatio: callbackRatio.value,
    activationPrice: activationPrice.value,
    scope: scope.value,
    attached: attached.value,
    takeProfit: takeProfit.value,
    stopLoss: stopLoss.value,
    hedged: isHedged.value,
    posSide: held ?? (of === 'sell' ? 'long' : 'short'),
  };
}

interface Room {
  readonly available: string;
  readonly buy: string;
  readonly sell: string;
}
/** The most that could be bought and sold now, in the base coin. */
export const room = signal<Room | undefined>(undefined);

interface MaxOpen {
  readonly available: string;
  readonly maxBuyOpen: string;
  readonly maxSellOpen: string;
  readonly maxBuyAvailable: string;
  readonly maxSellAvailable: string;
}

/** Two calls each time, of the five a second that the interface takes: a slow machine sends some of them late, together. */
const ASK_EVERY_MS = 1000;
let asking: ReturnType<typeof setTimeout> | undefined;
let askedAt = 0;

async function askRoom(): Promise<void> {
  askedAt = Date.now();
  const open = instrument.value;
  const asked = client.value;
  if (open === undefined || asked === undefined) return;
  const at = priceFor('buy');
  if (sign(at) <= 0) return;
  const common = { category: open.category, symbol: open.symbol, orderType: 'limit', size: open.minOrderQty };
  const one = (of: Side) =>
    asked.get<MaxOpen>('account/max-open-available', { ...common, side: of, price: textOf(priceFor(of)) });
  const buy = await one('buy');
  const sell = isFutures(open.category) ? buy : await one('sell');
  if (open !== instrument.value || asked !== client.value || !buy.ok || !sell.ok) return;
  const spend = buy.data.maxBuyAvailable || buy.data.available;
  room.value = isFutures(open.category)
    ? { available: buy.data.available, buy: buy.data.maxBuyOpen, sell: buy.data.maxSellOpen }
    : {
        available: buy.data.available,
        buy: baseSize(spend, 'quote', at, open),
        sell: sell.data.maxSellAvailable || sell.data.available,
      };
}

/** At most twice a second while somebody types. */
export function refreshRoom(): void {
  clearTimeout(asking);
  asking = setTimeout(() => void askRoom(), Math.max(60, askedAt + ASK_EVERY_MS - Date.now()));
}

const hasPrice = computed(() => best.value.bid !== '' || ticker.value !== undefined);

effect(() => {
  void instrument.value;
  void hasPrice.value;
  void client.value;
  void price.value;
  void type.value;
  void contractSetup.value;
  refreshRoom();
});

let filledFor = '';
let prefilled = false;
/** Another instrument: a fresh form, whose price is the middle of its book. */
effect(() => {
  const open = instrument.value;
  const name = `${open?.category} ${open?.symbol}`;
  if (filledFor !== name) {
    filledFor = name;
    prefilled = false;
    for (const field of [price, size, triggerPrice, activationPrice]) field.value = '';
    dropLegs();
    room.value = undefined;
    refusal.value = undefined;
    unit.value = 'base';
    if (open !== undefined && !isFutures(open.category) && type.value === 'tpsl') type.value = 'limit';
  }
  // Once: a field that somebody empties to type into it stays empty.
  if (prefilled || best.value.bid === '' || best.value.ask === '') return;
  prefilled = true;
  if (price.peek() === '') price.value = midPrice();
});

/** A share of the most that can be traded on the side that is chosen. */
export function takeShare(percent: number): void {
  const open = instrument.value;
  const held = positionsHere.value[0];
  if (open === undefined) return;
  const closing = type.value === 'tpsl' || (reduceOnly.value && held !== undefined);
  const most = closing ? held?.size : side.value === 'buy' ? room.value?.buy : room.value?.sell;
  if (most === undefined || most === '') return;
  unit.value = 'base';
  size.value = shareOf(most, percent, open);
}

const isPositive = (text: string): boolean => sign(decimal(text) ?? integer(0)) > 0;

/** What must still be entered before the order can be sent; empty when nothing is. */
export const missing = computed((): string => {
  if (type.value === 'trigger' && !isPositive(triggerPrice.value)) return 'trigger price';
  const limited = type.value === 'limit' || (type.value === 'trigger' && sends.value === 'limit');
  if (limited && !isPositive(price.value)) return 'price';
  return isPositive(size.value) ? '' : 'size';
});

/** A refusal is of the order as it was sent. */
effect(() => {
  for (const field of [type, side, price, size, unit, timeInForce, reduceOnly, triggerPrice, sends])
    void field.value;
  for (const field of [callbackRatio, activationPrice, scope, attached, takeProfit, stopLoss])
    void field.value;
  refusal.value = undefined;
});
