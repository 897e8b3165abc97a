/**
 * Accounts by uid, in the order in which they were opened.
 *
 * With 100,000 accounts an account's data is rarely in the processor's cache. A look-up reads its cache lines right after each
 * other, so that the misses overlap.
 */
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import type { Account } from './account.ts';
import type { Ledger } from './ledger.ts';
import { UidPlaces } from './uid-places.ts';

/** With fewer accounts their data is usually in the cache already. */
const PREFETCH_FROM = 4096;

export class AccountTable {
  /** By their index in the ledger; the places of the system accounts are empty. */
  readonly byIndex: Account[] = [];
  private readonly ledger: Ledger;
  private readonly places = new UidPlaces();
  /** Sum of the numbers that were read: the compiler would remove reads whose result is not used. */
  private prefetchSink = 0;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  get size(): number {
    return Math.max(0, this.byIndex.length - FIRST_USER_ACCOUNT);
  }

  get(uid: number): Account | undefined {
    const index = this.places.get(uid);
    if (index === -1) return undefined;
    this.prefetch(index);
    return this.byIndex[index];
  }

  /** Reads the cache lines of an account, given by its index in the ledger. */
  prefetch(index: number): void {
    if (this.byIndex.length < PREFETCH_FROM) return;
    const account = this.byIndex[index]!;
    this.prefetchSink = account.openSpot + this.ledger.prefetch(index);
    if (account.margin !== undefined) this.prefetchSink += account.margin.prefetch();
  }

  has(uid: number): boolean {
    return this.places.get(uid) !== -1;
  }

  *values(): IterableIterator<Account> {
    const { byIndex } = this;
    for (let index = FIRST_USER_ACCOUNT; index < byIndex.length; index++) yield byIndex[index]!;
  }

  *keys(): IterableIterator<number> {
    for (const { uid } of this.values()) yield uid;
  }

  /** The next account; its index is the next one. */
  add(account: Account): void {
    this.byIndex[account.index] = account;
    this.places.set(account.uid, account.index);
  }
}
