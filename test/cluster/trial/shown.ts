/** What the interface shows of a replayed state: the routes themselves are asked, of the state as it was then. */
import type { Caller, Route } from '../../../src/api/route.ts';
import { accountRoutes } from '../../../src/api/routes/account/account.ts';
import { openView } from '../../../src/api/routes/trade/order-result.ts';
import { tradeQueryRoutes } from '../../../src/api/routes/trade/trade-queries.ts';
import { openOrder } from '../../../src/core/reads/reads.ts';
import type { State } from '../../../src/core/state/state.ts';
import type { Call } from './notes.ts';
import type { ReplayedLog } from './replayed-log.ts';

export const OPEN_ORDERS = '/api/v3/trade/unfilled-orders';
export const BALANCES = '/api/v3/account/assets';
export const ORDER = '/api/v3/trade/order-info';

/** An order that was found: the whole of it while it is open, later only that it is there. */
export interface FoundOrder {
  readonly orderId: string;
  readonly open?: unknown;
}

export function shownBy({ exchange: { state }, placed }: ReplayedLog, read: Call): unknown {
  if (read.action === 'open orders') return ask(OPEN_ORDERS, state, read.uid);
  if (read.action === 'balances') return ask(BALANCES, state, read.uid);
  const order = placed.get(read.clientOid)?.find(({ accepted }) => accepted);
  if (order === undefined) return undefined;
  const open = openOrder(state, read.uid, 0, read.clientOid);
  if (open === undefined) return { orderId: order.orderId };
  return { orderId: order.orderId, open: asSent(routeOf(ORDER).data, openView(state, open)) };
}

function routeOf(path: string): Route {
  return [...tradeQueryRoutes, ...accountRoutes].find((each) => each.path === path)!;
}

function ask(path: string, state: State, uid: number): unknown {
  const { handle, data } = routeOf(path);
  const caller = { user: { uid } } as Caller;
  const call = { sequencer: { state }, caller, query: {} } as unknown as Parameters<Route['handle']>[0];
  return asSent(data, handle(call));
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** As it is after the wire: only what the schema of the response has. */
function asSent(schema: Schema, data: unknown): unknown {
  if (Array.isArray(data)) return data.map((each) => asSent(schema.items ?? {}, each));
  if (typeof data !== 'object' || data === null) return data;
  const fields = Object.entries(data).filter(
    ([name, value]) => value !== undefined && (schema.properties === undefined || name in schema.properties),
  );
  return Object.fromEntries(
    fields.map(([name, value]) => [name, asSent(schema.properties?.[name] ?? {}, value)]),
  );
}
