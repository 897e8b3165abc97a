/** `npm run check`: types, format and lint. */
import { allPass, startChecks } from './harness/checks.ts';

const { lint, others } = startChecks();
process.exitCode = (await allPass([lint, ...others])) ? 0 : 1;
