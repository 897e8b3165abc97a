/**
 * One endpoint as a row: path, who may call it how often, what it takes, what it answers, and the function that does
 * it. Hooks do everything that is the same for all (`http/server.ts`); handlers see only clean, typed input.
 */
import type { KeyObject } from 'node:crypto';
import type { Static, TSchema } from 'typebox';
import type { ApiKey, Identity, User } from '../identity/identity.ts';
import type { ReserveAudits } from '../reserves/reserve-audit.ts';
import type { Clock } from '../sequencer/clock.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
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
  /** Deposit addresses are made with it. */
  readonly addressKey: KeyObject;
  readonly reserves: ReserveAudits;
}

export interface Call<Q, B> extends Services {
  readonly query: Q;
  readonly body: B;
  /** Who calls; on public routes nobody. */
  readonly caller: Caller;
  /** Orders of the body that came later than they say they may; only sockets have such. */
  readonly late?: ReadonlySet<object>;
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
  /** Counts as requests about orders, of which an account may have a quota of its own. */
  readonly orders: boolean;
  /** Its success is the outcome of commands of its own; every other answer shows the state. */
  readonly acts: boolean;
  /** The data, a `WireError`, or a promise of either. */
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
  const acts = row.method === 'POST' && row.access !== 'trade_read' && row.access !== 'mgt_read';
  return { query: undefined, body: undefined, orders: false, acts, ...row } as unknown as Route;
}

export function limitText({ access, perSecond, orders }: Route): string {
  const each = `${perSecond} a second per ${access === 'public' ? 'IP' : 'UID'}`;
  return orders ? `${each}, or its quota` : each;
}
