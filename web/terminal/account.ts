/** The account that is open: what it holds, owes and has in the market. Lists begin with HTTP and go on with the stream. */
import { batch, computed, effect, signal } from '@preact/signals';
import { type AccountKey, accounts } from '../parts/keyring.ts';
import { ApiClient } from '../wire/client.ts';
import { amount, sign as signOf } from '../wire/decimal.ts';
import { fixed } from '../wire/format.ts';
import { RecordList } from '../wire/record-list.ts';
import { loginOf } from '../wire/sign.ts';
import { Stream, type StreamState } from '../wire/streams.ts';
import {
  type AccountState,
  CATEGORIES,
  type Category,
  type Fill,
  isFutures,
  type Order,
  type Position,
  type StrategyOrder,
} from '../wire/types.ts';
import { instrument, ownPrices, redrawBook } from './market.ts';
import { addEvents, events, notify, speak } from './notices.ts';
import { paint } from './paint.ts';
import { lastAccount } from './settings.ts';
import { digitsOf, frameCame, futuresCategory, heard, ORIGIN, rememberCall, STREAMS } from './venue.ts';

export const account = signal<AccountKey | undefined>(undefined);
export const client = signal<ApiClient | undefined>(undefined);
export const privateState = signal<StreamState>('closed');
export const orders = signal<readonly Order[]>([]);
export const strategies = signal<readonly StrategyOrder[]>([]);
export const positions = signal<readonly Position[]>([]);
export const funds = signal<AccountState | undefined>(undefined);
export const fills = signal<readonly Fill[]>([]);

interface SymbolConfig {
  readonly category: Category;
  readonly symbol: string;
  readonly marginMode: 'crossed' | 'isolated';
  readonly leverage: string;
}
export interface AccountSettings {
  readonly holdMode: string;
  readonly symbolConfigList: readonly SymbolConfig[];
}
export const accountSettings = signal<AccountSettings | undefined>(undefined);
export const isHedged = computed(() => accountSettings.value?.holdMode === 'hedge_mode');

const DEFAULT_LEVERAGE = '10';
/** How the open contract is set up for this account. */
export const contractSetup = computed(() => {
  const open = instrument.value;
  const list = accountSettings.value?.symbolConfigList ?? [];
  const found = list.find(({ category, symbol }) => category === open?.category && symbol === open?.symbol);
  return { leverage: found?.leverage ?? DEFAULT_LEVERAGE, marginMode: found?.marginMode ?? 'crossed' };
});

const OPEN_STATES: ReadonlySet<string> = new Set(['live', 'new', 'init', 'partially_filled']);
const WAITING: ReadonlySet<string> = new Set(['pending', 'submitting']);
const FILLS_MAX = 200;

const orderList = new RecordList<Order>(
  ({ orderId }) => orderId,
  ({ orderStatus }) => OPEN_STATES.has(orderStatus),
);
const strategyList = new RecordList<StrategyOrder>(
  ({ orderId }) => orderId,
  ({ status }) => WAITING.has(status),
);
const positionList = new RecordList<Position>(
  ({ symbol, posSide }) => `${symbol} ${posSide}`,
  ({ size }) => signOf(amount(size)) !== 0,
);

let stream: Stream | undefined;
/** Answers to questions of the account before are dropped. */
let generation = 0;

function clear(): void {
  for (const list of [orderList, strategyList, positionList]) list.clear();
  batch(() => {
    for (const list of [orders, strategies, positions, fills, events]) list.value = [];
    funds.value = undefined;
    accountSettings.value = undefined;
  });
}

/** Undefined closes the account. Nothing of one account is ever shown with another. */
export function openAccount(next: AccountKey | undefined): void {
  generation += 1;
  stream?.close();
  stream = undefined;
  clear();
  account.value = next;
  lastAccount.value = next?.id ?? '';
  client.value = next === undefined ? undefined : new ApiClient(ORIGIN, next.signer, rememberCall);
  if (next !== undefined) stream = openStream(next, generation);
  else privateState.value = 'closed';
}

/** The account that was open last, or the first. */
export function openFirstAccount(): void {
  const list = accounts.value;
  openAccount(list.find(({ id }) => id === lastAccount.value) ?? list[0]);
}

function openStream({ signer }: AccountKey, of: number): Stream {
  const opened = new Stream({
    url: `${STREAMS}/v3/ws/private`,
    login: () => loginOf(signer, Date.now()),
    onState: (state) => {
      if (of !== generation) return;
      privateState.value = state;
      if (state === 'open') void refresh(of);
    },
    onFrame: frameCame,
    onPong: heard,
  });
  const topic = <Row>(name: string, read: (rows: readonly Row[], whole: boolean) => void) =>
    opened.subscribe<Row>({ instType: 'UTA', topic: name }, ({ action, data }) => {
      if (of === generation) read(data, action === 'snapshot');
    });
  topic<AccountState>('account', (rows) => showFunds(rows.at(-1)));
  topic<Position>('position', pushPositions);
  topic<Order>('order', pushOrders);
  topic<StrategyOrder>('strategy-order', pushStrategies);
  topic<Fill>('fill', pushFills);
  topic<{ symbol: string; side: string; price: string; amount: string; ts: string }>(
    'adl-notification',
    (rows) =>
      addEvents(
        rows.map(({ symbol, price, amount: size, ts }) => ({
          id: `adl ${symbol} ${ts}`,
          ts: Number(ts),
          kind: 'deleveraged',
          symbol,
          text: `${size} closed at ${price} against a bankrupt position`,
        })),
      ),
  );
  return opened;
}

const upper = <Row extends { readonly category: Category }>(row: Row): Row => ({
  ...row,
  category: row.category.toUpperCase() as Category,
});

function showFunds(next: AccountState | undefined): void {
  if (next !== undefined)
    paint('funds', () => {
      funds.value = next;
    });
}

function pushPositions(rows: readonly Position[], whole: boolean): void {
  const known = whole ? positionList.ask() : undefined;
  const named = rows.map((row) => ({ ...row, category: futuresCategory(row.symbol) }));
  if (known !== undefined) positionList.answer(named, known);
  else for (const row of named) positionList.push(row);
  paint('positions', () => {
    positions.value = positionList.rows().sort((a, b) => a.symbol.localeCompare(b.symbol));
  });
}

const drawOrders = () =>
  paint('orders', () => {
    orders.value = orderList.rows();
  });
const drawStrategies = () =>
  paint('strategies', () => {
    strategies.value = strategyList.rows();
  });

function pushOrders(rows: readonly Order[]): void {
  for (const row of rows.map(upper)) {
    orderList.push(row);
    if (row.delegateType !== undefined && /liq|burst|adl|deliver/i.test(row.delegateType))
      addEvents([
        {
          id: `order ${row.orderId} ${row.updatedTime}`,
          ts: Number(row.updatedTime),
          kind: row.delegateType,
          symbol: row.symbol,
          text: `${row.side} ${row.qty}, ${row.orderStatus.replaceAll('_', ' ')}`,
        },
      ]);
  }
  drawOrders();
}

function pushStrategies(rows: readonly StrategyOrder[]): void {
  for (const row of rows.map(upper)) {
    strategyList.push(row);
    if (!WAITING.has(row.status) && !/cancel/.test(row.status))
      addEvents([
        {
          id: `strategy ${row.orderId} ${row.status}`,
          ts: Number(row.updatedTime),
          kind: row.status,
          symbol: row.symbol,
          text: `${row.type} order ${row.orderId} ${row.status.replaceAll('_', ' ')}`,
        },
      ]);
  }
  drawStrategies();
}

let folded: Fill[] = [];
function pushFills(rows: readonly Fill[]): void {
  const fresh = rows.map(upper);
  folded = [...fresh, ...fills.value].slice(0, FILLS_MAX);
  fills.value = folded;
  for (const { side, symbol, category, execQty, execPrice } of fresh) {
    const digits = digitsOf(category, symbol);
    const text = `${side === 'buy' ? 'Bought' : 'Sold'} ${execQty} ${symbol} at ${fixed(execPrice, digits.price)}`;
    if (fresh.length <= 2) notify('good', text);
    else speak(text);
  }
}

interface PageOf<Row> {
  readonly list: readonly Row[];
  readonly cursor: string;
}

async function refresh(of: number): Promise<void> {
  const asking = client.peek();
  if (asking === undefined) return;
  const knownOrders = orderList.ask();
  const knownStrategies = strategyList.ask();
  const [open, waiting] = await Promise.all([
    allOpenOrders(asking),
    allStrategies(asking),
    refreshSettings(),
  ]);
  if (of !== generation) return;
  if (open !== undefined) orderList.answer(open, knownOrders);
  if (waiting !== undefined) strategyList.answer(waiting, knownStrategies);
  drawOrders();
  drawStrategies();
  const recent = await asking.get<PageOf<Fill>>('trade/fills', { limit: '50' });
  if (of !== generation || !recent.ok) return;
  const known = new Set(fills.value.map(({ execId }) => execId));
  fills.value = [...fills.value, ...recent.data.list.filter(({ execId }) => !known.has(execId))];
}

async function allOpenOrders(asking: ApiClient): Promise<Order[] | undefined> {
  const all: Order[] = [];
  let cursor = '';
  do {
    const page = await asking.get<PageOf<Order>>('trade/unfilled-orders', {
      limit: '100',
      ...(cursor !== '' && { cursor }),
    });
    if (!page.ok) return undefined;
    all.push(...page.data.list);
    cursor = page.data.list.length === 100 ? page.data.cursor : '';
  } while (cursor !== '');
  return all;
}

async function allStrategies(asking: ApiClient): Promise<StrategyOrder[] | undefined> {
  const answers = await Promise.all(
    CATEGORIES.map((category) =>
      asking.get<readonly StrategyOrder[]>('trade/unfilled-strategy-orders', { category }),
    ),
  );
  return answers.some(({ ok }) => !ok) ? undefined : answers.flatMap((each) => (each.ok ? each.data : []));
}

export async function refreshSettings(): Promise<void> {
  const of = generation;
  const answer = await client.peek()?.get<AccountSettings>('account/settings');
  if (of === generation && answer?.ok) accountSettings.value = answer.data;
}

/** Stars in the book, and what the chart draws, are of the open instrument. */
export const ordersHere = computed(() => {
  const open = instrument.value;
  return orders.value.filter(
    ({ category, symbol }) => category === open?.category && symbol === open?.symbol,
  );
});
export const strategiesHere = computed(() => {
  const open = instrument.value;
  return strategies.value.filter(
    ({ category, symbol }) => category === open?.category && symbol === open?.symbol,
  );
});
export const positionsHere = computed(() => {
  const open = instrument.value;
  if (open === undefined || !isFutures(open.category)) return [];
  return positions.value.filter(
    ({ symbol, category }) => symbol === open.symbol && category === open.category,
  );
});

effect(() => {
  const digits = Number(instrument.value?.pricePrecision ?? 2);
  const prices = ordersHere.value.map(
    ({ side, price }) => `${side} ${fixed(price, digits).replaceAll(',', '')}`,
  );
  ownPrices.value = new Set(prices);
  redrawBook();
});
