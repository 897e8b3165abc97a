/** The displayed book as text, and the difference between two of them. */
import type { Depth, DepthLevel } from '../../core/book/depth.ts';
import type { Instrument } from '../../core/instrument.ts';
import { priceText, sizeText } from '../../gateway/market-view.ts';

export type LevelText = readonly [price: string, size: string];

export function levelTexts(levels: readonly DepthLevel[], instrument: Instrument): LevelText[] {
  return levels.map(({ priceTicks, lots }) => [
    priceText(instrument, priceTicks),
    sizeText(instrument, lots),
  ]);
}

export interface BookSides {
  readonly a: readonly LevelText[];
  readonly b: readonly LevelText[];
}

/** What turns one book into the other: absolute sizes, 0 for a level that is gone; best first. */
export function bookDifference(before: Depth, after: Depth, instrument: Instrument): BookSides {
  return {
    a: levelTexts(changedLevels(before.asks, after.asks, 1), instrument),
    b: levelTexts(changedLevels(before.bids, after.bids, -1), instrument),
  };
}

/** `direction` is 1 where prices rise along the list and -1 where they fall. */
function changedLevels(
  before: readonly DepthLevel[],
  after: readonly DepthLevel[],
  direction: 1 | -1,
): DepthLevel[] {
  const changed: DepthLevel[] = [];
  let old = 0;
  for (const level of after) {
    for (; old < before.length && (level.priceTicks - before[old]!.priceTicks) * direction > 0; old++) {
      changed.push({ priceTicks: before[old]!.priceTicks, lots: 0 });
    }
    const same = before[old];
    if (same?.priceTicks !== level.priceTicks) {
      changed.push(level);
      continue;
    }
    if (same.lots !== level.lots) changed.push(level);
    old++;
  }
  for (; old < before.length; old++) changed.push({ priceTicks: before[old]!.priceTicks, lots: 0 });
  return changed;
}
