/** What a person can do with the open account. Each refusal is shown with the reason that the exchange gave. */

import { ask } from '../parts/question.ts';
import type { Answer } from '../wire/client.ts';
import { amount, compare, trimmed } from '../wire/decimal.ts';
import { fixed } from '../wire/format.ts';
import { shareOf } from '../wire/order-math.ts';
import { type OrderDraft, requestOf } from '../wire/order-types.ts';
import { isFutures, type Order, type Position, type StrategyOrder } from '../wire/types.ts';
import { accountSettings, client, isHedged, orders, refreshSettings, strategies } from './account.ts';
import { instrument } from './market.ts';
import { notify } from './notices.ts';
import { confirmOrders } from './settings.ts';
import { instrumentKey, instruments } from './venue.ts';

const NO_ACCOUNT = { ok: false, code: 'account', msg: 'choose an account first' } as const;

async function send<Data>(path: string, body: object, what: string): Promise<Answer<Data>> {
  const answer = await (client.value?.post<Data>(path, body) ?? Promise.resolve(NO_ACCOUNT));
  if (!answer.ok) notify('bad', `${what} was refused`, answer.msg);
  return answer;
}

let marketConfirmed = false;

/** Undefined when the person thought better of it. */
export async function placeOrder(draft: OrderDraft, words: string): Promise<Answer<unknown> | undefined> {
  if (draft.type === 'market' && confirmOrders.value && !marketConfirmed) {
    const agreed = await ask({
      title: 'Send a market order?',
      text: `${words}. It trades at once at the best prices in the book. This is asked once a session.`,
      action: 'Send order',
    });
    if (!agreed) return undefined;
    marketConfirmed = true;
  }
  const { path, body } = requestOf(draft);
  return client.value?.post(path, body) ?? Promise.resolve(NO_ACCOUNT);
}

export const cancelOrder = ({ orderId, category, symbol }: Order) =>
  send('trade/cancel-order', { orderId, category, symbol }, 'The cancellation');

export const cancelStrategy = ({ orderId }: StrategyOrder) =>
  send('trade/cancel-strategy-order', { orderId }, 'The cancellation');

export const amendOrder = ({ orderId, category, symbol }: Order, price: string) =>
  send('trade/modify-order', { orderId, category, symbol, price }, 'The new price');

export const amendStrategy = (
  { orderId, category }: StrategyOrder,
  change: Readonly<Record<string, string>>,
) => send('trade/modify-strategy-order', { orderId, category, ...change }, 'The change');

/** All orders and triggers, of the open symbol or of all. */
export async function cancelAll(everywhere: boolean): Promise<void> {
  const open = instrument.value;
  const fits = ({ category, symbol }: { category: string; symbol: string }) =>
    everywhere || (category === open?.category && symbol === open?.symbol);
  const [resting, waiting] = [orders.value.filter(fits), strategies.value.filter(fits)];
  const count = resting.length + waiting.length;
  if (count === 0) return notify('plain', 'There is nothing to cancel');
  const where = everywhere ? 'in every market' : `in ${open?.symbol}`;
  const agreed =
    !confirmOrders.value ||
    (await ask({
      title: `Cancel ${count === 1 ? 'one order' : `all ${count} orders`}?`,
      text: `${resting.length} in the book and ${waiting.length} waiting for a trigger, ${where}.`,
      action: 'Cancel them',
      danger: true,
    }));
  if (!agreed) return;
  const markets = new Map(
    resting.map(({ category, symbol }) => [`${category} ${symbol}`, { category, symbol }]),
  );
  for (const market of markets.values()) await send('trade/cancel-symbol-order', market, 'Cancelling');
  for (const each of waiting) await cancelStrategy(each);
  notify('plain', `${count === 1 ? 'One order' : `${count} orders`} cancelled`);
}

export type CloseWay = 'market' | 'limit' | 'reverse';

/** A part of a position in percent; a reversal sells it and as much again. */
export async function closePosition(
  position: Position,
  percent: number,
  way: CloseWay,
  price: string,
): Promise<void> {
  const { category, symbol, posSide, size } = position;
  const traded = instruments.value.get(instrumentKey(category, symbol));
  if (traded === undefined) return;
  const part = percent === 100 ? size : shareOf(size, percent, traded);
  if (compare(amount(part), amount('0')) <= 0)
    return notify('bad', 'That part is smaller than the least size');
  const side = posSide === 'long' ? 'sell' : 'buy';
  const double = trimmed({ units: amount(size).units * 2n, scale: amount(size).scale });
  const closing = isHedged.value ? { posSide } : { reduceOnly: way === 'reverse' ? 'no' : 'yes' };
  const body = {
    category,
    symbol,
    side,
    qty: way === 'reverse' ? double : part,
    orderType: way === 'limit' ? 'limit' : 'market',
    ...(way === 'limit' && { price, timeInForce: 'gtc' }),
    ...closing,
  };
  const answer = await send('trade/place-order', body, 'Closing');
  if (answer.ok && way === 'limit')
    notify('good', `Order to close ${part} ${symbol} at ${fixed(price, Number(traded.pricePrecision))}`);
}

export async function protectPosition(
  { category, symbol, posSide }: Position,
  existing: StrategyOrder | undefined,
  takeProfit: string,
  stopLoss: string,
): Promise<boolean> {
  if (existing !== undefined) {
    // Zero takes a leg away; both away is a cancellation.
    if (takeProfit === '' && stopLoss === '') return (await cancelStrategy(existing)).ok;
    const change = { takeProfit: takeProfit || '0', stopLoss: stopLoss || '0' };
    return (await amendStrategy(existing, change)).ok;
  }
  const body = {
    category,
    symbol,
    type: 'tpsl',
    tpslMode: 'full',
    posSide,
    side: posSide === 'long' ? 'sell' : 'buy',
    ...(takeProfit !== '' && { takeProfit }),
    ...(stopLoss !== '' && { stopLoss }),
  };
  return (await send('trade/place-strategy-order', body, 'Take-profit and stop-loss')).ok;
}

export async function changeMargin(
  { category, symbol, posSide }: Position,
  operation: 'add' | 'remove',
  money: string,
): Promise<boolean> {
  const body = { category, symbol, posSide, operation, amount: money };
  return (await send('account/set-margin', body, 'The change of margin')).ok;
}

export async function setLeverage(leverage: string, marginMode: string): Promise<boolean> {
  const open = instrument.value;
  if (open === undefined || !isFutures(open.category)) return false;
  const { category, symbol } = open;
  const answer = await send(
    'account/set-leverage',
    { category, symbol, leverage, marginMode },
    'The leverage',
  );
  await refreshSettings();
  return answer.ok;
}

export async function setHoldMode(holdMode: string): Promise<void> {
  if (accountSettings.value?.holdMode === holdMode) return;
  await send('account/set-hold-mode', { holdMode }, 'The position mode');
  await refreshSettings();
}

export const post = send;
