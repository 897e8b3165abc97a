import { runSuite } from './suites.ts';

runSuite('core');
