/** Stands in for `harness/server.ts` while the contract is recorded and played back. */
import * as real from '../../harness/server.ts';
import { tape } from './tape.ts';

export const startServer: typeof real.startServer = (options) => tape.server(() => real.startServer(options));
