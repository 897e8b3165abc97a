/** Snapshots of an exchange that keeps nothing beyond its process. */
import type { HistoryContents, HistoryCopies } from '../history/history.ts';
import type { BranchStart, Image, SnapshotFacts, SnapshotStore } from './snapshot.ts';

interface Kept {
  readonly facts: SnapshotFacts;
  readonly image: Image & { readonly history: HistoryContents };
}

export class MemoryStore implements SnapshotStore {
  readonly #kept = new Map<string, Kept>();

  all(): readonly SnapshotFacts[] {
    return [...this.#kept.values()].map(({ facts }) => facts);
  }

  room({ state, identity }: Image): { readonly bytes: number; readonly free: undefined } {
    return { bytes: state.length + identity.database.length, free: undefined };
  }

  async save(
    facts: Omit<SnapshotFacts, 'bytes'>,
    image: Image,
    copies: HistoryCopies,
  ): Promise<SnapshotFacts> {
    const history = await copies.contents();
    // The generated past is shared with the exchange.
    const bytes = this.room(image).bytes + history.bytes.length;
    const kept = { facts: { ...facts, bytes }, image: { ...image, history } };
    this.#kept.set(facts.name, kept);
    return kept.facts;
  }

  delete(name: string): void {
    this.#kept.delete(name);
  }

  stateOf(name: string): Uint8Array {
    return this.#kept.get(name)!.image.state;
  }

  async image(name: string): Promise<BranchStart> {
    const { image } = this.#kept.get(name)!;
    return { time: image.time, image };
  }

  begin(name: string): Promise<BranchStart> {
    return this.image(name);
  }

  dropBranch(): void {}
}
