/** Projections: for every kind of event its table, and the row of an event. */
import type { ProjectedEvents, ProjectionKind } from '../projection-batch.ts';
import { CANDLES, priceRow, tradeCandleRow } from './candles.ts';
import { CLOSED_ORDERS, orderRow } from './closed-orders.ts';
import { CLOSED_POSITIONS, positionRow } from './closed-positions.ts';
import { CONVERSIONS, conversionRow } from './conversions.ts';
import { FILLS, fillRow } from './fills.ts';
import { GENERATED_CANDLES } from './generated-candles.ts';
import { LEDGER_LINES, ledgerRow } from './ledger-lines.ts';
import {
  CLOSED_LOANS,
  closedLoanRow,
  LOAN_REDUCTIONS,
  LOAN_REPAYMENTS,
  PLEDGE_REVISIONS,
  reductionRow,
  repaymentRow,
  revisionRow,
} from './loans.ts';
import {
  FUNDING_RATES,
  fundingRateRow,
  GENERATED_FUNDING_RATES,
  INSURANCE_HOURS,
  insuranceHourRow,
  LIQUIDATIONS,
  liquidationRow,
} from './market-records.ts';
import type { NameResolver } from './name-resolver.ts';
import { moveRow, POSITION_MOVES } from './position-moves.ts';
import { STRATEGY_ORDERS, strategyRow } from './strategy-orders.ts';
import { type RowValues, type Table, UserTable } from './table.ts';
import { TRANSFERS, transferRow } from './transfers.ts';
import { WALLET_RECORDS, walletRow } from './wallet-records.ts';

interface Projection<Recorded> {
  readonly table: Table;
  readonly row: (recorded: Recorded, names: NameResolver) => RowValues;
}

export const PROJECTIONS: { readonly [Kind in ProjectionKind]: Projection<ProjectedEvents[Kind]> } = {
  orders: { table: CLOSED_ORDERS, row: orderRow },
  strategies: { table: STRATEGY_ORDERS, row: strategyRow },
  positions: { table: CLOSED_POSITIONS, row: positionRow },
  moves: { table: POSITION_MOVES, row: moveRow },
  fills: { table: FILLS, row: fillRow },
  liquidations: { table: LIQUIDATIONS, row: liquidationRow },
  ledgerLines: { table: LEDGER_LINES, row: ledgerRow },
  transfers: { table: TRANSFERS, row: transferRow },
  walletRecords: { table: WALLET_RECORDS, row: walletRow },
  conversions: { table: CONVERSIONS, row: conversionRow },
  candles: { table: CANDLES, row: tradeCandleRow },
  priceCandles: { table: CANDLES, row: priceRow },
  fundingRates: { table: FUNDING_RATES, row: fundingRateRow },
  insuranceHours: { table: INSURANCE_HOURS, row: insuranceHourRow },
  closedLoans: { table: CLOSED_LOANS, row: closedLoanRow },
  repayments: { table: LOAN_REPAYMENTS, row: repaymentRow },
  revisions: { table: PLEDGE_REVISIONS, row: revisionRow },
  reductions: { table: LOAN_REDUCTIONS, row: reductionRow },
};

export const PROJECTION_KINDS = Object.keys(PROJECTIONS) as ProjectionKind[];

/** Tables of what has happened. */
export const PROJECTED_TABLES: readonly Table[] = [
  ...new Set(PROJECTION_KINDS.map((kind) => PROJECTIONS[kind].table)),
];

/** Tables of the generated past, which SQLite has in a file of its own. */
export const GENERATED_TABLES: readonly Table[] = [GENERATED_CANDLES, GENERATED_FUNDING_RATES];

/** Every table that has rows with a checksum. */
export const ALL_TABLES: readonly Table[] = [...PROJECTED_TABLES, ...GENERATED_TABLES];

/** Tables whose old rows are deleted. */
export const USER_TABLES: readonly UserTable[] = PROJECTED_TABLES.filter(
  (table) => table instanceof UserTable,
);
