import { runSuite } from './suites.ts';

await runSuite('clients');
