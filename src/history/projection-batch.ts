/** Events with a projection, sorted by table, on their way to the writer. */

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

/** The event behind one row of each kind. */
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
export type ProjectionKind = keyof ProjectedEvents;

export interface ProjectionBatch {
  /** The last command whose events are in the batch. */
  seq: number;
  /** Records of commands up to this one are missing, which the operator has accepted (0 = of none). */
  gapSeq: number;
  /** Number of events in it. */
  rows: number;
  readonly byKind: { readonly [Kind in ProjectionKind]: ProjectedEvents[Kind][] };
}

export function emptyBatch(): ProjectionBatch {
  return {
    seq: 0,
    gapSeq: 0,
    rows: 0,
    byKind: {
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

/** Adds the event if its kind has a projection. */
export function addEvent(batch: ProjectionBatch, event: Event): void {
  switch (event.type) {
    case 'order':
      if (isClosed(event.order)) append(batch, 'orders', event.order);
      break;
    case 'strategyOrder':
      if (hasEnded(event.order)) append(batch, 'strategies', event.order);
      break;
    case 'positionClosed':
      append(batch, 'positions', event);
      break;
    case 'positionMoved':
      append(batch, 'moves', event);
      break;
    case 'fill':
      if (isLiquidation(event.fill)) append(batch, 'liquidations', event.fill);
      append(batch, 'fills', event.fill);
      break;
    case 'ledgerLine':
      append(batch, 'ledgerLines', event);
      break;
    case 'transfer':
      append(batch, 'transfers', event);
      break;
    case 'walletRecord':
      append(batch, 'walletRecords', event);
      break;
    case 'conversion':
      append(batch, 'conversions', event);
      break;
    case 'candle':
      append(batch, 'candles', event);
      break;
    case 'priceCandle':
      append(batch, 'priceCandles', event);
      break;
    case 'fundingSettled':
      append(batch, 'fundingRates', event);
      break;
    case 'insuranceHour':
      append(batch, 'insuranceHours', event);
      break;
    case 'loan':
      if (event.status !== 'ONGOING') append(batch, 'closedLoans', event);
      break;
    case 'loanRepaid':
      append(batch, 'repayments', event);
      break;
    case 'pledgeRevised':
      append(batch, 'revisions', event);
      break;
    case 'loanReduced':
      append(batch, 'reductions', event);
      break;
  }
}

function append<Kind extends ProjectionKind>(
  batch: ProjectionBatch,
  kind: Kind,
  event: ProjectedEvents[Kind],
): void {
  batch.byKind[kind].push(event);
  batch.rows++;
}

/** Rows that the events make, by kind as in `History.counts`. */
export function rowsMade(events: readonly Event[]): HistoryCounts {
  const batch = emptyBatch();
  for (const event of events) addEvent(batch, event);
  const { orders, strategies, positions, candles, priceCandles, walletRecords, ...rest } = batch.byKind;
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

/** A withdrawal to the outside has two events, at its request and at its end; both are one row. */
function startsRecord({ kind, status, counterUid }: WalletRecord): boolean {
  return kind === 'deposit' || counterUid !== 0 || status === 'pending';
}

function hasEnded({ status }: StrategyOrderRecord): boolean {
  return status !== StrategyStatus.pending && status !== StrategyStatus.submitting;
}

function isClosed(order: OrderRecord): boolean {
  return order.status === OrderStatus.filled || order.status === OrderStatus.cancelled;
}
