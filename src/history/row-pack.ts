/** The events that history keeps, sorted by table, on their way to the writer. */
import type {
  CandleClosed,
  Converted,
  Event,
  FillRecord,
  FundingSettled,
  InsuranceHour,
  LedgerLine,
  OrderRecord,
  PositionClosed,
  PriceCandleClosed,
  StrategyOrderRecord,
  Transferred,
  WalletRecord,
} from '../core/event.ts';
import { OrderStatus, StrategyStatus } from '../core/terms.ts';
import type { LoanRow } from './sqlite-loans.ts';

export interface RowPack {
  /** The last command whose events are in the pack. */
  seq: number;
  readonly orders: OrderRecord[];
  readonly strategies: StrategyOrderRecord[];
  readonly positions: PositionClosed[];
  readonly fills: FillRecord[];
  readonly ledgerLines: LedgerLine[];
  readonly transfers: Transferred[];
  readonly walletRecords: WalletRecord[];
  readonly conversions: Converted[];
  readonly candles: CandleClosed[];
  readonly priceCandles: PriceCandleClosed[];
  readonly fundingRates: FundingSettled[];
  readonly loans: LoanRow[];
  readonly insuranceHours: InsuranceHour[];
}

export function emptyPack(): RowPack {
  return {
    seq: 0,
    orders: [],
    strategies: [],
    positions: [],
    fills: [],
    ledgerLines: [],
    transfers: [],
    walletRecords: [],
    conversions: [],
    candles: [],
    priceCandles: [],
    fundingRates: [],
    loans: [],
    insuranceHours: [],
  };
}

export function packRows(pack: RowPack): number {
  return (
    pack.orders.length +
    pack.strategies.length +
    pack.positions.length +
    pack.fills.length +
    pack.ledgerLines.length +
    pack.transfers.length +
    pack.walletRecords.length +
    pack.conversions.length +
    pack.candles.length +
    pack.priceCandles.length +
    pack.fundingRates.length +
    pack.loans.length +
    pack.insuranceHours.length
  );
}

/** Adds the event when history keeps its kind; says whether it did. */
export function addEvent(pack: RowPack, event: Event): boolean {
  switch (event.type) {
    case 'order':
      if (!isClosed(event.order)) return false;
      pack.orders.push(event.order);
      return true;
    case 'strategyOrder':
      if (!hasEnded(event.order)) return false;
      pack.strategies.push(event.order);
      return true;
    case 'positionClosed':
      pack.positions.push(event);
      return true;
    case 'fill':
      pack.fills.push(event.fill);
      return true;
    case 'ledgerLine':
      pack.ledgerLines.push(event);
      return true;
    case 'transfer':
      pack.transfers.push(event);
      return true;
    case 'walletRecord':
      pack.walletRecords.push(event);
      return true;
    case 'conversion':
      pack.conversions.push(event);
      return true;
    case 'candle':
      pack.candles.push(event);
      return true;
    case 'priceCandle':
      pack.priceCandles.push(event);
      return true;
    case 'fundingSettled':
      pack.fundingRates.push(event);
      return true;
    case 'loan':
      if (event.status === 'ONGOING') return false;
      pack.loans.push(event);
      return true;
    case 'loanRepaid':
    case 'pledgeRevised':
    case 'loanReduced':
      pack.loans.push(event);
      return true;
    case 'insuranceHour':
      pack.insuranceHours.push(event);
      return true;
    default:
      return false;
  }
}

/** A withdrawal to the outside is told twice, when it is asked for and when it ends; both are one row. */
export function startsRecord({ kind, status, counterUid }: WalletRecord): boolean {
  return kind === 'deposit' || counterUid !== 0 || status === 'pending';
}

function hasEnded({ status }: StrategyOrderRecord): boolean {
  return status !== StrategyStatus.pending && status !== StrategyStatus.submitting;
}

function isClosed(order: OrderRecord): boolean {
  return order.status === OrderStatus.filled || order.status === OrderStatus.cancelled;
}
