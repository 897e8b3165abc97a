import { runSuite } from './suites.ts';

runSuite('security');
