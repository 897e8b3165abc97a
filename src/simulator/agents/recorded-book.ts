/**
 * The recorded depth of one book, kept up by true orders of a house account: at each step what the file no longer has is withdrawn
 * and what is missing is added, behind whoever waits at the price. A level that shrinks loses its youngest orders, so that an
 * order of a user keeps its place. Recorded trades, where the file has them, are taken by a second account from this book.
 */
import { Side, TimeInForce } from '../../core/model/enums.ts';
import type { AgentClient } from '../agent-client.ts';
import type { InstrumentView } from '../instrument-view.ts';
import type { Levels } from '../recording/formats.ts';

/** Lots by price, of one side. */
type Depth = Map<number, number>;

interface Quote {
  readonly id: number;
  readonly filled: number;
  readonly lots: number;
}

export class RecordedBook {
  readonly #uid: number;
  readonly #view: InstrumentView;
  #wanted: Readonly<Record<Side, Depth>> = { [Side.buy]: new Map(), [Side.sell]: new Map() };

  constructor(uid: number, view: InstrumentView) {
    this.#uid = uid;
    this.#view = view;
  }

  /** What the file has from now on. */
  set(levels: Levels): void {
    const depth: Record<Side, Depth> = { [Side.buy]: new Map(), [Side.sell]: new Map() };
    for (let level = 0; level < levels.values.length / 2; level++) {
      const side = level < levels.bids ? Side.buy : Side.sell;
      const ticks = this.#ticks(levels.values[2 * level]!, side);
      const lots = this.#lots(levels.values[2 * level + 1]!);
      depth[side].set(ticks, (depth[side].get(ticks) ?? 0) + lots);
    }
    this.#wanted = depth;
  }

  /** Withdraws first, so that the account never meets itself. */
  correct(client: AgentClient): void {
    const missing: { side: Side; ticks: number; lots: number }[] = [];
    for (const side of [Side.buy, Side.sell] as const) {
      const held = this.#held(client, side);
      const wanted = this.#wanted[side];
      for (const [ticks, orders] of held) this.#shrink(client, orders, wanted.get(ticks) ?? 0);
      for (const [ticks, lots] of wanted) {
        const there = (held.get(ticks) ?? []).reduce((sum, order) => sum + order.lots, 0);
        if (lots > there) missing.push({ side, ticks, lots: lots - there });
      }
    }
    for (const { side, ticks, lots } of missing) this.#add(client, side, ticks, lots);
  }

  /** Orders of the account by price, oldest first. */
  #held(client: AgentClient, side: Side): Map<number, Quote[]> {
    const { slab, instruments } = client.state;
    const held = new Map<number, Quote[]>();
    for (const slot of client.orders(this.#uid)) {
      if (instruments[slab.instrument[slot]!]!.book !== this.#view.instrument.book) continue;
      if (slab.side[slot] !== side) continue;
      const ticks = slab.price[slot]!;
      const orders = held.get(ticks) ?? [];
      const lots = slab.remaining[slot]!;
      orders.push({ id: slab.id[slot]!, filled: slab.size[slot]! - lots, lots });
      held.set(ticks, orders);
    }
    return held;
  }

  /** The youngest go first; one that is partly left is made smaller, which keeps its place. */
  #shrink(client: AgentClient, orders: Quote[], wanted: number): void {
    let tooMuch = orders.reduce((sum, { lots }) => sum + lots, 0) - wanted;
    for (let last = orders.at(-1); last !== undefined && tooMuch > 0; last = orders.at(-1)) {
      const { id, filled, lots } = last;
      const left = lots - tooMuch;
      tooMuch -= lots;
      orders.pop();
      if (left >= this.#view.instrument.minLots) {
        client.amend(this.#uid, [{ orderId: id, priceTicks: 0, sizeLots: filled + left, autoCancel: true }]);
        orders.push({ id, filled, lots: left });
        return;
      }
      client.cancel(this.#uid, id);
    }
  }

  #add(client: AgentClient, side: Side, ticks: number, lots: number): void {
    const { lotStep } = this.#view.instrument;
    const least = this.#view.size(0, ticks);
    const most = this.#view.size(Number.MAX_SAFE_INTEGER, ticks);
    for (let left = Math.floor(lots / lotStep) * lotStep; left >= least; ) {
      const sizeLots = Math.min(left, most);
      left -= sizeLots;
      const { view, uid } = { view: this.#view, uid: this.#uid };
      client.place({ uid, view, side, priceTicks: ticks, sizeLots, timeInForce: TimeInForce.gtc });
    }
  }

  /** Away from the other side, so that rounding makes no trade. */
  #ticks(price: number, side: Side): number {
    const { pricePrecision } = this.#view.instrument;
    const exact = Math.round(price * 10 ** pricePrecision * 1e6) / 1e6;
    return side === Side.buy ? this.#view.down(exact) : this.#view.up(exact);
  }

  #lots(size: number): number {
    return Math.round(size * 10 ** this.#view.instrument.quantityPrecision);
  }
}
