/** Every read of the history by its name; each is implemented beside its table. */
import type { HistoryCounts } from './history.ts';
import type { Read } from './read.ts';
import {
  CANDLES,
  candles,
  gaplessCandlesText,
  generatedPart,
  generatedSince,
  lastCandleBefore,
} from './tables/candles.ts';
import { CLOSED_ORDERS, closedOrders, latestOrderByClientOid, orderById } from './tables/closed-orders.ts';
import { CLOSED_POSITIONS, closedPositions } from './tables/closed-positions.ts';
import { CONVERSIONS, conversions } from './tables/conversions.ts';
import { commissions, FILLS, fills } from './tables/fills.ts';
import { generatedBooks } from './tables/generated-candles.ts';
import { LEDGER_LINES, ledgerLines } from './tables/ledger-lines.ts';
import {
  CLOSED_LOANS,
  LOAN_REDUCTIONS,
  LOAN_REPAYMENTS,
  loanRecords,
  PLEDGE_REVISIONS,
} from './tables/loans.ts';
import {
  FUNDING_RATES,
  fundingRates,
  INSURANCE_HOURS,
  insuranceHours,
  LIQUIDATIONS,
  liquidations,
} from './tables/market-records.ts';
import type { Pages } from './tables/pages.ts';
import { POSITION_MOVES, positionMoves } from './tables/position-moves.ts';
import { endedStrategies, endedStrategy, STRATEGY_ORDERS } from './tables/strategy-orders.ts';
import type { Table } from './tables/table.ts';
import { TRANSFERS, transfers } from './tables/transfers.ts';
import { familyWalletRecords, WALLET_RECORDS, walletRecords } from './tables/wallet-records.ts';

export const READS = {
  closedOrders,
  orderById,
  latestOrderByClientOid,
  fills,
  commissions,
  endedStrategies,
  endedStrategy,
  closedPositions,
  positionMoves,
  ledgerLines,
  transfers,
  walletRecords,
  familyWalletRecords,
  conversions,
  candles,
  lastCandleBefore,
  generatedPart,
  gaplessCandles: gaplessCandlesText,
  generatedCandles: generatedSince,
  generatedBooks,
  fundingRates,
  insuranceHours,
  liquidations,
  loanRecords,
  counts,
};

const COUNTED: Readonly<Record<keyof HistoryCounts, readonly Table[]>> = {
  closedOrders: [CLOSED_ORDERS],
  strategies: [STRATEGY_ORDERS],
  closedPositions: [CLOSED_POSITIONS],
  positionMoves: [POSITION_MOVES],
  fills: [FILLS],
  ledgerLines: [LEDGER_LINES],
  transfers: [TRANSFERS],
  walletRecords: [WALLET_RECORDS],
  conversions: [CONVERSIONS],
  candles: [CANDLES],
  fundingRates: [FUNDING_RATES],
  insuranceHours: [INSURANCE_HOURS],
  liquidations: [LIQUIDATIONS],
  loanRecords: [CLOSED_LOANS, LOAN_REPAYMENTS, PLEDGE_REVISIONS, LOAN_REDUCTIONS],
};

function* counts(pages: Pages, _nothing: undefined): Read<HistoryCounts> {
  const counted: Record<string, number> = {};
  for (const [name, tables] of Object.entries(COUNTED)) {
    counted[name] = 0;
    for (const table of tables) counted[name] += yield* pages.count(table.name);
  }
  return counted as unknown as HistoryCounts;
}
