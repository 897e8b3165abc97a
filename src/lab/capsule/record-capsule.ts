/** Makes a capsule of a running exchange. The commands are applied once more for it, to keep what comes of each. */
import { AdminError } from '../../admin/admin-error.ts';
import { Exchange } from '../../core/engine/exchange.ts';
import { type NewUid, renumbered } from '../../core/snapshot/renumber.ts';
import { STATE_FORMAT, saveState } from '../../core/snapshot/snapshot.ts';
import type { Recorder } from '../../inspector/recorder.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import { VERSION } from '../../version.ts';
import type { LabVenue } from '../host.ts';
import { anonymousAccounts, anonymousRecords, newUids } from './anonymous.ts';
import { type Capsule, type Outcome, packCapsule } from './capsule.ts';
import { CapsuleRefused } from './capsule-refused.ts';
import type { CapsuleAccount, Manifest } from './manifest.ts';
import { requestsOf } from './recorded-requests.ts';
import { replaySession } from './replay-session.ts';
import { fromOldest, fromSnapshot, fromTime, readAgain, type SessionBegin } from './session-begin.ts';

export interface CapsuleRequest {
  /** From so many milliseconds of the exchange's time ago. */
  readonly sinceMs?: number;
  /** From this snapshot. */
  readonly from?: { readonly name: string; readonly seq: number; readonly state: Uint8Array };
  readonly anonymise: boolean;
}

/** Other parts of the laboratory, where they have something to add. */
export interface CapsuleExtras {
  readonly faults?: () => unknown;
  readonly scenario?: () => unknown;
}

export type SettingValue = string | number | boolean | readonly string[];

export interface CapsuleSource extends CapsuleExtras {
  readonly venue: LabVenue;
  readonly recorder: Recorder | undefined;
  /** All of them, by name. */
  readonly settings: ReadonlyMap<string, SettingValue>;
  /** Machine's time at which the present branch began; 0 for that of the process. */
  readonly branchSinceMs: number;
}

/** Everything else goes on meanwhile. */
export async function recordCapsule(
  source: CapsuleSource,
  request: CapsuleRequest,
): Promise<Buffer | AdminError> {
  const { venue, recorder, branchSinceMs } = source;
  const { sequencer } = venue;
  const { state } = sequencer;
  // In one turn: what the exchange is after its last command.
  const last = { seq: sequencer.appliedSeq, time: state.now, stateHash: stateHash(state) };
  const digest = state.digest.value;
  const newUid = request.anonymise ? newUids(state) : undefined;
  const accounts = accountsOf(venue, newUid);
  const since = sequencer.clock.now() - (request.sinceMs ?? 0);
  await sequencer.durable();
  const begin = await beginOf(venue, last.seq, request, since);
  if (begin instanceof AdminError) return begin;
  const session = sessionOf(begin, newUid);
  const first = { seq: begin.seq, time: session.state.now, stateHash: stateHash(session.state) };
  const bytes = saveState(session.state);
  const exchange = new Exchange(session.state);
  const outcomes: Outcome[] = [];
  for await (const { outcome } of replaySession(exchange, session.records)) outcomes.push(outcome);
  if (newUid !== undefined && exchange.state.digest.value !== digest)
    return new AdminError('internal', 'the session comes out differently without names: export it with them');
  const requests = requestsOf(recorder, { afterSeq: begin.seq, sinceMs: branchSinceMs }, newUid);
  const manifest: Manifest = {
    program: VERSION,
    node: process.version,
    formats: { state: STATE_FORMAT, edition: exchange.state.edition },
    ...circumstances(source.settings),
    first,
    // Numbers of accounts are a part of the state, so the anonymous session has a hash of its own.
    last: newUid === undefined ? last : { ...last, stateHash: stateHash(exchange.state) },
    commands: outcomes.length,
    requests: requests.count,
    anonymised: request.anonymise,
    accounts,
    faults: source.faults?.() ?? null,
    scenario: source.scenario?.() ?? null,
  };
  return packed({ manifest, state: bytes, records: session.records, outcomes, requests: requests.text });
}

function beginOf(
  venue: LabVenue,
  lastSeq: number,
  { from, sinceMs }: CapsuleRequest,
  since: number,
): Promise<SessionBegin | AdminError> {
  return readAgain(() => {
    const past = venue.journalPast(lastSeq);
    if (from !== undefined) return fromSnapshot(past, from);
    return sinceMs === undefined ? fromOldest(past) : fromTime(past, since);
  });
}

function sessionOf(begin: SessionBegin, newUid: NewUid | undefined): SessionBegin {
  if (newUid === undefined) return begin;
  const { seq, state, records } = begin;
  return { seq, state: renumbered(state, newUid), records: anonymousRecords(records, newUid) };
}

function accountsOf({ sequencer, identity }: LabVenue, newUid: NewUid | undefined): CapsuleAccount[] {
  const users = [...sequencer.state.accountByUid.values()].filter(({ house }) => !house);
  const accounts = users.map(({ uid, masterUid }) => ({
    uid,
    name: identity.findUser(uid)?.name ?? '',
    mainUid: masterUid === 0 ? null : masterUid,
  }));
  return newUid === undefined ? accounts : anonymousAccounts(accounts, newUid);
}

/** What a session depends on. Paths and addresses are of the machine and stay there. */
const SETTINGS = [
  ...['clockStart', 'market', 'backfill', 'demo', 'memory', 'rateLimits', 'errorDialect', 'rejectReplays'],
  'instruments',
];

function circumstances(
  settings: ReadonlyMap<string, SettingValue>,
): Pick<Manifest, 'settings' | 'seed' | 'clock'> {
  const [feed = ''] = String(settings.get('feed')).split(':');
  const named = SETTINGS.map((name) => [name, plain(settings.get(name))] as const);
  return {
    clock: String(settings.get('clock')),
    seed: Number(settings.get('seed')),
    settings: { ...Object.fromEntries(named), feed },
  };
}

function plain(value: SettingValue | undefined): string | number | boolean {
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}

function packed(capsule: Capsule): Buffer | AdminError {
  try {
    return packCapsule(capsule);
  } catch (error) {
    if (!(error instanceof CapsuleRefused)) throw error;
    return new AdminError('limit_reached', `${error.message}: take a shorter time`);
  }
}
