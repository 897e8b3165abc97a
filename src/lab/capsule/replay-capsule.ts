/** Replays a session: the state of a capsule and every command of it, compared with the recorded outcomes. */
import { decodeCommand } from '../../core/codec/command-codec.ts';
import { Exchange } from '../../core/engine/exchange.ts';
import type { CommandType } from '../../core/model/command.ts';
import type { Event } from '../../core/model/event.ts';
import { RejectReason } from '../../core/model/reject-reason.ts';
import { ReplayDivergence } from '../../core/model/replay-divergence.ts';
import { formatOf, loadState, STATE_FORMAT } from '../../core/snapshot/snapshot.ts';
import type { State } from '../../core/state/state.ts';
import { PoisonedCommand } from '../../sequencer/recovery-errors.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import { VERSION } from '../../version.ts';
import type { Capsule, Outcome } from './capsule.ts';
import { CapsuleRefused } from './capsule-refused.ts';
import { replaySession } from './replay-session.ts';

/** The first command that came out otherwise than it did then. */
export interface ReplayDifference {
  readonly seq: number;
  readonly type: string;
  /** What came of it: accepted, or the name of the reason why not. */
  readonly recorded: string;
  readonly replayed: string;
}

export interface Replayed {
  readonly exchange: Exchange;
  readonly seq: number;
  readonly time: number;
  readonly stateHash: string;
  /** Did it come out as it did then? Of a part of a session: as far as the outcomes tell. */
  readonly same: boolean;
  readonly differs: ReplayDifference | undefined;
  /** What is another one than it was then: versions and formats. */
  readonly otherwise: readonly string[];
}

export interface ReplayOptions {
  /** Stops behind this command. */
  readonly until?: number | undefined;
  readonly applied?: (seq: number, exchange: Exchange, events: readonly Event[]) => void | Promise<void>;
}

/** Throws CapsuleRefused. */
export async function replayCapsule(capsule: Capsule, options: ReplayOptions = {}): Promise<Replayed> {
  const { manifest, records, outcomes } = capsule;
  const until = Math.min(options.until ?? manifest.last.seq, manifest.last.seq);
  if (until < manifest.first.seq)
    throw new CapsuleRefused(
      `the capsule begins after command ${manifest.first.seq}: it has none up to ${until}`,
    );
  refuseOtherTimes(capsule);
  const exchange = new Exchange(stateOf(capsule));
  const differs = await compare(
    exchange,
    records.filter(({ seq }) => seq <= until),
    outcomes,
    options,
  );
  const hash = stateHash(exchange.state);
  const isWhole = until === manifest.last.seq;
  const same = isWhole ? hash === manifest.last.stateHash : differs.outcome === undefined;
  return {
    exchange,
    seq: until,
    time: exchange.state.now,
    stateHash: hash,
    same,
    differs: same ? undefined : (differs.outcome ?? differs.events),
    otherwise: otherwise(capsule),
  };
}

/** The first of each kind. Other events alone may be those of another version. */
interface Found {
  outcome?: ReplayDifference;
  events?: ReplayDifference;
}

async function compare(
  exchange: Exchange,
  records: Capsule['records'],
  outcomes: readonly Outcome[],
  { applied }: ReplayOptions,
): Promise<Found> {
  const found: Found = {};
  let n = 0;
  try {
    for await (const { command, events, outcome } of replaySession(exchange, records)) {
      const then = outcomes[n++];
      await applied?.(outcome.seq, exchange, events);
      if (!sameOutcome(then, outcome)) found.outcome ??= difference(command.type, then, outcome);
      if (then?.events !== outcome.events) found.events ??= difference(command.type, then, outcome);
    }
  } catch (error) {
    // Whatever would come later stands on what differs.
    const then = outcomes[n];
    const replayed = (error as Error).message;
    if (error instanceof ReplayDivergence)
      found.outcome ??= { seq: then?.seq ?? 0, type: 'checkpoint', recorded: outcomeName(then), replayed };
    else if (error instanceof PoisonedCommand)
      found.outcome ??= { seq: error.seq, type: error.command.type, recorded: outcomeName(then), replayed };
    else throw unreadable(error, 'its commands');
  }
  return found;
}

function sameOutcome(then: Outcome | undefined, now: Outcome): boolean {
  return then?.seq === now.seq && then.rejectReason === now.rejectReason && then.digest === now.digest;
}

function difference(type: CommandType, then: Outcome | undefined, now: Outcome): ReplayDifference {
  const [was, is] = [outcomeName(then), outcomeName(now)];
  return { seq: now.seq, type, recorded: was, replayed: was === is ? `${is}, with other effects` : is };
}

const REASONS = new Map<number, string>(Object.entries(RejectReason).map(([name, number]) => [number, name]));

function outcomeName(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'nothing';
  const { rejectReason } = outcome;
  return rejectReason === RejectReason.none
    ? 'accepted'
    : (REASONS.get(rejectReason) ?? `reason ${rejectReason}`);
}

function stateOf({ state: bytes, manifest }: Capsule): State {
  let state: State;
  try {
    state = loadState(bytes);
  } catch (error) {
    throw unreadable(error, 'its state');
  }
  if (stateHash(state) === manifest.first.stateHash) return state;
  throw new CapsuleRefused(
    'the state at the beginning of the capsule is not the one that its manifest names',
  );
}

/** Time is what a command can waste most of: a far one brings all the hours before it. */
function refuseOtherTimes({ manifest, records }: Capsule): void {
  let before = manifest.first.time;
  for (const { seq, payload } of records) {
    const time = timeOf(payload);
    if (!(time >= before && time <= manifest.last.time))
      throw new CapsuleRefused(`the time of command ${seq} of the capsule is not between those around it`);
    before = time;
  }
}

function timeOf(payload: Uint8Array): number {
  try {
    return decodeCommand(payload).time;
  } catch (error) {
    throw unreadable(error, 'its commands');
  }
}

function unreadable(error: unknown, what: string): CapsuleRefused {
  return new CapsuleRefused(
    `the capsule cannot be replayed, ${what} cannot be read: ${(error as Error).message}`,
  );
}

function otherwise({ manifest, state }: Capsule): string[] {
  const format = formatOf(state);
  return [
    ...(manifest.program === VERSION ? [] : [`made by version ${manifest.program}, replayed by ${VERSION}`]),
    ...(format === STATE_FORMAT
      ? []
      : [`its state has format ${format}, this version writes ${STATE_FORMAT}`]),
  ];
}
