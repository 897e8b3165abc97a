/** Every part of the contract, in the order in which they leave the venue to each other. */
import { account } from './account.contract.ts';
import { conventions } from './conventions.contract.ts';
import { endings } from './endings.contract.ts';
import { forced } from './forced.contract.ts';
import { instrumentRules } from './instrument-rules.contract.ts';
import { limits } from './limits.contract.ts';
import { loans } from './loans.contract.ts';
import { marketData } from './market-data.contract.ts';
import { occurrence } from './occurrence.contract.ts';
import { parameters } from './parameters.contract.ts';
import { positions } from './positions.contract.ts';
import { retail } from './retail.contract.ts';
import { strategyOrders } from './strategy.contract.ts';
import { tradingActions } from './trading-actions.contract.ts';
import { tradingQueries } from './trading-queries.contract.ts';
import type { ContractVenue } from './venue.ts';

export function contract(venue: ContractVenue): void {
  conventions(venue);
  parameters(venue);
  marketData(venue);
  instrumentRules(venue);
  tradingQueries(venue);
  tradingActions(venue);
  positions(venue);
  strategyOrders(venue);
  endings(venue);
  forced(venue);
  retail();
  account(venue);
  loans(venue);
  limits(venue);
  occurrence();
}
