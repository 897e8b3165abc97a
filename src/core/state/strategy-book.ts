/** All strategy orders that wait, and those that have been reached and wait for their turn (rules 3.4). */
import { IdHeap } from '../model/id-heap.ts';
import { STRATEGY_OID_MS, STRATEGY_OIDS_REMEMBERED } from '../model/limits.ts';
import type { StrategyOrder } from './strategy-order.ts';
import { TriggerTable } from './trigger-table.ts';

export class StrategyBook {
  readonly byId = new Map<number, StrategyOrder>();
  readonly triggers = new TriggerTable();
  /** Being submitted, first come first served: of those that were reached together the smallest id first. */
  private queue: IdHeap[] = [];
  private head = 0;
  /** Too many have fired in one command: the others wait for the next second. */
  paused = false;
  /** Client ids and when they were used, oldest first. */
  private readonly oids = new Map<string, number>();

  get hasDue(): boolean {
    return this.triggers.hasDue;
  }

  get hasQueued(): boolean {
    return this.head !== this.queue.length;
  }

  /** The id whose turn it is. Its order may have ended while it waited. */
  get next(): number | undefined {
    return this.queue[this.head]?.first();
  }

  takeNext(): void {
    const batch = this.queue[this.head]!;
    batch.takeFirst();
    if (batch.size !== 0) return;
    this.head++;
    if (this.hasQueued) return;
    this.queue = [];
    this.head = 0;
  }

  /** What was reached since the last check goes into the queue. Returns it. */
  queueDue(): IdHeap {
    const batch = new IdHeap(this.triggers.submitDue());
    if (batch.size !== 0) this.queue.push(batch);
    return batch;
  }

  /** Puts ids behind the others, in their order. */
  enqueue(ids: readonly number[]): void {
    for (let n = 0; n < ids.length; ) {
      const from = n++;
      while (n < ids.length && ids[n]! > ids[n - 1]!) n++;
      this.queue.push(new IdHeap(Float64Array.from(ids.slice(from, n))));
    }
  }

  /** Those whose turn is still to come, in their order. */
  queued(): readonly number[] {
    const ids: number[] = [];
    for (let n = this.head; n < this.queue.length; n++)
      for (const id of this.queue[n]!.ascending()) if (this.byId.has(id)) ids.push(id);
    return ids;
  }

  add(order: StrategyOrder): void {
    this.byId.set(order.id, order);
    order.enter(this.triggers);
  }

  /** It has ended. */
  remove(order: StrategyOrder): void {
    this.byId.delete(order.id);
    order.leave();
  }

  isUsed(uid: number, clientOid: string, now: number): boolean {
    const time = this.oids.get(`${uid} ${clientOid}`);
    return time !== undefined && time > now - STRATEGY_OID_MS;
  }

  remember(uid: number, clientOid: string, now: number): void {
    this.rememberKey(`${uid} ${clientOid}`, now);
    for (const [key, time] of this.oids) {
      if (time > now - STRATEGY_OID_MS && this.oids.size <= STRATEGY_OIDS_REMEMBERED) return;
      this.oids.delete(key);
    }
  }

  rememberKey(key: string, time: number): void {
    this.oids.delete(key);
    this.oids.set(key, time);
  }

  /** What a snapshot keeps of them: those that still count. */
  recentOids(now: number): [string, number][] {
    return [...this.oids].filter(([, time]) => time > now - STRATEGY_OID_MS);
  }
}
