/** Every endpoint served, one row each: the permission matrix, the limits and the contract are read from this table. */
import type { Route } from './route.ts';
import { accountRoutes } from './routes/account.ts';
import { marketRoutes } from './routes/market.ts';
import { publicRoutes } from './routes/public.ts';
import { tradeActionRoutes } from './routes/trade-actions.ts';
import { tradeQueryRoutes } from './routes/trade-queries.ts';

export const ROUTES: readonly Route[] = [
  ...publicRoutes,
  ...marketRoutes,
  ...tradeQueryRoutes,
  ...tradeActionRoutes,
  ...accountRoutes,
];
