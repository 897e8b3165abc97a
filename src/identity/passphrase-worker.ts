/** The thread of `derivation-thread.ts`. */
import { parentPort } from 'node:worker_threads';
import { derive } from './derivation.ts';
import type { DerivationJob, DerivationResult } from './derivation-thread.ts';

parentPort!.on('message', ({ id, passphrase, salt, cost }: DerivationJob) => {
  const result: DerivationResult = { id, hash: derive(passphrase, salt, cost) };
  parentPort!.postMessage(result);
});
