/**
 * The triggers of all strategy orders in columns. One price may reach tens of thousands at once: what that changes is a few
 * numbers of each, side by side, and an order itself is looked at when its turn comes. An owner, a strategy order or a group
 * of trailing orders, has a seat, and a seat has two triggers.
 */
import type { TriggerLadder } from './trigger-ladder.ts';

export const NO_TRIGGER = -1;
export const NO_SEAT = -1;
const TRIGGERS_PER_SEAT = 2;
/** Instead of the id of an order: the seat is that of a group of trailing orders, or free. */
export const NO_ORDER = 0;

/** What a price does that is more than to reach a condition of an order. */
export type OnReach = (ticks: number) => void;

/** Bits of `reached`: conditions that have held since the record was last checked. */
export const HIT_TAKE_PROFIT = 1;
export const HIT_STOP_LOSS = 2;
export const HIT_TRIGGER = 4;
export const HITS = HIT_TAKE_PROFIT | HIT_STOP_LOSS | HIT_TRIGGER;
/** It has gone into the queue. */
export const SUBMITTING = 8;
/** The seat is in `due`. */
const DUE = 16;
/** Its order has ended there: the seat is given back when `due` is gone through. */
const GONE = 32;

const FIRST_SEATS = 64;
/** As in the slab of orders: from here on there is room for a million at once, and nobody waits until seats are copied. */
const LARGE_FROM = 2 ** 15;
const LARGE = 2 ** 20;

/** A trigger of a seat: the first or the second. */
export function triggerOf(seat: number, n: 0 | 1): number {
  return TRIGGERS_PER_SEAT * seat + n;
}

export class TriggerTable {
  /** By trigger: its neighbours in its level, its level, its ladder or -1, and the bit that it sets, 0 for a callback. */
  next = new Int32Array(0);
  previous = new Int32Array(0);
  level = new Int32Array(0);
  private ladder = new Int32Array(0);
  private bit = new Uint8Array(0);
  /** By seat: id of the order, and what has been reached. */
  private ids = new Float64Array(0);
  private reached = new Uint8Array(0);
  private readonly callbacks = new Map<number, OnReach>();
  private readonly ladders: TriggerLadder[] = [];
  private capacity = 0;
  private used = 0;
  /** Free seats below `used`, chained through `next`. */
  private freeSeat = NO_SEAT;
  /** Seats of orders that were reached since the last check, each once. */
  private due: number[] = [];

  /** A ladder of this table; returns its number. */
  enter(ladder: TriggerLadder): number {
    return this.ladders.push(ladder) - 1;
  }

  takeSeat(id: number, reached: number): number {
    let seat = this.freeSeat;
    if (seat !== NO_SEAT) this.freeSeat = this.next[triggerOf(seat, 0)]!;
    else {
      if (this.used === this.capacity) this.grow();
      seat = this.used++;
    }
    this.ids[seat] = id;
    this.reached[seat] = reached;
    // It comes from a snapshot, and has waited for the end of a halt or a pause.
    if ((reached & HITS) !== 0 && (reached & SUBMITTING) === 0) this.reach(seat, 0);
    this.ladder[triggerOf(seat, 0)] = NO_TRIGGER;
    this.ladder[triggerOf(seat, 1)] = NO_TRIGGER;
    return seat;
  }

  /** Its triggers are not set any more. */
  giveBack(seat: number): void {
    this.ids[seat] = NO_ORDER;
    if ((this.reached[seat]! & DUE) !== 0) {
      this.reached[seat]! |= GONE;
      return;
    }
    this.next[triggerOf(seat, 0)] = this.freeSeat;
    this.freeSeat = seat;
  }

  reachedOf(seat: number): number {
    return this.reached[seat]! & (HITS | SUBMITTING);
  }

  /** Sets a trigger that reaches a condition. */
  set(trigger: number, ladder: TriggerLadder, ticks: number, bit: number): void {
    this.bit[trigger] = bit;
    this.ladder[trigger] = ladder.number;
    ladder.add(trigger, ticks);
  }

  /** Sets a trigger that calls back. */
  setCallback(trigger: number, ladder: TriggerLadder, ticks: number, callback: OnReach): void {
    this.callbacks.set(trigger, callback);
    this.set(trigger, ladder, ticks, 0);
  }

  /** Removes it from its ladder, if it is set. */
  unset(trigger: number): void {
    const ladder = this.ladder[trigger]!;
    if (ladder === NO_TRIGGER) return;
    this.ladder[trigger] = NO_TRIGGER;
    if (this.bit[trigger] === 0) this.callbacks.delete(trigger);
    this.ladders[ladder]!.remove(trigger);
  }

  clear(seat: number): void {
    this.unset(triggerOf(seat, 0));
    this.unset(triggerOf(seat, 1));
  }

  /** Fires the triggers of levels that have left their ladder, given by the first of each. */
  fire(heads: readonly number[], ticks: number): void {
    const { next, ladder, bit } = this;
    const called: OnReach[] = [];
    for (const head of heads) {
      for (let trigger = head; trigger !== NO_TRIGGER; trigger = next[trigger]!) {
        ladder[trigger] = NO_TRIGGER;
        if (bit[trigger] !== 0) this.reach(Math.trunc(trigger / TRIGGERS_PER_SEAT), bit[trigger]!);
        else {
          called.push(this.callbacks.get(trigger)!);
          this.callbacks.delete(trigger);
        }
      }
    }
    // They set other triggers.
    for (const callback of called) callback(ticks);
  }

  /** A condition of the order in this seat has been reached. */
  reach(seat: number, bit: number): void {
    const before = this.reached[seat]!;
    if ((before & DUE) === 0) this.due.push(seat);
    this.reached[seat] = before | bit | DUE;
  }

  get hasDue(): boolean {
    return this.due.length !== 0;
  }

  /** How many orders have a seat. Looks at all: only checks of the state ask. */
  countOrders(): number {
    return this.ids.reduce((count, id) => (id === NO_ORDER ? count : count + 1), 0);
  }

  /** Ids of all orders that are due, in no order. They are being submitted from now on, and no other condition counts. */
  submitDue(): Float64Array {
    const ids = new Float64Array(this.due.length);
    let count = 0;
    for (const seat of this.due) {
      const isGone = (this.reached[seat]! & GONE) !== 0;
      this.reached[seat] = (this.reached[seat]! & HITS) | SUBMITTING;
      if (isGone) this.giveBack(seat);
      else {
        this.clear(seat);
        ids[count++] = this.ids[seat]!;
      }
    }
    this.due = [];
    return ids.subarray(0, count);
  }

  private grow(): void {
    const { capacity } = this;
    this.capacity = capacity >= LARGE_FROM && capacity < LARGE ? LARGE : Math.max(FIRST_SEATS, 2 * capacity);
    const triggers = TRIGGERS_PER_SEAT * this.capacity;
    this.next = copied(this.next, new Int32Array(triggers));
    this.previous = copied(this.previous, new Int32Array(triggers));
    this.level = copied(this.level, new Int32Array(triggers));
    this.ladder = copied(this.ladder, new Int32Array(triggers));
    this.bit = copied(this.bit, new Uint8Array(triggers));
    this.ids = copied(this.ids, new Float64Array(this.capacity));
    this.reached = copied(this.reached, new Uint8Array(this.capacity));
  }
}

function copied<T extends Int32Array | Uint8Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
