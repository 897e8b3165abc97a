/** How much an account could still open, by the checks that its order would meet (rules 5.6, 6.4, 6.6). */

import { planFuturesOrder } from '../futures/futures-entry.ts';
import { isolatedReserve, reservePrice } from '../futures/opening-checks.ts';
import { coinUsd } from '../margin/collateral.ts';
import { computeRisk, futuresSetting } from '../margin/margin.ts';
import { accountRisk } from '../margin/margin-cache.ts';
import type { PlaceOrder } from '../model/command.ts';
import { OrderType, PosSide, Side, Source, StpMode, TimeInForce } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { SIZE_LOTS_MAX } from '../model/limits.ts';
import { divCeil, divFloor, larger, MONEY_ONE } from '../model/units.ts';
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

export function maxOpenSize(
  state: State,
  account: Account,
  instrument: Instrument,
  side: Side,
  orderType: OrderType,
  priceTicks: number,
  lots: number,
): OpenCapacity {
  const usd = coinUsd(state, instrument.quote);
  const { effective, initial } = accountRisk(state, account);
  const available = usd === 0n ? 0n : divFloor(larger(0n, effective - initial) * MONEY_ONE, usd);
  const order = (sizeLots: number) => opening(account, instrument, side, orderType, priceTicks, sizeLots);
  return {
    available,
    lots: largest(state, account, instrument, orderType, order),
    cost: lots === 0 ? 0n : costOf(state, account, instrument, order(lots), initial),
  };
}

/** The order as the account would place it: in hedge mode a buy opens a long. */
function opening(
  account: Account,
  instrument: Instrument,
  side: Side,
  orderType: OrderType,
  priceTicks: number,
  sizeLots: number,
): PlaceOrder {
  return {
    type: 'placeOrder',
    time: 0,
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

/** What needs more margin the larger it is has one largest accepted size: it is found by halving. */
function largest(
  state: State,
  account: Account,
  instrument: Instrument,
  orderType: OrderType,
  order: (sizeLots: number) => PlaceOrder,
): number {
  const { lotStep, maxLots, maxMarketLots } = instrument;
  const most = (orderType === OrderType.market ? maxMarketLots : maxLots) || SIZE_LOTS_MAX;
  const market = state.market(instrument);
  const fits = (steps: number) =>
    !('rejectReason' in planFuturesOrder(state, account, instrument, market, order(steps * lotStep)));
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
  state: State,
  account: Account,
  instrument: Instrument,
  order: PlaceOrder,
  initial: bigint,
): bigint {
  const { side, sizeLots: lots } = order;
  const usd = coinUsd(state, instrument.quote);
  if (usd === 0n) return 0n;
  const priceTicks = reservePrice(instrument, state.market(instrument), order);
  const intent = { instrument, side, priceTicks, lots };
  if (futuresSetting(account, instrument).isolated) {
    return divCeil(isolatedReserve(account, intent) * coinUsd(state, instrument.futures!.settle), usd);
  }
  const after = computeRisk(state, account, intent);
  return divCeil(larger(0n, after.initial - initial) * MONEY_ONE, usd);
}
