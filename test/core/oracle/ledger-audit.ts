/** Ledger lines against balances, and the venue against the outside world: I02, and I30 for lines. */

import { Wallet } from '../../../src/core/model/enums.ts';
import type { LedgerLine, WalletRecord } from '../../../src/core/model/event.ts';
import { Bucket, SystemAccount } from '../../../src/core/model/ledger-accounts.ts';
import type { State } from '../../../src/core/state/state.ts';
import { expect } from './failure.ts';

const WALLETS: readonly Wallet[] = [Wallet.unified, Wallet.funding];

export class LedgerAudit {
  private readonly state: State;
  private last: number;
  /** Sum of ledger lines by account and wallet, then coin. */
  private readonly books = new Map<string, Map<number, bigint>>();
  /** What came in from the outside world less what left for it, by coin. */
  private readonly inside = new Map<number, bigint>();

  constructor(state: State) {
    this.state = state;
    this.last = state.lastId;
    for (const { index, uid } of state.accountByUid.values()) {
      for (const coin of state.ledger.coinsOf(index)) {
        for (const wallet of WALLETS) this.book(uid, wallet).set(coin, this.balance(uid, wallet, coin));
      }
    }
    for (const coin of state.coins.keys()) this.inside.set(coin, this.outsideOwes(coin));
  }

  /** I02 by lines, and I30. */
  checkLine(line: LedgerLine, bothSidesPosted: boolean): void {
    expect(line.lineId > this.last, () => `I30: line ${line.lineId} after ${this.last}`);
    this.last = line.lineId;
    const book = this.book(line.uid, line.wallet ?? Wallet.unified);
    const balance = (book.get(line.coin) ?? 0n) + line.amount - line.fee;
    book.set(line.coin, balance);
    if (bothSidesPosted) return;
    expect(
      line.balance === balance,
      () => `I02: line ${line.lineId} says ${line.balance}, lines sum to ${balance}`,
    );
  }

  checkBalances(uid: number): void {
    for (const wallet of WALLETS) {
      for (const [coin, sum] of this.book(uid, wallet)) {
        const balance = this.balance(uid, wallet, coin);
        expect(balance === sum, () => `I02: account ${uid} coin ${coin} has ${balance}, lines sum to ${sum}`);
      }
    }
  }

  /** Money crosses the border when a deposit is booked and when a withdrawal is paid; its fee stays here. */
  countOutside({ kind, status, counterUid, coin, amount, fee }: WalletRecord): void {
    if (counterUid !== 0 || status !== 'success') return;
    this.addInside(coin, kind === 'deposit' ? amount : fee - amount);
  }

  addInside(coin: number, amount: bigint): void {
    this.inside.set(coin, (this.inside.get(coin) ?? 0n) + amount);
  }

  /** I02 of the whole venue. */
  checkInside(): void {
    for (const [coin, sum] of this.inside) {
      const owed = this.outsideOwes(coin);
      expect(owed === sum, () => `I02: coin ${coin}: ${owed} inside, deposits less withdrawals are ${sum}`);
    }
  }

  private outsideOwes(coin: number): bigint {
    return -this.state.ledger.balanceOf(SystemAccount.external, coin, Bucket.cash);
  }

  private book(uid: number, wallet: Wallet): Map<number, bigint> {
    const key = `${uid} ${wallet}`;
    let book = this.books.get(key);
    if (book === undefined) {
      book = new Map();
      this.books.set(key, book);
    }
    return book;
  }

  private balance(uid: number, wallet: Wallet, coin: number): bigint {
    const { index } = this.state.accountByUid.get(uid)!;
    const { ledger } = this.state;
    if (wallet === Wallet.funding) return ledger.balanceOf(index, coin, Bucket.funding);
    return (
      ledger.balanceOf(index, coin, Bucket.cash) +
      ledger.balanceOf(index, coin, Bucket.locked) +
      ledger.balanceOf(index, coin, Bucket.isolatedOrders)
    );
  }
}
