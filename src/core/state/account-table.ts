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
  private readonly ledger: Ledger;
  private readonly all: Account[] = [];
  private readonly places = new UidPlaces();
  /** Sum of the numbers that were read: the compiler would remove reads whose result is not used. */
  private prefetchSink = 0;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  get size(): number {
    return this.all.length;
  }

  get(uid: number): Account | undefined {
    const place = this.places.get(uid);
    if (place === -1) return undefined;
    this.prefetch(FIRST_USER_ACCOUNT + place);
    return this.all[place];
  }

  /** Reads the cache lines of an account, given by its index in the ledger. */
  prefetch(index: number): void {
    if (this.all.length < PREFETCH_FROM) return;
    const account = this.all[index - FIRST_USER_ACCOUNT]!;
    this.prefetchSink = account.openSpot + this.ledger.prefetch(index);
    if (account.margin !== undefined) this.prefetchSink += account.margin.prefetch();
  }

  has(uid: number): boolean {
    return this.places.get(uid) !== -1;
  }

  values(): IterableIterator<Account> {
    return this.all.values();
  }

  *keys(): IterableIterator<number> {
    for (const { uid } of this.all) yield uid;
  }

  /** The next account; its index is that of the next place. */
  add(account: Account): void {
    this.places.set(account.uid, this.all.push(account) - 1);
  }
}
