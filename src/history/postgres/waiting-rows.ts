/** Rows that wait for their transaction, formatted already. */
import type { GeneratedPast } from '../generated-candles.ts';
import { generatedRows } from '../generated-candles.ts';
import type { ProjectedEvents, ProjectionBatch, ProjectionKind } from '../projection-batch.ts';
import { GENERATED_CANDLES, generatedRow } from '../tables/generated-candles.ts';
import { GENERATED_FUNDING_RATES, generatedFundingRow } from '../tables/market-records.ts';
import type { NameResolver } from '../tables/name-resolver.ts';
import { PROJECTION_KINDS, PROJECTIONS } from '../tables/tables.ts';
import { RowGroups } from './row-groups.ts';

export class WaitingRows {
  readonly #groups = new RowGroups();
  /** The last command; 0 when there is none. */
  seq = 0;
  /** Records of commands up to this one are missing (0 = of none). */
  gapSeq = 0;
  rows = 0;
  /** Rows that were projected, which the lag counts. */
  projected = 0;
  messages = 0;

  get groups(): RowGroups['groups'] {
    return this.#groups.groups;
  }

  addBatch({ seq, gapSeq, rows, byKind }: ProjectionBatch, names: NameResolver): void {
    for (const kind of PROJECTION_KINDS) this.#addKind(kind, byKind, names);
    this.seq = seq;
    this.gapSeq = Math.max(this.gapSeq, gapSeq);
    this.rows += rows;
    this.projected += rows;
    this.messages += 1;
  }

  addGenerated(past: GeneratedPast): void {
    const { candles, funding } = past;
    for (const chunk of candles) this.#groups.add(GENERATED_CANDLES, generatedRow(chunk));
    for (const rate of funding?.rates ?? [])
      this.#groups.add(GENERATED_FUNDING_RATES, generatedFundingRow(funding!, rate));
    this.rows += generatedRows(past);
    this.messages += 1;
  }

  #addKind<Kind extends ProjectionKind>(
    kind: Kind,
    byKind: { readonly [K in Kind]: ProjectedEvents[K][] },
    names: NameResolver,
  ): void {
    const { table, row } = PROJECTIONS[kind];
    for (const recorded of byKind[kind]) this.#groups.add(table, row(recorded, names));
  }
}
