/** Quotes inside the spread for retail orders only (rules 1.7): one RPI order on each side, moved with the price. */
import { Side, TimeInForce } from '../../core/model/enums.ts';
import type { Desk } from '../instrument-view.ts';
import { Dice } from '../rng.ts';
import type { Floor } from '../agent-client.ts';
import { clamp } from '../deterministic-math.ts';
import type { Agent } from './agent.ts';

/** Its distance from the middle over the half spread. */
const INSIDE = 0.5;
/** Size over the depth of the book. */
const SHARE = 0.02;
const REQUOTE_MS = 2000;
const STOCK_DEPTHS = 0.5;

export class RpiMaker implements Agent {
  readonly kind = 'rpi';
  readonly name: string;
  readonly uid: number;
  readonly desk: Desk;
  private readonly dice: Dice;
  private dueMs = 0;

  constructor(uid: number, desk: Desk, seed: number) {
    this.uid = uid;
    this.desk = desk;
    this.name = `rpi:${desk.name}`;
    this.dice = new Dice(seed, this.name);
  }

  act(floor: Floor): void {
    const { desk, uid } = this;
    if (floor.now < this.dueMs || !floor.hasRoom || !desk.isOpen(floor.now)) return;
    this.dueMs = floor.now + REQUOTE_MS + this.dice.below(500);
    const { slab } = floor.state;
    const slots = floor.orders(uid);
    const stock =
      desk.instrument.futures === undefined ? 0 : floor.position(uid, desk) / (STOCK_DEPTHS * desk.depthLots);
    const centre = desk.centreTicks - clamp(stock, -1, 1) * desk.halfSpreadTicks;
    for (const side of [Side.buy, Side.sell]) {
      const off = desk.halfSpreadTicks * INSIDE;
      const wanted = side === Side.buy ? desk.down(centre - off) : desk.up(centre + off);
      const priceTicks = this.behindOthers(side, wanted);
      if (priceTicks <= 0) continue;
      const lots = desk.size(desk.depthLots * SHARE, priceTicks);
      const slot = slots.find((each) => slab.side[each] === side);
      if (slot === undefined) {
        floor.place({ uid, desk, side, priceTicks, sizeLots: lots, timeInForce: TimeInForce.rpi });
        continue;
      }
      const moved = slab.price[slot] !== priceTicks;
      const small = slab.remaining[slot]! < lots / 2;
      if (!moved && !small) continue;
      const change = {
        orderId: slab.id[slot]!,
        priceTicks: moved ? priceTicks : 0,
        sizeLots: small ? slab.filled(slot) + lots : 0,
        autoCancel: true,
      };
      floor.amend(uid, [change]);
    }
  }

  /** It must not take from normal orders. */
  private behindOthers(side: Side, ticks: number): number {
    const { tickStep } = this.desk.instrument;
    const opposite = this.desk.best(side === Side.buy ? Side.sell : Side.buy);
    if (opposite === 0) return ticks;
    return side === Side.buy ? Math.min(ticks, opposite - tickStep) : Math.max(ticks, opposite + tickStep);
  }
}
