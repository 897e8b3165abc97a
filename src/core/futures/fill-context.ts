/** Fields that all fills of one futures order share. */
import type { Instrument } from '../model/instrument.ts';
import type { Market } from '../state/market.ts';

export interface FillContext {
  readonly instrument: Instrument;
  readonly market: Market;
  /** Limits of a forced close; undefined for other orders. */
  readonly forced: ForcedFillPolicy | undefined;
  /** Of a position move: queue value for deleveraging that the opened lots keep; else undefined. */
  readonly movedQueueValue: bigint | undefined;
  /** Of a moved coin-margined position: the cost basis that goes along, so that nothing is realised (rules 13.2). */
  readonly movedBasis?: bigint;
}

/** Beyond the bankruptcy price a forced order trades only as far as the insurance fund pays the loss. */
export interface ForcedFillPolicy {
  /** Most lots that may trade at this price. */
  capacity(priceTicks: number): number;
  /** Called after each fill: pays its shortfall at once. */
  filled(priceTicks: number, lots: number): void;
}
