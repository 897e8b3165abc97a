import { runSuite } from './suites.ts';

runSuite('api-streams');
