/** The displayed book as text, and the difference of two books. */
import type { Instrument } from '../../../core/model/instrument.ts';
import { depth, rpiDepth } from '../../../core/reads/reads.ts';
import type { State } from '../../../core/state/state.ts';
import { priceText, sizeText } from '../../routes/market/market-view.ts';

/** RPI quantities added to the others, or listed separately (rules 1.7). */
export type BookKind = 'displayed' | 'rpi';

interface Level {
  readonly priceTicks: number;
  readonly lots: number;
  /** Only where RPI quantities are listed separately. */
  readonly rpiLots?: number;
}

/** Best first. */
export interface ShownBook {
  readonly asks: readonly Level[];
  readonly bids: readonly Level[];
}

export function readBook(state: State, instrument: Instrument, kind: BookKind, levels: number): ShownBook {
  if (kind === 'displayed') return depth(state, instrument, levels);
  const { asks, bids } = rpiDepth(state, instrument, levels);
  const apart = ({ priceTicks, normalLots, rpiLots }: (typeof asks)[number]): Level => ({
    priceTicks,
    lots: normalLots,
    rpiLots,
  });
  return { asks: asks.map(apart), bids: bids.map(apart) };
}

/** [price, size] or [price, size, RPI size]. */
export type LevelText = readonly string[];

export interface BookSides {
  readonly a: readonly LevelText[];
  readonly b: readonly LevelText[];
}

export function bookSides({ asks, bids }: ShownBook, instrument: Instrument): BookSides {
  const text = ({ priceTicks, lots, rpiLots }: Level): LevelText => {
    const level = [priceText(instrument, priceTicks), sizeText(instrument, lots)];
    return rpiLots === undefined ? level : [...level, sizeText(instrument, rpiLots)];
  };
  return { a: asks.map(text), b: bids.map(text) };
}

/** Changes from one book to the next: absolute sizes, 0 for a removed level; best first. */
export function bookDifference(before: ShownBook, after: ShownBook): ShownBook {
  return {
    asks: changedLevels(before.asks, after.asks, 1),
    bids: changedLevels(before.bids, after.bids, -1),
  };
}

/** `direction` is 1 where prices rise along the list and -1 where they fall. */
function changedLevels(before: readonly Level[], after: readonly Level[], direction: 1 | -1): Level[] {
  const changed: Level[] = [];
  let old = 0;
  for (const level of after) {
    for (; old < before.length && (level.priceTicks - before[old]!.priceTicks) * direction > 0; old++) {
      changed.push(gone(before[old]!));
    }
    const same = before[old];
    if (same?.priceTicks !== level.priceTicks) {
      changed.push(level);
      continue;
    }
    if (same.lots !== level.lots || same.rpiLots !== level.rpiLots) changed.push(level);
    old++;
  }
  for (; old < before.length; old++) changed.push(gone(before[old]!));
  return changed;
}

function gone({ priceTicks, rpiLots }: Level): Level {
  return rpiLots === undefined ? { priceTicks, lots: 0 } : { priceTicks, lots: 0, rpiLots: 0 };
}
