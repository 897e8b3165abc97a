/** The last packs that a node has applied: when the engine has lost them, they can be put back from here. */
import type { StoredPack } from './engine.ts';

const BYTES_MAX = 64 * 1024 * 1024;
/** Bytes of a pack beside its body, about. */
const PACK_BYTES = 512;

export class RecentPacks {
  readonly #bytesMax: number;
  #packs: StoredPack[] = [];
  /** The first that still counts; those before it are deleted in batches. */
  #head = 0;
  #bytes = 0;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  note(pack: StoredPack): void {
    this.#packs.push(pack);
    this.#bytes += sizeOf(pack);
    while (this.#bytes > this.#bytesMax) this.#bytes -= sizeOf(this.#packs[this.#head++]!);
    if (this.#head * 2 <= this.#packs.length) return;
    this.#packs = this.#packs.slice(this.#head);
    this.#head = 0;
  }

  /** In order, without gaps. */
  all(): readonly StoredPack[] {
    return this.#packs.slice(this.#head);
  }
}

const sizeOf = ({ body }: StoredPack): number => body.length + PACK_BYTES;
