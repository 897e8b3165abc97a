/**
 * What a backup needs of a running exchange: a moment with its state hash, and two lines in the audit log. The client
 * copies the files (`src/app/backup`); nothing here waits for that.
 */

import { stateHash } from '../../sequencer/state-hash.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { closed } from '../fields.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const DirectoryText = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\p{Cc}\\p{Cs}]*$' });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

const NOTHING_KEPT = new AdminError(
  'not_allowed',
  'there is nothing to copy: this exchange was started with --memory and keeps no files',
);

export const backupRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'POST',
    path: '/admin/backups',
    body: Type.Object({ directory: DirectoryText }, closed),
    answer: Type.Object({ seq: Type.Integer(), time: Type.Integer(), stateHash: Type.String() }),
    action: 'backup.begin',
    auditArguments: ({ body: { directory } }) => ({ directory }),
    auditDetail: ({ seq, stateHash: hash }) => `up to command ${seq}, state hash ${hash}`,
    handle: async ({ sequencer, memory }) => {
      if (memory) return NOTHING_KEPT;
      const moment = {
        seq: sequencer.appliedSeq,
        time: sequencer.state.now,
        stateHash: stateHash(sequencer.state),
      };
      await sequencer.durable();
      return moment;
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/backups/end',
    body: Type.Object({ directory: DirectoryText, seq: Type.Integer(), manifest: Hash }, closed),
    answer: Type.Object({ seq: Type.Integer() }),
    action: 'backup.end',
    auditArguments: ({ body: { directory, seq, manifest } }) => ({ directory, seq, manifest }),
    handle: ({ body: { seq } }) => ({ seq }),
  }),
];
