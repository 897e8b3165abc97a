import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';

/** Goes over the accounts in the order in which they were opened. Who is about to act comes before its turn. */
export class Sweep {
  /** The account to go on with, and the first that was opened later. */
  next = FIRST_USER_ACCOUNT;
  readonly until: number;
  /** Accounts that were done before their turn. */
  readonly early = new Set<number>();

  constructor(until: number) {
    this.until = until;
  }

  get isOver(): boolean {
    return this.next >= this.until;
  }

  isDone(account: number): boolean {
    return account < this.next || account >= this.until || this.early.has(account);
  }
}
