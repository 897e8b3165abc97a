/** Withdrawals that the operator has not settled yet, oldest first, with what they will take out of custody. */
import type { PendingWithdrawal } from '../model/pending-withdrawal.ts';

export class WithdrawalsUnderWay extends Map<number, PendingWithdrawal> {
  /** By coin, less their fees, which stay here. */
  private readonly leaving = new Map<number, bigint>();

  /** What of a coin is asked for and not yet paid out. */
  pendingOf(coin: number): bigint {
    return this.leaving.get(coin) ?? 0n;
  }

  override set(id: number, withdrawal: PendingWithdrawal): this {
    this.delete(id);
    this.add(withdrawal, 1n);
    return super.set(id, withdrawal);
  }

  override delete(id: number): boolean {
    const known = this.get(id);
    if (known !== undefined) this.add(known, -1n);
    return super.delete(id);
  }

  private add({ coin, fromFunding, fromUnified, fee }: PendingWithdrawal, sign: bigint): void {
    this.leaving.set(coin, this.pendingOf(coin) + sign * (fromFunding + fromUnified - fee));
  }
}
