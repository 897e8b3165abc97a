/**
 * Derives scrypt hashes on a thread of its own: half a second of work must block neither the event loop nor the
 * shared pool, where file writes would wait behind it.
 */
import { scryptSync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { DerivationJob, DerivationResult } from './passphrase.ts';

const HASH_BYTES = 32;

parentPort!.on('message', (job: DerivationJob) => {
  const { N, r, p } = job.cost;
  const hash = scryptSync(job.passphrase, job.salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r * p });
  const result: DerivationResult = { id: job.id, hash };
  parentPort!.postMessage(result);
});
