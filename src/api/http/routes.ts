/** All routes, one row each. The permission matrix, the limits and the contract test are derived from this table. */
import type { Route } from '../route.ts';
import { accountRoutes } from '../routes/account/account.ts';
import { accountModeRoutes } from '../routes/account/account-mode.ts';
import { borrowingRoutes } from '../routes/account/borrowing.ts';
import { eligibilityRoutes } from '../routes/account/eligibility.ts';
import { financialRecordRoutes } from '../routes/account/financial-records.ts';
import { taxRecordRoutes } from '../routes/account/tax-records.ts';
import { futuresAccountRoutes } from '../routes/futures/futures-account.ts';
import { leveragePreviewRoutes } from '../routes/futures/leverage-preview.ts';
import { positionMoveRoutes } from '../routes/futures/position-moves.ts';
import { positionRoutes } from '../routes/futures/positions.ts';
import { mixRoutes } from '../routes/legacy/v2-mix.ts';
import { loanActionRoutes } from '../routes/loans/loan-actions.ts';
import { loanRecordRoutes } from '../routes/loans/loan-records.ts';
import { loanRoutes } from '../routes/loans/loans.ts';
import { candleRoutes } from '../routes/market/candles.ts';
import { feeGroupRoutes } from '../routes/market/fee-groups.ts';
import { futuresMarketRoutes } from '../routes/market/futures-market.ts';
import { marketRoutes } from '../routes/market/market.ts';
import { proofOfReservesRoutes } from '../routes/market/proof-of-reserves.ts';
import { riskReserveRoutes } from '../routes/market/risk-reserve.ts';
import { rpiRoutes } from '../routes/market/rpi.ts';
import { publicRoutes } from '../routes/market/server-time.ts';
import { strategyOrderRoutes } from '../routes/trade/strategy-orders.ts';
import { tradeActionRoutes } from '../routes/trade/trade-actions.ts';
import { tradeQueryRoutes } from '../routes/trade/trade-queries.ts';
import { brokerRoutes } from '../routes/users/broker.ts';
import { brokerMoneyRoutes } from '../routes/users/broker-money.ts';
import { brokerRecordRoutes } from '../routes/users/broker-records.ts';
import { rateLimitQuotaRoutes } from '../routes/users/rate-limit-quota.ts';
import { subAccountRoutes } from '../routes/users/sub-accounts.ts';
import { depositAccountRoutes } from '../routes/wallet/deposit-account.ts';
import { depositRoutes } from '../routes/wallet/deposits.ts';
import { transferRoutes } from '../routes/wallet/transfers.ts';
import { walletRoutes } from '../routes/wallet/wallet.ts';
import { withdrawAddressRoutes } from '../routes/wallet/withdraw-address.ts';
import { withdrawalRoutes } from '../routes/wallet/withdrawals.ts';

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
