/**
 * How far a forced close reaches into the book, and what the insurance fund pays for it (rules 13.7). The limit price W is the
 * maintenance rate and the fee away from the mark: orders beyond it could only profit at the cost of the fund.
 */

import type { ForcedFillPolicy } from '../futures/fill-context.ts';
import { forcedFeeRate } from '../margin/bankruptcy.ts';
import { closeBudget } from '../margin/fund-budgets.ts';
import { fundBalance } from '../margin/insurance-fund.ts';
import { markTicks } from '../margin/margin.ts';
import { CancelReason, Side } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { PRICE_TICKS_MAX, REMOVALS_PER_ORDER_MAX } from '../model/limits.ts';
import { maintenanceOf } from '../model/margin-tiers.ts';
import { divCeil, divFloor, larger, RATE_ONE, smaller } from '../model/units.ts';
import { cancelSlot } from '../orders/cancel.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { ownOrders } from './own-orders.ts';

/** W of a position of this size, in ticks. */
export function reachTicks(state: State, instrument: Instrument, long: boolean, lots: number): number {
  const mark = BigInt(markTicks(state, instrument));
  const notional = tradeValue(instrument, Number(mark), lots);
  const step = BigInt(instrument.tickStep);
  const band = long ? instrument.sellBandRate : instrument.buyBandRate;
  const kept =
    maintenanceOf(instrument.futures!.tiers, notional) * RATE_ONE + notional * forcedFeeRate(instrument);
  // The distance as a fraction: kept / whole, or the band.
  const whole = notional * RATE_ONE;
  const [part, of] = kept * RATE_ONE < band * whole ? [kept, whole] : [band, RATE_ONE];
  const ticks = long
    ? divCeil(mark * (of - part), of * step) * step
    : divFloor(mark * (of + part), of * step) * step;
  return Number(smaller(larger(ticks, step), BigInt(PRICE_TICKS_MAX)));
}

/**
 * Cancels the party's own orders between the bankruptcy price and W: the fund does not pay for a self-trade. False where they
 * are too many, since the ninth edition: the close passes by them.
 */
export function cancelOwnBeyond(
  state: State,
  account: Account,
  instrument: Instrument,
  long: boolean,
  bankruptcyTicks: number,
  reach: number,
): boolean {
  const zone = { side: long ? Side.buy : Side.sell, after: bankruptcyTicks, last: reach };
  const most = state.rules.fewerMatches ? REMOVALS_PER_ORDER_MAX : Number.POSITIVE_INFINITY;
  const own = ownOrders(state, account, instrument, zone, most);
  if (own === undefined) return false;
  for (const slot of own) {
    state.settleOpenWork(state.accountOf(slot));
    cancelSlot(state, slot, CancelReason.delegatedRiskOrder);
  }
  return true;
}

/** What closing the whole size at a price would lack, and the fee that it would bring the fund. */
export interface CloseCost {
  readonly loss: bigint;
  readonly fee: bigint;
}

export interface BudgetedClose extends ForcedFillPolicy {
  /** What the fund may still lose by this close. */
  left(): bigint;
  /** When everything is settled: what it lost counts for the hour. */
  end(): void;
}

/**
 * The fills of a forced close. The fund pays what they lack within the budget of its net outflow; what earlier fills of
 * the close left above bankruptcy pays first. A fill whose fee outweighs its loss costs the fund nothing.
 */
export function budgetedClose(
  state: State,
  instrument: Instrument,
  order: { readonly lots: number; readonly size: number },
  costAt: (priceTicks: number) => CloseCost,
  pay: (amount: bigint) => void,
): BudgetedClose {
  const coin = instrument.futures!.settle;
  const size = BigInt(order.size);
  const budget = closeBudget(state, coin, instrument.index);
  const before = fundBalance(state, coin);
  const outflow = () => before - fundBalance(state, coin);
  const left = () => larger(0n, budget - outflow());
  /** Of all fills together; below zero what they have left. */
  let lacking = 0n;
  return {
    left,
    capacity: (priceTicks) => {
      const { loss, fee } = costAt(priceTicks);
      const net = loss - fee;
      if (loss <= 0n || net <= 0n) return order.lots;
      // Two units for the roundings of a fill.
      const available = budget - outflow() + larger(0n, -lacking) - 2n;
      const lots = available <= 0n ? 0 : Number(smaller(size, (available * size) / net));
      return Math.min(order.lots, lots - (lots % instrument.lotStep));
    },
    filled: (priceTicks, lots) => {
      const known = larger(0n, lacking);
      lacking += divCeil(costAt(priceTicks).loss * BigInt(lots), size);
      pay(smaller(larger(0n, larger(0n, lacking) - known), left()));
    },
    end: () => state.fundHours.addPaid(coin, instrument.index, larger(0n, outflow())),
  };
}
