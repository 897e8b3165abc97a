/**
 * Snapshots of a running exchange, the way back to them, and exchanges that go on from them. It changes the
 * state by commands only, and nothing is cut out of a journal. A revert puts a second exchange, opened from the
 * snapshot, in the place of the one that runs.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AdminError } from '../admin/admin-error.ts';
import { UnreadableRecord } from '../core/model/bytes.ts';
import { openOrderIds } from '../core/reads/reads.ts';
import type { State } from '../core/state/state.ts';
import { type ClockChoice, choiceOf } from '../sequencer/clock-choice.ts';
import { isOutOfSpace } from '../storage/shortage-errors.ts';
import type { Branches, BranchFacts } from './branches.ts';
import { type CapsuleSource, recordCapsule } from './capsule/record-capsule.ts';
import { ClockSessions } from './clock/sessions.ts';
import { type Difference, differences } from './diff.ts';
import { elapsedMs } from './elapsed.ts';
import type { OutageKind } from './faults/exchange-faults.ts';
import type { Faults } from './faults/faults.ts';
import { Forks, type OpenFork } from './forks.ts';
import type { ForkRequest, Host, LabVenue } from './host.ts';
import { type LabLimits, NOW } from './limits.ts';
import { judge, type RefereeRequest, type RefereeSource } from './referee/referee.ts';
import type { Referee } from './referee/report.ts';
import type { BranchStart, SnapshotFacts, SnapshotStore } from './snapshot.ts';
import { Snapshots } from './snapshots.ts';

export interface Reverted {
  readonly name: string;
  readonly seq: number;
  readonly time: number;
  readonly stateHash: string;
  readonly ms: number;
  /** What the branch that was left has, and the new one not. */
  readonly dropped: { readonly commands: number; readonly orders: number };
}

/** What a capsule holds beside the session of the exchange. */
type CapsuleContext = Omit<CapsuleSource, 'venue' | 'branchSinceMs'>;

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
  /** The end of a branch that was left could not be kept; the exchange goes on without it. */
  readonly notKept: (error: Error) => void;
}

export class Laboratory<Venue extends LabVenue = LabVenue> {
  readonly #host: Host<Venue>;
  readonly #snapshots: Snapshots;
  readonly #branches: Branches;
  readonly #faults: Faults;
  readonly #enter: LaboratoryOptions<Venue>['enter'];
  readonly #notKept: LaboratoryOptions<Venue>['notKept'];
  /** Participants that move a driven clock. */
  readonly sessions: ClockSessions;
  readonly #forks: Forks;
  /** Machine's time of the last revert. */
  #branchSinceMs = 0;
  readonly #outages = new AbortController();
  #outage: Promise<void> | undefined;
  /** What is being done: one thing at a time. */
  #underWay: string | undefined;
  /** Work that a stop waits for. */
  #work: Promise<unknown> = Promise.resolve();
  #isClosing = false;
  /** The end of the branch that was left last is being kept. */
  #leaving: Promise<void> = Promise.resolve();

  constructor({ host, store, branches, limits, faults, enter, notKept }: LaboratoryOptions<Venue>) {
    this.#host = host;
    this.sessions = new ClockSessions(host);
    this.#snapshots = new Snapshots({ store, branches, limits, faults, wallMs: () => host.wallMs() });
    this.#branches = branches;
    this.#faults = faults;
    this.#enter = enter;
    this.#notKept = notKept;
    this.#forks = new Forks(host, this.#snapshots, branches, limits.forks);
  }

  /** Newest first. */
  async list(): Promise<readonly SnapshotFacts[]> {
    await this.#leaving;
    return this.#snapshots.list();
  }

  save(given: string | undefined, note: string): Promise<(SnapshotFacts & { ms: number }) | AdminError> {
    return this.#whole('a snapshot', async () => {
      const began = performance.now();
      const name = given ?? this.#snapshots.freeName();
      const refusal = this.#snapshots.nameRefusal(name) ?? this.#advancing('a snapshot');
      if (refusal !== undefined) return refusal;
      const { venue } = this.#host;
      const saved = await this.#snapshots.keep(venue, name, note, this.#branches.current);
      if (saved instanceof AdminError) return saved;
      await venue.reopenMarket();
      await venue.sequencer.durable();
      return { ...saved, ms: elapsedMs(began) };
    });
  }

  async delete(name: string): Promise<SnapshotFacts | AdminError> {
    await this.#leaving;
    return this.#snapshots.delete(name);
  }

  revert(to: string, keepSockets: boolean): Promise<Reverted | AdminError> {
    return this.#whole('a revert', async () => {
      const began = performance.now();
      const facts = this.#snapshots.readable(to);
      if (facts instanceof AdminError) return facts;
      const refusal = this.#advancing('a revert') ?? this.#snapshots.spaceRefusal(facts.bytes);
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
        this.#snapshots.dropBranch(branch.branch);
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
      // After the response: nobody waits for what was left.
      this.#leaving = nextTurn()
        .then(() => this.#snapshots.leave(old, left, ofLeft))
        .catch(this.#notKept);
      const { name, seq, time, stateHash: hash } = facts;
      return { name, seq, time, stateHash: hash, ms: elapsedMs(began), dropped };
    });
  }

  fork(from: string | undefined, request: ForkRequest): Promise<OpenFork | AdminError> {
    return this.#whole('a fork', async () => {
      const began = performance.now();
      const refusal = this.#forks.limitRefusal;
      if (refusal !== undefined) return refusal;
      const facts = from === undefined ? await this.#ofNow() : this.#snapshots.readable(from);
      if (facts instanceof AdminError) return facts;
      const opened = await this.#forks.start(facts, from ?? NOW, request, began);
      if (from === undefined) this.#snapshots.delete(facts.name);
      return opened;
    });
  }

  forks(): readonly OpenFork[] {
    return this.#forks.all();
  }

  endFork(id: string): Promise<OpenFork | AdminError> {
    return this.#forks.end(id);
  }

  /** The second is the present unless given. */
  async diff(from: string, to?: string): Promise<Difference | AdminError> {
    await this.#leaving;
    const one = this.#state(from);
    if (one instanceof AdminError) return one;
    const other = to === undefined ? this.#host.venue.sequencer.state : this.#state(to);
    if (other instanceof AdminError) return other;
    const nameOf = (uid: number) => this.#host.venue.identity.findUser(uid)?.name ?? '';
    return differences(one, other, nameOf);
  }

  get venue(): Venue {
    return this.#host.venue;
  }

  /** Another clock from the present time on, also after a restart. */
  setClock(clock: ClockChoice): Promise<ClockChoice | AdminError> {
    return this.#whole('a change of the clock', async () => {
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

  /** Why an outage cannot begin; it goes on by itself, and `failed` is called when the exchange does not come back. */
  beginOutage(seconds: number, how: OutageKind, failed: (error: Error) => void): AdminError | undefined {
    if (this.#underWay !== undefined)
      return new AdminError('busy', `${this.#underWay} is under way: an outage can wait until it is done`);
    const { signal } = this.#outages;
    const isDown = async () => {
      this.sessions.hold('the exchange is down');
      await this.#host.outage(seconds, how, signal);
      if (!this.#isClosing) this.sessions.resume();
    };
    this.#outage = this.alone('an outage', isDown).then(() => {}, failed);
    return undefined;
  }

  /** Ends every fork, and an outage at once; a snapshot or a revert that has begun comes to its end before. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.sessions.hold('the exchange stops');
    this.#outages.abort();
    await this.#outage;
    await this.#work;
    await this.#leaving;
    await this.#forks.endAll();
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
    return this.#whole('a capsule', async () => {
      const snapshot = from === undefined ? undefined : this.#snapshots.onTheWay(from);
      if (snapshot instanceof AdminError) return snapshot;
      const source = { ...context, venue: this.#host.venue, branchSinceMs: this.#branchSinceMs };
      return recordCapsule(source, {
        anonymise,
        ...(sinceMs !== undefined && { sinceMs }),
        ...(snapshot !== undefined && {
          from: { ...snapshot, state: this.#snapshots.bytesOf(snapshot.name) },
        }),
      });
    });
  }

  /** What a program did with an account. */
  referee(
    request: RefereeRequest,
    context: Omit<RefereeSource, 'venue' | 'branchSinceMs'>,
  ): Promise<Referee> {
    return judge({ ...context, venue: this.#host.venue, branchSinceMs: this.#branchSinceMs }, request);
  }

  /** What a branch of its own begins with. */
  async begin(name: string): Promise<BranchStart | AdminError> {
    await this.#leaving;
    return this.#snapshots.image(name);
  }

  async #open(facts: SnapshotFacts, { branch }: BranchFacts): Promise<Venue | AdminError> {
    try {
      const start = await this.#snapshots.begin(facts, branch);
      const venue = await this.#host.open(start, this.#gap(facts));
      this.#snapshots.opened(facts, start.image?.state, venue.sequencer);
      return venue;
    } catch (error) {
      this.#snapshots.dropBranch(branch);
      if (isOutOfSpace(error)) return new AdminError('no_space', 'the disk is full: nothing was changed');
      return new AdminError('unavailable', `the exchange goes on as it was: ${(error as Error).message}`);
    }
  }

  #gap({ time }: { readonly time: number }): number {
    return this.#host.wallMs() - time;
  }

  /** A snapshot may be called like the present, and is meant then. */
  #state(name: string): State | AdminError {
    return name === NOW && !this.#snapshots.has(NOW)
      ? this.#host.venue.sequencer.state
      : this.#snapshots.stateOf(name);
  }

  /** A snapshot of the present that nobody has named. */
  async #ofNow(): Promise<SnapshotFacts | AdminError> {
    const advancing = this.#advancing('a fork');
    if (advancing !== undefined) return advancing;
    const { venue } = this.#host;
    const facts = await this.#snapshots.keep(venue, this.#forks.nextName, '', this.#branches.current);
    if (!(facts instanceof AdminError)) await venue.reopenMarket();
    return facts;
  }

  #advancing(what: string): AdminError | undefined {
    if (!this.#host.venue.ticker.advancing) return undefined;
    return new AdminError('busy', `the clock is being advanced: ${what} can wait until it has arrived`);
  }

  /** One thing at a time: does it, or says what is under way. */
  async alone<Done>(what: string, work: () => Promise<Done | AdminError>): Promise<Done | AdminError> {
    if (this.#isClosing) return new AdminError('unavailable', 'the exchange stops');
    if (this.#underWay !== undefined)
      return new AdminError('busy', `${this.#underWay} is under way: ${what} can wait until it is done`);
    this.#underWay = what;
    try {
      await this.#leaving;
      return await work();
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      return new AdminError('unavailable', `a record cannot be read, nothing was changed: ${error.message}`);
    } finally {
      this.#underWay = undefined;
    }
  }

  /** The same for what a stop must not cut off in the middle. */
  #whole<Done>(what: string, work: () => Promise<Done | AdminError>): Promise<Done | AdminError> {
    const done = this.alone(what, work);
    this.#work = Promise.allSettled([this.#work, done]);
    return done;
  }
}

/** Open orders of one state that are not open in the other. */
function ordersGone(before: State, after: State): number {
  const left = new Set(openOrderIds(after));
  return openOrderIds(before).filter((id) => !left.has(id)).length;
}
