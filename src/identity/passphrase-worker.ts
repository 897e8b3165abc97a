/** The thread of `derivation-thread.ts`. */

import { threadPort } from '../thread-port.ts';
import { derive } from './derivation.ts';
import type { DerivationJob, DerivationResult } from './derivation-thread.ts';

const port = threadPort();

port.on('message', ({ id, passphrase, salt, cost }: DerivationJob) => {
  const result: DerivationResult = { id, hash: derive(passphrase, salt, cost) };
  port.postMessage(result);
});
