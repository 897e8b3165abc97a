/**
 * Keeps books in line: orders that rest above or below the fair price by more than a spread are taken, in clips, and
 * a futures leg is hedged by the opposite leg on the coin's spot book. A user's order that is too good meets this
 * agent first; a large one is filled clip by clip.
 */
import { Side, Source } from '../../core/model/enums.ts';
import type { AgentClient } from '../agent-client.ts';
import type { InstrumentView } from '../instrument-view.ts';
import { Rng } from '../rng.ts';
import type { Agent } from './agent.ts';

/** Required profit, in half spreads of the book, and its minimum. */
const EDGE_HALF_SPREADS = 2.5;
const EDGE_MIN = 0.00015;
const CLIP = 0.05;
const CHECK_INTERVAL_MS = 1000;

export class Arbitrageur implements Agent {
  readonly kind = 'arbitrage';
  readonly name: string;
  readonly uid: number;
  private readonly rng: Rng;
  private readonly books: {
    readonly view: InstrumentView;
    readonly hedge: InstrumentView | undefined;
    dueMs: number;
  }[];

  constructor(uid: number, number: number, views: readonly InstrumentView[], seed: number) {
    this.uid = uid;
    this.name = `arbitrage:${number}`;
    this.rng = new Rng(seed, this.name);
    this.books = views.map((view) => ({ view, hedge: hedgeOf(view, views), dueMs: 0 }));
  }

  act(client: AgentClient): void {
    for (const findEdge of this.books) {
      if (findEdge.dueMs > client.now) continue;
      findEdge.dueMs = client.now + CHECK_INTERVAL_MS * this.rng.between(0.7, 1.3);
      if (findEdge.view.isOpen(client.now)) this.findEdge(client, findEdge.view, findEdge.hedge);
    }
  }

  private findEdge(client: AgentClient, view: InstrumentView, hedge: InstrumentView | undefined): void {
    const { fairTicks } = view;
    const edge = Math.max(
      EDGE_MIN * fairTicks,
      EDGE_HALF_SPREADS * view.halfSpreadTicks * view.spreadFactor(client.now),
    );
    const bid = view.best(Side.buy);
    const ask = view.best(Side.sell);
    const side =
      bid > fairTicks + edge ? Side.sell : ask !== 0 && ask < fairTicks - edge ? Side.buy : undefined;
    if (side === undefined) return;
    const best = side === Side.sell ? bid : ask;
    const reach = Math.max(0, Math.abs(best - fairTicks) - edge / 2) / best;
    client.placeIoc(this.uid, view, side, CLIP * view.depthLots, reach, Source.api);
    if (hedge === undefined || !hedge.isOpen(client.now)) return;
    const base = CLIP * view.depthLots * view.instrument.unitsPerLotNumber;
    const lots = Math.min(base / hedge.instrument.unitsPerLotNumber, CLIP * hedge.depthLots);
    const away = side === Side.buy ? Side.sell : Side.buy;
    client.placeIoc(this.uid, hedge, away, lots, (2 * hedge.halfSpreadTicks) / hedge.fairTicks, Source.api);
  }
}

/** The spot book against tether that hedges a futures leg. */
function hedgeOf(
  { instrument }: InstrumentView,
  views: readonly InstrumentView[],
): InstrumentView | undefined {
  if (instrument.futures === undefined) return undefined;
  return views.find(
    (each) =>
      each.instrument.futures === undefined &&
      each.instrument.base === instrument.base &&
      each.instrument.spec.quoteCoin === 'USDT',
  );
}
