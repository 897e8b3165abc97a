/** A fault in force: its condition, its counts, and when it acts by itself. */
import { parseDuration } from '../../sequencer/duration.ts';
import type { Rng } from '../../simulator/rng.ts';
import { DEEDS, type Deed, rowOf } from './deed.ts';
import type { FaultFacts, FaultView } from './faults.ts';
import { Condition, type Occasion, seededLots, topicPattern, type When } from './when.ts';

export class StandingFault {
  readonly id: string;
  readonly row: string;
  readonly deed: Deed;
  readonly condition: Condition;
  readonly #when: When;
  readonly #created: number;
  readonly #seed: number;
  readonly #topic: RegExp | undefined;
  /** Pushes that it still meets, by socket and topic. */
  readonly #left = new Map<string, number>();
  #due: number | null;

  constructor(
    { id, when, do: deed, created, due, seen, hits }: FaultFacts,
    uid: number | undefined,
    seed: number,
  ) {
    this.id = id;
    this.deed = deed;
    this.row = rowOf(deed)!;
    this.#when = when;
    this.#created = created;
    this.#seed = seed;
    this.#due = due;
    this.#topic = typeof deed.topic === 'string' ? topicPattern(deed.topic) : undefined;
    const lots = seededLots(seed, id);
    const counters = { seen, hits };
    this.condition = new Condition(when, { uid, created, counters, lots: (count) => lots(count).next() });
  }

  /** When it acts by itself the first time; null when it waits for requests or pushes. */
  static firstDue({ do: deed, when, created }: Pick<FaultFacts, 'do' | 'when' | 'created'>): number | null {
    if (DEEDS[rowOf(deed)!]!.toSocket === undefined) return null;
    return created + (when.from === undefined ? 0 : parseDuration(when.from)!);
  }

  facts(): FaultFacts {
    const { id, deed, condition } = this;
    const { seen, hits } = condition.counters;
    return { id, when: this.#when, do: deed, created: this.#created, due: this.#due, seen, hits };
  }

  view(nowMs: number): FaultView {
    const acted = StandingFault.firstDue(this.facts()) !== null && this.#due === null;
    return { ...this.facts(), over: acted || this.condition.isOver(nowMs) };
  }

  /** Lots of what it does, for the occasion that it has just met. */
  lots(): Rng {
    return seededLots(this.#seed, `${this.id}/do`)(this.condition.counters.seen);
  }

  /** True when it is due now; the next time is set. */
  takeTurn(nowMs: number): boolean {
    if (this.#due === null || nowMs < this.#due || this.condition.isOver(nowMs)) return false;
    const { every } = this.deed;
    this.#due = typeof every === 'string' ? nowMs + parseDuration(every)! : null;
    return true;
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
