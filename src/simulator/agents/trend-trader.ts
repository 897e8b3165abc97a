/** Two strategies on a moving price: momentum follows it, reversion waits for its return. */
import { Side, Source, TimeInForce } from '../../core/model/enums.ts';
import type { AgentClient } from '../agent-client.ts';
import { clamp } from '../deterministic-math.ts';
import type { InstrumentView } from '../instrument-view.ts';
import { Rng } from '../rng.ts';
import type { Agent, AgentKind } from './agent.ts';

/** A fast mean this many spreads away from the slow one is a full signal. */
const FULL_SIGNAL_SPREADS = 12;
const CLIP = 0.01;
const POSITION_DEPTHS = 0.15;
const CHECK_INTERVAL_MS = 8000;
/** Patient orders wait this far from the price, in half spreads. */
const RESTING_NEAR = 3;
const RESTING_FAR = 25;

/** From -1, the price falls, to 1, it rises. */
function trend(view: InstrumentView): number {
  if (view.slowTicks === 0) return 0;
  return clamp((view.fastTicks - view.slowTicks) / (FULL_SIGNAL_SPREADS * 2 * view.halfSpreadTicks), -1, 1);
}

abstract class TrendTrader<Kind extends AgentKind> implements Agent {
  readonly kind: Kind;
  readonly name: string;
  readonly uid: number;
  protected readonly rng: Rng;
  private readonly books: { readonly view: InstrumentView; dueMs: number }[];

  constructor(kind: Kind, uid: number, number: number, views: readonly InstrumentView[], seed: number) {
    this.kind = kind;
    this.name = `${kind}:${number}`;
    this.uid = uid;
    this.rng = new Rng(seed, this.name);
    this.books = views.map((view) => ({ view, dueMs: 0 }));
  }

  act(client: AgentClient): void {
    for (const book of this.books) {
      if (book.dueMs > client.now) continue;
      book.dueMs = client.now + CHECK_INTERVAL_MS * this.rng.between(0.5, 2.5);
      if (client.hasCapacity && book.view.isOpen(client.now)) this.trade(client, book.view);
    }
  }

  protected abstract trade(client: AgentClient, view: InstrumentView): void;
}

export class MomentumTrader extends TrendTrader<'momentum'> {
  constructor(uid: number, number: number, views: readonly InstrumentView[], seed: number) {
    super('momentum', uid, number, views, seed);
  }

  protected trade(client: AgentClient, view: InstrumentView): void {
    const wanted = trend(view) * POSITION_DEPTHS * view.depthLots;
    const missing = wanted - client.position(this.uid, view);
    const clip = CLIP * view.depthLots;
    if (Math.abs(missing) < clip) return;
    const side = missing > 0 ? Side.buy : Side.sell;
    const reach = (6 * view.halfSpreadTicks) / view.fairTicks;
    client.placeIoc(this.uid, view, side, Math.min(Math.abs(missing), clip * 3), reach, Source.api);
    view.exciteArrivals(0.1);
  }
}

/** Keeps one resting order in each book, where a price that has gone too far would meet it. */
export class ReversionTrader extends TrendTrader<'reversion'> {
  constructor(uid: number, number: number, views: readonly InstrumentView[], seed: number) {
    super('reversion', uid, number, views, seed);
  }

  protected trade(client: AgentClient, view: InstrumentView): void {
    const { uid, rng } = this;
    const { slab } = client.state;
    const position = client.position(uid, view) / (POSITION_DEPTHS * view.depthLots);
    const side = rng.chance(0.5 - 0.4 * trend(view) - 0.4 * clamp(position, -1, 1)) ? Side.buy : Side.sell;
    const off = view.halfSpreadTicks * rng.between(RESTING_NEAR, RESTING_FAR);
    const centre = view.quoteMidTicks;
    const priceTicks = side === Side.buy ? view.down(centre - off) : view.up(centre + off);
    const sizeLots = view.size(CLIP * view.depthLots * rng.between(0.3, 1.5), priceTicks);
    const old = client.orders(uid).find((slot) => slab.instrument[slot] === view.instrument.index);
    if (old !== undefined) client.cancel(uid, slab.id[old]!);
    client.place({ uid, view, side, priceTicks, sizeLots, timeInForce: TimeInForce.gtc });
  }
}
