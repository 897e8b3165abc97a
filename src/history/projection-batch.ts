/** The events that history keeps, sorted by table, on their way to the writer. */

import { OrderStatus, StrategyStatus } from '../core/model/enums.ts';
import type {
  CandleClosed,
  Converted,
  Event,
  FillRecord,
  FundingSettled,
  InsuranceHour,
  LedgerLine,
  LoanChanged,
  LoanReduced,
  LoanRepaid,
  OrderRecord,
  PledgeRevised,
  PositionClosed,
  PositionMoved,
  PriceCandleClosed,
  StrategyOrderRecord,
  Transferred,
  WalletRecord,
} from '../core/model/event.ts';
import { isLiquidation } from '../views/market-record-view.ts';
import type { HistoryCounts } from './history.ts';

/** What one row of each kind is made from. */
export interface ProjectedEvents {
  readonly orders: OrderRecord;
  readonly strategies: StrategyOrderRecord;
  readonly positions: PositionClosed;
  readonly moves: PositionMoved;
  readonly fills: FillRecord;
  readonly liquidations: FillRecord;
  readonly ledgerLines: LedgerLine;
  readonly transfers: Transferred;
  readonly walletRecords: WalletRecord;
  readonly conversions: Converted;
  readonly candles: CandleClosed;
  readonly priceCandles: PriceCandleClosed;
  readonly fundingRates: FundingSettled;
  readonly insuranceHours: InsuranceHour;
  readonly closedLoans: LoanChanged;
  readonly repayments: LoanRepaid;
  readonly revisions: PledgeRevised;
  readonly reductions: LoanReduced;
}
export type KeptKind = keyof ProjectedEvents;

export interface ProjectionBatch {
  /** The last command whose events are in the pack. */
  seq: number;
  /** Records of commands up to this one are missing, which the operator has accepted (0 = of none). */
  gapSeq: number;
  /** How many events are in it. */
  rows: number;
  readonly kept: { readonly [Kind in KeptKind]: ProjectedEvents[Kind][] };
}

export function emptyPack(): ProjectionBatch {
  return {
    seq: 0,
    gapSeq: 0,
    rows: 0,
    kept: {
      orders: [],
      strategies: [],
      positions: [],
      moves: [],
      fills: [],
      liquidations: [],
      ledgerLines: [],
      transfers: [],
      walletRecords: [],
      conversions: [],
      candles: [],
      priceCandles: [],
      fundingRates: [],
      insuranceHours: [],
      closedLoans: [],
      repayments: [],
      revisions: [],
      reductions: [],
    },
  };
}

/** Adds the event where history keeps its kind. */
export function addEvent(pack: ProjectionBatch, event: Event): void {
  switch (event.type) {
    case 'order':
      if (isClosed(event.order)) keep(pack, 'orders', event.order);
      break;
    case 'strategyOrder':
      if (hasEnded(event.order)) keep(pack, 'strategies', event.order);
      break;
    case 'positionClosed':
      keep(pack, 'positions', event);
      break;
    case 'positionMoved':
      keep(pack, 'moves', event);
      break;
    case 'fill':
      if (isLiquidation(event.fill)) keep(pack, 'liquidations', event.fill);
      keep(pack, 'fills', event.fill);
      break;
    case 'ledgerLine':
      keep(pack, 'ledgerLines', event);
      break;
    case 'transfer':
      keep(pack, 'transfers', event);
      break;
    case 'walletRecord':
      keep(pack, 'walletRecords', event);
      break;
    case 'conversion':
      keep(pack, 'conversions', event);
      break;
    case 'candle':
      keep(pack, 'candles', event);
      break;
    case 'priceCandle':
      keep(pack, 'priceCandles', event);
      break;
    case 'fundingSettled':
      keep(pack, 'fundingRates', event);
      break;
    case 'insuranceHour':
      keep(pack, 'insuranceHours', event);
      break;
    case 'loan':
      if (event.status !== 'ONGOING') keep(pack, 'closedLoans', event);
      break;
    case 'loanRepaid':
      keep(pack, 'repayments', event);
      break;
    case 'pledgeRevised':
      keep(pack, 'revisions', event);
      break;
    case 'loanReduced':
      keep(pack, 'reductions', event);
      break;
  }
}

function keep<Kind extends KeptKind>(pack: ProjectionBatch, kind: Kind, event: ProjectedEvents[Kind]): void {
  pack.kept[kind].push(event);
  pack.rows++;
}

/** How many rows the events make, by what `History.counts` says. */
export function rowsMade(events: readonly Event[]): HistoryCounts {
  const pack = emptyPack();
  for (const event of events) addEvent(pack, event);
  const { orders, strategies, positions, candles, priceCandles, walletRecords, ...rest } = pack.kept;
  const loans = [rest.closedLoans, rest.repayments, rest.revisions, rest.reductions];
  return {
    closedOrders: orders.length,
    strategies: strategies.length,
    closedPositions: positions.length,
    positionMoves: rest.moves.length,
    fills: rest.fills.length,
    ledgerLines: rest.ledgerLines.length,
    transfers: rest.transfers.length,
    walletRecords: walletRecords.filter(startsRecord).length,
    conversions: rest.conversions.length,
    candles: candles.length + priceCandles.length,
    fundingRates: rest.fundingRates.length,
    insuranceHours: rest.insuranceHours.length,
    liquidations: rest.liquidations.length,
    loanRecords: loans.reduce((sum, { length }) => sum + length, 0),
  };
}

/** A withdrawal to the outside is told twice, when it is asked for and when it ends; both are one row. */
function startsRecord({ kind, status, counterUid }: WalletRecord): boolean {
  return kind === 'deposit' || counterUid !== 0 || status === 'pending';
}

function hasEnded({ status }: StrategyOrderRecord): boolean {
  return status !== StrategyStatus.pending && status !== StrategyStatus.submitting;
}

function isClosed(order: OrderRecord): boolean {
  return order.status === OrderStatus.filled || order.status === OrderStatus.cancelled;
}
