/** Quotes inside the spread for retail orders only (rules 1.7): one RPI order on each side, moved with the price. */
import { Side, TimeInForce } from '../../core/model/enums.ts';
import type { AgentClient } from '../agent-client.ts';
import { clamp } from '../deterministic-math.ts';
import type { InstrumentView } from '../instrument-view.ts';
import { Rng } from '../rng.ts';
import type { Agent } from './agent.ts';

/** Its distance from the middle over the half spread. */
const INSIDE = 0.5;
/** Size over the depth of the book. */
const SHARE = 0.02;
const REQUOTE_MS = 2000;
const INVENTORY_DEPTHS = 0.5;

export class RpiMaker implements Agent {
  readonly kind = 'rpi';
  readonly name: string;
  readonly uid: number;
  readonly view: InstrumentView;
  private readonly rng: Rng;
  private dueMs = 0;

  constructor(uid: number, view: InstrumentView, seed: number) {
    this.uid = uid;
    this.view = view;
    this.name = `rpi:${view.name}`;
    this.rng = new Rng(seed, this.name);
  }

  act(client: AgentClient): void {
    const { view, uid } = this;
    if (client.now < this.dueMs || !client.hasCapacity || !view.isOpen(client.now)) return;
    this.dueMs = client.now + REQUOTE_MS + this.rng.below(500);
    const { slab } = client.state;
    const slots = client.orders(uid);
    const stock =
      view.instrument.futures === undefined
        ? 0
        : client.position(uid, view) / (INVENTORY_DEPTHS * view.depthLots);
    const centre = view.quoteMidTicks - clamp(stock, -1, 1) * view.halfSpreadTicks;
    for (const side of [Side.buy, Side.sell]) {
      const off = view.halfSpreadTicks * INSIDE;
      const wanted = side === Side.buy ? view.down(centre - off) : view.up(centre + off);
      const priceTicks = this.behindOthers(side, wanted);
      if (priceTicks <= 0) continue;
      const lots = view.size(view.depthLots * SHARE, priceTicks);
      const slot = slots.find((each) => slab.side[each] === side);
      if (slot === undefined) {
        client.place({ uid, view, side, priceTicks, sizeLots: lots, timeInForce: TimeInForce.rpi });
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
      client.amend(uid, [change]);
    }
  }

  /** It must not take from normal orders. */
  private behindOthers(side: Side, ticks: number): number {
    const { tickStep } = this.view.instrument;
    const opposite = this.view.best(side === Side.buy ? Side.sell : Side.buy);
    if (opposite === 0) return ticks;
    return side === Side.buy ? Math.min(ticks, opposite - tickStep) : Math.max(ticks, opposite + tickStep);
  }
}
