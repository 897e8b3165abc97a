/**
 * Whether both accounts can bear a position move. The result is computed on copies first, with the arithmetic of the
 * fills that follow, so that a move is carried out completely on both sides or changes nothing.
 */

import { hasUnsafeCoin } from '../borrowing/conversion.ts';
import { checkPositionCount, checkTier } from '../futures/opening-checks.ts';
import { notionalOf, notionalOfOthers } from '../futures/opening-notional.ts';
import { inCoinAt, openingMargin, receivedMargin, splitFill } from '../futures/split-fill.ts';
import { coinUsd } from '../margin/collateral.ts';
import { liquidationRatio } from '../margin/debts.ts';
import {
  computeRisk,
  futuresSetting,
  hasReachedRatio,
  inDollars,
  isolatedInQuote,
  maintenanceAt,
  markTicks,
  positionOf,
  type Risk,
  unrealisedOf,
} from '../margin/margin.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { HoldMode, PosSide, Side } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { tierIndex } from '../model/margin-tiers.ts';
import { Position, positionKey } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { larger, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { partySums } from '../state/party.ts';
import type { State } from '../state/state.ts';
import { isolatedSlack } from './liquidation-check.ts';

/** An account with a higher margin ratio cannot give positions away until margin is added. */
const GIVER_RATIO_MAX = (RATE_ONE * 8n) / 10n;
/** The received position must not be near liquidation, as after an order (rules 5.6). */
const RECEIVER_RATIO_MAX = (RATE_ONE * 9n) / 10n;

/** One account's side of a move. */
export interface Leg {
  readonly account: Account;
  readonly instrument: Instrument;
  readonly side: Side;
  readonly posSide: PosSide;
  readonly isolated: boolean;
  readonly lots: number;
  /** Funding owed that it takes along; negative where it goes. */
  readonly owed: bigint;
  /** Cost basis that goes along instead of the value at the mark (rules 13.2). */
  readonly basis?: bigint | undefined;
}

/** State of the account after a leg. */
interface Result {
  /** The position after the leg; without size when it is closed. */
  readonly position: Position;
  readonly openedLots: number;
  /** Change of the cash, in the settlement coin. */
  readonly cash: bigint;
  readonly risk: Risk;
  /** The margin ratio at which the account would be liquidated. */
  readonly ratio: bigint;
}

/** The giver closes lots of a position. */
export function givingLeg(account: Account, instrument: Instrument, position: Position, lots: number): Leg {
  const { posSide, isolated, long } = position;
  const owed = lots > position.lots ? 0n : -position.owedOf(lots);
  return { account, instrument, side: long ? Side.sell : Side.buy, posSide, isolated, lots, owed };
}

/** In hedge mode a buy by the receiver goes to its long position; in one-way mode to the only one there is. */
export function receivingLeg(account: Account, instrument: Instrument, side: Side, lots: number): Leg {
  const hedge = account.holdMode === HoldMode.hedge;
  const posSide = !hedge ? PosSide.none : side === Side.buy ? PosSide.long : PosSide.short;
  const { isolated } = futuresSetting(account, instrument);
  return { account, instrument, side, posSide, isolated, lots, owed: 0n };
}

/** The giver must not be near liquidation, and must cover the rest of its positions and its open orders. */
export function checkGiver(state: State, leg: Leg): CommandResult | undefined {
  const { account, instrument, posSide } = leg;
  const position = positionOf(account, instrument.index, posSide)!;
  const before = computeRisk(state, account);
  const near = position.isolated
    ? isolatedIsAbove(state, position, GIVER_RATIO_MAX)
    : hasReachedRatio(before, GIVER_RATIO_MAX);
  if (near) return rejected(RejectReason.giverNearLiquidation);
  const after = resultOf(state, leg);
  return staysSolvent(state, before, after) ? undefined : lacking(RejectReason.giverLacksMargin, before);
}

/** The opened part must pass the checks of an order of that size; a pure close must leave the account no worse. */
export function checkReceiver(state: State, leg: Leg, giver: Account): CommandResult | undefined {
  const { account, instrument, posSide } = leg;
  const before = computeRisk(state, account);
  const coin = instrument.futures!.settle;
  const after = resultOf(state, leg);
  if (after.openedLots === 0)
    return staysSolvent(state, before, after) ? undefined : lacking(RejectReason.receiverLacksMargin, before);
  // The owner may know more about the collateral than its stale price says.
  if (hasUnsafeCoin(state, account)) return rejected(RejectReason.noCoinPrice);
  const failure =
    checkMovedTier(state, giver, leg) ?? checkPositionCount(state, account, instrument, posSide);
  if (failure !== undefined) return failure;
  const cash = state.ledger.balanceOf(account.index, coin, Bucket.cash) + after.cash;
  const overpaid = markVsBookLoss(state, leg, after.openedLots);
  const risk = withLoss(after.risk, inDollars(overpaid, coinUsd(state, instrument.quote)));
  if ((leg.isolated && cash < 0n) || risk.effective < risk.initial)
    return lacking(RejectReason.receiverLacksMargin, before);
  const risky = hasReachedRatio(risk, RECEIVER_RATIO_MAX) || hasReachedRatio(risk, after.ratio);
  if (risky || (leg.isolated && isolatedIsAbove(state, after.position, RECEIVER_RATIO_MAX, overpaid)))
    return rejected(RejectReason.receiverTooRisky);
  return undefined;
}

/** Inside a party a move leaves what the party holds as it is; the receiver's leverage must fit it (rules 13.9). */
function checkMovedTier(
  state: State,
  giver: Account,
  { account, instrument, side, lots }: Leg,
): CommandResult | undefined {
  const sums = state.rules.partyLimits ? partySums(state, account) : undefined;
  if (sums === undefined || partySums(state, giver) !== sums)
    return checkTier(state, account, { instrument, side, priceTicks: markTicks(state, instrument), lots });
  const buying = side === Side.buy;
  const own = notionalOf(state, account, instrument);
  const notional = (buying ? own.buy : own.sell) + notionalOfOthers(state, account, instrument, side);
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const leverage = buying ? longLeverage : shortLeverage;
  const { tiers } = instrument.futures!;
  const fits = tiers[tierIndex(tiers, notional)]!.maxLeverage >= leverage;
  return fits ? undefined : rejected(RejectReason.aboveTier, leverage);
}

/**
 * How much more the receiver pays at the mark than at the best price of the book, in the quote coin. While the index
 * lags behind the market, nobody would trade at the mark; the receiver must be able to bear the difference, or the
 * owner could leave a loss with an account that cannot pay it.
 */
function markVsBookLoss(state: State, { instrument, side }: Leg, lots: number): bigint {
  const buying = side === Side.buy;
  const best = state.market(instrument).book.bestTicks(buying ? Side.sell : Side.buy, false);
  const mark = markTicks(state, instrument);
  const worse = buying ? mark - best : best - mark;
  return best === 0 || worse <= 0 ? 0n : tradeValue(instrument, worse, lots);
}

function withLoss(risk: Risk, loss: bigint): Risk {
  return { ...risk, equity: risk.equity - loss, effective: risk.effective - loss };
}

function lacking(rejectReason: RejectReason, { effective, initial }: Risk): CommandResult {
  return { ...rejected(rejectReason), available: larger(0n, effective - initial) };
}

/** Nothing is due for liquidation, and the initial margin is covered, or at least no less free than before. */
function staysSolvent(state: State, before: Risk, { position, risk, ratio }: Result): boolean {
  if (hasReachedRatio(risk, ratio)) return false;
  if (position.isolated && position.size !== 0 && isolatedSlack(state, position) <= 0n) return false;
  const free = risk.effective - risk.initial;
  return free >= 0n || free >= before.effective - before.initial;
}

/** Has the maintenance of an isolated position reached `ratio` of its margin with profit, less `loss`? */
function isolatedIsAbove(state: State, position: Position, ratio: bigint, loss = 0n): boolean {
  const instrument = state.instruments[position.instrument]!;
  const kept = maintenanceAt(instrument, markTicks(state, instrument), position.lots);
  const held = isolatedInQuote(state, position) + unrealisedOf(state, position) - loss;
  return kept * RATE_ONE >= held * ratio;
}

function resultOf(
  state: State,
  { account, instrument, side, posSide, isolated, lots, owed, basis }: Leg,
): Result {
  const { index } = instrument;
  const buying = side === Side.buy;
  const mark = markTicks(state, instrument);
  const blank = () => new Position(0, account.index, index, posSide, isolated, state.now);
  const held = positionOf(account, index, posSide);
  let position = held?.copy() ?? blank();
  if (owed < 0n) position.fundingOwed += owed;
  let cash = 0n;
  let openedLots = 0;
  for (const part of splitFill(held, buying, lots, basis ?? tradeValue(instrument, mark, lots))) {
    if (part.closing) {
      const { realised, margin } = position.close(part.lots, part.value);
      const pnl = BigInt(inCoinAt(instrument, realised, mark));
      if (position.isolated) {
        const { freed, missing } = position.release(BigInt(margin), pnl);
        cash += freed - missing - position.payOwed(freed);
      } else cash += pnl;
      continue;
    }
    if (held !== undefined && position.size === 0) position = blank();
    const opening =
      basis === undefined
        ? openingMargin(account, instrument, buying, part.value, mark)
        : receivedMargin(account, instrument, buying, part, mark);
    const margin = isolated ? opening : 0n;
    position.open(buying, part.lots, part.value);
    position.iso += margin;
    cash -= margin;
    openedLots = part.lots;
  }
  if (owed > 0n) {
    if (position.isolated && position.size !== 0 && position.long === buying) position.fundingOwed += owed;
    else cash -= owed;
  }
  const positions = new Map(account.positions);
  if (position.size === 0) positions.delete(positionKey(index, posSide));
  else positions.set(positionKey(index, posSide), position);
  const shown = account.withPositions(positions);
  return withCash(state, account, instrument.futures!.settle, cash, () => ({
    position,
    openedLots,
    cash,
    risk: computeRisk(state, shown),
    ratio: liquidationRatio(state, account),
  }));
}

/**
 * Runs `read` while the account has `amount` more cash: the amount moves within the account's own row and back. An
 * account without a row for the coin gets none, because a check must not change the state.
 */
function withCash<T>(state: State, account: Account, coin: number, amount: bigint, read: () => T): T {
  const { ledger } = state;
  if (amount === 0n || !ledger.coinsOf(account.index).includes(coin)) return read();
  const cash = ledger.cell(account.index, coin, Bucket.cash);
  const aside = ledger.cell(account.index, coin, Bucket.isolated);
  return amount > 0n
    ? ledger.withTentativeMove(aside, cash, amount, read)
    : ledger.withTentativeMove(cash, aside, -amount, read);
}
