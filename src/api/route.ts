/**
 * A route as a row: path, access, limit, schemas of request and response, handler. Hooks do the work that all routes
 * share (`http/server.ts`); handlers get validated, typed input.
 */
import type { KeyObject } from 'node:crypto';
import type { ApiKey, Identity, User } from '../identity/identity.ts';
import type { ReserveAudits } from '../reserves/reserve-audit.ts';
import type { Clock } from '../sequencer/clock.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import type { Static, TSchema } from '../validation/schema.ts';
import type { RequiredPermission } from './auth/permissions.ts';
import type { ErrorDialect } from './wire/wire-error.ts';

/** `public` needs no key; the others are rows of `permissions.ts`. */
export type Access = 'public' | RequiredPermission;

export interface Caller {
  readonly user: User;
  readonly key: ApiKey;
}

export interface Services {
  readonly sequencer: Sequencer;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly errorDialect: ErrorDialect;
  /** Key of the keyed hash that deposit addresses are derived with. */
  readonly addressKey: KeyObject;
  readonly reserves: ReserveAudits;
}

export interface Call<Q, B> extends Services {
  readonly query: Q;
  readonly body: B;
  /** The authenticated caller; unset on public routes. */
  readonly caller: Caller;
  /** Orders of the body that arrived after their receive window; only sockets have such. */
  readonly expired?: ReadonlySet<object>;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly group: string;
  readonly access: Access;
  /** Calls a second: per IP on public routes, per UID on private ones. */
  readonly perSecond: number;
  readonly query: TSchema | undefined;
  readonly body: TSchema | undefined;
  readonly data: TSchema;
  /** Counts against the account's quota of order requests. */
  readonly orders: boolean;
  /** The success of such a route is the result of its own commands; every other response shows the state. */
  readonly changesState: boolean;
  /** Returns the data, a `WireError`, or a promise of either. */
  readonly handle: (call: Call<never, never>) => unknown;
}

interface RouteRow<Q extends TSchema, B extends TSchema> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly group: string;
  readonly access: Access;
  readonly perSecond: number;
  readonly query?: Q;
  readonly body?: B;
  readonly data: TSchema;
  readonly orders?: true;
  readonly handle: (call: Call<Static<Q>, Static<B>>) => unknown;
}

export function route<Q extends TSchema, B extends TSchema>(row: RouteRow<Q, B>): Route {
  const changesState = row.method === 'POST' && row.access !== 'trade_read' && row.access !== 'mgt_read';
  return { query: undefined, body: undefined, orders: false, changesState: changesState, ...row };
}

export function limitText({ access, perSecond, orders }: Route): string {
  const each = `${perSecond} a second per ${access === 'public' ? 'IP' : 'UID'}`;
  return orders ? `${each}, or its quota` : each;
}
