/**
 * The faults of an exchange, in order of creation; the first that a request meets counts. They outlive the state behind the
 * listeners: a revert puts back those of the snapshot, with their counts.
 */
import { AdminError } from '../../admin/admin-error.ts';
import { findUser } from '../../admin/lookup.ts';
import type { CallFault, CallFaults, IncomingCall } from '../../http/call-faults.ts';
import type { Identity } from '../../identity/identity.ts';
import { SchemaCheck } from '../../validation/schema-check.ts';
import { DEEDS, type Deed, deedMistakes, rowOf, type Surroundings } from './deed.ts';
import { type Mistake, mistake, mistakeText, type Path, schemaMistakes } from './mistake.ts';
import { Waits } from './waits.ts';
import { Condition, type Counters, seededLots, When, whenMistakes } from './when.ts';

export const FAULTS_MAX = 100;

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
  /** Of the exchange that runs now. */
  readonly identity: () => Identity;
  readonly now: () => number;
}

interface Standing {
  readonly facts: Omit<FaultFacts, keyof Counters>;
  readonly row: string;
  readonly condition: Condition;
}

const whenShape = new SchemaCheck(When);

export class Faults implements CallFaults {
  call: CallFaults['call'];
  readonly #options: FaultsOptions;
  readonly #waits = new Waits();
  #standing: readonly Standing[] = [];
  #last = 0;

  constructor(options: FaultsOptions) {
    this.#options = options;
  }

  list(): readonly FaultView[] {
    const now = this.#options.now();
    return this.#standing.map((standing) => viewOf(standing, now));
  }

  add({ when = {}, do: deed }: FaultRule): FaultView | AdminError {
    const [found] = ruleMistakes({ when, do: deed }, [], this.#options);
    if (found !== undefined) return new AdminError('invalid_request', mistakeText(found));
    if (this.#standing.length >= FAULTS_MAX)
      return new AdminError(
        'limit_reached',
        `there are ${FAULTS_MAX} faults, which is the most: remove some that are over`,
      );
    const user = when.account === undefined ? undefined : findUser(this.#options.identity(), when.account);
    if (user instanceof AdminError) return user;
    const created = this.#options.now();
    const id = `fault-${++this.#last}`;
    const standing = this.#stand({ id, when, do: deed, created, seen: 0, hits: 0 }, user?.uid);
    this.#replace([...this.#standing, standing]);
    return viewOf(standing, created);
  }

  remove(id: string): FaultView | AdminError {
    const found = this.#standing.find(({ facts }) => facts.id === id);
    if (found === undefined) {
      const known = this.#standing.map(({ facts }) => facts.id).join(', ') || 'none';
      return new AdminError('unknown_fault', `there is no fault ${JSON.stringify(id)}; there are: ${known}`);
    }
    this.#replace(this.#standing.filter((each) => each !== found));
    return viewOf(found, this.#options.now());
  }

  /** Returns how many there were. */
  removeAll(): number {
    const { length } = this.#standing;
    this.#replace([]);
    return length;
  }

  image(): FaultsImage {
    const faults = this.#standing.map(({ facts, condition }) => ({ ...facts, ...condition.counters }));
    return { last: this.#last, faults };
  }

  /** As they were at a snapshot; none where it has none. Call it when the exchange of the snapshot runs. */
  restore({ last, faults }: FaultsImage = { last: 0, faults: [] }): void {
    this.#last = last;
    this.#replace(
      faults.map((facts) => {
        const { account } = facts.when;
        const user = account === undefined ? undefined : findUser(this.#options.identity(), account);
        return this.#stand(facts, user instanceof AdminError ? undefined : user?.uid);
      }),
    );
  }

  wait(ms: number, goOn: () => void, cut: () => void): void {
    this.#waits.add(ms, goOn, cut);
  }

  /** Requests that a fault holds up end now, without an answer. */
  cutWaiting(): void {
    this.#waits.cutAll();
  }

  #stand({ seen, hits, ...facts }: FaultFacts, uid: number | undefined): Standing {
    const { id, created, when } = facts;
    const lots = seededLots(this.#options.seed, id);
    const condition = new Condition(when, {
      uid,
      created,
      counters: { seen, hits },
      lots: (count) => lots(count).next(),
    });
    return { facts, row: rowOf(facts.do)!, condition };
  }

  #replace(standing: readonly Standing[]): void {
    this.#standing = standing;
    const waitsForCalls = standing.some(({ row }) => DEEDS[row]!.ofCall !== undefined);
    this.call = waitsForCalls ? (call) => this.#meetCall(call) : undefined;
  }

  #meetCall({ method, path, apiKey, symbols }: IncomingCall): CallFault | undefined {
    const { identity, now, seed } = this.#options;
    const nowMs = now();
    const uid = apiKey === undefined ? undefined : identity().findKey(apiKey)?.user.uid;
    const occasion = { uid, method, path, symbols };
    for (const { facts, row, condition } of this.#standing) {
      const { ofCall } = DEEDS[row]!;
      if (ofCall === undefined || !condition.meets(occasion, nowMs)) continue;
      return ofCall(facts.do as never, seededLots(seed, `${facts.id}/do`)(condition.counters.seen));
    }
    return undefined;
  }
}

/** Everything that is wrong in a fault. */
export function ruleMistakes(
  { when, do: deed }: { readonly when?: unknown; readonly do: unknown },
  path: Path,
  surroundings: Surroundings,
): Mistake[] {
  const ofWhen = when === undefined ? [] : schemaMistakes(whenShape, when, [...path, 'when']);
  return [
    ...(ofWhen.length > 0 || when === undefined ? ofWhen : whenMistakes(when as When, [...path, 'when'])),
    ...(deed === undefined
      ? [mistake(path, 'do is missing')]
      : deedMistakes(deed, [...path, 'do'], surroundings)),
  ];
}

function viewOf({ facts, condition }: Standing, nowMs: number): FaultView {
  return { ...facts, ...condition.counters, over: condition.isOver(nowMs) };
}
