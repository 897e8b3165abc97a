/**
 * Double-entry ledger (rules 4). Each account has, per coin, a row of buckets; the only way to change a bucket is
 * `move`, which takes from one and gives to another of the same coin, so per coin the sum over all rows is always zero
 * (I01, I41). Each move asserts this, and that no bucket is overdrawn (I03, I05).
 */
import { type Amount, amountOf } from '../model/amount.ts';
import { BUCKETS, Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../model/ledger-accounts.ts';
import { assert, InvariantBroken } from '../model/units.ts';
import { ConsistentLedgerRead, type RowKeeper, type RowVisit } from './consistent-ledger-read.ts';
import { DebtPeaks } from './debt-peaks.ts';
import { bucketOf, firstOf, LedgerCells } from './ledger-cells.ts';
import { LedgerRows } from './ledger-rows.ts';
import type { Tracer } from './tracer.ts';

/** The other accounts of the house are counterparts, whose balance has either sign. */
const NEVER_IN_DEBT: ReadonlySet<number> = new Set([
  SystemAccount.insurance,
  SystemAccount.insuranceLending,
  SystemAccount.loanPool,
  SystemAccount.settling,
]);

/** The largest debt of an account in a coin since the last full hour. */
export interface DebtPeak {
  readonly account: number;
  readonly coin: number;
  readonly peak: bigint;
}

export class Ledger {
  private readonly cells = new LedgerCells();
  /** Row of an account and a coin, opened when first touched. */
  private readonly rows = new LedgerRows(this.cells);
  /** What users owe, by first cell of the row: cash and locked together below zero (rules 6.1). Rows with negative cash only. */
  private readonly owingRows = new Map<number, bigint>();
  private readonly owedByCoin: bigint[] = [];
  /** By the same: the largest debts since the last full hour; rows whose debt the present command has increased. */
  private readonly peaks = new DebtPeaks();
  private readonly grownDebts = new Set<number>();
  /** Cells of isolated margin that the present command has taken below zero. */
  private readonly overdrawn: number[] = [];
  /** Reads that are under way; each is notified of a row before it changes. */
  private readers: readonly RowKeeper[] = [];
  private readonly cashCanBeNegative: (account: number) => boolean;
  /** While a command is traced. */
  tracer: Tracer | undefined = undefined;

  /** `cashCanBeNegative`: may the cash of this user's account be negative? */
  constructor(cashCanBeNegative: (account: number) => boolean) {
    this.cashCanBeNegative = cashCanBeNegative;
  }

  /** Reads the cache lines of an account and its first rows (`account-table.ts`); returns the sum of what was read. */
  prefetch(account: number): number {
    return this.rows.prefetch(account);
  }

  /** Cell of a bucket; opens the row. */
  cell(account: number, coin: number, bucket: Bucket): number {
    return this.row(account, coin) + bucket;
  }

  /** The first cell of a row, that of `Bucket` 0; opens the row. */
  row(account: number, coin: number): number {
    const first = this.rows.find(account, coin);
    return first < 0 ? this.open(account, coin) : first;
  }

  /** The same without opening it; -1 when there is none. */
  find(account: number, coin: number): number {
    return this.rows.find(account, coin);
  }

  balance(cell: number): bigint {
    return BigInt(this.cells.get(cell));
  }

  /** The same without a big integer where none is needed. */
  amount(cell: number): Amount {
    return this.cells.get(cell);
  }

  /** The same as an exact number, NaN when it is not one. */
  balanceNumber(cell: number): number {
    return this.cells.number(cell);
  }

  accountOf(cell: number): number {
    return this.cells.accountOf(cell);
  }

  coinOf(cell: number): number {
    return this.cells.coinOf(cell);
  }

  bucketOf(cell: number): Bucket {
    return bucketOf(cell);
  }

  /** A counter that grows with every change of any bucket of the account, and of its positions. */
  changesOf(account: number): number {
    return this.rows.changesOf(account);
  }

  positionChanged(account: number): void {
    this.rows.noteFirstChange(account);
  }

  /** Does the account have negative cash in some coin? */
  hasNegativeCash(account: number): boolean {
    return this.rows.owingOf(account) > 0;
  }

  /** Bucket of an account, 0n without a row; opens none. */
  balanceOf(account: number, coin: number, bucket: Bucket): bigint {
    return BigInt(this.amountOf(account, coin, bucket));
  }

  /** The same without a big integer where none is needed. */
  amountOf(account: number, coin: number, bucket: Bucket): Amount {
    const first = this.rows.find(account, coin);
    return first < 0 ? 0 : this.cells.get(first + bucket);
  }

  move(from: number, to: number, moved: Amount): void {
    // Once, for all that is done with it.
    const amount = amountOf(moved);
    assert(amount >= 0, 'a posting moves a positive amount');
    if (firstOf(from) !== firstOf(to))
      assert(this.coinOf(from) === this.coinOf(to), 'I01: a posting moves one coin');
    if (this.shift(from, to, amount)) this.checkNegative(from, amount);
    if (this.tracer !== undefined) this.tracer.onPosting(from, to, moved);
  }

  /** What `read` returns while the amount is moved tentatively, whether or not the bucket covers it. */
  withTentativeMove<T>(from: number, to: number, amount: Amount, read: () => T): T {
    this.shift(from, to, amount);
    const result = read();
    this.shift(to, from, amount);
    return result;
  }

  /** The balances as of now, for a read that spans many commands. The reader must close it. */
  beginRead(): ConsistentLedgerRead {
    const read = new ConsistentLedgerRead(this, (closed) => this.unfollow(closed));
    this.follow(read);
    return read;
  }

  /** From now on the reader is notified of each row before it changes. */
  follow(reader: RowKeeper): void {
    this.readers = [...this.readers, reader];
  }

  unfollow(reader: RowKeeper): void {
    this.readers = this.readers.filter((other) => other !== reader);
  }

  /** Rows opened so far. */
  get rowCount(): number {
    return this.rows.count;
  }

  /** One of them, by the order in which they were opened. */
  rowAt(place: number): number {
    return this.rows.at(place);
  }

  bucketsOf(row: number): bigint[] {
    const buckets: bigint[] = [];
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      // Most are empty, and a big integer is an allocation.
      const empty = this.cells.number(row + bucket) === 0;
      buckets.push(empty ? 0n : this.balance(row + bucket));
    }
    return buckets;
  }

  ownerOf(row: number): { account: number; coin: number } {
    return { account: this.accountOf(row), coin: this.coinOf(row) };
  }

  private keepForReaders(from: number, to: number): void {
    for (const reader of this.readers) {
      reader.keep(firstOf(from));
      reader.keep(firstOf(to));
    }
  }

  /** Returns whether the payer's cell is below zero now. */
  private shift(from: number, to: number, amount: Amount): boolean {
    if (this.readers.length !== 0) this.keepForReaders(from, to);
    const negative = this.cells.subtract(from, amount);
    this.cells.add(to, amount);
    const { rows } = this;
    const payer = this.accountOf(from);
    rows.noteChange(payer);
    if (negative || rows.owingOf(payer) > 0) this.updateDebt(firstOf(from));
    // What an order holds and releases moves within a row.
    if (firstOf(from) === firstOf(to)) return negative;
    const payee = this.accountOf(to);
    rows.noteChange(payee);
    if (rows.owingOf(payee) > 0) this.updateDebt(firstOf(to));
    return negative;
  }

  /** At the end of a command no isolated position lacks margin: a forced close has been settled with the fund. */
  checkIsolatedMargins(): void {
    if (this.overdrawn.length === 0) return;
    for (const cell of this.overdrawn)
      assert(this.cells.get(cell) >= 0, `I03: ${this.describe(cell)} holds ${this.cells.get(cell)}`);
    this.overdrawn.length = 0;
  }

  /** Total debt of all users in a coin. */
  totalDebt(coin: number): bigint {
    return this.owedByCoin[coin] ?? 0n;
  }

  /** At the end of a command or instant: the debts that it leaves count for the peaks of the hour. */
  recordDebtPeaks(): void {
    if (this.grownDebts.size === 0) return;
    for (const row of this.grownDebts) {
      const debt = this.owingRows.get(row) ?? 0n;
      if (debt > this.peaks.of(row)) this.peaks.set(this.accountOf(row), row, debt);
    }
    this.grownDebts.clear();
  }

  /** At a full hour: the present debts are the first peaks of the new one. */
  beginPeaks(): void {
    this.peaks.clear();
    for (const [row, debt] of this.owingRows) this.peaks.set(this.accountOf(row), row, debt);
  }

  /** The same for one account. */
  restartPeaks(account: number): void {
    // Without debts and without peaks there is nothing to begin anew.
    if (!this.hasNegativeCash(account) && !this.peaks.has(account)) return;
    for (const coin of this.coinsOf(account)) {
      const row = this.rows.find(account, coin);
      this.peaks.set(account, row, this.owingRows.get(row) ?? 0n);
    }
  }

  /** Takes a debt back out of the largest one: as it was before, or what is owed now. */
  restorePeak(account: number, coin: number, before: bigint): void {
    const row = this.rows.find(account, coin);
    const debt = this.owingRows.get(row) ?? 0n;
    this.peaks.set(account, row, debt > before ? debt : before);
  }

  /** Has the account owed any coin since the last full hour? */
  hasPeak(account: number): boolean {
    return this.peaks.has(account);
  }

  hasPeaks(): boolean {
    return this.peaks.size > 0;
  }

  peakOf(account: number, coin: number): bigint {
    const first = this.rows.find(account, coin);
    return first < 0 ? 0n : this.peaks.of(first);
  }

  /** Account ascending, coin ascending. */
  savePeaks(): DebtPeak[] {
    return [...this.peaks.entries()]
      .map(([row, peak]) => ({ account: this.accountOf(row), coin: this.coinOf(row), peak }))
      .sort((a, b) => a.account - b.account || a.coin - b.coin);
  }

  restorePeaks(peaks: readonly DebtPeak[]): void {
    this.peaks.clear();
    for (const { account, coin, peak } of peaks) this.peaks.set(account, this.row(account, coin), peak);
  }

  hasDebts(): boolean {
    return this.owingRows.size > 0;
  }

  /** Accounts with negative cash in some coin, ascending. */
  accountsInDebt(): number[] {
    const accounts = new Set<number>();
    for (const row of this.owingRows.keys()) accounts.add(this.accountOf(row));
    return [...accounts].sort((a, b) => a - b);
  }

  /** Coins an account has ever touched, ascending. */
  coinsOf(account: number): readonly number[] {
    return this.rows.coinsOf(account);
  }

  /** Visits every row: account ascending, coin ascending. */
  eachRow(visit: RowVisit): void {
    this.rows.each((account, coin, first) => visit(account, coin, this.bucketsOf(first)));
  }

  /** Used by snapshots only: puts back what `eachRow` gave. */
  restoreRow(account: number, coin: number, buckets: readonly bigint[]): void {
    const first = this.row(account, coin);
    for (let bucket = 0; bucket < BUCKETS; bucket++) this.cells.set(first + bucket, buckets[bucket]!);
    this.rows.noteChange(account);
    if (buckets[Bucket.cash]! < 0n) this.updateDebt(first);
  }

  /** Asserts that a bucket may be below zero after a payment. A payment of 0n changes nothing and is not checked. */
  private checkNegative(cell: number, amount: Amount): void {
    if (amount === 0 || amount === 0n) return;
    const bucket = this.bucketOf(cell);
    const account = this.accountOf(cell);
    if (bucket === Bucket.isolated) {
      this.overdrawn.push(cell);
      return;
    }
    const allowed =
      bucket === Bucket.cash &&
      (account < FIRST_USER_ACCOUNT ? !NEVER_IN_DEBT.has(account) : this.cashCanBeNegative(account));
    // The message is built on failure only: the clearing account is below zero after half of all futures trades.
    if (!allowed) throw new InvariantBroken(`I03: ${this.describe(cell)} would hold ${this.cells.get(cell)}`);
  }

  private describe(cell: number): string {
    return `bucket ${this.bucketOf(cell)} of account ${this.accountOf(cell)} coin ${this.coinOf(cell)}`;
  }

  /** Updates the debts for a row, given by its first cell, that has or had negative cash. */
  private updateDebt(row: number): void {
    const account = this.accountOf(row);
    if (account < FIRST_USER_ACCOUNT) return;
    const cash = this.balance(row + Bucket.cash);
    const known = this.owingRows.get(row);
    if (cash >= 0n && known === undefined) return;
    const balance = cash + this.balance(row + Bucket.locked);
    const debt = balance < 0n ? -balance : 0n;
    const coin = this.coinOf(row);
    while (this.owedByCoin.length <= coin) this.owedByCoin.push(0n);
    this.owedByCoin[coin]! += debt - (known ?? 0n);
    if (debt > (known ?? 0n)) this.grownDebts.add(row);
    if (cash < 0n) {
      if (known === undefined) this.rows.addOwing(account, 1);
      this.owingRows.set(row, debt);
    } else {
      this.rows.addOwing(account, -1);
      this.owingRows.delete(row);
    }
  }

  private open(account: number, coin: number): number {
    const first = this.rows.open(account, coin);
    this.rows.noteChange(account);
    return first;
  }
}
