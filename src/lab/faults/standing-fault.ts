/** A fault in force: its condition, its counts, and when it acts by itself. */
import { parseDuration } from '../../sequencer/duration.ts';
import type { Rng } from '../../simulator/rng.ts';
import { DEEDS, type Deed, isOfWorld, rowOf } from './deed.ts';
import type { FaultFacts, FaultView } from './faults.ts';
import { Condition, type Occasion, seededLots, topicPattern, type When, waitsForCalls } from './when.ts';

const NOTHING: Occasion = { uid: undefined, method: undefined, path: undefined, symbols: () => [] };

export class StandingFault {
  readonly id: string;
  readonly row: string;
  readonly deed: Deed;
  readonly condition: Condition;
  /** Why it could not do what it should. */
  problem: string | null;
  readonly #when: When;
  readonly #created: number;
  readonly #seed: number;
  readonly #topic: RegExp | undefined;
  /** Pushes that it still meets, by socket and topic. */
  readonly #left = new Map<string, number>();
  #due: number | null;
  #active: boolean;

  constructor(facts: FaultFacts, uid: number | undefined, seed: number) {
    const { id, when, do: deed, created, due, active, problem, seen, hits } = facts;
    this.id = id;
    this.deed = deed;
    this.row = rowOf(deed)!;
    this.problem = problem;
    this.#when = when;
    this.#created = created;
    this.#seed = seed;
    this.#due = due;
    this.#active = active;
    this.#topic = typeof deed.topic === 'string' ? topicPattern(deed.topic) : undefined;
    const lots = seededLots(seed, id);
    const counters = { seen, hits };
    this.condition = new Condition(when, { uid, created, counters, lots: (count) => lots(count).next() });
  }

  /** When it acts by itself the first time; null when it waits for requests or pushes. */
  static firstDue({ do: deed, when, created }: Pick<FaultFacts, 'do' | 'when' | 'created'>): number | null {
    const row = rowOf(deed)!;
    const actsAlone = isOfWorld(row) ? !waitsForCalls(when) : DEEDS[row]!.toSocket !== undefined;
    return actsAlone ? created + (when.from === undefined ? 0 : parseDuration(when.from)!) : null;
  }

  /** It waits for requests. */
  get isOfCalls(): boolean {
    const { ofCall, filling } = DEEDS[this.row]!;
    return (
      ofCall !== undefined || filling !== undefined || (isOfWorld(this.row) && waitsForCalls(this.#when))
    );
  }

  /** It has begun and lasts. */
  get active(): boolean {
    return this.#active;
  }

  facts(): FaultFacts {
    const { id, deed, problem, condition } = this;
    const { seen, hits } = condition.counters;
    const [created, due, active] = [this.#created, this.#due, this.#active];
    return { id, when: this.#when, do: deed, created, due, active, problem, seen, hits };
  }

  view(nowMs: number): FaultView {
    const facts = this.facts();
    const acted = StandingFault.firstDue(facts) !== null && facts.due === null;
    return { ...facts, over: !facts.active && (acted || this.condition.isOver(nowMs)) };
  }

  /** Lots of what it does, for the occasion that it has just met. */
  lots(): Rng {
    return seededLots(this.#seed, `${this.id}/do`)(this.condition.counters.seen);
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
    const { every } = this.deed;
    this.#due = typeof every === 'string' ? nowMs + parseDuration(every)! : null;
    if (isOfWorld(this.row)) {
      this.condition.meets(NOTHING, nowMs);
      this.begin(nowMs);
    }
    return 'begin';
  }

  /** What lasts is active from now on, for its seconds or its time. */
  begin(nowMs: number): void {
    if (DEEDS[this.row]!.end === undefined) return;
    const { seconds } = this.deed;
    const { until } = this.#when;
    this.#active = true;
    if (typeof seconds === 'number') this.#due = nowMs + seconds * 1000;
    else this.#due = until === undefined ? null : this.#created + parseDuration(until)!;
  }

  /** One that it meets is followed by the rest of its count, in the same topic of the same socket. */
  meetsPush(occasion: Occasion, place: string, topic: string, nowMs: number): boolean {
    if (this.#topic?.test(topic) === false) return false;
    const left = this.#left.get(place) ?? 0;
    if (left > 0) {
      this.#left.set(place, left - 1);
      this.condition.counters.seen += 1;
      return true;
    }
    if (!this.condition.meets(occasion, nowMs)) return false;
    const { count = 1 } = this.deed;
    if ((count as number) > 1) this.#left.set(place, (count as number) - 1);
    return true;
  }
}
