/**
 * What callers have asked for and have been told is remembered, and every later answer is held against it: an order tells
 * what it was placed with, in every list and category; once it is closed it reads the same everywhere; a fill is of its
 * order; a page's cursor is its smallest id. So a value that is wrong in one place cannot pass for right.
 */
import assert from 'node:assert/strict';
import { isFutures } from './objects.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are what this suite examines
type Data = any;
type Asked = Readonly<Record<string, string | undefined>>;

interface Placed {
  readonly asked: Asked;
  /** When the exchange answered; its clock stands still in between. */
  readonly time: string;
  readonly modified?: true;
}

const PLACING = ['POST trade/place-order', 'POST trade/place-batch'];
const ORDERS = ['GET trade/unfilled-orders', 'GET trade/history-orders', 'GET trade/order-info'];
const ACTIONS = ['cancel-order', 'cancel-batch', 'cancel-symbol-order', 'batch-modify-order'].map(
  (path) => `POST trade/${path}`,
);
const CLOSED = ['filled', 'cancelled'];
/** The field that pages are cut by. */
const PAGED_BY: Readonly<Record<string, string>> = {
  'GET trade/unfilled-orders': 'orderId',
  'GET trade/history-orders': 'orderId',
  'GET trade/fills': 'execId',
};

/** What queries choose by and records tell. */
const CHOICES = 'category symbol orderId posSide type status loanCoin pledgeCoin reviseSide'.split(' ');

const rowsOf = (data: Data): Data[] => (Array.isArray(data) ? data : (data?.list ?? [data]));

class Memory {
  readonly #placed = new Map<string, Placed>();
  readonly #planned = new Map<string, Placed>();
  readonly #closed = new Map<string, Data>();
  /** Trades as the public sees them, and fills as their owners do, by the id that both know. */
  readonly #seen = new Map<string, Data>();
  readonly #owned = new Map<string, Data[]>();
  /** One fill of each order. */
  readonly #fills = new Map<string, Data>();
  readonly #coins = new Map<string, { readonly base: string; readonly quote: string }>();

  /** What an accepted request has brought about. */
  asked(endpoint: string, body: Data, data: Data, time: string): void {
    const bodies: Asked[] = Array.isArray(body) ? body : [body];
    for (const [n, result] of rowsOf(data).entries()) {
      if (result?.orderId === undefined) continue;
      if (ACTIONS.includes(endpoint)) this.#named(result);
      if (result.code !== undefined) continue;
      if (endpoint === 'POST trade/place-strategy-order') {
        this.#planned.set(result.orderId, { asked: bodies[n]!, time });
      }
      if (PLACING.includes(endpoint)) this.#placed.set(result.orderId, { asked: bodies[n]!, time });
      if (endpoint === 'POST trade/batch-modify-order') this.#modified(result.orderId, bodies[n]!);
    }
  }

  /** An action names the order by both of its ids, unless it failed. */
  #named({ orderId, clientOid, code = '00000' }: Data): void {
    const placed = this.#placed.get(orderId);
    if (placed === undefined || code !== '00000') return;
    assert.equal(
      clientOid,
      placed.asked.clientOid ?? orderId,
      `interface 4.3: clientOid of order ${orderId}`,
    );
  }

  #modified(orderId: string, { price, qty }: Asked): void {
    const placed = this.#placed.get(orderId);
    if (placed === undefined) return;
    const changed = { ...(price !== undefined && { price }), ...(qty !== undefined && { qty }) };
    this.#placed.set(orderId, { ...placed, asked: { ...placed.asked, ...changed }, modified: true });
  }

  /** Fails with the section when an answer does not fit what is known. */
  told(endpoint: string, data: Data): void {
    const pagedBy = PAGED_BY[endpoint];
    if (pagedBy !== undefined) {
      assert.equal(
        data.cursor,
        data.list.at(-1)?.[pagedBy] ?? '',
        `interface 1.5: the cursor of ${endpoint}`,
      );
    }
    for (const row of rowsOf(data)) {
      if (endpoint === 'GET market/instruments') {
        this.#coins.set(`${row.category} ${row.symbol}`, { base: row.baseCoin, quote: row.quoteCoin });
      }
      if (row?.category !== undefined) this.#listed(row);
      if (ORDERS.includes(endpoint)) this.#order(row);
      if (endpoint === 'GET trade/history-strategy-orders') this.#plan(row);
      if (endpoint === 'GET position/current-position') {
        assert.equal(row.marginCoin, this.#settled(row) ?? row.marginCoin, 'interface 2.4: marginCoin');
      }
      if (endpoint === 'GET trade/fills') this.#fill(row);
      if (endpoint === 'GET market/fills') {
        this.#seen.set(row.execLinkId, row);
        for (const fill of this.#owned.get(row.execLinkId) ?? []) isTrade(fill, row);
      }
    }
  }

  /** Fails when an answer holds what was not asked for. */
  chosen(endpoint: string, query: Asked, data: Data): void {
    for (const row of rowsOf(data)) {
      for (const field of CHOICES) {
        const [asked, told] = [query[field], row?.[field]];
        if (asked === undefined || told === undefined) continue;
        assert.equal(
          told.toUpperCase(),
          asked.toUpperCase(),
          `interface 4: ${endpoint} with ${field} ${asked}`,
        );
      }
    }
  }

  #order(order: Data): void {
    const where = `interface 2.1: order ${order.orderId}`;
    for (const [alias, field] of [
      ['priceAvg', 'avgPrice'],
      ['quoteVolume', 'cumExecValue'],
      ['baseVolume', 'cumExecQty'],
    ] as const) {
      assert.equal(order[alias], order[field], `${where}: ${alias} repeats ${field}`);
    }
    assert.ok(order.updatedTime >= order.createdTime, `${where}: updatedTime`);
    const traded = Number(order.cumExecQty) > 0;
    if (order.orderStatus !== 'cancelled') {
      assert.equal(
        traded,
        order.orderStatus !== 'new',
        `${where}: ${order.orderStatus} is what was executed`,
      );
    }
    assert.equal(
      order.orderType === 'market',
      order.price === '0',
      `${where}: only a market order has no price`,
    );
    assert.equal(order.feeDetail.length, traded ? 1 : 0, `${where}: feeDetail of what was executed`);
    if (traded) this.#feeCoin(order, where);
    const placed = this.#placed.get(order.orderId);
    if (placed !== undefined) echoes(order, placed, where);
    if (CLOSED.includes(order.orderStatus) || this.#closed.has(order.orderId))
      this.#closedOrder(order, where);
  }

  #closedOrder(order: Data, where: string): void {
    const known = this.#closed.get(order.orderId);
    this.#closed.set(order.orderId, { ...known, ...order });
    const fill = this.#fills.get(order.orderId);
    if (fill !== undefined) fits(fill, order);
    for (const [field, value] of Object.entries(known ?? {})) {
      if (field in order)
        assert.deepEqual(order[field], value, `${where}: ${field} reads the same everywhere`);
    }
  }

  #fill(fill: Data): void {
    const where = `interface 2.2: fill ${fill.execId}`;
    assert.equal(fill.updatedTime, fill.createdTime, `${where}: updatedTime`);
    const value = Number(fill.execPrice) * Number(fill.execQty);
    assert.equal(Number(fill.execValue).toFixed(4), value.toFixed(4), `${where}: execValue in quote coin`);
    this.#feeCoin(fill, where);
    if (!isFutures(fill.category)) assert.equal(fill.execPnl, '0', `${where}: only positions have profits`);
    this.#fills.set(fill.orderId, fill);
    this.#owned.set(fill.execLinkId, [...(this.#owned.get(fill.execLinkId) ?? []), fill]);
    isTrade(fill, this.#seen.get(fill.execLinkId));
    const order = this.#closed.get(fill.orderId);
    if (order !== undefined) fits(fill, order);
    const placed = this.#placed.get(fill.orderId);
    if (placed === undefined) return;
    const { category, symbol, side, orderType, clientOid = fill.orderId } = placed.asked;
    assert.deepEqual(
      [fill.category, fill.symbol, fill.side, fill.orderType, fill.clientOid],
      [category, symbol, side, orderType, clientOid],
      `${where}: what its order was placed with`,
    );
  }

  /** Spot and margin charge what is received, contracts the coin they are settled in. */
  #feeCoin(row: Data, where: string): void {
    const coins = this.#coins.get(`${row.category} ${row.symbol}`);
    if (coins === undefined) return;
    const received = row.side === 'buy' ? coins.base : coins.quote;
    const charged = isFutures(row.category) ? this.#settled(row) : received;
    assert.equal(row.feeDetail[0].feeCoin, charged, `${where}: feeCoin`);
  }

  #settled({ category, symbol }: Data): string | undefined {
    if (category !== 'COIN-FUTURES') return category.split('-')[0];
    return this.#coins.get(`${category} ${symbol}`)?.base;
  }

  /** A symbol that is known in other categories only is not this one's. */
  #listed({ category, symbol }: Data): void {
    if (this.#coins.has(`${category} ${symbol}`)) return;
    const elsewhere = [...this.#coins.keys()].some((key) => key.endsWith(` ${symbol}`));
    assert.ok(!elsewhere, `interface 1.6: ${symbol} is an instrument of ${category}`);
  }

  #plan(plan: Data): void {
    const planned = this.#planned.get(plan.orderId);
    if (planned === undefined) return;
    const { asked, time } = planned;
    const guards = plan.type === 'tpsl' && isFutures(plan.category);
    const closing = plan.posSide === 'long' ? 'sell' : 'buy';
    const expected: Record<string, string> = {
      category: asked.category!,
      symbol: asked.symbol!,
      clientOid: asked.clientOid ?? plan.orderId,
      side: asked.side ?? closing,
      createdTime: time,
      reduceOnly: guards ? 'YES' : (asked.reduceOnly ?? 'no').toUpperCase(),
      cancelReason: plan.status === 'cancelled' ? 'normal_cancel' : '',
    };
    for (const [field, value] of Object.entries(expected)) {
      assert.equal(plan[field], value, `interface 2.3: ${field} of strategy order ${plan.orderId}`);
    }
  }
}

/** The public sees a trade as the side that took it does; on spot books, where it has one fill, by the same id. */
function isTrade(fill: Data, seen: Data): void {
  if (seen === undefined) return;
  const took = fill.tradeScope === 'taker';
  const where = `interface 2.2, 2.9: ${fill.category} fill ${fill.execId} as its owner and as the public sees it`;
  assert.deepEqual(
    [fill.execPrice, fill.side === seen.side, fill.isRPI, fill.createdTime],
    [seen.price, took, seen.isRPI, seen.ts],
    where,
  );
  if (!isFutures(fill.category)) assert.equal(fill.execId === seen.execId, took, where);
}

/** A fill tells of its order what the order tells. */
function fits(fill: Data, order: Data): void {
  for (const field of ['category', 'symbol', 'side', 'orderType', 'clientOid', 'posSide']) {
    assert.equal(fill[field], order[field], `interface 2.2: ${field} of fill ${fill.execId} and its order`);
  }
}

/** What of an order is as it was asked for, and what is so unless asked for. */
function echoes(order: Data, { asked, time, modified }: Placed, where: string): void {
  const futures = isFutures(asked.category!);
  const market = asked.orderType === 'market';
  const byAmount = market && asked.side === 'buy' && !futures;
  const expected: Record<string, string> = {
    category: asked.category!,
    symbol: asked.symbol!,
    side: asked.side!,
    orderType: asked.orderType!,
    clientOid: asked.clientOid ?? order.orderId,
    timeInForce: asked.timeInForce ?? 'gtc',
    stpMode: asked.stpMode ?? 'none',
    posSide: asked.posSide ?? '',
    holdMode: futures ? (asked.posSide === undefined ? 'one_way_mode' : 'hedge_mode') : '',
    reduceOnly: (asked.reduceOnly ?? 'no').toUpperCase(),
    delegateType: market ? 'market' : 'normal',
    price: market ? '0' : asked.price!,
    qty: byAmount ? '0' : asked.qty!,
    amount: byAmount ? asked.qty! : '0',
    ...preset(asked, 'takeProfit', 'tp'),
    ...preset(asked, 'stopLoss', 'sl'),
    createdTime: time,
    // Nothing has happened to it.
    ...(order.orderStatus === 'new' && !modified && { updatedTime: time }),
    ...('execType' in order && { execType: 'normal' }),
    ...(asked.marginMode !== undefined && { marginMode: asked.marginMode }),
  };
  for (const [field, value] of Object.entries(expected)) {
    assert.equal(order[field], value, `${where}: ${field} is what it was placed with`);
  }
  if (order.tradeSide === undefined) return;
  const sides = tradeSides(asked);
  assert.ok(sides.includes(order.tradeSide), `${where}: tradeSide is ${sides.join(' or ')}`);
}

/** In one-way mode the position decides whether an order opens or closes. */
function tradeSides({ category, side, posSide }: Asked): string[] {
  if (!isFutures(category!)) return ['open'];
  if (posSide === undefined) return ['open', 'close'];
  return [(side === 'buy') === (posSide === 'long') ? 'open' : 'close'];
}

/** A trigger that came with the order: by the last price and at market unless asked for. */
function preset(asked: Asked, price: string, short: 'tp' | 'sl'): Record<string, string> {
  const given = asked[price] !== undefined;
  const orderType = given ? (asked[`${short}OrderType`] ?? 'market') : '';
  return {
    [price]: asked[price] ?? '',
    [`${short}TriggerBy`]: given ? (asked[`${short}TriggerBy`] ?? 'market') : '',
    [`${short}OrderType`]: orderType,
    [`${short}LimitPrice`]: orderType === 'limit' ? asked[`${short}LimitPrice`]! : '',
  };
}

const memories = new Map<string, Memory>();

/** What is known about the exchange at this address. */
export function memoryOf(url: string): Memory {
  const memory = memories.get(url) ?? new Memory();
  memories.set(url, memory);
  return memory;
}

/** Nothing is known any more: the same is going to happen again. */
export function forget(): void {
  memories.clear();
}
