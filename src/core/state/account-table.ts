/**
 * Accounts by uid, in the order in which they were opened.
 *
 * Among a hundred thousand accounts the data of one that acts is in no cache of the processor. Checks come to it line by line,
 * and each line would be waited for on its own. So a look fetches them all: reads that follow each other directly and do not
 * depend on each other wait together.
 */
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import type { Account } from './account.ts';
import type { Ledger } from './ledger.ts';
import { UidPlaces } from './uid-places.ts';

/** The data of fewer accounts is in the cache as a rule, and there is nothing to wait for. */
const FETCHED_FROM = 4096;

export class AccountTable {
  private readonly ledger: Ledger;
  private readonly all: Account[] = [];
  private readonly places = new UidPlaces();
  /** Sum of what was fetched: reads whose result nobody takes are not carried out. */
  private fetched = 0;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  get size(): number {
    return this.all.length;
  }

  get(uid: number): Account | undefined {
    const place = this.places.get(uid);
    if (place === -1) return undefined;
    this.fetch(FIRST_USER_ACCOUNT + place);
    return this.all[place];
  }

  /** By its index in the ledger. */
  fetch(index: number): void {
    if (this.all.length < FETCHED_FROM) return;
    const account = this.all[index - FIRST_USER_ACCOUNT]!;
    this.fetched = account.openSpot + this.ledger.fetch(index);
    if (account.margin !== undefined) this.fetched += account.margin.fetch();
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
