/** The state hash: SHA-256 of the canonical state; equal exchanges have equal hashes. */
import { createHash } from 'node:crypto';
import { saveState } from '../core/snapshot/snapshot.ts';
import type { State } from '../core/state/state.ts';

export function stateHash(state: State): string {
  return createHash('sha256').update(saveState(state)).digest('hex');
}
