/** Applies the commands of a session one after the other, with what came of each. */
import { setImmediate as turn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Exchange } from '../../core/engine/exchange.ts';
import type { Command } from '../../core/model/command.ts';
import type { CommandResult } from '../../core/model/command-result.ts';
import type { Event } from '../../core/model/event.ts';
import type { LoggedRecord } from '../../journal/command-journal.ts';
import { effectiveCommands } from '../../sequencer/effective-commands.ts';
import { applyLogged } from '../../sequencer/recovery.ts';
import type { Outcome } from './capsule.ts';

/** Commands between two turns of the event loop: others are served meanwhile. */
const COMMANDS_A_TURN = 500;

export interface Applied {
  readonly command: Command;
  readonly events: readonly Event[];
  readonly outcome: Outcome;
}

/** `before` is called before each command, and what it returns with the result. Throws ReplayDivergence, PoisonedCommand or UnreadableRecord. */
export async function* replaySession(
  exchange: Exchange,
  records: Iterable<LoggedRecord>,
  before: (command: Command) => (seq: number, result: CommandResult) => void = () => () => {},
): AsyncGenerator<Applied> {
  let applied = 0;
  for (const { seq, command } of effectiveCommands(records)) {
    const then = before(command);
    const result = applyLogged(exchange, seq, command);
    then(seq, result);
    const events = exchange.takeEvents();
    const digest = exchange.state.digest.value;
    yield {
      command,
      events,
      outcome: { seq, rejectReason: result.rejectReason, digest, events: checksum(events) },
    };
    if (++applied % COMMANDS_A_TURN === 0) await turn();
  }
}

function checksum(events: readonly Event[]): number {
  return events.length === 0 ? 0 : crc32(JSON.stringify(events, plain));
}

function plain(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Map ? [...value] : value;
}
