/**
 * Double-entry ledger (rules 4). Each account has, per coin, a row of buckets; the only way to change a bucket is
 * `move`, which takes from one and gives to another of the same coin, so per coin the sum over all rows is always zero
 * (I01, I41). Each move asserts this, and that no bucket is overdrawn (I03, I05).
 */
import { BUCKETS, Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../model/ledger-accounts.ts';
import { assert, InvariantBroken } from '../model/units.ts';
import { LedgerRows } from './ledger-rows.ts';
import { LedgerView, type RowVisit } from './ledger-view.ts';

/** The buckets of a row are adjacent, eight cells a row: the row of a cell is found by a shift. */
const ROW_SHIFT = 3;
const BUCKET_MASK = (1 << ROW_SHIFT) - 1;
const FIRST_ACCOUNTS = 1024;

const NO_COINS: readonly number[] = [];

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
  /** Row of an account and a coin, opened when first touched. */
  private readonly rows = new LedgerRows();
  private readonly cells: bigint[] = [];
  /** By account: how often its money has changed, and how many of its rows have negative cash. */
  private changes = new Float64Array(FIRST_ACCOUNTS);
  private owing = new Int32Array(FIRST_ACCOUNTS);
  /** Coins of each account's rows, ascending. */
  private readonly coins: (readonly number[])[] = [];
  /** What users owe, by row: cash and locked together below zero (rules 6.1). Rows with negative cash only. */
  private readonly owingRows = new Map<number, bigint>();
  private readonly owedByCoin: bigint[] = [];
  /** The largest debt of each row that stood since the last full hour (rules 13.10), and rows whose debt has grown since. */
  private readonly peaks = new Map<number, bigint>();
  private readonly grown = new Set<number>();
  /** Cells of isolated margin that the present command has taken below zero. */
  private readonly overdrawn: number[] = [];
  /** Readers that are under way. */
  private views: readonly LedgerView[] = [];
  private readonly mayOwe: (account: number) => boolean;

  /** `mayOwe`: may the cash of this user's account be negative? */
  constructor(mayOwe: (account: number) => boolean) {
    this.mayOwe = mayOwe;
  }

  /** Cell of a bucket; opens the row. */
  cell(account: number, coin: number, bucket: Bucket): number {
    const row = this.rows.find(account, coin);
    return ((row < 0 ? this.open(account, coin) : row) << ROW_SHIFT) + bucket;
  }

  balance(cell: number): bigint {
    return this.cells[cell]!;
  }

  accountOf(cell: number): number {
    return this.rows.accountOf(rowOf(cell));
  }

  coinOf(cell: number): number {
    return this.rows.coinOf(rowOf(cell));
  }

  bucketOf(cell: number): Bucket {
    return (cell & BUCKET_MASK) as Bucket;
  }

  /** A counter that grows with every change of any bucket of the account. */
  changesOf(account: number): number {
    return this.changes[account] ?? 0;
  }

  /** Does the account have negative cash in some coin? */
  hasNegativeCash(account: number): boolean {
    return this.owing[account]! > 0;
  }

  /** Bucket of an account without opening a row. */
  peek(account: number, coin: number, bucket: Bucket): bigint {
    const row = this.rows.find(account, coin);
    return row < 0 ? 0n : this.cells[(row << ROW_SHIFT) + bucket]!;
  }

  move(from: number, to: number, amount: bigint): void {
    assert(amount >= 0n, 'a posting moves a positive amount');
    assert(this.coinOf(from) === this.coinOf(to), 'I01: a posting moves one coin');
    if (this.shift(from, to, amount)) this.checkNegative(from, amount);
  }

  /** The result of `answer` as if the amount had moved, whether or not the bucket covers it. */
  asIf<T>(from: number, to: number, amount: bigint, answer: () => T): T {
    this.shift(from, to, amount);
    const answered = answer();
    this.shift(to, from, amount);
    return answered;
  }

  /** As it is now, for a reader that takes its time and closes it then. */
  view(): LedgerView {
    const view = new LedgerView(this, (closed) => {
      this.views = this.views.filter((other) => other !== closed);
    });
    this.views = [...this.views, view];
    return view;
  }

  /** Rows opened so far. */
  get rowCount(): number {
    return this.rows.count;
  }

  bucketsOf(row: number): bigint[] {
    const first = row << ROW_SHIFT;
    return this.cells.slice(first, first + BUCKETS);
  }

  ownerOf(row: number): { account: number; coin: number } {
    return { account: this.rows.accountOf(row), coin: this.rows.coinOf(row) };
  }

  private keepForViews(from: number, to: number): void {
    for (const view of this.views) {
      view.keep(rowOf(from));
      view.keep(rowOf(to));
    }
  }

  /** Returns whether the payer's cell is below zero now. */
  private shift(from: number, to: number, amount: bigint): boolean {
    if (this.views.length !== 0) this.keepForViews(from, to);
    const left = this.cells[from]! - amount;
    const negative = left < 0n;
    this.cells[from] = left;
    this.cells[to] = this.cells[to]! + amount;
    const payer = this.accountOf(from);
    const payee = this.accountOf(to);
    this.changes[payer]!++;
    this.changes[payee]!++;
    if (negative || this.owing[payer]! > 0) this.updateDebt(rowOf(from));
    if (this.owing[payee]! > 0) this.updateDebt(rowOf(to));
    return negative;
  }

  /** At the end of a command no isolated position lacks margin: a forced close has been settled with the fund. */
  checkSettled(): void {
    if (this.overdrawn.length === 0) return;
    for (const cell of this.overdrawn)
      assert(this.cells[cell]! >= 0n, `I03: ${this.describe(cell)} holds ${this.cells[cell]}`);
    this.overdrawn.length = 0;
  }

  /** Total debt of all users in a coin. */
  owed(coin: number): bigint {
    return this.owedByCoin[coin] ?? 0n;
  }

  /** A command or an instant has ended: debts that it leaves have stood. */
  notePeaks(): void {
    if (this.grown.size === 0) return;
    for (const row of this.grown) {
      const debt = this.owingRows.get(row) ?? 0n;
      if (debt > (this.peaks.get(row) ?? 0n)) this.peaks.set(row, debt);
    }
    this.grown.clear();
  }

  /** An hour begins: what is owed now is the most that is owed in it so far. */
  beginPeaks(): void {
    this.peaks.clear();
    for (const [row, debt] of this.owingRows) if (debt > 0n) this.peaks.set(row, debt);
  }

  /** The same for one account. */
  restartPeaks(account: number): void {
    for (const coin of this.coinsOf(account)) {
      const row = this.rows.find(account, coin);
      const debt = this.owingRows.get(row) ?? 0n;
      if (debt > 0n) this.peaks.set(row, debt);
      else this.peaks.delete(row);
    }
  }

  /** Has the account owed any coin since the last full hour? */
  hasPeak(account: number): boolean {
    return this.peaks.size > 0 && this.coinsOf(account).some((coin) => this.peakOf(account, coin) > 0n);
  }

  hasPeaks(): boolean {
    return this.peaks.size > 0;
  }

  peakOf(account: number, coin: number): bigint {
    const row = this.rows.find(account, coin);
    return row < 0 ? 0n : (this.peaks.get(row) ?? 0n);
  }

  /** Account ascending, coin ascending. */
  savePeaks(): DebtPeak[] {
    return [...this.peaks]
      .map(([row, peak]) => ({ account: this.rows.accountOf(row), coin: this.rows.coinOf(row), peak }))
      .sort((a, b) => a.account - b.account || a.coin - b.coin);
  }

  restorePeaks(peaks: readonly DebtPeak[]): void {
    this.peaks.clear();
    for (const { account, coin, peak } of peaks)
      this.peaks.set(rowOf(this.cell(account, coin, Bucket.cash)), peak);
  }

  isOwed(): boolean {
    return this.owingRows.size > 0;
  }

  /** Accounts with negative cash in some coin, ascending. */
  accountsInDebt(): number[] {
    const accounts = new Set<number>();
    for (const row of this.owingRows.keys()) accounts.add(this.rows.accountOf(row));
    return [...accounts].sort((a, b) => a - b);
  }

  /** Coins an account has ever touched, ascending. */
  coinsOf(account: number): readonly number[] {
    return this.coins[account] ?? NO_COINS;
  }

  /** Visits every row: account ascending, coin ascending. */
  eachRow(visit: RowVisit): void {
    for (const [account, coins] of this.coins.entries())
      for (const coin of coins) visit(account, coin, this.bucketsOf(this.rows.find(account, coin)));
  }

  /** Used by snapshots only: puts back what `eachRow` gave. */
  restoreRow(account: number, coin: number, buckets: readonly bigint[]): void {
    const first = this.cell(account, coin, Bucket.cash);
    for (let bucket = 0; bucket < BUCKETS; bucket++) this.cells[first + bucket] = buckets[bucket]!;
    this.changes[account]!++;
    if (buckets[Bucket.cash]! < 0n) this.updateDebt(rowOf(first));
  }

  /** Asserts that a bucket may be below zero after a payment. A payment of 0n changes nothing and is not checked. */
  private checkNegative(cell: number, amount: bigint): void {
    if (amount === 0n) return;
    const bucket = this.bucketOf(cell);
    const account = this.accountOf(cell);
    if (bucket === Bucket.isolated) {
      this.overdrawn.push(cell);
      return;
    }
    const allowed =
      bucket === Bucket.cash &&
      (account < FIRST_USER_ACCOUNT ? !NEVER_IN_DEBT.has(account) : this.mayOwe(account));
    // The message is built on failure only: the clearing account is below zero after half of all futures trades.
    if (!allowed) throw new InvariantBroken(`I03: ${this.describe(cell)} would hold ${this.cells[cell]}`);
  }

  private describe(cell: number): string {
    return `bucket ${this.bucketOf(cell)} of account ${this.accountOf(cell)} coin ${this.coinOf(cell)}`;
  }

  /** Brings the sum of debts up to date with a row that has, or had, negative cash. */
  private updateDebt(row: number): void {
    const account = this.rows.accountOf(row);
    if (account < FIRST_USER_ACCOUNT) return;
    const cash = this.cells[(row << ROW_SHIFT) + Bucket.cash]!;
    const known = this.owingRows.get(row);
    if (cash >= 0n && known === undefined) return;
    const balance = cash + this.cells[(row << ROW_SHIFT) + Bucket.locked]!;
    const debt = balance < 0n ? -balance : 0n;
    const coin = this.rows.coinOf(row);
    while (this.owedByCoin.length <= coin) this.owedByCoin.push(0n);
    this.owedByCoin[coin]! += debt - (known ?? 0n);
    if (debt > (known ?? 0n)) this.grown.add(row);
    if (cash < 0n) {
      if (known === undefined) this.owing[account]!++;
      this.owingRows.set(row, debt);
    } else {
      this.owing[account]!--;
      this.owingRows.delete(row);
    }
  }

  private open(account: number, coin: number): number {
    while (this.changes.length <= account) {
      this.changes = doubled(Float64Array, this.changes);
      this.owing = doubled(Int32Array, this.owing);
    }
    while (this.coins.length <= account) this.coins.push(NO_COINS);
    this.coins[account] = [...this.coins[account]!, coin].sort((a, b) => a - b);
    this.changes[account]!++;
    this.cells.push(0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n);
    return this.rows.open(account, coin);
  }
}

/** Index of the row of a cell, from zero. */
function rowOf(cell: number): number {
  return cell >> ROW_SHIFT;
}

interface Numbers<T> {
  readonly length: number;
  set(from: T): void;
}

function doubled<T extends Numbers<T>>(type: new (length: number) => T, old: T): T {
  const array = new type(2 * old.length);
  array.set(old);
  return array;
}
