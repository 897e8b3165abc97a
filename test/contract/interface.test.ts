/**
 * The whole interface document against one running server: each endpoint with its parameters, each object with its
 * fields, each state rule, rejection and limit. Test names and messages carry the section.
 */
import { after } from 'node:test';
import { account } from './account.contract.ts';
import { breakage } from './breakage.contract.ts';
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
import { openVenue } from './venue.ts';

const venue = await openVenue();
after(() => venue.server.stop());

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
breakage();
