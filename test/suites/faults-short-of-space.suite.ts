import { runSuite } from './suites.ts';

await runSuite('faults-short-of-space');
