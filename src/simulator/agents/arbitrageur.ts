/**
 * Keeps books in line: whatever rests above or below what a book is worth by more than a spread gets taken, in
 * clips, and a futures leg is answered by the opposite leg on the coin's spot book. A user's order that is too good
 * meets this one first; a large one is worn down clip by clip.
 */
import { Side, Source } from '../../core/model/enums.ts';
import type { Desk } from '../instrument-view.ts';
import { Dice } from '../rng.ts';
import type { Floor } from '../agent-client.ts';
import type { Agent } from './agent.ts';

/** Profit it wants, in half spreads of the book, and at least so much. */
const EDGE_HALF_SPREADS = 2.5;
const EDGE_MIN = 0.00015;
const CLIP = 0.05;
const LOOK_MS = 1000;

export class Arbitrageur implements Agent {
  readonly kind = 'arbitrage';
  readonly name: string;
  readonly uid: number;
  private readonly dice: Dice;
  private readonly looks: { readonly desk: Desk; readonly hedge: Desk | undefined; dueMs: number }[];

  constructor(uid: number, number: number, desks: readonly Desk[], seed: number) {
    this.uid = uid;
    this.name = `arbitrage:${number}`;
    this.dice = new Dice(seed, this.name);
    this.looks = desks.map((desk) => ({ desk, hedge: hedgeOf(desk, desks), dueMs: 0 }));
  }

  act(floor: Floor): void {
    for (const look of this.looks) {
      if (look.dueMs > floor.now) continue;
      look.dueMs = floor.now + LOOK_MS * this.dice.between(0.7, 1.3);
      if (look.desk.isOpen(floor.now)) this.look(floor, look.desk, look.hedge);
    }
  }

  private look(floor: Floor, desk: Desk, hedge: Desk | undefined): void {
    const { fairTicks } = desk;
    const edge = Math.max(
      EDGE_MIN * fairTicks,
      EDGE_HALF_SPREADS * desk.halfSpreadTicks * desk.spreadFactor(floor.now),
    );
    const bid = desk.best(Side.buy);
    const ask = desk.best(Side.sell);
    const side =
      bid > fairTicks + edge ? Side.sell : ask !== 0 && ask < fairTicks - edge ? Side.buy : undefined;
    if (side === undefined) return;
    const best = side === Side.sell ? bid : ask;
    const reach = Math.max(0, Math.abs(best - fairTicks) - edge / 2) / best;
    floor.take(this.uid, desk, side, CLIP * desk.depthLots, reach, Source.api);
    if (hedge === undefined || !hedge.isOpen(floor.now)) return;
    const base = CLIP * desk.depthLots * desk.instrument.unitsPerLotNumber;
    const lots = Math.min(base / hedge.instrument.unitsPerLotNumber, CLIP * hedge.depthLots);
    const away = side === Side.buy ? Side.sell : Side.buy;
    floor.take(this.uid, hedge, away, lots, (2 * hedge.halfSpreadTicks) / hedge.fairTicks, Source.api);
  }
}

/** The spot book against tether on which a futures leg is answered. */
function hedgeOf({ instrument }: Desk, desks: readonly Desk[]): Desk | undefined {
  if (instrument.futures === undefined) return undefined;
  return desks.find(
    (each) =>
      each.instrument.futures === undefined &&
      each.instrument.base === instrument.base &&
      each.instrument.spec.quoteCoin === 'USDT',
  );
}
