/** The hash that two equal exchanges share: SHA-256 of the canonical state. */
import { createHash } from 'node:crypto';
import { canonicalState } from '../core/snapshot/canonical-state.ts';
import type { State } from '../core/state/state.ts';

export function stateHash(state: State): string {
  return createHash('sha256').update(canonicalState(state)).digest('hex');
}
