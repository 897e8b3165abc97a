/**
 * Judges what a program did with an account: the commands of the session are applied once more beside the exchange, so that each
 * order is held against the book that it met, and the requests are read as the inspector has them.
 */
import { Exchange } from '../../core/engine/exchange.ts';
import type { Entry } from '../../inspector/recorder.ts';
import type { CapsuleSource } from '../capsule/record-capsule.ts';
import { entriesWithin } from '../capsule/recorded-requests.ts';
import { replaySession } from '../capsule/replay-session.ts';
import { fromOldest, fromTime, readAgain } from '../capsule/session-begin.ts';
import { type ConductRules, codesOf, conductOf } from './conduct.ts';
import { type FaultHits, faultReports } from './fault-reports.ts';
import { findingsOf } from './findings.ts';
import type { Referee, RulesReport } from './report.ts';
import { TradingTally } from './trading.ts';

export interface RefereeSource extends Pick<CapsuleSource, 'venue' | 'recorder' | 'branchSinceMs'> {
  readonly rules: ConductRules;
  /** None without faults. */
  readonly hits?: FaultHits | undefined;
}

export interface RefereeRequest {
  readonly uid: number;
  readonly account: string;
  /** From so many milliseconds of the exchange's time ago; else as far back as it is known. */
  readonly sinceMs?: number | undefined;
}

export async function judge(
  source: RefereeSource,
  { uid, account, sinceMs }: RefereeRequest,
): Promise<Referee> {
  const { venue, recorder, branchSinceMs, rules, hits } = source;
  const { sequencer } = venue;
  const to = { seq: sequencer.appliedSeq, time: sequencer.state.now };
  const since = sequencer.clock.now() - (sinceMs ?? 0);
  await sequencer.durable();
  const begin = await readAgain(() => {
    const past = venue.journalPast(to.seq);
    return sinceMs === undefined ? fromOldest(past) : fromTime(past, since);
  });
  const from = { seq: begin.seq, time: begin.state.now };
  const exchange = new Exchange(begin.state);
  const { state } = exchange;
  const tally = new TradingTally(uid, state);
  const applied = replaySession(exchange, begin.records, (command) => tally.before(state, command));
  for await (const { events } of applied) tally.after(state, events);
  const entries = entriesWithin(recorder, { afterSeq: begin.seq, sinceMs: branchSinceMs });
  const own = entries.filter((entry) => entry.uid === uid);
  const facts = {
    account,
    uid,
    from,
    to,
    complete: begin.seq === 0 || (sinceMs !== undefined && from.time >= since - SECOND_MS),
    trading: tally.report(state),
    conduct: recorder === undefined ? null : conductOf(own, rules),
    faults: faultReports(hits?.(uid) ?? [], own, tally, state),
    rules: withRefusals(tally.rules(state), own, rules),
  };
  return { ...facts, findings: findingsOf(facts) };
}

/** Ticks come each second, so a session begins within one of what was asked for. */
const SECOND_MS = 1000;
const MINIMUM: ReadonlySet<string> = new Set(['25207', '25611']);
const STEP: ReadonlySet<string> = new Set(['25244', '25610']);
const REDUCTION: ReadonlySet<string> = new Set(['25225', '25227', '25232']);

/** Adds what was refused before it became a command. */
function withRefusals(known: RulesReport, entries: readonly Entry[], rules: ConductRules): RulesReport {
  const codes = entries
    .filter(({ commands }) => commands.length === 0)
    .flatMap((entry) => codesOf(entry, rules));
  const count = (fits: ReadonlySet<string>) => codes.filter((code) => fits.has(code)).length;
  return {
    ...known,
    belowMinimum: known.belowMinimum + count(MINIMUM),
    offTick: known.offTick + count(STEP),
    reduceOnly: known.reduceOnly + count(REDUCTION),
  };
}
