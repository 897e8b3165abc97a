/** A snapshot of the laboratory: everything that an exchange is between two commands. */
import type { HistoryContents, HistoryCopies } from '../history/history.ts';
import type { IdentityImage } from '../identity/identity-storage.ts';
import type { ClockChoice } from '../sequencer/clock-choice.ts';
import type { FaultsImage } from './faults/faults.ts';

export interface SnapshotFacts {
  readonly name: string;
  readonly note: string;
  /** The last command in it. */
  readonly seq: number;
  /** The exchange's time. */
  readonly time: number;
  readonly stateHash: string;
  /** The format of the state; a program reads its own and older ones. */
  readonly format: number;
  readonly bytes: number;
  /** The snapshot before it: the newest of its branch, else the one that the branch began with. */
  readonly parent: string | null;
  readonly branch: number;
  /** The machine's time. */
  readonly taken: number;
  /** The exchange's clock; snapshots of older programs do not have it. */
  readonly clock?: ClockChoice;
  /** Snapshots of older versions have none. */
  readonly faults?: FaultsImage;
}

/** What a snapshot keeps, beside the history. */
export interface Image {
  readonly seq: number;
  readonly time: number;
  readonly state: Uint8Array;
  /** The mark of the identity store, as snapshots of the journal have it. */
  readonly note: Uint8Array;
  readonly identity: IdentityImage;
}

/** What a new branch begins with: an image in memory, or a directory in which it lies ready. */
export interface BranchStart {
  readonly time: number;
  /** As the exchange that it comes from had it; that of the settings unless given. */
  readonly clock?: ClockChoice;
  readonly image?: Image & { readonly history: HistoryContents };
  readonly directory?: string;
  readonly faults?: FaultsImage;
}

/** Where snapshots are kept. */
export interface SnapshotStore {
  /** Oldest first. */
  all(): readonly SnapshotFacts[];
  /** Bytes that one more would take. Throws nothing. */
  room(image: Image): { readonly bytes: number; readonly free: number | undefined };
  /** Asks for a copy of the history in the turn of the call. Resolves when everything is kept for good. */
  save(facts: Omit<SnapshotFacts, 'bytes'>, image: Image, history: HistoryCopies): Promise<SnapshotFacts>;
  delete(name: string): void;
  stateOf(name: string): Uint8Array;
  /** All of it in memory, for an exchange that keeps nothing. */
  image(name: string): Promise<BranchStart>;
  /** Prepares a branch that goes on from it. */
  begin(name: string, branch: number): Promise<BranchStart>;
  /** Deletes what was prepared for a branch that is not continued. */
  dropBranch(branch: number): void;
}
