import { runSuite } from './suites.ts';

runSuite('unit');
