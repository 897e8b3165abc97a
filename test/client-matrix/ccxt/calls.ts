/** Every unified method that ccxt says it has for this venue: one call each, and what is looked at in its result. */
import { ACCOUNT_CALLS } from './account.ts';
import { FUNDING_CALLS } from './funding.ts';
import { MARKET_CALLS } from './market.ts';
import { ORDER_CALLS } from './orders.ts';
import { POSITION_CALLS } from './positions.ts';
import { STRATEGY_CALLS } from './strategy.ts';
import { STREAM_CALLS } from './streams.ts';
import { WALLET_CALLS } from './wallet.ts';
import type { Calls } from './world.ts';

/** In this order: a row finds what the rows before it left. */
export const CCXT_CALLS: Calls = {
  ...MARKET_CALLS,
  ...ACCOUNT_CALLS,
  ...ORDER_CALLS,
  ...STRATEGY_CALLS,
  ...POSITION_CALLS,
  ...WALLET_CALLS,
  ...STREAM_CALLS,
  ...FUNDING_CALLS,
};
