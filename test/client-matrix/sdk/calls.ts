/** Every method of the SDK's `RestClientV3` whose endpoint is served: one call each, and what is looked at in its result. */

import type { Row, World } from '../world.ts';
import { ACCOUNT_CALLS } from './account.ts';
import { BORROWING_CALLS } from './borrowing.ts';
import { BROKER_CALLS } from './broker.ts';
import { FUNDING_CALLS } from './funding.ts';
import { MARKET_CALLS } from './market.ts';
import { ORDER_CALLS } from './orders.ts';
import { POSITION_CALLS } from './positions.ts';
import { STRATEGY_CALLS } from './strategy.ts';
import { SUB_ACCOUNT_CALLS } from './sub-accounts.ts';
import { WALLET_CALLS } from './wallet.ts';

/** In this order: a row finds what the rows before it left. */
export const SDK_CALLS: Readonly<Record<string, Row<World>>> = {
  ...MARKET_CALLS,
  ...ACCOUNT_CALLS,
  ...ORDER_CALLS,
  ...POSITION_CALLS,
  ...WALLET_CALLS,
  ...SUB_ACCOUNT_CALLS,
  ...BROKER_CALLS,
  ...BORROWING_CALLS,
  ...STRATEGY_CALLS,
  ...FUNDING_CALLS,
};
