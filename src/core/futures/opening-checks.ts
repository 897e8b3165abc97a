/**
 * Whether an account can bear the position that an order opens (rules 1.2 numbers 13 to 16, 5.6): tiers, margin of the
 * whole account or of the position, and no close beyond bankruptcy. Most accounts have ample margin: a bound in plain
 * numbers decides for them, without the exact computation.
 */

import { NIL } from '../book/order-slab.ts';
import { ownCloseLimit } from '../margin/bankruptcy.ts';
import { coinUsd } from '../margin/collateral.ts';
import {
  computeRisk,
  futuresSetting,
  type Intent,
  inDollars,
  isolatedInQuote,
  maintenanceAt,
  markTicks,
  positionOf,
  unrealisedOf,
} from '../margin/margin.ts';
import {
  accountRisk,
  currentMargin,
  exactMargin,
  initialMarginWith,
  maintenanceAtNumber,
  quotePrice,
} from '../margin/margin-cache.ts';
import type { PlaceOrder, Undated } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { OrderType, PosSide, Side } from '../model/enums.ts';
import { type Instrument, tradeValue, valueNumber } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { feesOf } from '../model/margin-fractions.ts';
import { tierIndex } from '../model/margin-tiers.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { ceilValue, exact } from '../model/safe-integers.ts';
import { divCeil, larger, MONEY_ONE, RATE_ONE } from '../model/units.ts';
import { priceBand } from '../orders/order-checks.ts';
import type { Account } from '../state/account.ts';
import type { MarginCache } from '../state/margin-cache-state.ts';
import type { Market } from '../state/market.ts';
import { partySums } from '../state/party.ts';
import type { State } from '../state/state.ts';
import { notionalOfOthers, notionalWith, openValue } from './opening-notional.ts';

/** More than the sum of all roundings of a margin amount, in 10^-8. */
const ROUNDING_TOLERANCE = 100;

/** Number 16: the limit of a closing order must not be beyond the bankruptcy price, or others would bear the loss. */
export function checkBankruptcy(
  state: State,
  account: Account,
  intent: Intent,
  posSide: PosSide,
): CommandResult | undefined {
  const { instrument, side, priceTicks } = intent;
  if (hasAmpleMargin(state, account, intent)) return undefined;
  const worst = closeLimit(state, account, instrument, side, posSide);
  if (worst === undefined) return undefined;
  if (side === Side.sell)
    return priceTicks < worst ? rejected(RejectReason.sellBeyondBankruptcy, worst) : undefined;
  return priceTicks > worst ? rejected(RejectReason.buyBeyondBankruptcy, worst) : undefined;
}

/**
 * Would a crossed account keep at least half of its margin if the order closed the whole opposite position at its price?
 * Then the bankruptcy price is far away and need not be computed.
 */
function hasAmpleMargin(state: State, account: Account, { instrument, side, priceTicks }: Intent): boolean {
  const margin = currentMargin(state, account);
  const { scale, coinMargined } = instrument.futures!;
  const selling = side === Side.sell;
  const lots = margin.lotsOf(instrument.index, selling);
  if (coinMargined || scale === undefined || lots === undefined || margin.isolated.length > 0) return false;
  const mark = markTicks(state, instrument);
  const worse = Math.max(0, selling ? mark - priceTicks : priceTicks - mark);
  const loss = valueNumber(instrument, worse, lots);
  const fee = feesOf(scale, valueNumber(instrument, Math.max(priceTicks, mark), lots), 0);
  return 2 * ceilValue(loss + fee, quotePrice(state, instrument)) + ROUNDING_TOLERANCE < margin.effective;
}

/** The worst price at which an order may reduce its position; undefined when it reduces none. */
export function closeLimit(
  state: State,
  account: Account,
  instrument: Instrument,
  side: Side,
  posSide: PosSide,
): number | undefined {
  const position = positionOf(account, instrument.index, posSide);
  if (position === undefined || position.long !== (side === Side.sell)) return undefined;
  return ownCloseLimit(state, account, position);
}

/** Price that the margin of an order is computed at: its limit, or for a market buy a little above the best ask (5.6). */
export function reservePrice(instrument: Instrument, market: Market, command: Undated<PlaceOrder>): number {
  if (command.orderType === OrderType.limit) return command.priceTicks;
  const buying = command.side === Side.buy;
  const band = priceBand(instrument, market);
  const best = market.book.bestTicks(buying ? Side.sell : Side.buy, false);
  if (!buying) return best === 0 ? band.minSellTicks : best;
  if (best === 0) return band.maxBuyTicks;
  const raised = Number(divCeil(BigInt(best) * (RATE_ONE + instrument.futures!.costReserveRate), RATE_ONE));
  return Math.min(raised, band.maxBuyTicks);
}

/** A buy trades at its limit at most; a sell may match bids above its limit and needs margin at their price. */
export function worstFillPrice({ book }: Market, { side, priceTicks }: Intent): number {
  return side === Side.buy ? priceTicks : Math.max(priceTicks, book.bestTicks(Side.buy, true));
}

/** The size the account's party could end up with must be within the tier that its leverage allows (number 13). */
export function checkTier(
  state: State,
  account: Account,
  intent: Intent,
  leaveOut: number = NIL,
): CommandResult | undefined {
  const { instrument, side } = intent;
  const { tiers } = instrument.futures!;
  const buying = side === Side.buy;
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const leverage = buying ? longLeverage : shortLeverage;
  if (fitsFirstTier(state, account, intent, leverage)) return undefined;
  const ordered =
    tradeValue(instrument, intent.priceTicks, intent.lots) +
    openValue(state, account, instrument, side, leaveOut);
  const notional =
    notionalWith(state, account, instrument, side, ordered) +
    notionalOfOthers(state, account, instrument, side);
  const top = tiers.at(-1)!;
  if (notional > top.upTo || tiers[tierIndex(tiers, notional)]!.maxLeverage < leverage) {
    return rejected(RejectReason.aboveTier, leverage);
  }
  return undefined;
}

/** Two positions of a contract at most, a long and a short; the terms may allow only one, open orders included (number 13). */
export function checkPositionCount(
  state: State,
  account: Account,
  instrument: Instrument,
  posSide: PosSide,
): CommandResult | undefined {
  const { index, maxPositions } = instrument;
  if (maxPositions !== 1 || posSide === PosSide.none) return undefined;
  const [other, opens] = posSide === PosSide.long ? [PosSide.short, Side.sell] : [PosSide.long, Side.buy];
  const taken =
    positionOf(account, index, other) !== undefined || openValue(state, account, instrument, opens) > 0n;
  return taken ? rejected(RejectReason.tooManyPositions, maxPositions) : undefined;
}

/** Is the sum of all positions and orders of the contract, both sides, within the first tier? */
function fitsFirstTier(state: State, account: Account, intent: Intent, leverage: number): boolean {
  const { instrument, priceTicks, lots } = intent;
  const [first] = instrument.futures!.tiers;
  if (first!.maxLeverage < leverage || futuresSetting(account, instrument).isolated) return false;
  if (state.rules.partyLimits && partySums(state, account) !== undefined) return false;
  const added = valueNumber(instrument, priceTicks, lots);
  return exact(currentMargin(state, account).valueOf(instrument.index) + added) <= first!.upTo;
}

/** The account must cover its initial margin with the order, and a fill must not bring it near liquidation (5.6). */
export function checkCrossed(
  state: State,
  account: Account,
  intent: Intent,
  leaveOut: number = NIL,
): CommandResult | undefined {
  const { instrument } = intent;
  if (isFarFromLimit(state, account, currentMargin(state, account), intent, leaveOut)) return undefined;
  const before = computeRisk(state, account, undefined, leaveOut);
  const after = computeRisk(state, account, intent, leaveOut);
  if (after.initial <= before.initial && !flips(account, intent)) return undefined;
  if (after.effective < after.initial) {
    const available = larger(0n, before.effective - before.initial);
    return { rejectReason: RejectReason.insufficientMargin, orderId: 0, clientOid: '', available };
  }
  const added = inDollars(
    maintenanceAt(instrument, intent.priceTicks, intent.lots),
    coinUsd(state, instrument.quote),
  );
  if ((after.maintenance + added) * 10n >= after.effective * 9n) return rejected(RejectReason.riskTooHigh);
  return undefined;
}

/** The same as a bound in plain numbers, for ample margin: never true where `checkCrossed` would reject. */
function isFarFromLimit(
  state: State,
  account: Account,
  margin: MarginCache,
  intent: Intent,
  leaveOut: number,
): boolean {
  const { instrument, priceTicks, lots } = intent;
  const { effective, maintenance } = margin;
  const added = ceilValue(maintenanceAtNumber(instrument, priceTicks, lots), quotePrice(state, instrument));
  if (!(2 * (maintenance + added) < effective)) return false;
  if (effective >= initialMarginWith(state, account, margin, instrument, intent, leaveOut)) return true;
  if (!margin.lossesAreBounded && !margin.haircutIsBounded) return false;
  return (
    effective >= initialMarginWith(state, account, exactMargin(state, account), instrument, intent, leaveOut)
  );
}

/** Does the order close the net position and open one on the other side? The opened part needs its own margin. */
function flips(account: Account, { instrument, side, lots }: Intent): boolean {
  const position = positionOf(account, instrument.index, PosSide.none);
  return position !== undefined && position.long === (side === Side.sell) && lots > position.lots;
}

/** value x (1/L + 2t): initial margin, and fees both ways. */
export function isolatedReserve(account: Account, intent: Intent): bigint {
  const { instrument, side, priceTicks, lots } = intent;
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const leverage = BigInt(side === Side.buy ? longLeverage : shortLeverage);
  const { coinMargined } = instrument.futures!;
  const value = coinMargined
    ? BigInt(lots) * instrument.unitsPerLot
    : tradeValue(instrument, priceTicks, lots);
  return divCeil(value, leverage) + divCeil(value * 2n * instrument.takerRate, RATE_ONE);
}

export function checkIsolated(
  state: State,
  account: Account,
  instrument: Instrument,
  hold: bigint,
): CommandResult | undefined {
  const coin = instrument.futures!.settle;
  const cash = state.ledger.balanceOf(account.index, coin, Bucket.cash);
  const risk = accountRisk(state, account);
  const free = risk.effective - risk.initial;
  const value = divCeil(hold * coinUsd(state, coin), MONEY_ONE);
  if (cash < hold || (risk.initial > 0n && free < value)) {
    return {
      rejectReason: RejectReason.insufficientMargin,
      orderId: 0,
      clientOid: '',
      available: larger(0n, cash),
      coin,
    };
  }
  return undefined;
}

/** A fill at the order's price must not bring the position near liquidation (5.6). */
export function checkIsolatedRisk(
  state: State,
  account: Account,
  { instrument, side, priceTicks, lots }: Intent,
  posSide: PosSide,
): CommandResult | undefined {
  const buying = side === Side.buy;
  const held = positionOf(account, instrument.index, posSide);
  const turned = held !== undefined && held.long !== buying ? held.lots : 0;
  // What it opens beyond a position of the other side has no margin but its own.
  const opened = lots - turned;
  if (opened <= 0 || (turned > 0 && !state.rules.restingRisk)) return undefined;
  const position = turned > 0 ? undefined : held;
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const mark = markTicks(state, instrument);
  const value = tradeValue(instrument, priceTicks, opened);
  const gain = tradeValue(instrument, mark, opened) - value;
  let worth = value / BigInt(buying ? longLeverage : shortLeverage) + (buying ? gain : -gain);
  if (position !== undefined) worth += isolatedInQuote(state, position) + unrealisedOf(state, position);
  const kept = maintenanceAt(instrument, mark, opened + (position?.lots ?? 0));
  return kept * 10n >= worth * 9n ? rejected(RejectReason.riskTooHigh) : undefined;
}
