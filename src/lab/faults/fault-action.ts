/** What a fault does: one entry for each kind, with its fields, what is expected of them, and its effect on one request. */
import { CategoryText, closed, StatusText, SymbolText } from '../../admin/fields.ts';
import {
  type CategoryName,
  INSTRUMENT_STATUS_NAMES,
  type InstrumentStatusName,
} from '../../core/model/enums.ts';
import type { State } from '../../core/state/state.ts';
import {
  type CallFault,
  FAULT_BODIES,
  FAULT_STATUSES,
  type FaultBody,
  type FaultStatus,
  GARBLINGS,
  type Garbling,
  type Moment,
} from '../../http/call-faults.ts';
import { type ClientSocket, PUSH_FAULTS, type PushFault } from '../../http/stream-faults.ts';
import { parseDuration } from '../../sequencer/duration.ts';
import { followedIndices } from '../../simulator/feed/price-feed.ts';
import type { Rng } from '../../simulator/rng.ts';
import { type TSchema, Type } from '../../validation/schema.ts';
import { SchemaCheck } from '../../validation/schema-check.ts';
import { type ExchangeFaults, indicesOf, type OutageKind } from './exchange-faults.ts';
import type { Filling } from './house-account.ts';
import { type Mistake, mistake, type Path, schemaMistakes } from './mistake.ts';
import { Count, Span, type When } from './when.ts';

export const WAIT_MS_MAX = 600_000;
const SKEW_MS_MAX = 86_400_000;
const RETRY_AFTER_S_MAX = 86_400;
/** The 99th part of a normal distribution lies so many deviations above its middle. */
const DEVIATIONS_TO_P99 = 2.326;

const SLOW_MS_MAX = 10_000;
const SECONDS_MAX = 86_400;
const HALF_OPEN = 'half-open';
/** The kind of `status` where it is the status of an instrument and not of an answer. */
const STATUS_OF_INSTRUMENT = 'status of an instrument';
const Name = Type.String({ minLength: 1, maxLength: 40 });
const Seconds = Type.Number({ exclusiveMinimum: 0, maximum: SECONDS_MAX });

const Milliseconds = Type.Number({ minimum: 0, maximum: WAIT_MS_MAX });
const Moments = Type.Enum(['before', 'after']);

/** The value of `do` as it was written; one of its keys names the kind. */
export type FaultAction = Readonly<Record<string, unknown>>;

/** What the check of a fault needs to know of the exchange. */
export interface FaultCheckContext {
  /** Codes of the error catalogue. */
  readonly codes: ReadonlySet<string>;
  /** The state of the running exchange; without it, names of coins and instruments are not checked. */
  readonly state?: () => State;
}

export interface FaultKind {
  readonly schema: TSchema;
  readonly expected: string;
  /** Conditions that do not fit it. */
  readonly without?: readonly (keyof When)[];
  /** What the schema does not say. */
  readonly mistakes?: (action: FaultAction, path: Path, checkContext: FaultCheckContext) => Mistake[];
  /** Its effect on one request. */
  readonly callFault?: (action: never, rng: Rng) => CallFault;
  /** Its effect on one push. */
  readonly pushFault?: (action: never) => PushFault;
  /** What it does to each socket that it is about. */
  readonly toSocket?: (action: never, socket: ClientSocket) => void;
  /** What it does to the exchange; the answer says why it could not. */
  readonly begin?: (action: never, exchange: ExchangeFaults) => Problem | Promise<Problem>;
  /** It lasts until its seconds or its time are over; this ends it. */
  readonly end?: (action: never, exchange: ExchangeFaults) => Problem | Promise<Problem>;
  /** Trades with the orders of one request. */
  readonly filling?: (action: never) => Filling;
}

type Problem = string | undefined;

interface Latency {
  readonly latency: number | { readonly p50: number; readonly p99: number };
  readonly at?: Moment;
}

export const FAULT_ACTIONS: Readonly<Record<string, FaultKind>> = {
  latency: {
    schema: Type.Object(
      {
        latency: Type.Union([Milliseconds, Type.Object({ p50: Milliseconds, p99: Milliseconds }, closed)]),
        at: Type.Optional(Moments),
      },
      closed,
    ),
    expected: `latency is milliseconds from 0 to ${WAIT_MS_MAX} or {p50, p99}; at is before or after`,
    mistakes: ({ latency }, path) => {
      const { p50, p99 } = latency as { p50?: number; p99?: number };
      if (p50 === undefined || p99 === undefined || (p50 > 0 && p99 >= p50)) return [];
      return [mistake([...path, 'latency'], 'p50 must be above 0 and p99 not below it')];
    },
    callFault: ({ latency, at = 'before' }: Latency, rng) => ({
      kind: 'latency',
      at,
      ms: typeof latency === 'number' ? latency : drawn(latency, rng),
    }),
  },
  drop: {
    schema: Type.Object({ drop: Moments }, closed),
    expected: 'drop is before (it never arrived) or after (it was carried out)',
    callFault: ({ drop: at }: { readonly drop: Moment }) => ({ kind: 'drop', at }),
  },
  status: {
    schema: Type.Object(
      {
        status: Type.Enum([...FAULT_STATUSES]),
        retryAfter: Type.Optional(Type.Integer({ minimum: 0, maximum: RETRY_AFTER_S_MAX })),
        body: Type.Optional(Type.Enum([...FAULT_BODIES])),
        at: Type.Optional(Moments),
      },
      closed,
    ),
    expected: `status is ${FAULT_STATUSES.join(', ')}; retryAfter is seconds, body ${FAULT_BODIES.join(', ')}, at before or after`,
    callFault: ({
      status,
      retryAfter,
      body = 'vendor',
      at = 'before',
    }: {
      readonly status: FaultStatus;
      readonly retryAfter?: number;
      readonly body?: FaultBody;
      readonly at?: Moment;
    }) => ({ kind: 'status', at, status, body, retryAfter }),
  },
  fill: {
    schema: Type.Object(
      {
        fill: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
        priceOffsetBps: Type.Optional(Type.Number({ minimum: -1000, maximum: 1000 })),
      },
      closed,
    ),
    expected:
      'fill is the percentage of the order that trades, above 0 to 100; priceOffsetBps is how much worse than the index a ' +
      'market order trades',
    without: ['method'],
    filling: ({ fill, priceOffsetBps = 0 }: { readonly fill: number; readonly priceOffsetBps?: number }) => ({
      percent: fill,
      priceOffsetBps,
    }),
  },
  garble: {
    schema: Type.Object({ garble: Type.Enum([...GARBLINGS]) }, closed),
    expected: `garble is ${GARBLINGS.join(', ')}`,
    callFault: ({ garble: how }: { readonly garble: Garbling }) => ({ kind: 'garble', how }),
  },
  reject: {
    schema: Type.Object(
      {
        reject: Type.String({ minLength: 1, maxLength: 10 }),
        msg: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
      },
      closed,
    ),
    expected: 'reject is a code of docs/errors.md as text, such as "25203"; msg replaces its message',
    mistakes: ({ reject }, path, { codes }) =>
      codes.has(reject as string)
        ? []
        : [mistake([...path, 'reject'], `the error catalogue has no ${JSON.stringify(reject)}`)],
    callFault: ({ reject: code, msg }: { readonly reject: string; readonly msg?: string }) => ({
      kind: 'reject',
      code,
      msg,
    }),
  },
  skew: {
    schema: Type.Object({ skew: Type.Integer({ minimum: -SKEW_MS_MAX, maximum: SKEW_MS_MAX }) }, closed),
    expected: `skew is milliseconds from -${SKEW_MS_MAX} to ${SKEW_MS_MAX}: so far the exchange's time is ahead`,
    callFault: ({ skew: ms }: { readonly skew: number }) => ({ kind: 'skew', ms }),
  },
  disconnect: {
    schema: Type.Object(
      {
        disconnect: Type.Union([Type.Integer({ minimum: 1000, maximum: 4999 }), Type.Enum([HALF_OPEN])]),
        every: Type.Optional(Span),
      },
      closed,
    ),
    expected:
      'disconnect is a close code (1000, 1001, 1006 for a reset, 1008, 1011, 1012, 1013, 3000 to 4999) or half-open; ' +
      'every is a span such as 30s',
    without: ['method', 'symbol'],
    mistakes: ({ disconnect, every }, path) => [
      ...(isCloseCode(disconnect) ? [] : [mistake([...path, 'disconnect'], 'no server sends this code')]),
      ...(every === undefined || (parseDuration(every as string) ?? 0) > 0
        ? []
        : [mistake([...path, 'every'], 'must be a span')]),
    ],
    toSocket: ({ disconnect }: { readonly disconnect: number | typeof HALF_OPEN }, socket) =>
      disconnect === HALF_OPEN ? socket.silence() : socket.end(disconnect),
  },
  push: {
    schema: Type.Object(
      {
        push: Type.Enum([...PUSH_FAULTS]),
        topic: Type.Optional(Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Za-z0-9*\\-]+$' })),
        count: Type.Optional(Count),
        ms: Type.Optional(Milliseconds),
      },
      closed,
    ),
    expected: `push is ${PUSH_FAULTS.join(', ')}; topic may hold *, count is how many pushes in a row, ms is that of a delay`,
    without: ['method', 'path'],
    mistakes: ({ push, ms }, path) =>
      (push === 'delay') === (ms !== undefined)
        ? []
        : [mistake([...path, 'ms'], push === 'delay' ? 'a delay needs it' : 'only a delay has it')],
    pushFault: ({ push: kind, ms = 0 }: { readonly push: PushFault['kind']; readonly ms?: number }) => ({
      kind,
      ms,
    }),
  },
  stale: {
    schema: Type.Object({ stale: Name, seconds: Seconds }, closed),
    expected:
      'stale is an index such as BTCUSDT or a coin such as BTC, seconds how long none of its prices arrives',
    mistakes: ({ stale }, path, { state }) =>
      state === undefined || indicesOf(state(), stale as string).length > 0
        ? []
        : [mistake([...path, 'stale'], `there is no index or coin ${JSON.stringify(stale)}`)],
    // `Faults` holds back what any of them names.
    begin: () => undefined,
    end: () => undefined,
  },
  gap: {
    schema: Type.Object(
      {
        gap: Name,
        percent: Type.Number({ exclusiveMinimum: -100, maximum: 1000 }),
        withBook: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
    expected:
      'gap is a coin such as BTC, percent how far its price jumps; withBook false leaves the quotes of makers',
    mistakes: ({ gap }, path, { state }) =>
      state === undefined || followedIndices(state()).some(({ base }) => base === gap)
        ? []
        : [mistake([...path, 'gap'], `no index has the price of ${JSON.stringify(gap)}`)],
    begin: (
      {
        gap,
        percent,
        withBook = true,
      }: { readonly gap: string; readonly percent: number; readonly withBook?: boolean },
      exchange,
    ) => exchange.gap(gap, percent, withBook),
  },
  halt: {
    schema: Type.Object({ halt: Type.Literal(true), seconds: Type.Optional(Seconds) }, closed),
    expected: 'halt is true, seconds how long; without them trading is halted until the operator resumes it',
    begin: (_action, exchange) => exchange.halt(true),
    end: (_action, exchange) => exchange.halt(false),
  },
  delist: {
    schema: Type.Object({ delist: SymbolText, category: CategoryText }, closed),
    expected: 'delist is a symbol, category that of its instrument',
    mistakes: ({ delist, category }, path, { state }) =>
      unknownInstrument(state, category, delist, [...path, 'delist']),
    begin: ({ delist, category }: { readonly delist: string; readonly category: CategoryName }, exchange) =>
      exchange.setStatus(category, delist, 'offline'),
  },
  [STATUS_OF_INSTRUMENT]: {
    schema: Type.Object({ status: StatusText, category: CategoryText, symbol: SymbolText }, closed),
    expected: `status of an instrument is ${INSTRUMENT_STATUS_NAMES.join(', ')}, with category and symbol`,
    mistakes: ({ symbol, category }, path, { state }) =>
      unknownInstrument(state, category, symbol, [...path, 'symbol']),
    begin: (
      {
        status,
        category,
        symbol,
      }: {
        readonly status: InstrumentStatusName;
        readonly category: CategoryName;
        readonly symbol: string;
      },
      exchange,
    ) => exchange.setStatus(category, symbol, status),
  },
  outage: {
    schema: Type.Object({ outage: Seconds, how: Type.Optional(Type.Enum(['clean', 'kill'])) }, closed),
    expected: 'outage is seconds of the machine; how is clean or kill',
    begin: ({ outage, how = 'clean' }: { readonly outage: number; readonly how?: OutageKind }, exchange) =>
      exchange.outage(outage, how),
  },
  'slow-disk': {
    schema: Type.Object(
      {
        'slow-disk': Type.Number({ exclusiveMinimum: 0, maximum: SLOW_MS_MAX }),
        seconds: Type.Optional(Seconds),
      },
      closed,
    ),
    expected: `slow-disk is milliseconds, at most ${SLOW_MS_MAX}, that answers wait longer; seconds is how long it lasts`,
    begin: () => undefined,
    end: () => undefined,
  },
};

/** Faults of the exchange itself: they begin at their time or at a request, and change no answer. */
export function isOfExchange(kind: string): boolean {
  return FAULT_ACTIONS[kind]!.begin !== undefined;
}

function unknownInstrument(
  state: FaultCheckContext['state'],
  category: unknown,
  symbol: unknown,
  path: Path,
): Mistake[] {
  if (state === undefined || state().instrument(category as CategoryName, symbol as string) !== undefined)
    return [];
  return [mistake(path, `there is no ${String(category)} instrument ${JSON.stringify(symbol)}`)];
}

const CLOSE_CODES: ReadonlySet<unknown> = new Set([1000, 1001, 1006, 1008, 1011, 1012, 1013, HALF_OPEN]);

function isCloseCode(code: unknown): boolean {
  return CLOSE_CODES.has(code) || (typeof code === 'number' && code >= 3000);
}

const checks = new Map(
  Object.entries(FAULT_ACTIONS).map(([name, { schema }]) => [name, new SchemaCheck(schema)]),
);

/** The schemas of all kinds, for editors. */
export const FAULT_ACTION_SCHEMAS: readonly TSchema[] = Object.values(FAULT_ACTIONS).map(
  ({ schema }) => schema,
);

/** The kind that an action names; undefined when it names none or several. */
export function kindOf(action: FaultAction): string | undefined {
  const named = Object.keys(action).filter((key) => Object.hasOwn(FAULT_ACTIONS, key));
  if (named.length !== 1) return undefined;
  return named[0] === 'status' && typeof action.status === 'string' ? STATUS_OF_INSTRUMENT : named[0];
}

export function actionMistakes(action: unknown, path: Path, checkContext: FaultCheckContext): Mistake[] {
  const kinds = Object.keys(FAULT_ACTIONS)
    .filter((kind) => kind !== STATUS_OF_INSTRUMENT)
    .join(', ');
  if (typeof action !== 'object' || action === null || Array.isArray(action))
    return [mistake(path, `must be an object with one of ${kinds}`)];
  const name = kindOf(action as FaultAction);
  if (name === undefined) return [mistake(path, `must name one of ${kinds}, and only one`)];
  const { expected, mistakes } = FAULT_ACTIONS[name]!;
  const found = schemaMistakes(checks.get(name)!, action, path);
  const all = found.length > 0 ? found : (mistakes?.(action as FaultAction, path, checkContext) ?? []);
  return all.map((each) => mistake(each.path, `${each.message}; ${expected}`));
}

/** Log-normal: half of them below the one, all but a hundredth below the other. */
function drawn({ p50, p99 }: { readonly p50: number; readonly p99: number }, rng: Rng): number {
  const deviation = Math.log(p99 / p50) / DEVIATIONS_TO_P99;
  return Math.min(WAIT_MS_MAX, p50 * Math.exp(deviation * rng.normal()));
}
