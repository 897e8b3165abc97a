/** Recovery: the state from the snapshot, then every command after it, with events to the history. */

import { Exchange } from '../core/engine/exchange.ts';
import type { Command } from '../core/model/command.ts';
import type { CommandResult } from '../core/model/command-result.ts';
import type { Event } from '../core/model/event.ts';
import { ReplayDivergence } from '../core/model/replay-divergence.ts';
import { loadState } from '../core/snapshot/snapshot.ts';
import type { State } from '../core/state/state.ts';
import { type History, HistoryStarved } from '../history/history.ts';
import type { LoggedRecord, Snapshot } from '../journal/command-journal.ts';
import { commandsToReplay } from './effective-commands.ts';
import { HISTORY_LAG_MAX, HISTORY_WAITING_MAX } from './limits.ts';
import { HistoryGap, PoisonedCommand } from './recovery-errors.ts';

export interface Replayed {
  readonly exchange: Exchange;
  readonly lastSeq: number;
  readonly commands: number;
}

export interface ReplayOptions {
  /** Called every 100,000 commands. */
  readonly progress?: (seq: number) => void;
  /** Called with every command, which is valid until the next, and its result. */
  readonly applied?: (seq: number, command: Command, result: CommandResult) => void;
  /** Continues although the history lacks records that the journal no longer holds. */
  readonly acceptHistoryGap?: boolean;
  /** How messages call the history. */
  readonly historyName?: string;
}

export async function replay(
  snapshot: Snapshot | undefined,
  records: Iterable<LoggedRecord>,
  history: History,
  options: ReplayOptions = {},
): Promise<Replayed> {
  const startSeq = snapshot?.seq ?? 0;
  const { historyName = 'history.sqlite' } = options;
  if (history.confirmedSeq < startSeq && options.acceptHistoryGap !== true) {
    throw new HistoryGap(
      `${historyName} ends at command ${history.confirmedSeq}, the oldest usable snapshot is of command ${startSeq}: ` +
        `put the missing ${historyName} back from a backup, or start with --accept-history-gap to go on without those records`,
    );
  }
  const exchange = snapshot === undefined ? new Exchange() : new Exchange(loadState(snapshot.state));
  describeListings(history, exchange.state);
  // An accepted gap is recorded once.
  if (history.confirmedSeq < startSeq)
    history.project({ seq: startSeq, time: exchange.state.now, events: [], gap: true });
  let lastSeq = startSeq;
  let commands = 0;
  for (const { seq, command } of commandsToReplay(records)) {
    exchange.suppressEvents = seq <= history.confirmedSeq;
    const result = applyLogged(exchange, seq, command);
    options.applied?.(seq, command, result);
    const events = exchange.takeEvents();
    lastSeq = seq;
    commands++;
    // Also for commands that the history holds: later ones refer to what these listed.
    if (isListing(events)) describeListings(history, exchange.state);
    if (seq > history.confirmedSeq) {
      history.project({ seq, time: exchange.state.now, events });
      if (history.lag() > HISTORY_LAG_MAX) await catchUp(history);
    }
    if (commands % 100_000 === 0) options.progress?.(seq);
  }
  exchange.suppressEvents = false;
  refuseHistoryAhead(history, lastSeq, historyName);
  return { exchange, lastSeq, commands };
}

/** On a full disk the rows may wait in memory, as they do in a running exchange. */
async function catchUp(history: History): Promise<void> {
  try {
    await history.flush();
  } catch (error) {
    if (!(error instanceof HistoryStarved) || history.lag() > HISTORY_WAITING_MAX) throw error;
  }
}

/** Throws ReplayDivergence or PoisonedCommand. */
export function applyLogged(exchange: Exchange, seq: number, command: Command): CommandResult {
  try {
    return exchange.apply(command, seq);
  } catch (error) {
    // The command of a replay is valid until the next.
    throw error instanceof ReplayDivergence
      ? error
      : new PoisonedCommand(seq, { ...command }, error as Error);
  }
}

/** The history only gets commands of the journal; if it is ahead, the journal lost its end or is an older copy. */
function refuseHistoryAhead({ confirmedSeq }: History, lastSeq: number, name: string): void {
  if (confirmedSeq <= lastSeq) return;
  throw new HistoryGap(
    `${name} holds command ${confirmedSeq}, the log ends at ${lastSeq}: records are missing at the end of the log. ` +
      `Restore log/ and ${name} of the same moment from a backup`,
  );
}

/** Did the command change what can be traded? A delivery does so after other events. */
export function isListing(events: readonly Event[]): boolean {
  return events.some(({ type }) => type === 'instrument' || type === 'coinListed');
}

/** Gives the history the names behind the indices in events. */
export function describeListings(history: History, state: State): void {
  history.describe(
    state.instruments,
    state.coins.map((spec) => spec.coin),
  );
}
