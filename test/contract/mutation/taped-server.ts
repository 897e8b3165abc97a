/** Stands in for `harness/hosted-server.ts` while the contract is recorded and played back. */
import * as real from '../../harness/hosted-server.ts';
import { tape } from './tape.ts';

export const startHosted: typeof real.startHosted = (options) => tape.server(() => real.startHosted(options));
