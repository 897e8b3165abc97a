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
  return plain({ orderId: order.orderId, ...(open !== undefined && { open: openView(state, open) }) });
}

function ask(path: string, state: State, uid: number): unknown {
  const found: Route = [...tradeQueryRoutes, ...accountRoutes].find((each) => each.path === path)!;
  const caller = { user: { uid } } as Caller;
  const call = { sequencer: { state }, caller, query: {} } as unknown as Parameters<Route['handle']>[0];
  return plain(found.handle(call));
}

/** As it is after the wire. */
const plain = (data: unknown): unknown => JSON.parse(JSON.stringify(data));
