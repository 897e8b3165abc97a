import { runSuite } from './suites.ts';

await runSuite('faults-strangers');
