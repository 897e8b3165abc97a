/** Every endpoint served, one row each: the permission matrix, the limits and the contract are read from this table. */
import type { Route } from './route.ts';
import { accountRoutes } from './routes/account.ts';
import { accountModeRoutes } from './routes/account-mode.ts';
import { borrowingRoutes } from './routes/borrowing.ts';
import { brokerRoutes } from './routes/broker.ts';
import { brokerMoneyRoutes } from './routes/broker-money.ts';
import { brokerRecordRoutes } from './routes/broker-records.ts';
import { candleRoutes } from './routes/candles.ts';
import { depositAccountRoutes } from './routes/deposit-account.ts';
import { depositRoutes } from './routes/deposits.ts';
import { eligibilityRoutes } from './routes/eligibility.ts';
import { feeGroupRoutes } from './routes/fee-groups.ts';
import { financialRecordRoutes } from './routes/financial-records.ts';
import { futuresAccountRoutes } from './routes/futures-account.ts';
import { futuresMarketRoutes } from './routes/futures-market.ts';
import { leveragePreviewRoutes } from './routes/leverage-preview.ts';
import { loanActionRoutes } from './routes/loan-actions.ts';
import { loanRecordRoutes } from './routes/loan-records.ts';
import { loanRoutes } from './routes/loans.ts';
import { marketRoutes } from './routes/market.ts';
import { positionMoveRoutes } from './routes/position-moves.ts';
import { positionRoutes } from './routes/positions.ts';
import { proofOfReservesRoutes } from './routes/proof-of-reserves.ts';
import { publicRoutes } from './routes/public.ts';
import { rateLimitQuotaRoutes } from './routes/rate-limit-quota.ts';
import { riskReserveRoutes } from './routes/risk-reserve.ts';
import { rpiRoutes } from './routes/rpi.ts';
import { strategyOrderRoutes } from './routes/strategy-orders.ts';
import { subAccountRoutes } from './routes/sub-accounts.ts';
import { taxRecordRoutes } from './routes/tax-records.ts';
import { tradeActionRoutes } from './routes/trade-actions.ts';
import { tradeQueryRoutes } from './routes/trade-queries.ts';
import { transferRoutes } from './routes/transfers.ts';
import { mixRoutes } from './routes/v2-mix.ts';
import { walletRoutes } from './routes/wallet.ts';
import { withdrawAddressRoutes } from './routes/withdraw-address.ts';
import { withdrawalRoutes } from './routes/withdrawals.ts';

export const ROUTES: readonly Route[] = [
  ...publicRoutes,
  ...candleRoutes,
  ...marketRoutes,
  ...rpiRoutes,
  ...futuresMarketRoutes,
  ...riskReserveRoutes,
  ...proofOfReservesRoutes,
  ...feeGroupRoutes,
  ...tradeQueryRoutes,
  ...tradeActionRoutes,
  ...strategyOrderRoutes,
  ...positionRoutes,
  ...positionMoveRoutes,
  ...accountRoutes,
  ...accountModeRoutes,
  ...futuresAccountRoutes,
  ...leveragePreviewRoutes,
  ...eligibilityRoutes,
  ...borrowingRoutes,
  ...subAccountRoutes,
  ...rateLimitQuotaRoutes,
  ...brokerRoutes,
  ...brokerMoneyRoutes,
  ...brokerRecordRoutes,
  ...transferRoutes,
  ...walletRoutes,
  ...depositRoutes,
  ...withdrawalRoutes,
  ...depositAccountRoutes,
  ...withdrawAddressRoutes,
  ...financialRecordRoutes,
  ...taxRecordRoutes,
  ...loanRoutes,
  ...loanActionRoutes,
  ...loanRecordRoutes,
  ...mixRoutes,
];
