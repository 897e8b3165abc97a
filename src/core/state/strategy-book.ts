/** All strategy orders that wait, and those that have been reached and wait for their turn (rules 3.4). */
import { StrategyStatus } from '../model/enums.ts';
import { STRATEGY_OID_MS, STRATEGY_OIDS_REMEMBERED } from '../model/limits.ts';
import type { StrategyOrder } from './strategy-order.ts';

export class StrategyBook {
  readonly byId = new Map<number, StrategyOrder>();
  /** Reached since the last check, each once; they go into the queue together, in ascending id. */
  readonly due: StrategyOrder[] = [];
  /** Being submitted, first come first served; those before `head` have been. */
  private queue: StrategyOrder[] = [];
  private head = 0;
  /** Too many have fired in one command: the others wait for the next second. */
  paused = false;
  /** Client ids and when they were used, oldest first. */
  private readonly oids = new Map<string, number>();

  readonly hit = (order: StrategyOrder, bit: number): void => {
    if (order.hits === 0) this.due.push(order);
    order.hits |= bit;
  };

  get hasQueued(): boolean {
    return this.head !== this.queue.length;
  }

  /** The order whose turn it is. It may have been cancelled while it waited. */
  get next(): StrategyOrder | undefined {
    return this.queue[this.head];
  }

  takeNext(): void {
    this.head++;
    if (this.hasQueued) return;
    this.queue = [];
    this.head = 0;
  }

  enqueue(orders: readonly StrategyOrder[]): void {
    for (const order of orders) this.queue.push(order);
  }

  /** Those whose turn is still to come, in their order. */
  queued(): readonly StrategyOrder[] {
    return this.queue.slice(this.head).filter((order) => this.byId.get(order.id) === order);
  }

  /** It has ended; of those that are due one ends only in a halt, or while others wait for their turn. */
  remove(order: StrategyOrder): void {
    this.byId.delete(order.id);
    if (order.hits === 0 || order.status !== StrategyStatus.pending) return;
    const place = this.due.indexOf(order);
    if (place >= 0) this.due.splice(place, 1);
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
