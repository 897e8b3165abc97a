/** How much an account could still open, by the checks that its order would meet (rules 5.6, 6.4, 6.6). */

import { planFuturesOrder } from '../futures/futures-entry.ts';
import { isolatedReserve, reservePrice } from '../futures/opening-checks.ts';
import { coinUsd } from '../margin/collateral.ts';
import { computeRisk, futuresSetting } from '../margin/margin.ts';
import { accountRisk } from '../margin/margin-cache.ts';
import type { PlaceOrder, Undated } from '../model/command.ts';
import { OrderType, PosSide, Side, Source, StpMode, TimeInForce } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { SIZE_LOTS_MAX } from '../model/limits.ts';
import { divCeil, divFloor, larger, MONEY_ONE } from '../model/units.ts';
import type { OrderContext } from '../orders/order-context.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

export interface OpenCapacity {
  /** Free margin, 10^-8 of the quote coin. */
  readonly available: bigint;
  /** The largest order that would be accepted. */
  readonly lots: number;
  /** Margin that an order of the size asked about would need, 10^-8 of the quote coin. */
  readonly cost: bigint;
}

/** The order that is asked about; its size is looked for. */
interface Opening {
  readonly side: Side;
  readonly orderType: OrderType;
  readonly priceTicks: number;
}

export function maxOpenSize(
  state: State,
  account: Account,
  instrument: Instrument,
  opening: Opening,
  lots: number,
): OpenCapacity {
  const context = { state, account, instrument, market: state.market(instrument) };
  const usd = coinUsd(state, instrument.quote);
  const { effective, initial } = accountRisk(state, account);
  const available = usd === 0n ? 0n : divFloor(larger(0n, effective - initial) * MONEY_ONE, usd);
  return {
    available,
    lots: largest(context, opening),
    cost: lots === 0 ? 0n : costOf(context, openingOrder(context, opening, lots), initial),
  };
}

/** The order as the account would place it: in hedge mode a buy opens a long. */
function openingOrder(
  { account, instrument }: OrderContext,
  { side, orderType, priceTicks }: Opening,
  sizeLots: number,
): Undated<PlaceOrder> {
  return {
    type: 'placeOrder',
    uid: account.uid,
    source: Source.api,
    instrument: instrument.index,
    side,
    orderType,
    timeInForce: TimeInForce.gtc,
    stpMode: StpMode.none,
    priceTicks,
    sizeLots,
    quoteAmount: 0n,
    clientOid: '',
    posSide: side === Side.buy ? PosSide.long : PosSide.short,
  };
}

/** The margin of an order grows with its size, so the largest accepted size is found by bisection. */
function largest(context: OrderContext, opening: Opening): number {
  const { lotStep, maxLots, maxMarketLots } = context.instrument;
  const most = (opening.orderType === OrderType.market ? maxMarketLots : maxLots) || SIZE_LOTS_MAX;
  const fits = (steps: number) =>
    !('rejectReason' in planFuturesOrder(context, openingOrder(context, opening, steps * lotStep)));
  let low = 0;
  let high = Math.floor(most / lotStep);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low * lotStep;
}

function costOf(
  { state, account, instrument, market }: OrderContext,
  order: Undated<PlaceOrder>,
  initial: bigint,
): bigint {
  const { side, sizeLots: lots } = order;
  const usd = coinUsd(state, instrument.quote);
  if (usd === 0n) return 0n;
  const priceTicks = reservePrice(instrument, market, order);
  const intent = { instrument, side, priceTicks, lots };
  if (futuresSetting(account, instrument).isolated) {
    return divCeil(isolatedReserve(account, intent) * coinUsd(state, instrument.futures!.settle), usd);
  }
  const after = computeRisk(state, account, intent);
  return divCeil(larger(0n, after.initial - initial) * MONEY_ONE, usd);
}
