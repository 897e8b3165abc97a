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
import { DEEDS, type Deed, deedMistakes, isOfWorld, rowOf, type Surroundings } from './deed.ts';
import type { House } from './house.ts';
import { type Mistake, mistake, mistakeText, type Path, schemaMistakes } from './mistake.ts';
import { StandingFault } from './standing-fault.ts';
import { Waits } from './waits.ts';
import { type Counters, HOW_OFTEN, When, whenMistakes } from './when.ts';
import { indicesOf, type World } from './world.ts';

export const FAULTS_MAX = 100;
/** Where orders are placed. */
const ORDER_PATHS = 'trade/place-*';

/** A fault as it is asked for. */
export interface FaultRule {
  readonly when?: When;
  readonly do: Deed;
}

export interface FaultFacts extends Readonly<Counters> {
  readonly id: string;
  readonly when: When;
  readonly do: Deed;
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

export interface FaultsOptions extends Surroundings {
  readonly seed: number;
  /** These four are of the exchange that runs now. */
  readonly identity: () => Identity;
  readonly now: () => number;
  readonly wallMs: () => number;
  readonly sockets: () => readonly ClientSocket[];
  readonly state: () => State;
  readonly world: World;
  readonly house: House;
}

/** A request that a fault has met. */
export interface MetCall {
  readonly uid: number;
  readonly fault: string;
  readonly deed: Deed;
  readonly path: string;
  /** Machine's time. */
  readonly atMs: number;
  /** Was it carried out, and its answer kept from the client? */
  readonly hidesAnswer: boolean;
}

/** Of all accounts; the oldest are forgotten. */
const MET_MAX = 1_000;

const whenShape = new SchemaCheck(When);
const NO_SYMBOLS = () => [];

export class Faults implements CallFaults, StreamFaults {
  call: CallFaults['call'];
  push: StreamFaults['push'];
  readonly #options: FaultsOptions;
  readonly #waits = new Waits();
  #standing: readonly StandingFault[] = [];
  #last = 0;
  #met: MetCall[] = [];

  constructor(options: FaultsOptions) {
    this.#options = options;
  }

  list(): readonly FaultView[] {
    const now = this.#options.now();
    return this.#standing.map((fault) => fault.view(now));
  }

  /** Answers when what happens at once has happened. */
  async add({ when = {}, do: deed }: FaultRule): Promise<FaultView | AdminError> {
    const [found] = ruleMistakes({ when, do: deed }, [], this.#options);
    if (found !== undefined) return new AdminError('invalid_request', mistakeText(found));
    if (this.#standing.length >= FAULTS_MAX)
      return new AdminError(
        'limit_reached',
        `there are ${FAULTS_MAX} faults, which is the most: remove some that are over`,
      );
    const uid = this.#uidOf(when);
    if (uid instanceof AdminError) return uid;
    const created = this.#options.now();
    const id = `fault-${++this.#last}`;
    const none = { seen: 0, hits: 0, active: false, problem: null };
    const facts = { id, when: completed(when, deed), do: deed, created, ...none };
    const due = StandingFault.firstDue(facts);
    const fault = new StandingFault({ ...facts, due }, uid, this.#options.seed);
    this.#replace([...this.#standing, fault]);
    await this.#turn(fault, created);
    return fault.view(created);
  }

  remove(id: string): FaultView | AdminError {
    const found = this.#standing.find((fault) => fault.id === id);
    if (found === undefined) {
      const known = this.#standing.map((fault) => fault.id).join(', ') || 'none';
      return new AdminError('unknown_fault', `there is no fault ${JSON.stringify(id)}; there are: ${known}`);
    }
    this.#replace(this.#standing.filter((fault) => fault !== found));
    return found.view(this.#options.now());
  }

  /** Returns how many there were. */
  removeAll(): number {
    const { length } = this.#standing;
    this.#replace([]);
    return length;
  }

  image(): FaultsImage {
    return { last: this.#last, faults: this.#standing.map((fault) => fault.facts()) };
  }

  /** As they were at a snapshot; none where it has none. Call it when the exchange of the snapshot runs. */
  restore({ last, faults }: FaultsImage = { last: 0, faults: [] }): void {
    this.#last = last;
    this.#replace(
      faults.map((facts) => {
        const uid = this.#uidOf(facts.when);
        return new StandingFault(facts, uid instanceof AdminError ? undefined : uid, this.#options.seed);
      }),
    );
  }

  /** A second of the exchange has passed: what is due happens. */
  async tick(nowMs: number): Promise<void> {
    this.#options.world.tick(nowMs);
    for (const fault of this.#standing) await this.#turn(fault, nowMs);
  }

  /** The exchange was started again: what lasts lasts there too. */
  resume(): void {
    this.#applyLasting();
  }

  /** Requests of an account that faults have met, the oldest first. */
  met(uid: number): readonly MetCall[] {
    return this.#met.filter((call) => call.uid === uid);
  }

  named(clientOids: readonly (string | undefined)[]): CallFault | undefined {
    return actingFault(clientOids, this.#options.codes, this.#options.house);
  }

  wait(ms: number, goOn: () => void, cut: () => void): void {
    this.#waits.add(ms, goOn, cut);
  }

  /** Requests that a fault holds up end now, without an answer. */
  cutWaiting(): void {
    this.#waits.cutAll();
  }

  #uidOf({ account }: When): number | undefined | AdminError {
    if (account === undefined) return undefined;
    const user = findUser(this.#options.identity(), account);
    return user instanceof AdminError ? user : user.uid;
  }

  #replace(standing: readonly StandingFault[]): void {
    this.#standing = standing;
    const ofCalls = standing.some((fault) => fault.isOfCalls);
    this.call = ofCalls ? (call) => this.#meetCall(call) : undefined;
    const ofPushes = standing.some(({ row }) => DEEDS[row]!.ofPush !== undefined);
    this.push = ofPushes ? (push) => this.#meetPush(push) : undefined;
    this.#applyLasting();
  }

  #applyLasting(): void {
    const { world, state } = this.#options;
    const deeds = this.#standing.filter(({ active }) => active).map(({ deed }) => deed);
    const stale = deeds.flatMap((deed) =>
      typeof deed.stale === 'string' ? indicesOf(state(), deed.stale) : [],
    );
    world.withhold(new Set(stale));
    const slow = deeds.map((deed) => deed['slow-disk']).filter((ms) => typeof ms === 'number');
    world.slowDisk(Math.max(0, ...slow));
  }

  #meetCall({ method, path, apiKey, symbols, kinds }: IncomingCall): CallFault | undefined {
    const { identity, now } = this.#options;
    const nowMs = now();
    const uid = apiKey === undefined ? undefined : identity().findKey(apiKey)?.user.uid;
    const occasion = { uid, method, path, symbols };
    for (const fault of this.#standing) {
      if (!fault.isOfCalls) continue;
      const { ofCall } = DEEDS[fault.row]!;
      if (kinds?.has(ofCall === undefined ? 'act' : (fault.row as CallFault['kind'])) === false) continue;
      if (!fault.condition.meets(occasion, nowMs)) continue;
      if (ofCall !== undefined) {
        const met = ofCall(fault.deed as never, fault.lots());
        if (uid !== undefined) this.#note(uid, fault, path, met);
        return met;
      }
      return { kind: 'act', around: this.#around(fault) };
    }
    return undefined;
  }

  #note(uid: number, { id, deed }: StandingFault, path: string, met: CallFault): void {
    const isAfter = 'at' in met && met.at === 'after';
    const hidesAnswer = met.kind === 'garble' || (isAfter && met.kind !== 'latency');
    if (this.#met.length === MET_MAX) this.#met.shift();
    this.#met.push({ uid, fault: id, deed, path, atMs: this.#options.wallMs(), hidesAnswer });
  }

  /** What a fault does before or after a request that it has met. */
  #around(fault: StandingFault): (CallFault & { kind: 'act' })['around'] {
    const { filling } = DEEDS[fault.row]!;
    const { house, now } = this.#options;
    return async (call, carryOut) => {
      if (filling === undefined) {
        fault.begin(now());
        await this.#act(fault, 'begin');
        return carryOut();
      }
      const wanted = filling(fault.deed as never);
      const { answer, problem } = await house.around(() => wanted, call, carryOut);
      fault.problem = problem ?? null;
      return answer;
    };
  }

  #meetPush({ connection, uid, topic, symbol }: OutgoingPush): PushFault | undefined {
    const nowMs = this.#options.now();
    const symbols = symbol === undefined ? NO_SYMBOLS : () => [symbol];
    const occasion = { uid, method: undefined, path: undefined, symbols };
    for (const fault of this.#standing) {
      const { ofPush } = DEEDS[fault.row]!;
      if (ofPush !== undefined && fault.meetsPush(occasion, `${connection} ${topic}`, topic, nowMs))
        return ofPush(fault.deed as never);
    }
    return undefined;
  }

  async #turn(fault: StandingFault, nowMs: number): Promise<void> {
    const turn = fault.turn(nowMs);
    if (turn === undefined) return;
    if (isOfWorld(fault.row)) await this.#act(fault, turn);
    else this.#actOnSockets(fault, nowMs);
  }

  async #act(fault: StandingFault, turn: 'begin' | 'end'): Promise<void> {
    this.#applyLasting();
    fault.problem = (await DEEDS[fault.row]![turn]!(fault.deed as never, this.#options.world)) ?? null;
  }

  #actOnSockets(fault: StandingFault, nowMs: number): void {
    const { toSocket } = DEEDS[fault.row]!;
    for (const socket of this.#options.sockets()) {
      const occasion = { uid: socket.uid, method: undefined, path: socket.path, symbols: NO_SYMBOLS };
      if (fault.condition.meets(occasion, nowMs)) toSocket!(fault.deed as never, socket);
    }
  }
}

/** What concerns pushes or the exchange happens once unless it says how often; a fill is for orders. */
function completed(when: When, deed: Deed): When {
  const row = rowOf(deed)!;
  const once = DEEDS[row]!.ofPush !== undefined || isOfWorld(row);
  const path = DEEDS[row]!.filling === undefined ? undefined : ORDER_PATHS;
  return {
    ...(once && HOW_OFTEN.every((field) => when[field] === undefined) && { times: 1 }),
    ...(path !== undefined && { path }),
    ...when,
  };
}

/** Everything that is wrong in a fault. */
export function ruleMistakes(
  { when, do: deed }: { readonly when?: unknown; readonly do: unknown },
  path: Path,
  surroundings: Surroundings,
): Mistake[] {
  const ofWhen = when === undefined ? [] : schemaMistakes(whenShape, when, [...path, 'when']);
  const ofDeed =
    deed === undefined ? [mistake(path, 'do is missing')] : deedMistakes(deed, [...path, 'do'], surroundings);
  if (ofWhen.length > 0 || ofDeed.length > 0 || when === undefined) return [...ofWhen, ...ofDeed];
  return [...whenMistakes(when as When, [...path, 'when']), ...unfitting(when as When, deed as Deed, path)];
}

/** Conditions that what the fault is about does not have. */
function unfitting(when: When, deed: Deed, path: Path): Mistake[] {
  const name = rowOf(deed)!;
  const { without = [] } = DEEDS[name]!;
  return without
    .filter((field) => when[field] !== undefined)
    .map((field) => mistake([...path, 'when', field], `${name} does not go by it`));
}
