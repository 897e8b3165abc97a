/**
 * `bourse/testkit`: exchanges inside a test process, in memory and on a clock that the test moves. Plain functions: they
 * need no test runner and know none.
 */
import type { Bourse, BourseOptions, Scenario } from './interface.ts';
import { start } from './start.ts';

export { BourseError } from './errors.ts';
export type * from './interface.ts';

/** A scenario in a module: `export default scenario({ … })`. It is checked when it is run. */
export function scenario(document: Scenario): Scenario {
  return document;
}

/** Starts an exchange. Throws a TypeError that names every wrong option. */
export const startBourse: (options?: BourseOptions) => Promise<Bourse> = start;
