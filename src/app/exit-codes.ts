/** Exit codes, as `--help` and the documents state them. A code is never reused with another meaning. */

import { AuditDamaged } from '../admin/audit-file.ts';
import { TokenDamaged } from '../admin/token.ts';
import { CatalogueError } from '../catalogue/catalogue-error.ts';
import { UnreadableRecord } from '../core/model/bytes.ts';
import { ReplayDivergence } from '../core/model/replay-divergence.ts';
import { InvariantBroken } from '../core/model/units.ts';
import { HistoryRefused } from '../history/history.ts';
import { RecordDamaged } from '../history/record-damaged.ts';
import { IdentityDamaged } from '../identity/identity-damaged.ts';
import { DirectoryLocked, JournalRefused } from '../journal/journal-errors.ts';
import { CapsuleRefused } from '../lab/capsule/capsule-refused.ts';
import { HeadDamaged } from '../lab/head.ts';
import { HistoryGap, PoisonedCommand } from '../sequencer/recovery-errors.ts';
import { SimulatorError } from '../simulator/simulator-error.ts';
import { NoSpace } from '../storage/free-space.ts';
import { ExposedToOthers } from '../storage/private-file.ts';

export const ExitCode = {
  ok: 0,
  failed: 1,
  /** Wrong use or configuration. */
  usage: 2,
  /** Port, lock or permission. */
  cannotStart: 3,
  /** Damaged data or a hash that does not match. */
  damaged: 4,
  /** Something happened that must not, or did not that must. */
  unmet: 5,
  /** A second Ctrl-C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** An invalid configuration; the message names the value and the valid ones. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** The machine prevents the start; the message says what to do. */
export class CannotStart extends Error {
  override name = 'CannotStart';
}

/** A running exchange rejected the action; the message says why. */
export class ActionRefused extends Error {
  override name = 'ActionRefused';
  /** The code of the operator's API (`admin/admin-error.ts`). */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The data directory is damaged. */
export class DataDamaged extends Error {
  override name = 'DataDamaged';
}

type ErrorClass = abstract new (...args: never[]) => Error;

/** The first match counts: a locked directory is refused by the journal, but is not damaged. */
const CODES: readonly (readonly [ErrorClass, ExitCode])[] = [
  [ConfigError, ExitCode.usage],
  [CatalogueError, ExitCode.usage],
  [SimulatorError, ExitCode.usage],
  [ActionRefused, ExitCode.failed],
  [ExposedToOthers, ExitCode.cannotStart],
  [CannotStart, ExitCode.cannotStart],
  [HistoryRefused, ExitCode.cannotStart],
  [NoSpace, ExitCode.cannotStart],
  [DirectoryLocked, ExitCode.cannotStart],
  [DataDamaged, ExitCode.damaged],
  [JournalRefused, ExitCode.damaged],
  [AuditDamaged, ExitCode.damaged],
  [IdentityDamaged, ExitCode.damaged],
  [TokenDamaged, ExitCode.damaged],
  [HeadDamaged, ExitCode.damaged],
  [CapsuleRefused, ExitCode.damaged],
  [ReplayDivergence, ExitCode.damaged],
  [HistoryGap, ExitCode.damaged],
  [RecordDamaged, ExitCode.damaged],
  [PoisonedCommand, ExitCode.damaged],
  [InvariantBroken, ExitCode.damaged],
  [UnreadableRecord, ExitCode.damaged],
];

const SYSTEM_REFUSALS: ReadonlySet<string | undefined> = new Set([
  'EADDRINUSE',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'ENOTDIR',
]);

export function exitCodeOf(error: unknown): ExitCode {
  const known = CODES.find(([errorClass]) => error instanceof errorClass);
  if (known !== undefined) return known[1];
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  // A directory that cannot be made was named by the user, whatever the reason.
  return SYSTEM_REFUSALS.has(code) || syscall === 'mkdir' ? ExitCode.cannotStart : ExitCode.failed;
}
