/** Every endpoint served, one row each: the permission matrix, the limits and the contract are read from this table. */
import type { Route } from './route.ts';
import { accountRoutes } from './routes/account.ts';
import { brokerRoutes } from './routes/broker.ts';
import { financialRecordRoutes } from './routes/financial-records.ts';
import { marketRoutes } from './routes/market.ts';
import { publicRoutes } from './routes/public.ts';
import { subAccountRoutes } from './routes/sub-accounts.ts';
import { tradeActionRoutes } from './routes/trade-actions.ts';
import { tradeQueryRoutes } from './routes/trade-queries.ts';
import { transferRoutes } from './routes/transfers.ts';
import { walletRoutes } from './routes/wallet.ts';

export const ROUTES: readonly Route[] = [
  ...publicRoutes,
  ...marketRoutes,
  ...tradeQueryRoutes,
  ...tradeActionRoutes,
  ...accountRoutes,
  ...subAccountRoutes,
  ...brokerRoutes,
  ...transferRoutes,
  ...walletRoutes,
  ...financialRecordRoutes,
];
