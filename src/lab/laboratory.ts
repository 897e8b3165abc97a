/**
 * Snapshots of a running exchange, the way back to them, and exchanges that go on from them. It does only what the world could
 * do: nothing is written into a state, and nothing is cut out of a journal. A revert puts a second exchange, opened from the
 * snapshot, in the place of the one that runs.
 */
import { AdminError } from '../admin/admin-error.ts';
import { UnreadableRecord } from '../core/model/bytes.ts';
import { openOrderIds } from '../core/reads/reads.ts';
import { formatOf, loadState, STATE_FORMAT, saveState } from '../core/snapshot/snapshot.ts';
import type { State } from '../core/state/state.ts';
import { HistoryStarved } from '../history/history.ts';
import { type ClockChoice, choiceOf } from '../sequencer/clock-choice.ts';
import { stateHash } from '../sequencer/state-hash.ts';
import { isOutOfSpace } from '../storage/shortage-errors.ts';
import type { Branches, BranchFacts } from './branches.ts';
import { type CapsuleSource, recordCapsule } from './capsule/record-capsule.ts';
import { ClockSessions } from './clock/sessions.ts';
import { type Difference, differences } from './diff.ts';
import type { Faults, FaultsImage } from './faults/faults.ts';
import type { OutageKind } from './faults/world.ts';
import { type Fork, type ForkWish, type Host, type LabVenue, PortTaken } from './host.ts';
import { BRANCHES_KEPT, branchEndName, isName, type LabLimits, NAME_RULE } from './limits.ts';
import { judge, type RefereeSource, type RefereeWish } from './referee/referee.ts';
import type { Referee } from './referee/report.ts';
import type { BranchStart, Image, SnapshotFacts, SnapshotStore } from './snapshot.ts';

/** The state as it is, in comparisons. */
export const NOW = 'now';
const MIB = 1024 * 1024;
/** Left free for the exchange itself. */
const SPARE_BYTES = 64 * MIB;

export interface Reverted {
  readonly name: string;
  readonly seq: number;
  readonly time: number;
  readonly stateHash: string;
  readonly ms: number;
  /** What the branch that was left has, and the new one not. */
  readonly dropped: { readonly commands: number; readonly orders: number };
}

export interface OpenFork extends Omit<Fork, 'close'> {
  readonly id: string;
  readonly from: string;
  readonly ms: number;
}

/** What a capsule holds beside the session of the exchange. */
type CapsuleContext = Omit<CapsuleSource, 'venue' | 'branchSinceMs'>;

interface RunningFork {
  readonly facts: OpenFork;
  readonly branch: number;
  readonly close: () => Promise<void>;
}

/** The time of a branch, for a start: how far it is behind the machine's, and its clock. */
export interface BranchTime {
  readonly gapMs: number;
  /** Undefined in snapshots of older programs. */
  readonly clock: ClockChoice | undefined;
}

export interface LaboratoryOptions<Venue extends LabVenue> {
  readonly host: Host<Venue>;
  readonly store: SnapshotStore;
  readonly branches: Branches;
  readonly limits: LabLimits;
  readonly faults: Faults;
  /** Called before another branch or clock becomes the present one: keeps what a start must know. */
  readonly enter: (all: readonly BranchFacts[], branch: BranchFacts, time: BranchTime) => void;
}

export class Laboratory<Venue extends LabVenue = LabVenue> {
  readonly #host: Host<Venue>;
  readonly #store: SnapshotStore;
  readonly #branches: Branches;
  readonly #limits: LabLimits;
  readonly #faults: Faults;
  readonly #enter: LaboratoryOptions<Venue>['enter'];
  /** Participants that move a driven clock. */
  readonly sessions: ClockSessions;
  readonly #forks = new Map<string, RunningFork>();
  #lastFork = 0;
  /** Machine's time of the last revert. */
  #branchSinceMs = 0;
  readonly #outages = new AbortController();
  #outage: Promise<void> | undefined;
  /** What is being done: one thing at a time. */
  #underWay: string | undefined;

  constructor({ host, store, branches, limits, faults, enter }: LaboratoryOptions<Venue>) {
    this.#host = host;
    this.sessions = new ClockSessions(host);
    this.#store = store;
    this.#branches = branches;
    this.#limits = limits;
    this.#faults = faults;
    this.#enter = enter;
  }

  /** Newest first. */
  list(): readonly SnapshotFacts[] {
    return this.#store.all().toReversed();
  }

  save(given: string | undefined, note: string): Promise<(SnapshotFacts & { ms: number }) | AdminError> {
    return this.alone('a snapshot', async () => {
      const began = performance.now();
      const name = given ?? this.#freeName();
      const refusal = this.#nameRefusal(name) ?? this.#advancing('a snapshot');
      if (refusal !== undefined) return refusal;
      const { venue } = this.#host;
      const saved = await this.#keep(venue, name, note, this.#branches.current);
      if (saved instanceof AdminError) return saved;
      await venue.reopenMarket();
      await venue.sequencer.durable();
      return { ...saved, ms: elapsed(began) };
    });
  }

  delete(name: string): SnapshotFacts | AdminError {
    const facts = this.#find(name);
    if (!(facts instanceof AdminError)) this.#store.delete(name);
    return facts;
  }

  revert(to: string, keepSockets: boolean): Promise<Reverted | AdminError> {
    return this.alone('a revert', async () => {
      const began = performance.now();
      const facts = this.#readable(to);
      if (facts instanceof AdminError) return facts;
      const refusal = this.#advancing('a revert') ?? this.#spaceRefusal(facts.bytes);
      if (refusal !== undefined) return refusal;
      const branch = this.#branches.next(facts);
      const next = await this.#open(facts, branch);
      if (next instanceof AdminError) return next;
      const left = this.#branches.current;
      const common = this.#branches.commonSeq(facts);
      const gapMs = this.#gap(facts);
      let old: Venue;
      this.sessions.hold('the exchange goes back to an earlier state');
      try {
        old = await this.#host.replace(next, {
          reason: `reverted to ${to}: ids are given again`,
          keepSockets,
          commit: () => this.#enter([...this.#branches.all(), branch], branch, { gapMs, clock: facts.clock }),
        });
      } catch (error) {
        this.sessions.resume();
        await next.close();
        this.#store.dropBranch(branch.branch);
        return new AdminError('unavailable', `the exchange goes on as it was: ${(error as Error).message}`);
      }
      this.sessions.resume();
      this.#branches.add(branch);
      this.#branches.enter(branch);
      this.#branchSinceMs = this.#host.wallMs();
      const ofLeft = this.#faults.image();
      this.#faults.restore(facts.faults);
      const { sequencer } = old;
      const dropped = {
        commands: sequencer.appliedSeq - common,
        orders: ordersGone(sequencer.state, next.sequencer.state),
      };
      await this.#leave(old, left, ofLeft);
      const { name, seq, time, stateHash: hash } = facts;
      return { name, seq, time, stateHash: hash, ms: elapsed(began), dropped };
    });
  }

  fork(from: string | undefined, wish: ForkWish): Promise<OpenFork | AdminError> {
    return this.alone('a fork', async () => {
      const began = performance.now();
      if (this.#forks.size >= this.#limits.forks)
        return new AdminError(
          'limit_reached',
          `${this.#forks.size} forks run, at most ${this.#limits.forks}: end one, or start with --lab-forks`,
        );
      const facts = from === undefined ? await this.#ofNow() : this.#readable(from);
      if (facts instanceof AdminError) return facts;
      const refusal = this.#spaceRefusal(facts.bytes);
      if (refusal !== undefined) return refusal;
      const branch = this.#branches.next(facts);
      this.#branches.add(branch);
      const id = `fork-${++this.#lastFork}`;
      try {
        const start = await this.#begin(facts, branch.branch);
        const { faults } = facts;
        const beginning = { ...start, ...(faults !== undefined && { faults }) };
        const { close, ...fork } = await this.#host.fork(beginning, wish, () => this.#ended(id, branch));
        const opened = { ...fork, id, from: from ?? NOW, ms: elapsed(began) };
        this.#forks.set(id, { facts: opened, branch: branch.branch, close });
        return opened;
      } catch (error) {
        this.#store.dropBranch(branch.branch);
        return forkRefusal(error as Error);
      } finally {
        if (from === undefined) this.#store.delete(facts.name);
      }
    });
  }

  forks(): readonly OpenFork[] {
    return [...this.#forks.values()].map(({ facts }) => facts);
  }

  async endFork(id: string): Promise<OpenFork | AdminError> {
    const fork = this.#forks.get(id);
    if (fork === undefined) {
      const known = [...this.#forks.keys()].join(', ') || 'none';
      return new AdminError('unknown_fork', `there is no fork ${id}; there are: ${known}`);
    }
    this.#forks.delete(id);
    await fork.close();
    this.#store.dropBranch(fork.branch);
    return fork.facts;
  }

  diff(from: string, to: string): Difference | AdminError {
    const one = this.#state(from);
    if (one instanceof AdminError) return one;
    const other = this.#state(to);
    if (other instanceof AdminError) return other;
    const nameOf = (uid: number) => this.#host.venue.identity.findUser(uid)?.name ?? '';
    return differences(one, other, nameOf);
  }

  get venue(): Venue {
    return this.#host.venue;
  }

  /** Another clock from the present time on, also after a restart. */
  setClock(clock: ClockChoice): Promise<ClockChoice | AdminError> {
    return this.alone('a change of the clock', async () => {
      const refusal = this.#advancing('a change of the clock');
      if (refusal !== undefined) return refusal;
      const { venue } = this.#host;
      const running = choiceOf(venue.sequencer.clock);
      if (running === clock) return clock;
      if (running === 'driven' || clock === 'driven')
        return new AdminError('not_allowed', 'a driven clock is chosen at the start: --clock driven');
      const { current } = this.#branches;
      try {
        const gapMs = this.#gap({ time: venue.sequencer.clock.now() });
        this.#enter(this.#branches.all(), current, { gapMs, clock });
      } catch (error) {
        if (!isOutOfSpace(error)) throw error;
        return new AdminError('no_space', 'the disk is full: the clock was not changed');
      }
      venue.setClock(clock);
      return clock;
    });
  }

  /** Why an outage cannot begin; it goes on by itself, and `failed` is told when the exchange does not come back. */
  beginOutage(seconds: number, how: OutageKind, failed: (error: Error) => void): AdminError | undefined {
    if (this.#underWay !== undefined)
      return new AdminError('busy', `${this.#underWay} is under way: an outage can wait until it is done`);
    const { signal } = this.#outages;
    this.#outage = this.alone('an outage', () => this.#host.outage(seconds, how, signal)).then(
      () => {},
      failed,
    );
    return undefined;
  }

  /** Ends every fork, and an outage at once. */
  async close(): Promise<void> {
    this.sessions.hold('the exchange stops');
    this.#outages.abort();
    await this.#outage;
    await Promise.all([...this.#forks.keys()].map((id) => this.endFork(id)));
  }

  /** The session since a snapshot on the way to the present, since a time, or as far back as it is known. */
  capsule(
    {
      from,
      sinceMs,
      anonymise,
    }: { from?: string | undefined; sinceMs?: number | undefined; anonymise: boolean },
    context: CapsuleContext,
  ): Promise<Buffer | AdminError> {
    return this.alone('a capsule', async () => {
      const snapshot = from === undefined ? undefined : this.#onTheWay(from);
      if (snapshot instanceof AdminError) return snapshot;
      const source = { ...context, venue: this.#host.venue, branchSinceMs: this.#branchSinceMs };
      return recordCapsule(source, {
        anonymise,
        ...(sinceMs !== undefined && { sinceMs }),
        ...(snapshot !== undefined && { from: { ...snapshot, state: this.#store.stateOf(snapshot.name) } }),
      });
    });
  }

  /** What a program did with an account. */
  referee(wish: RefereeWish, context: Omit<RefereeSource, 'venue' | 'branchSinceMs'>): Promise<Referee> {
    return judge({ ...context, venue: this.#host.venue, branchSinceMs: this.#branchSinceMs }, wish);
  }

  /** What a branch of its own begins with. */
  begin(name: string): Promise<BranchStart> | AdminError {
    const facts = this.#readable(name);
    return facts instanceof AdminError ? facts : this.#store.image(name);
  }

  /** A snapshot that the present has come from. */
  #onTheWay(name: string): SnapshotFacts | AdminError {
    const facts = this.#readable(name);
    if (facts instanceof AdminError || this.#branches.commonSeq(facts) === facts.seq) return facts;
    return new AdminError(
      'not_allowed',
      `the exchange has not come from the snapshot ${name}: go back to it, or take one of its own branch`,
    );
  }

  #ended(id: string, { branch }: BranchFacts): void {
    this.#forks.delete(id);
    this.#store.dropBranch(branch);
  }

  /** At one point between two commands: the state here, the history when it has got there. */
  async #keep(
    venue: LabVenue,
    name: string,
    note: string,
    on: BranchFacts,
    faults = this.#faults.image(),
  ): Promise<SnapshotFacts | AdminError> {
    const { sequencer, identity, history } = venue;
    const image: Image = {
      seq: sequencer.appliedSeq,
      time: sequencer.clock.now(),
      state: saveState(sequencer.state),
      note: venue.identityNote(),
      identity: identity.image(),
    };
    const refusal = this.#limitRefusal(name, image);
    if (refusal !== undefined) return refusal;
    const facts = {
      name,
      note,
      seq: image.seq,
      time: image.time,
      stateHash: stateHash(sequencer.state),
      format: STATE_FORMAT,
      parent: this.#parent(on),
      branch: on.branch,
      taken: this.#host.wallMs(),
      clock: choiceOf(sequencer.clock),
      faults,
    };
    const atPoint = <Copy>(copy: () => Promise<Copy>) =>
      new Promise<Copy>((resolve) => sequencer.atPoint(() => resolve(copy())));
    try {
      return await this.#store.save(facts, image, {
        copyTo: (path) => atPoint(() => history.copyTo(path)),
        contents: () => atPoint(() => history.contents()),
      });
    } catch (error) {
      if (!isOutOfSpace(error) && !(error instanceof HistoryStarved)) throw error;
      return new AdminError('no_space', 'the disk is full: no snapshot was taken');
    }
  }

  /** The end of the branch that is left: it can be forked and gone back to like any snapshot, while it is among the newest. */
  async #leave(old: LabVenue, left: BranchFacts, faults: FaultsImage): Promise<void> {
    try {
      await this.#keep(old, branchEndName(left.branch), '', left, faults);
      const ends = this.#store.all().filter(({ name }) => !isName(name));
      for (const end of ends.slice(0, -BRANCHES_KEPT)) {
        this.#store.delete(end.name);
        this.#store.dropBranch(end.branch);
      }
    } finally {
      await old.close();
    }
  }

  async #open(facts: SnapshotFacts, { branch }: BranchFacts): Promise<Venue | AdminError> {
    try {
      const start = await this.#begin(facts, branch);
      return await this.#host.open(start, this.#gap(facts));
    } catch (error) {
      this.#store.dropBranch(branch);
      if (isOutOfSpace(error)) return new AdminError('no_space', 'the disk is full: nothing was changed');
      return new AdminError('unavailable', `the exchange goes on as it was: ${(error as Error).message}`);
    }
  }

  async #begin({ name, clock }: SnapshotFacts, branch: number): Promise<BranchStart> {
    const start = await this.#store.begin(name, branch);
    return clock === undefined ? start : { ...start, clock };
  }

  #gap({ time }: { readonly time: number }): number {
    return this.#host.wallMs() - time;
  }

  #state(name: string): State | AdminError {
    if (name === NOW) return this.#host.venue.sequencer.state;
    const facts = this.#readable(name);
    return facts instanceof AdminError ? facts : loadState(this.#store.stateOf(name));
  }

  /** A snapshot of the present that nobody has named. */
  async #ofNow(): Promise<SnapshotFacts | AdminError> {
    const advancing = this.#advancing('a fork');
    if (advancing !== undefined) return advancing;
    const { venue } = this.#host;
    const facts = await this.#keep(venue, `.fork-${this.#lastFork + 1}`, '', this.#branches.current);
    if (!(facts instanceof AdminError)) await venue.reopenMarket();
    return facts;
  }

  #find(name: string): SnapshotFacts | AdminError {
    const facts = this.#store.all().find((each) => each.name === name);
    if (facts !== undefined) return facts;
    const names = this.#store.all().map((each) => each.name);
    const known = names.length === 0 ? 'there is none yet' : `there are: ${names.join(', ')}`;
    return new AdminError('unknown_snapshot', `there is no snapshot ${JSON.stringify(name)}; ${known}`);
  }

  #readable(name: string): SnapshotFacts | AdminError {
    const facts = this.#find(name);
    if (facts instanceof AdminError) return facts;
    const format = formatOf(this.#store.stateOf(name));
    if (format <= STATE_FORMAT) return facts;
    return new AdminError(
      'newer_format',
      `the snapshot ${name} has format ${format}, this version reads formats up to ${STATE_FORMAT}: start a newer one`,
    );
  }

  #nameRefusal(name: string): AdminError | undefined {
    if (!isName(name)) return new AdminError('invalid_request', `${JSON.stringify(name)}: ${NAME_RULE}`);
    if (this.#find(name) instanceof AdminError) return undefined;
    return new AdminError(
      'already_exists',
      `there is a snapshot ${name} already: delete it or choose another name`,
    );
  }

  #advancing(what: string): AdminError | undefined {
    if (!this.#host.venue.ticker.advancing) return undefined;
    return new AdminError('busy', `the clock is being advanced: ${what} can wait until it has arrived`);
  }

  /** Only those that somebody has named are counted; all of them take room. */
  #limitRefusal(wanted: string, image: Image): AdminError | undefined {
    const all = this.#store.all().filter(({ name }) => isName(name));
    const { snapshots, bytes } = this.#limits;
    if (isName(wanted) && all.length >= snapshots)
      return new AdminError(
        'limit_reached',
        `there are ${all.length} snapshots, at most ${snapshots}: delete one, or start with --lab-snapshots`,
      );
    const room = this.#store.room(image);
    const used = this.#store.all().reduce((sum, each) => sum + each.bytes, 0);
    if (used + room.bytes > bytes)
      return new AdminError(
        'limit_reached',
        `snapshots take ${mib(used)} MiB, this one ${mib(room.bytes)} more, and may take ${mib(bytes)}: delete some, ` +
          'or start with --lab-space',
      );
    return this.#freeRefusal(room);
  }

  /** Of a branch, which takes as much as its snapshot. */
  #spaceRefusal(bytes: number): AdminError | undefined {
    const { free } = this.#store.room(NOTHING);
    return this.#freeRefusal({ bytes, free });
  }

  #freeRefusal({ bytes, free }: { bytes: number; free: number | undefined }): AdminError | undefined {
    if (free === undefined || free >= bytes + SPARE_BYTES) return undefined;
    return new AdminError(
      'no_space',
      `${mib(bytes)} MiB are needed beside ${mib(SPARE_BYTES)} for the exchange, ${mib(free)} are free: nothing was written`,
    );
  }

  #parent({ branch, from }: BranchFacts): string | null {
    const last = this.#store.all().findLast((each) => each.branch === branch && isName(each.name));
    return last?.name ?? from ?? null;
  }

  #freeName(): string {
    const names = new Set(this.#store.all().flatMap(({ name }) => (isName(name) ? [name] : [])));
    for (let n = names.size + 1; ; n++) if (!names.has(`snapshot-${n}`)) return `snapshot-${n}`;
  }

  /** One thing at a time: does it, or says what is under way. */
  async alone<Done>(what: string, work: () => Promise<Done | AdminError>): Promise<Done | AdminError> {
    if (this.#underWay !== undefined)
      return new AdminError('busy', `${this.#underWay} is under way: ${what} can wait until it is done`);
    this.#underWay = what;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      return new AdminError('newer_format', error.message);
    } finally {
      this.#underWay = undefined;
    }
  }
}

const NOTHING: Image = {
  seq: 0,
  time: 0,
  state: new Uint8Array(0),
  note: new Uint8Array(0),
  identity: { database: new Uint8Array(0), keyFiles: new Map() },
};

/** Open orders of one state that are not open in the other. */
function ordersGone(before: State, after: State): number {
  const left = new Set(openOrderIds(after));
  return openOrderIds(before).filter((id) => !left.has(id)).length;
}

function forkRefusal(error: Error): AdminError {
  if (error instanceof PortTaken) return new AdminError('port_taken', error.message);
  if (isOutOfSpace(error)) return new AdminError('no_space', 'the disk is full: nothing was changed');
  return new AdminError('unavailable', `the fork could not be started: ${error.message}`);
}

const elapsed = (began: number): number => Math.round((performance.now() - began) * 10) / 10;
const mib = (bytes: number): number => Math.ceil(bytes / MIB);
