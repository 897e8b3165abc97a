/**
 * The faults of an exchange, in order of creation; the first that a request meets counts. They outlive the state behind the
 * listeners: a revert puts back those of the snapshot, with their counts.
 */
import { AdminError } from '../../admin/admin-error.ts';
import { findUser } from '../../admin/lookup.ts';
import type { State } from '../../core/state/state.ts';
import type { CallFault, CallFaults, IncomingCall } from '../../http/call-faults.ts';
import type { ClientSocket, OutgoingPush, PushFault, StreamFaults } from '../../http/stream-faults.ts';
import type { Identity } from '../../identity/identity.ts';
import { SchemaCheck } from '../../validation/schema-check.ts';
import { actingFault } from './acting-ids.ts';
import { ActiveFault } from './active-fault.ts';
import { type ExchangeFaults, indicesOf } from './exchange-faults.ts';
import {
  actionMistakes,
  FAULT_ACTIONS,
  type FaultAction,
  type FaultCheckContext,
  isOfExchange,
  kindOf,
} from './fault-action.ts';
import type { HouseAccount } from './house-account.ts';
import { type Mistake, mistake, mistakeText, type Path, schemaMistakes } from './mistake.ts';
import { Waits } from './waits.ts';
import { type Counters, HOW_OFTEN, When, whenMistakes } from './when.ts';

export const FAULTS_MAX = 100;
/** Where orders are placed. */
const ORDER_PATHS = 'trade/place-*';

/** A fault as it is asked for. */
export interface FaultRule {
  readonly when?: When;
  readonly do: FaultAction;
}

export interface FaultFacts extends Readonly<Counters> {
  readonly id: string;
  readonly when: When;
  readonly do: FaultAction;
  /** The exchange's time at which it was made; `from` and `until` count from it. */
  readonly created: number;
  /** When it acts by itself the next time, or ends; null when it does not. */
  readonly due: number | null;
  /** It has begun and lasts. */
  readonly active: boolean;
  /** Why it could not do what it should; null while it could. */
  readonly problem: string | null;
}

export interface FaultView extends FaultFacts {
  /** It will not happen again. */
  readonly over: boolean;
}

/** All of them, as a snapshot keeps them. */
export interface FaultsImage {
  /** The number of the last one that was made. */
  readonly last: number;
  readonly faults: readonly FaultFacts[];
}

export interface FaultsOptions extends FaultCheckContext {
  readonly seed: number;
  /** These four are of the exchange that runs now. */
  readonly identity: () => Identity;
  readonly now: () => number;
  readonly wallMs: () => number;
  readonly sockets: () => readonly ClientSocket[];
  readonly state: () => State;
  readonly exchange: ExchangeFaults;
  readonly house: HouseAccount;
}

/** A request that a fault has hit. */
export interface HitCall {
  readonly uid: number;
  readonly fault: string;
  readonly action: FaultAction;
  readonly path: string;
  /** Machine's time. */
  readonly atMs: number;
  /** Was it carried out, and its answer kept from the client? */
  readonly hidesAnswer: boolean;
}

/** Hits of all accounts that are kept; the oldest are forgotten. */
const HITS_MAX = 1_000;

const whenShape = new SchemaCheck(When);
const NO_SYMBOLS = () => [];

export class Faults implements CallFaults, StreamFaults {
  call: CallFaults['call'];
  push: StreamFaults['push'];
  readonly #options: FaultsOptions;
  readonly #waits = new Waits();
  #faults: readonly ActiveFault[] = [];
  #last = 0;
  #hits: HitCall[] = [];

  constructor(options: FaultsOptions) {
    this.#options = options;
  }

  list(): readonly FaultView[] {
    const now = this.#options.now();
    return this.#faults.map((fault) => fault.view(now));
  }

  /** Answers when what happens at once has happened. */
  async add({ when = {}, do: action }: FaultRule): Promise<FaultView | AdminError> {
    const [found] = ruleMistakes({ when, do: action }, [], this.#options);
    if (found !== undefined) return new AdminError('invalid_request', mistakeText(found));
    if (this.#faults.length >= FAULTS_MAX)
      return new AdminError(
        'limit_reached',
        `there are ${FAULTS_MAX} faults, which is the most: remove some that are over`,
      );
    const uid = this.#uidOf(when);
    if (uid instanceof AdminError) return uid;
    const created = this.#options.now();
    const id = `fault-${++this.#last}`;
    const none = { seen: 0, hits: 0, active: false, problem: null };
    const facts = { id, when: completed(when, action), do: action, created, ...none };
    const due = ActiveFault.firstDue(facts);
    const fault = new ActiveFault({ ...facts, due }, uid, this.#options.seed);
    this.#replace([...this.#faults, fault]);
    await this.#turn(fault, created);
    return fault.view(created);
  }

  remove(id: string): FaultView | AdminError {
    const found = this.#faults.find((fault) => fault.id === id);
    if (found === undefined) {
      const known = this.#faults.map((fault) => fault.id).join(', ') || 'none';
      return new AdminError('unknown_fault', `there is no fault ${JSON.stringify(id)}; there are: ${known}`);
    }
    this.#replace(this.#faults.filter((fault) => fault !== found));
    return found.view(this.#options.now());
  }

  /** Returns how many there were. */
  removeAll(): number {
    const { length } = this.#faults;
    this.#replace([]);
    return length;
  }

  image(): FaultsImage {
    return { last: this.#last, faults: this.#faults.map((fault) => fault.facts()) };
  }

  /** As they were at a snapshot; none where it has none. Call it when the exchange of the snapshot runs. */
  restore({ last, faults }: FaultsImage = { last: 0, faults: [] }): void {
    this.#last = last;
    this.#replace(
      faults.map((facts) => {
        const uid = this.#uidOf(facts.when);
        return new ActiveFault(facts, uid instanceof AdminError ? undefined : uid, this.#options.seed);
      }),
    );
  }

  /** A second of the exchange has passed: what is due happens. */
  async tick(nowMs: number): Promise<void> {
    this.#options.exchange.tick(nowMs);
    // A revert may have put others in their place while one was acting.
    for (const fault of this.#faults) if (this.#faults.includes(fault)) await this.#turn(fault, nowMs);
  }

  /** The exchange was started again: what lasts lasts there too. */
  resume(): void {
    this.#applyLasting();
  }

  /** Requests of an account that faults have hit, the oldest first. */
  hits(uid: number): readonly HitCall[] {
    return this.#hits.filter((call) => call.uid === uid);
  }

  named(clientOids: readonly (string | undefined)[]): CallFault | undefined {
    return actingFault(clientOids, this.#options.codes, this.#options.house);
  }

  wait(ms: number, goOn: () => void, cut: () => void): void {
    this.#waits.add(ms, goOn, cut);
  }

  /** Requests that a fault holds up end now, without an answer. */
  abortDelayed(): void {
    this.#waits.cutAll();
  }

  #uidOf({ account }: When): number | undefined | AdminError {
    if (account === undefined) return undefined;
    const user = findUser(this.#options.identity(), account);
    return user instanceof AdminError ? user : user.uid;
  }

  #replace(faults: readonly ActiveFault[]): void {
    this.#faults = faults;
    const ofCalls = faults.some((fault) => fault.isOfCalls);
    this.call = ofCalls ? (call) => this.#meetCall(call) : undefined;
    const hasPushFaults = faults.some(({ kind }) => FAULT_ACTIONS[kind]!.pushFault !== undefined);
    this.push = hasPushFaults ? (push) => this.#meetPush(push) : undefined;
    this.#applyLasting();
  }

  #applyLasting(): void {
    const { exchange, state } = this.#options;
    const actions = this.#faults.filter(({ active }) => active).map(({ action }) => action);
    const stale = actions.flatMap((action) =>
      typeof action.stale === 'string' ? indicesOf(state(), action.stale) : [],
    );
    exchange.withhold(new Set(stale));
    const slow = actions.map((action) => action['slow-disk']).filter((ms) => typeof ms === 'number');
    exchange.slowDisk(Math.max(0, ...slow));
  }

  #meetCall({ method, path, apiKey, symbols, kinds }: IncomingCall): CallFault | undefined {
    const { identity, now } = this.#options;
    const nowMs = now();
    const uid = apiKey === undefined ? undefined : identity().findKey(apiKey)?.user.uid;
    const occasion = { uid, method, path, symbols };
    for (const fault of this.#faults) {
      if (!fault.isOfCalls) continue;
      const { callFault } = FAULT_ACTIONS[fault.kind]!;
      if (kinds?.has(callFault === undefined ? 'act' : (fault.kind as CallFault['kind'])) === false) continue;
      if (!fault.condition.meets(occasion, nowMs)) continue;
      if (callFault !== undefined) {
        const effect = callFault(fault.action as never, fault.rng());
        if (uid !== undefined) this.#note(uid, fault, path, effect);
        return effect;
      }
      return { kind: 'act', around: this.#around(fault) };
    }
    return undefined;
  }

  #note(uid: number, { id, action }: ActiveFault, path: string, effect: CallFault): void {
    const isAfter = 'at' in effect && effect.at === 'after';
    const hidesAnswer = effect.kind === 'garble' || (isAfter && effect.kind !== 'latency');
    if (this.#hits.length === HITS_MAX) this.#hits.shift();
    this.#hits.push({ uid, fault: id, action, path, atMs: this.#options.wallMs(), hidesAnswer });
  }

  /** What a fault does before or after a request that it has met. */
  #around(fault: ActiveFault): (CallFault & { kind: 'act' })['around'] {
    const { filling } = FAULT_ACTIONS[fault.kind]!;
    const { house, now } = this.#options;
    return async (call, runHandler) => {
      if (filling === undefined) {
        fault.begin(now());
        await this.#act(fault, 'begin');
        return runHandler();
      }
      const wanted = filling(fault.action as never);
      const { answer, problem } = await house.around(() => wanted, call, runHandler);
      fault.problem = problem ?? null;
      return answer;
    };
  }

  #meetPush({ connection, uid, topic, symbol }: OutgoingPush): PushFault | undefined {
    const nowMs = this.#options.now();
    const symbols = symbol === undefined ? NO_SYMBOLS : () => [symbol];
    const occasion = { uid, method: undefined, path: undefined, symbols };
    for (const fault of this.#faults) {
      const { pushFault } = FAULT_ACTIONS[fault.kind]!;
      if (pushFault !== undefined && fault.meetsPush(occasion, `${connection} ${topic}`, topic, nowMs))
        return pushFault(fault.action as never);
    }
    return undefined;
  }

  async #turn(fault: ActiveFault, nowMs: number): Promise<void> {
    const turn = fault.turn(nowMs);
    if (turn === undefined) return;
    if (isOfExchange(fault.kind)) await this.#act(fault, turn);
    else this.#actOnSockets(fault, nowMs);
  }

  async #act(fault: ActiveFault, turn: 'begin' | 'end'): Promise<void> {
    this.#applyLasting();
    fault.problem =
      (await FAULT_ACTIONS[fault.kind]![turn]!(fault.action as never, this.#options.exchange)) ?? null;
  }

  #actOnSockets(fault: ActiveFault, nowMs: number): void {
    const { toSocket } = FAULT_ACTIONS[fault.kind]!;
    for (const socket of this.#options.sockets()) {
      const occasion = { uid: socket.uid, method: undefined, path: socket.path, symbols: NO_SYMBOLS };
      if (fault.condition.meets(occasion, nowMs)) toSocket!(fault.action as never, socket);
    }
  }
}

/** What concerns pushes or the exchange happens once unless it says how often; a fill is for orders. */
function completed(when: When, action: FaultAction): When {
  const kind = kindOf(action)!;
  const once = FAULT_ACTIONS[kind]!.pushFault !== undefined || isOfExchange(kind);
  const path = FAULT_ACTIONS[kind]!.filling === undefined ? undefined : ORDER_PATHS;
  return {
    ...(once && HOW_OFTEN.every((field) => when[field] === undefined) && { times: 1 }),
    ...(path !== undefined && { path }),
    ...when,
  };
}

/** Everything that is wrong in a fault. */
export function ruleMistakes(
  { when, do: action }: { readonly when?: unknown; readonly do: unknown },
  path: Path,
  checkContext: FaultCheckContext,
): Mistake[] {
  const ofWhen = when === undefined ? [] : schemaMistakes(whenShape, when, [...path, 'when']);
  const ofAction =
    action === undefined
      ? [mistake(path, 'do is missing')]
      : actionMistakes(action, [...path, 'do'], checkContext);
  if (ofWhen.length > 0 || ofAction.length > 0 || when === undefined) return [...ofWhen, ...ofAction];
  return [
    ...whenMistakes(when as When, [...path, 'when']),
    ...unfitting(when as When, action as FaultAction, path),
  ];
}

/** Conditions that what the fault is about does not have. */
function unfitting(when: When, action: FaultAction, path: Path): Mistake[] {
  const name = kindOf(action)!;
  const { without = [] } = FAULT_ACTIONS[name]!;
  return without
    .filter((field) => when[field] !== undefined)
    .map((field) => mistake([...path, 'when', field], `${name} does not go by it`));
}
