/**
 * The ledger as it was after one command, for a reader that takes its rows in portions while the exchange goes on. The ledger
 * hands over each row before it changes it for the first time. A view is not state: nothing but its reader depends on it.
 */
export type RowVisit = (account: number, coin: number, buckets: readonly bigint[]) => void;

/** Is notified of a row, by its number, before it changes. */
export interface RowKeeper {
  keep(row: number): void;
}

/** What a view needs of the ledger, by the number of a row. */
export interface ViewedRows {
  readonly rowCount: number;
  bucketsOf(row: number): readonly bigint[];
  ownerOf(row: number): { readonly account: number; readonly coin: number };
}

export class LedgerView implements RowKeeper {
  /** Rows that were open then; those opened since have larger numbers. */
  readonly rowCount: number;
  private readonly ledger: ViewedRows;
  private readonly kept = new Map<number, readonly bigint[]>();
  private readonly release: (view: LedgerView) => void;

  constructor(ledger: ViewedRows, release: (view: LedgerView) => void) {
    this.ledger = ledger;
    this.rowCount = ledger.rowCount;
    this.release = release;
  }

  /** The row is about to change. */
  keep(row: number): void {
    if (row < this.rowCount && !this.kept.has(row)) this.kept.set(row, this.ledger.bucketsOf(row));
  }

  /** The rows from `first` up to, not including, `end`. */
  read(first: number, end: number, visit: RowVisit): void {
    for (let row = first; row < Math.min(end, this.rowCount); row++) {
      const { account, coin } = this.ledger.ownerOf(row);
      const buckets = this.kept.get(row) ?? this.ledger.bucketsOf(row);
      visit(account, coin, buckets);
    }
  }

  close(): void {
    this.release(this);
  }
}
