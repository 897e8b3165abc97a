/**
 * A read of the ledger as it was after one command, in portions between which the exchange goes on. The ledger calls `keep`
 * with each row before it changes it, and the read saves the row the first time. A read under way is not part of the state.
 */
export type RowVisit = (account: number, coin: number, buckets: readonly bigint[]) => void;

/** Is notified of a row, given by its first cell, before it changes. */
export interface RowKeeper {
  keep(row: number): void;
}

/** What a read needs of the ledger. */
export interface ReadableRows {
  readonly rowCount: number;
  /** A row by the order in which they were opened. */
  rowAt(place: number): number;
  bucketsOf(row: number): readonly bigint[];
  ownerOf(row: number): { readonly account: number; readonly coin: number };
}

export class ConsistentLedgerRead implements RowKeeper {
  /** Rows that were open then; those opened since come behind them. */
  readonly rowCount: number;
  private readonly ledger: ReadableRows;
  private readonly saved = new Map<number, readonly bigint[]>();
  private readonly release: (read: ConsistentLedgerRead) => void;

  constructor(ledger: ReadableRows, release: (read: ConsistentLedgerRead) => void) {
    this.ledger = ledger;
    this.rowCount = ledger.rowCount;
    this.release = release;
  }

  /** The row is about to change. */
  keep(row: number): void {
    if (!this.saved.has(row)) this.saved.set(row, this.ledger.bucketsOf(row));
  }

  /** The rows in the places from `first` up to, not including, `end`. */
  read(first: number, end: number, visit: RowVisit): void {
    for (let place = first; place < Math.min(end, this.rowCount); place++) {
      const row = this.ledger.rowAt(place);
      const { account, coin } = this.ledger.ownerOf(row);
      const buckets = this.saved.get(row) ?? this.ledger.bucketsOf(row);
      visit(account, coin, buckets);
    }
  }

  close(): void {
    this.release(this);
  }
}
