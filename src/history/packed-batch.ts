/** A batch of rows between the threads: the rows of orders in one buffer that is handed over, the rare ones as objects. */
import { isPacked, RowPacker, unpackRows } from './packed-rows.ts';
import {
  type ProjectedEvents,
  ProjectionBatch,
  type ProjectionKind,
  type RowSink,
} from './projection-batch.ts';

export interface PackedBatch {
  readonly seq: number;
  readonly gapSeq: number;
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly others: readonly OtherRow[];
}

type OtherRow = {
  [Kind in ProjectionKind]: readonly [kind: Kind, event: ProjectedEvents[Kind]];
}[ProjectionKind];

/** Collects rows; `take` makes them a message and begins anew. */
export class BatchPacker implements RowSink {
  seq = 0;
  gapSeq = 0;
  rows = 0;
  readonly #packer = new RowPacker();
  #others: OtherRow[] = [];

  add<Kind extends ProjectionKind>(kind: Kind, event: ProjectedEvents[Kind]): void {
    this.rows++;
    if (isPacked(kind)) this.#packer.add(kind, event as never);
    else this.#others.push([kind, event] as unknown as OtherRow);
  }

  take(): PackedBatch {
    const { seq, gapSeq } = this;
    const batch = { seq, gapSeq, packed: this.#packer.take(), others: this.#others };
    this.seq = 0;
    this.gapSeq = 0;
    this.rows = 0;
    this.#others = [];
    return batch;
  }
}

export function unpackBatch({ seq, gapSeq, packed, others }: PackedBatch): ProjectionBatch {
  const batch = new ProjectionBatch();
  batch.seq = seq;
  batch.gapSeq = gapSeq;
  unpackRows(packed, (kind, event) => batch.add(kind, event));
  for (const [kind, event] of others) batch.add(kind, event);
  return batch;
}
