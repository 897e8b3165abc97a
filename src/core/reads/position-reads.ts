/** Positions as their owners see them: every field of interface 2.4 and 2.5 by the formulas of rules 5.4 and 5.12. */

import { closingOrders } from '../futures/reduce-only-orders.ts';
import { deleveragingPlace, type Ranked, RankingRead } from '../margin/adl-ranking.ts';
import { coinUsd } from '../margin/collateral.ts';
import { liquidationTicks } from '../margin/liquidation-price.ts';
import { futuresSetting, inSettleCoin, markTicks, unrealisedOf } from '../margin/margin.ts';
import { type Category, HoldMode } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { tierIndex } from '../model/margin-tiers.ts';
import type { Position } from '../model/position.ts';
import { divFloor, divHalf, MONEY_ONE, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** Decimals of `PositionView.profitRate` and `AdlRank.rank`. */
export const PROFIT_RATE_SCALE = 16;
export const ADL_RANK_SCALE = 4;

export interface PositionQuery {
  readonly category?: Category | undefined;
  readonly symbol?: string | undefined;
  /** One direction only. */
  readonly long?: boolean | undefined;
}

/** Money in 10^-8 of the margin coin, prices in ticks, sizes in lots. */
export interface PositionView {
  readonly positionId: number;
  readonly instrument: Instrument;
  readonly marginCoin: number;
  readonly hedge: boolean;
  readonly long: boolean;
  readonly isolated: boolean;
  readonly balance: bigint;
  readonly totalLots: number;
  readonly frozenLots: number;
  readonly availableLots: number;
  readonly leverage: number;
  /** Without fees and funding. */
  readonly realised: bigint;
  readonly averageTicks: number;
  readonly unrealised: bigint;
  /** 0 = no price liquidates it. */
  readonly liquidationTicks: number;
  /** Maintenance rate of the notional's tier, 10^-12. */
  readonly maintenanceRate: bigint;
  /** 10^-16. */
  readonly profitRate: bigint;
  readonly markTicks: number;
  readonly breakEvenTicks: number;
  /** Negative when paid. */
  readonly funding: bigint;
  /** What an isolated position could not pay of funding yet (rules 13.8). */
  readonly fundingOwed: bigint;
  readonly openFee: bigint;
  readonly closeFee: bigint;
  readonly createdTime: number;
  readonly updatedTime: number;
}

/** Oldest first. */
export function positionViews(state: State, uid: number, query: PositionQuery = {}): PositionView[] {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return [];
  return [...account.positions.values()]
    .filter((position) => isAsked(state.instruments[position.instrument]!, position, query))
    .sort((a, b) => a.id - b.id)
    .map((position) => viewOf(state, account, position));
}

function isAsked(instrument: Instrument, position: Position, query: PositionQuery): boolean {
  const { category, symbol, long } = query;
  return (
    (category === undefined || category === instrument.category) &&
    (symbol === undefined || symbol === instrument.symbol) &&
    (long === undefined || long === position.long)
  );
}

function viewOf(state: State, account: Account, position: Position): PositionView {
  const instrument = state.instruments[position.instrument]!;
  const { tiers, settle } = instrument.futures!;
  const { long, isolated, lots } = position;
  const mark = markTicks(state, instrument);
  const notional = tradeValue(instrument, mark, lots);
  const setting = futuresSetting(account, instrument);
  const leverage = long ? setting.longLeverage : setting.shortLeverage;
  const closing = closingOrders(state, account, instrument.index, position.posSide);
  const frozenLots = closing.reduce((sum, slot) => sum + state.slab.remaining[slot]!, 0);
  return {
    positionId: position.id,
    instrument,
    marginCoin: settle,
    hedge: account.holdMode === HoldMode.hedge,
    long,
    isolated,
    balance: isolated ? position.iso : marginOf(state, instrument, notional, leverage),
    totalLots: lots,
    frozenLots,
    availableLots: lots - frozenLots,
    leverage,
    realised: position.realised,
    averageTicks: averageTicks(instrument, position),
    unrealised: inSettleCoin(state, instrument, unrealisedOf(state, position)),
    liquidationTicks: liquidationTicks(state, account, position),
    maintenanceRate: tiers[tierIndex(tiers, notional)]!.rate,
    profitRate: profitRate(state, instrument, position, notional, leverage),
    markTicks: mark,
    breakEvenTicks: breakEvenTicks(state, instrument, position),
    funding: position.funding,
    fundingOwed: position.fundingOwed,
    openFee: -position.openFee,
    closeFee: -position.closeFee,
    createdTime: position.createdTime,
    updatedTime: position.updatedTime,
  };
}

/** q P (1/L + t) in the margin coin. */
function marginOf(state: State, instrument: Instrument, notional: bigint, leverage: number): bigint {
  const l = BigInt(leverage);
  const inQuote = divHalf(notional * (RATE_ONE + l * instrument.takerRate), RATE_ONE * l);
  return inSettleCoin(state, instrument, inQuote);
}

/** Profit over margin from the exact numbers: a rounded margin would show in the last of sixteen decimals. */
function profitRate(
  state: State,
  instrument: Instrument,
  position: Position,
  notional: bigint,
  leverage: number,
): bigint {
  const { coinMargined, settle } = instrument.futures!;
  const scaled = unrealisedOf(state, position) * 10n ** BigInt(PROFIT_RATE_SCALE);
  const l = BigInt(leverage);
  if (!position.isolated) {
    return divHalf(scaled * RATE_ONE * l, notional * (RATE_ONE + l * instrument.takerRate));
  }
  const price = coinMargined ? coinUsd(state, settle) : MONEY_ONE;
  return position.iso === 0n || price === 0n ? 0n : divHalf(scaled * MONEY_ONE, position.iso * price);
}

function averageTicks(instrument: Instrument, { basis, size }: Position): number {
  return Number(divHalf(basis, BigInt(size) * instrument.valuePerTickLot));
}

/** Where closing everything, with the fee for it, would end at zero: paid fees and funding count, so do part profits. */
function breakEvenTicks(state: State, instrument: Instrument, position: Position): number {
  const { takerRate, valuePerTickLot } = instrument;
  const spent = inQuoteCoin(
    state,
    instrument,
    position.openFee + position.closeFee - position.funding - position.realised,
  );
  const size = BigInt(position.size);
  const rate = position.long ? RATE_ONE - takerRate : RATE_ONE + takerRate;
  return Number(divHalf((position.basis + spent) * RATE_ONE, size * valuePerTickLot * rate));
}

/** The opposite of `inSettleCoin`. */
function inQuoteCoin(state: State, instrument: Instrument, amount: bigint): bigint {
  const { coinMargined, settle } = instrument.futures!;
  return coinMargined ? divFloor(amount * coinUsd(state, settle), MONEY_ONE) : amount;
}

export interface AdlRank {
  readonly instrument: Instrument;
  readonly marginCoin: number;
  readonly long: boolean;
  /** 10^-4: 1 for the first to be reduced; 0 for the smaller side of a crossed pair, which is never. */
  readonly rank: bigint;
}

export { type Ranked, RankingRead };

/** The ranking of the position's contract and direction that another read has taken already; undefined when there is none. */
export type TakenRanking = (position: Position) => readonly Ranked[] | undefined;

export function adlRanks(state: State, uid: number, taken: TakenRanking = () => undefined): AdlRank[] {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return [];
  return [...account.positions.values()]
    .sort((a, b) => a.id - b.id)
    .map((position) => {
      const instrument = state.instruments[position.instrument]!;
      const place = deleveragingPlace(state, position, taken(position));
      const rank =
        place === undefined
          ? 0n
          : divHalf(BigInt(place.count - place.ahead) * 10n ** BigInt(ADL_RANK_SCALE), BigInt(place.count));
      return { instrument, marginCoin: instrument.futures!.settle, long: position.long, rank };
    });
}
