/** The branches of an exchange: each begins with a snapshot of another. Branch 0 is what the exchange began with. */
import type { SnapshotFacts } from './snapshot.ts';

export interface BranchFacts {
  readonly branch: number;
  /** The branch that it began from, and the snapshot there; undefined for branch 0. */
  readonly parent: number | undefined;
  readonly from: string | undefined;
  /** Its first command is the one after this. */
  readonly seq: number;
}

const TRUNK: BranchFacts = { branch: 0, parent: undefined, from: undefined, seq: 0 };

export class Branches {
  readonly #all = new Map<number, BranchFacts>([[0, TRUNK]]);
  #current: number;

  constructor(known: readonly BranchFacts[], current: number) {
    for (const facts of known) this.#all.set(facts.branch, facts);
    this.#current = current;
  }

  get current(): BranchFacts {
    return this.#all.get(this.#current) ?? { ...TRUNK, branch: this.#current };
  }

  all(): readonly BranchFacts[] {
    return [...this.#all.values()];
  }

  /** What a branch from this snapshot would be. */
  next({ name, branch, seq }: SnapshotFacts): BranchFacts {
    const number = Math.max(...this.#all.keys(), this.#current) + 1;
    return { branch: number, parent: branch, from: name, seq };
  }

  add(facts: BranchFacts): void {
    this.#all.set(facts.branch, facts);
  }

  enter({ branch }: BranchFacts): void {
    this.#current = branch;
  }

  /** The last command that the present branch has in common with a snapshot. */
  commonSeq({ branch, seq }: SnapshotFacts): number {
    const ofSnapshot = new Map<number, number>();
    let upTo = seq;
    for (let at = this.#all.get(branch); at !== undefined; at = this.#parentOf(at)) {
      ofSnapshot.set(at.branch, upTo);
      upTo = Math.min(upTo, at.seq);
    }
    let reached = Number.POSITIVE_INFINITY;
    for (let at: BranchFacts | undefined = this.current; at !== undefined; at = this.#parentOf(at)) {
      const there = ofSnapshot.get(at.branch);
      if (there !== undefined) return Math.min(there, reached);
      reached = at.seq;
    }
    return 0;
  }

  #parentOf({ parent }: BranchFacts): BranchFacts | undefined {
    return parent === undefined ? undefined : this.#all.get(parent);
  }
}
