import { runSuite } from './suites.ts';

runSuite('streams');
