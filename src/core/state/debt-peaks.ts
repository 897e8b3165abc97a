/**
 * The largest debts at the end of a command since the last full hour (rules 13.10), by the first cell of a row. At a full
 * hour every account is asked whether it has one, and hardly any has: that is one look, not one for each of its coins.
 */
export class DebtPeaks {
  private readonly byRow = new Map<number, bigint>();
  /** How many rows of an account have one; no entry without any. */
  private readonly rowsOf = new Map<number, number>();

  get size(): number {
    return this.byRow.size;
  }

  of(row: number): bigint {
    return this.byRow.get(row) ?? 0n;
  }

  /** Has the account one in any coin? */
  has(account: number): boolean {
    return this.rowsOf.has(account);
  }

  /** 0n removes it. */
  set(account: number, row: number, peak: bigint): void {
    const { byRow, rowsOf } = this;
    const known = byRow.has(row);
    if (peak > 0n) {
      byRow.set(row, peak);
      if (!known) rowsOf.set(account, (rowsOf.get(account) ?? 0) + 1);
      return;
    }
    if (!known) return;
    byRow.delete(row);
    const left = rowsOf.get(account)! - 1;
    if (left === 0) rowsOf.delete(account);
    else rowsOf.set(account, left);
  }

  clear(): void {
    this.byRow.clear();
    this.rowsOf.clear();
  }

  entries(): Iterable<readonly [row: number, peak: bigint]> {
    return this.byRow;
  }
}
