/** A fault that was added and not removed: its condition, its counts, and when it acts by itself. */
import { parseDuration } from '../../sequencer/duration.ts';
import type { Rng } from '../../simulator/rng.ts';
import { FAULT_ACTIONS, type FaultAction, isOfExchange, kindOf } from './fault-action.ts';
import type { FaultFacts, FaultView } from './faults.ts';
import { Condition, matchesTopic, type Occasion, seededRng, type When, waitsForCalls } from './when.ts';

const NOTHING: Occasion = { uid: undefined, method: undefined, path: undefined, symbols: () => [] };

export class ActiveFault {
  readonly id: string;
  readonly kind: string;
  readonly action: FaultAction;
  readonly condition: Condition;
  /** Why it could not do what it should. */
  problem: string | null;
  readonly #when: When;
  readonly #created: number;
  readonly #seed: number;
  readonly #topic: string | undefined;
  /** Pushes that it still meets, by socket and topic. */
  readonly #left = new Map<string, number>();
  #due: number | null;
  #active: boolean;

  constructor(facts: FaultFacts, uid: number | undefined, seed: number) {
    const { id, when, do: action, created, due, active, problem, seen, hits } = facts;
    this.id = id;
    this.action = action;
    this.kind = kindOf(action)!;
    this.problem = problem;
    this.#when = when;
    this.#created = created;
    this.#seed = seed;
    this.#due = due;
    this.#active = active;
    this.#topic = typeof action.topic === 'string' ? action.topic : undefined;
    const rng = seededRng(seed, id);
    const counters = { seen, hits };
    this.condition = new Condition(when, { uid, created, counters, random: (count) => rng(count).next() });
  }

  /** When it acts by itself the first time; null when it waits for requests or pushes. */
  static firstDue({ do: action, when, created }: Pick<FaultFacts, 'do' | 'when' | 'created'>): number | null {
    const kind = kindOf(action)!;
    const actsAlone = isOfExchange(kind) ? !waitsForCalls(when) : FAULT_ACTIONS[kind]!.toSocket !== undefined;
    return actsAlone ? created + (when.from === undefined ? 0 : parseDuration(when.from)!) : null;
  }

  /** It waits for requests. */
  get isOfCalls(): boolean {
    const { callFault, filling } = FAULT_ACTIONS[this.kind]!;
    return (
      callFault !== undefined ||
      filling !== undefined ||
      (isOfExchange(this.kind) && waitsForCalls(this.#when))
    );
  }

  /** It has begun and lasts. */
  get active(): boolean {
    return this.#active;
  }

  facts(): FaultFacts {
    const { id, action, problem, condition } = this;
    const { seen, hits } = condition.counters;
    const [created, due, active] = [this.#created, this.#due, this.#active];
    return { id, when: this.#when, do: action, created, due, active, problem, seen, hits };
  }

  view(nowMs: number): FaultView {
    const facts = this.facts();
    const acted = ActiveFault.firstDue(facts) !== null && facts.due === null;
    return { ...facts, over: !facts.active && (acted || this.condition.isOver(nowMs)) };
  }

  /** Random numbers of what it does, for the occasion that it has just met. */
  rng(): Rng {
    return seededRng(this.#seed, `${this.id}/do`)(this.condition.counters.seen);
  }

  /** What the clock makes of it now. */
  turn(nowMs: number): 'begin' | 'end' | undefined {
    if (this.#due === null || nowMs < this.#due) return undefined;
    if (this.#active) {
      this.#active = false;
      this.#due = null;
      return 'end';
    }
    if (this.condition.isOver(nowMs)) return undefined;
    const { every } = this.action;
    this.#due = typeof every === 'string' ? nowMs + parseDuration(every)! : null;
    if (isOfExchange(this.kind)) {
      this.condition.meets(NOTHING, nowMs);
      this.begin(nowMs);
    }
    return 'begin';
  }

  /** What lasts is active from now on, for its seconds or its time. */
  begin(nowMs: number): void {
    if (FAULT_ACTIONS[this.kind]!.end === undefined) return;
    const { seconds } = this.action;
    const { until } = this.#when;
    this.#active = true;
    if (typeof seconds === 'number') this.#due = nowMs + seconds * 1000;
    else this.#due = until === undefined ? null : this.#created + parseDuration(until)!;
  }

  /** One that it meets is followed by the rest of its count, in the same topic of the same socket. */
  meetsPush(occasion: Occasion, place: string, topic: string, nowMs: number): boolean {
    if (this.#topic !== undefined && !matchesTopic(this.#topic, topic)) return false;
    const left = this.#left.get(place) ?? 0;
    if (left > 0) {
      this.#left.set(place, left - 1);
      this.condition.counters.seen += 1;
      return true;
    }
    if (!this.condition.meets(occasion, nowMs)) return false;
    const { count = 1 } = this.action;
    if ((count as number) > 1) this.#left.set(place, (count as number) - 1);
    return true;
  }
}
