/** What keeps the packs of all nodes in one order: a database server, or a simulation of one. */

/** A pack as its sender gives it. `run` and `runPack` are its id: a start of a node, and the count of its packs. */
export interface OfferedPack {
  readonly run: number;
  readonly runPack: number;
  /** The last pack that the sender knows: the engine looks behind it for an earlier try. */
  readonly known: number;
  /** The last pack that the sender knows to be safe. */
  readonly confirmed: number;
  /** The sender's wall clock and the last moment at which the pack may get its place, in the engine's time. */
  readonly stamp: number;
  readonly deadline: number;
  /** The sender's state after pack `asOf`. */
  readonly asOf: number;
  readonly digest: number;
  /** Set when the commands belong to a duty: a former holder is refused. */
  readonly duty?: Duty | undefined;
  readonly commands: number;
  readonly body: Uint8Array;
}

export interface Duty {
  readonly name: string;
  readonly epoch: number;
}

/** The place of a pack. */
export interface PlacedPack {
  readonly no: number;
  readonly firstSeq: number;
  /** The engine's clock, in ms; never less than that of the pack before. */
  readonly at: number;
}

export interface StoredPack extends PlacedPack {
  readonly run: number;
  readonly runPack: number;
  readonly confirmed: number;
  readonly stamp: number;
  readonly deadline: number;
  readonly asOf: number;
  readonly digest: number;
  readonly duty?: Duty | undefined;
  readonly commands: number;
  readonly body: Uint8Array;
  /** The hash over this pack and all before it. */
  readonly chain: Uint8Array;
}

/** A hint: others have appended, or a pack is known to be safe. */
export interface EngineNotice {
  readonly visible?: number;
  readonly confirmed?: number;
}

export interface PackEngine {
  /**
   * Resolves when the pack is safe. Rejects with PackFenced or PackRefused: it has no place and will have none. With any other error
   * it is in doubt.
   */
  append(pack: OfferedPack): Promise<PlacedPack>;
  /** Packs behind `after` that are visible, in order; they may not be safe. */
  read(after: number, most: number): Promise<readonly StoredPack[]>;
  /** Tells other nodes that packs up to this one are safe; may be lost. */
  confirm(no: number): void;
  onNotice(listener: (notice: EngineNotice) => void): void;
  /** Makes whatever is broken work again; resolves when appends and reads can be tried. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** The pack belongs to a duty that another node has by now. */
export class PackFenced extends Error {
  override readonly name = 'PackFenced';
}

/** The engine takes no such pack; the message says why. */
export class PackRefused extends Error {
  override readonly name = 'PackRefused';
}

/** The engine has lost or changed packs that were safe, or a node has applied something else. */
export class LogDiverged extends Error {
  override readonly name = 'LogDiverged';
}
