/**
 * The whole interface document against one running server: each endpoint with its parameters, each object with its
 * fields, each state rule, rejection and limit. Test names and messages carry the section.
 */
import { after } from 'node:test';
import { breakage } from './breakage.contract.ts';
import { contract } from './suites.ts';
import { openVenue } from './venue.ts';

const venue = await openVenue();
after(() => venue.server.stop());

contract(venue);
breakage();
