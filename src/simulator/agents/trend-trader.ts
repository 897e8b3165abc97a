/** Two views of a moving price: momentum follows it, reversion waits for it to come back. */
import { Side, Source, TimeInForce } from '../../core/model/enums.ts';
import type { Desk } from '../instrument-view.ts';
import { Dice } from '../rng.ts';
import type { Floor } from '../agent-client.ts';
import { clamp } from '../deterministic-math.ts';
import type { Agent, AgentKind } from './agent.ts';

/** A fast mean this many spreads away from the slow one is a full signal. */
const FULL_SIGNAL_SPREADS = 12;
const CLIP = 0.01;
const POSITION_DEPTHS = 0.15;
const LOOK_MS = 8000;
/** Patient orders wait this far from the price, in half spreads. */
const PATIENT_NEAR = 3;
const PATIENT_FAR = 25;

/** From -1, the price falls, to 1, it rises. */
function trend(desk: Desk): number {
  if (desk.slowTicks === 0) return 0;
  return clamp((desk.fastTicks - desk.slowTicks) / (FULL_SIGNAL_SPREADS * 2 * desk.halfSpreadTicks), -1, 1);
}

abstract class TrendTrader<Kind extends AgentKind> implements Agent {
  readonly kind: Kind;
  readonly name: string;
  readonly uid: number;
  protected readonly dice: Dice;
  private readonly looks: { readonly desk: Desk; dueMs: number }[];

  constructor(kind: Kind, uid: number, number: number, desks: readonly Desk[], seed: number) {
    this.kind = kind;
    this.name = `${kind}:${number}`;
    this.uid = uid;
    this.dice = new Dice(seed, this.name);
    this.looks = desks.map((desk) => ({ desk, dueMs: 0 }));
  }

  act(floor: Floor): void {
    for (const look of this.looks) {
      if (look.dueMs > floor.now) continue;
      look.dueMs = floor.now + LOOK_MS * this.dice.between(0.5, 2.5);
      if (floor.hasRoom && look.desk.isOpen(floor.now)) this.trade(floor, look.desk);
    }
  }

  protected abstract trade(floor: Floor, desk: Desk): void;
}

export class MomentumTrader extends TrendTrader<'momentum'> {
  constructor(uid: number, number: number, desks: readonly Desk[], seed: number) {
    super('momentum', uid, number, desks, seed);
  }

  protected trade(floor: Floor, desk: Desk): void {
    const wanted = trend(desk) * POSITION_DEPTHS * desk.depthLots;
    const missing = wanted - floor.position(this.uid, desk);
    const clip = CLIP * desk.depthLots;
    if (Math.abs(missing) < clip) return;
    const side = missing > 0 ? Side.buy : Side.sell;
    const reach = (6 * desk.halfSpreadTicks) / desk.fairTicks;
    floor.take(this.uid, desk, side, Math.min(Math.abs(missing), clip * 3), reach, Source.api);
    desk.excite(0.1);
  }
}

/** Keeps one patient order in each book, where a price that has gone too far would meet it. */
export class ReversionTrader extends TrendTrader<'reversion'> {
  constructor(uid: number, number: number, desks: readonly Desk[], seed: number) {
    super('reversion', uid, number, desks, seed);
  }

  protected trade(floor: Floor, desk: Desk): void {
    const { uid, dice } = this;
    const { slab } = floor.state;
    const position = floor.position(uid, desk) / (POSITION_DEPTHS * desk.depthLots);
    const side = dice.chance(0.5 - 0.4 * trend(desk) - 0.4 * clamp(position, -1, 1)) ? Side.buy : Side.sell;
    const off = desk.halfSpreadTicks * dice.between(PATIENT_NEAR, PATIENT_FAR);
    const centre = desk.centreTicks;
    const priceTicks = side === Side.buy ? desk.down(centre - off) : desk.up(centre + off);
    const sizeLots = desk.size(CLIP * desk.depthLots * dice.between(0.3, 1.5), priceTicks);
    const old = floor.orders(uid).find((slot) => slab.instrument[slot] === desk.instrument.index);
    if (old !== undefined) floor.cancel(uid, slab.id[old]!);
    floor.place({ uid, desk, side, priceTicks, sizeLots, timeInForce: TimeInForce.gtc });
  }
}
