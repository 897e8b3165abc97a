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

export type EventsByKind = { readonly [Kind in ProjectionKind]: ProjectedEvents[Kind][] };

/** Takes events with a projection. */
export interface RowSink {
  add<Kind extends ProjectionKind>(kind: Kind, event: ProjectedEvents[Kind]): void;
}

export class ProjectionBatch implements RowSink {
  /** The last command whose events are in the batch. */
  seq = 0;
  /** Records of commands up to this one are missing, which the operator has accepted (0 = of none). */
  gapSeq = 0;
  /** Number of events in it. */
  rows = 0;
  readonly byKind = noEvents();

  add<Kind extends ProjectionKind>(kind: Kind, event: ProjectedEvents[Kind]): void {
    this.byKind[kind].push(event);
    this.rows++;
  }
}

function noEvents(): EventsByKind {
  return {
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
  };
}

/** Adds the event if its kind has a projection. */
export function addEvent(rows: RowSink, event: Event): void {
  switch (event.type) {
    case 'order':
      if (isClosed(event.order)) rows.add('orders', event.order);
      break;
    case 'strategyOrder':
      if (hasEnded(event.order)) rows.add('strategies', event.order);
      break;
    case 'positionClosed':
      rows.add('positions', event);
      break;
    case 'positionMoved':
      rows.add('moves', event);
      break;
    case 'fill':
      if (isLiquidation(event.fill)) rows.add('liquidations', event.fill);
      rows.add('fills', event.fill);
      break;
    case 'ledgerLine':
      rows.add('ledgerLines', event);
      break;
    case 'transfer':
      rows.add('transfers', event);
      break;
    case 'walletRecord':
      rows.add('walletRecords', event);
      break;
    case 'conversion':
      rows.add('conversions', event);
      break;
    case 'candle':
      rows.add('candles', event);
      break;
    case 'priceCandle':
      rows.add('priceCandles', event);
      break;
    case 'fundingSettled':
      rows.add('fundingRates', event);
      break;
    case 'insuranceHour':
      rows.add('insuranceHours', event);
      break;
    case 'loan':
      if (event.status !== 'ONGOING') rows.add('closedLoans', event);
      break;
    case 'loanRepaid':
      rows.add('repayments', event);
      break;
    case 'pledgeRevised':
      rows.add('revisions', event);
      break;
    case 'loanReduced':
      rows.add('reductions', event);
      break;
  }
}

/** Rows that the events make, by kind as in `History.counts`. */
export function rowsMade(events: readonly Event[]): HistoryCounts {
  const batch = new ProjectionBatch();
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
