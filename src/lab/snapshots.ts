/** The snapshots that are kept: their names, their limits, and what an exchange needs to go on from one. */
import { AdminError } from '../admin/admin-error.ts';
import { formatOf, loadState, STATE_FORMAT, saveState } from '../core/snapshot/snapshot.ts';
import type { State } from '../core/state/state.ts';
import { HistoryStarved } from '../history/history.ts';
import { choiceOf } from '../sequencer/clock-choice.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import { stateHash } from '../sequencer/state-hash.ts';
import { isOutOfSpace } from '../storage/shortage-errors.ts';
import type { Branches, BranchFacts } from './branches.ts';
import type { Faults, FaultsImage } from './faults/faults.ts';
import type { LabVenue } from './host.ts';
import { BRANCHES_KEPT, branchEndName, isName, type LabLimits, NAME_RULE } from './limits.ts';
import type { BranchStart, Image, SnapshotFacts, SnapshotStore } from './snapshot.ts';

const MIB = 1024 * 1024;
/** Left free for the exchange itself. */
const SPARE_BYTES = 64 * MIB;

/** Larger states are saved again: their bytes would stay in memory as long as the exchange. */
const SAVED_BYTES_MAX = 8 * MIB;

export interface SnapshotsOptions {
  readonly store: SnapshotStore;
  readonly branches: Branches;
  readonly limits: LabLimits;
  readonly faults: Faults;
  readonly wallMs: () => number;
}

/** A state as bytes, with its hash, after a command. */
interface SavedState {
  readonly seq: number;
  readonly bytes: Uint8Array;
  readonly hash: string;
}

export class Snapshots {
  readonly #store: SnapshotStore;
  /** States change by commands alone: one that has applied none since is not saved again. */
  readonly #saved = new WeakMap<State, SavedState>();
  readonly #branches: Branches;
  readonly #limits: LabLimits;
  readonly #faults: Faults;
  readonly #wallMs: () => number;

  constructor({ store, branches, limits, faults, wallMs }: SnapshotsOptions) {
    this.#store = store;
    this.#branches = branches;
    this.#limits = limits;
    this.#faults = faults;
    this.#wallMs = wallMs;
  }

  /** Newest first. */
  list(): readonly SnapshotFacts[] {
    return this.#store.all().toReversed();
  }

  delete(name: string): SnapshotFacts | AdminError {
    const facts = this.#find(name);
    if (!(facts instanceof AdminError)) this.#store.delete(name);
    return facts;
  }

  /** At one point between two commands: the state here, the history when it has got there. */
  async keep(
    venue: LabVenue,
    name: string,
    note: string,
    on: BranchFacts,
    faults = this.#faults.image(),
  ): Promise<SnapshotFacts | AdminError> {
    const { sequencer, identity, history } = venue;
    const saved = this.#savedState(sequencer);
    const image: Image = {
      seq: saved.seq,
      time: sequencer.clock.now(),
      state: saved.bytes,
      note: venue.identityMarkBytes(),
      identity: identity.image(),
    };
    const refusal = this.#limitRefusal(name, image);
    if (refusal !== undefined) return refusal;
    const facts = {
      name,
      note,
      seq: image.seq,
      time: image.time,
      stateHash: saved.hash,
      format: STATE_FORMAT,
      parent: this.#parent(on),
      branch: on.branch,
      taken: this.#wallMs(),
      clock: choiceOf(sequencer.clock),
      faults,
    };
    const atBoundary = <Copy>(copy: () => Promise<Copy>) =>
      new Promise<Copy>((resolve, reject) => sequencer.atDurableBoundary(() => resolve(copy()), reject));
    try {
      return await this.#store.save(facts, image, {
        copyTo: (path) => atBoundary(() => history.copyTo(path)),
        contents: () => atBoundary(() => history.contents()),
      });
    } catch (error) {
      if (!isOutOfSpace(error) && !(error instanceof HistoryStarved)) throw error;
      return new AdminError('no_space', 'the disk is full: no snapshot was taken');
    }
  }

  #savedState({ state, appliedSeq: seq }: Sequencer): SavedState {
    const known = this.#saved.get(state);
    if (known?.seq === seq) return known;
    const saved = { seq, bytes: saveState(state), hash: stateHash(state) };
    this.#remember(state, saved);
    return saved;
  }

  /** An exchange was opened from this snapshot and has begun with these bytes; undefined where they are on disk alone. */
  opened(
    { format, stateHash: hash, seq }: SnapshotFacts,
    bytes: Uint8Array | undefined,
    { state, appliedSeq }: Sequencer,
  ): void {
    // A state of an older format has other bytes now.
    if (bytes === undefined || format !== STATE_FORMAT || appliedSeq !== seq) return;
    this.#remember(state, { seq, bytes, hash });
  }

  #remember(state: State, saved: SavedState): void {
    if (saved.bytes.length <= SAVED_BYTES_MAX) this.#saved.set(state, saved);
  }

  /** The end of the branch that is left: it can be forked and gone back to like any snapshot, while it is among the newest. */
  async leave(old: LabVenue, left: BranchFacts, faults: FaultsImage): Promise<void> {
    try {
      await this.keep(old, branchEndName(left.branch), '', left, faults);
      const ends = this.#store.all().filter(({ name }) => !isName(name));
      for (const end of ends.slice(0, -BRANCHES_KEPT)) {
        this.#store.delete(end.name);
        this.#store.dropBranch(end.branch);
      }
    } finally {
      await old.close();
    }
  }

  /** A snapshot that the present has come from. */
  onTheWay(name: string): SnapshotFacts | AdminError {
    const facts = this.readable(name);
    if (facts instanceof AdminError || this.#branches.commonSeq(facts) === facts.seq) return facts;
    return new AdminError(
      'not_allowed',
      `the exchange has not come from the snapshot ${name}: go back to it, or take one of its own branch`,
    );
  }

  stateOf(name: string): State | AdminError {
    const facts = this.readable(name);
    if (facts instanceof AdminError) return facts;
    try {
      return loadState(this.#store.stateOf(name));
    } catch (error) {
      return unreadable(name, error as Error);
    }
  }

  has(name: string): boolean {
    return this.#store.all().some((each) => each.name === name);
  }

  #find(name: string): SnapshotFacts | AdminError {
    const facts = this.#store.all().find((each) => each.name === name);
    if (facts !== undefined) return facts;
    const names = this.#store.all().map((each) => each.name);
    const known = names.length === 0 ? 'there is none yet' : `there are: ${names.join(', ')}`;
    return new AdminError('unknown_snapshot', `there is no snapshot ${JSON.stringify(name)}; ${known}`);
  }

  readable(name: string): SnapshotFacts | AdminError {
    const facts = this.#find(name);
    if (facts instanceof AdminError) return facts;
    let format: number;
    try {
      format = formatOf(this.#store.stateOf(name));
    } catch (error) {
      return unreadable(name, error as Error);
    }
    if (format <= STATE_FORMAT) return facts;
    return new AdminError(
      'newer_format',
      `the snapshot ${name} has format ${format}, this version reads formats up to ${STATE_FORMAT}: start a newer one`,
    );
  }

  nameRefusal(name: string): AdminError | undefined {
    if (!isName(name)) return new AdminError('invalid_request', `${JSON.stringify(name)}: ${NAME_RULE}`);
    if (this.#find(name) instanceof AdminError) return undefined;
    return new AdminError(
      'already_exists',
      `there is a snapshot ${name} already: delete it or choose another name`,
    );
  }

  /** Only named snapshots are counted; all of them take room. */
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

  /** Why there is no room for a branch, which takes as much as its snapshot. */
  spaceRefusal(bytes: number): AdminError | undefined {
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

  freeName(): string {
    const names = new Set(this.#store.all().flatMap(({ name }) => (isName(name) ? [name] : [])));
    for (let n = names.size + 1; ; n++) if (!names.has(`snapshot-${n}`)) return `snapshot-${n}`;
  }

  /** What a branch of its own begins with, wherever it runs. */
  image(name: string): Promise<BranchStart> | AdminError {
    const facts = this.readable(name);
    return facts instanceof AdminError ? facts : this.#store.image(name);
  }

  /** What a branch of this exchange begins with. */
  async begin({ name, clock }: SnapshotFacts, branch: number): Promise<BranchStart> {
    const start = await this.#store.begin(name, branch);
    return clock === undefined ? start : { ...start, clock };
  }

  bytesOf(name: string): Uint8Array {
    return this.#store.stateOf(name);
  }

  dropBranch(branch: number): void {
    this.#store.dropBranch(branch);
  }
}

/** Somebody has changed the files of the snapshot. */
function unreadable(name: string, { message }: Error): AdminError {
  return new AdminError(
    'unavailable',
    `the snapshot ${name} cannot be read, nothing was changed: ${message}`,
  );
}

const NOTHING: Image = {
  seq: 0,
  time: 0,
  state: new Uint8Array(0),
  note: new Uint8Array(0),
  identity: { database: new Uint8Array(0), keyFiles: new Map() },
};

const mib = (bytes: number): number => Math.ceil(bytes / MIB);
