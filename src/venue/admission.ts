/**
 * Which commands are let in while the disk is slow or full or memory is short: money stays where it is, but orders can
 * always leave.
 */
import type { Command, CommandType } from '../core/command.ts';
import type { CommandLog } from '../log/command-log.ts';
import { QUEUE_AGE_MAX_MS } from './limits.ts';

const ALWAYS: ReadonlySet<CommandType> = new Set([
  'cancelOrder',
  'cancelAll',
  'countdownCancel',
  'cancelEverything',
  'tick',
  'checkpoint',
]);

/** Why a command cannot be taken now; undefined when it can. */
export function admit(command: Command, log: CommandLog, memoryShort: boolean): string | undefined {
  const capacity = log.capacity();
  if (capacity === 'read_only') return 'the disk is full: the venue is read-only until space is free';
  if (ALWAYS.has(command.type)) return undefined;
  if (capacity === 'cancel_only') return 'the disk is nearly full: only cancellations are taken';
  if (memoryShort) return 'memory is nearly full: only cancellations are taken';
  if (log.queueAgeMs() > QUEUE_AGE_MAX_MS) return 'the venue is busy: the disk is behind, try again';
  return undefined;
}
