/**
 * Load shedding: the commands that are accepted while the disk is slow or full or memory is short. Money stays in
 * place, but orders can always be cancelled, and so can withdrawal requests.
 */
import type { Command, CommandType, Unstamped } from '../core/model/command.ts';
import { onlyReduces } from '../core/reads/reads.ts';
import type { State } from '../core/state/state.ts';
import type { History } from '../history/history.ts';
import type { JournalCapacity } from '../journal/command-journal.ts';
import type { CommandLog } from './command-log.ts';
import { HISTORY_WAITING_MAX, QUEUE_AGE_MAX_MS } from './limits.ts';

/** A shortage, and the commands still accepted until it ends. */
export interface Shortage {
  readonly of: 'disk' | 'database' | 'memory';
  readonly mode: Exclude<JournalCapacity, 'normal'>;
  readonly reason: string;
}

/** Resources that may run short. */
export interface Resources {
  readonly log: Pick<CommandLog, 'capacity' | 'queueAgeMs'>;
  readonly history: History;
  readonly memoryShort: boolean;
}

/** The most restrictive shortage; undefined when there is none. */
export function shortageOf({ log, history, memoryShort }: Resources): Shortage | undefined {
  const capacity = log.capacity();
  if (capacity === 'read_only') return LOG_FULL;
  const { read_only, cancel_only } = history.waitsFor === 'database' ? DATABASE_AWAY : DISK_FULL;
  if (history.starved && history.lag() > HISTORY_WAITING_MAX) return read_only;
  if (capacity === 'cancel_only') return LOG_NEARLY_FULL;
  if (history.starved) return cancel_only;
  return memoryShort ? MEMORY_SHORT : undefined;
}

const LOG_FULL: Shortage = {
  of: 'disk',
  mode: 'read_only',
  reason: 'the disk is full: the venue is read-only until space is free',
};
const LOG_NEARLY_FULL: Shortage = {
  of: 'disk',
  mode: 'cancel_only',
  reason: 'the disk is nearly full: only cancellations are taken',
};
/** Rows of the history wait for the disk: few of them, and many. */
const DISK_FULL = {
  cancel_only: {
    of: 'disk',
    mode: 'cancel_only',
    reason: 'the disk is full for the history: only cancellations are taken',
  },
  read_only: {
    of: 'disk',
    mode: 'read_only',
    reason: 'the disk is full and the history is far behind: the venue is read-only until space is free',
  },
} as const satisfies Partial<Record<JournalCapacity, Shortage>>;
/** The same for a database elsewhere. */
const DATABASE_AWAY = {
  cancel_only: {
    of: 'database',
    mode: 'cancel_only',
    reason: "the history's database is away: only cancellations are taken",
  },
  read_only: {
    of: 'database',
    mode: 'read_only',
    reason:
      "the history's database is away and records wait in memory: the venue is read-only until it is back",
  },
} as const satisfies Partial<Record<JournalCapacity, Shortage>>;
const MEMORY_SHORT: Shortage = {
  of: 'memory',
  mode: 'cancel_only',
  reason: 'memory is nearly full: only cancellations are taken',
};

/** Accepted in cancel-only mode: commands that remove orders, the clock, and the operator's halt. */
const ALWAYS: ReadonlySet<CommandType> = new Set([
  'cancelOrder',
  'cancelStrategy',
  'cancelAll',
  'countdownCancel',
  'cancelEverything',
  'setHalt',
  'tick',
  'identityMark',
  'checkpoint',
]);

/** Why a command is rejected now; undefined when it is accepted. */
export function shedReason(
  command: Unstamped<Command>,
  resources: Resources,
  state: State,
): string | undefined {
  const shortage = shortageOf(resources);
  if (shortage?.mode === 'read_only') return shortage.reason;
  if (isCancellation(command, state)) return undefined;
  if (shortage !== undefined) return shortage.reason;
  if (resources.log.queueAgeMs() > QUEUE_AGE_MAX_MS)
    return 'the venue is busy: the disk is behind, try again';
  return undefined;
}

export function isCancellation(command: Unstamped<Command>, state: State): boolean {
  if (ALWAYS.has(command.type)) return true;
  // A paid withdrawal moves money out; an unpaid one restores the account.
  if (command.type === 'endWithdrawal') return !command.paid;
  return (
    command.type === 'amendOrders' && command.items.every((item) => onlyReduces(state, command.uid, item))
  );
}
