/** Digests of this node's state after its last packs, to compare with what other nodes say of theirs. */

const KEPT = 100_000;

export class DigestRing {
  readonly #digests = new Map<number, number>();

  note(no: number, digest: number): void {
    this.#digests.set(no, digest);
    this.#digests.delete(no - KEPT);
  }

  /** Undefined when it is too old, or not reached yet. */
  after(no: number): number | undefined {
    return this.#digests.get(no);
  }
}
