/** Interest and pools of borrowed coins: I32, I44. */

import { Category, Wallet } from '../../../src/core/model/enums.ts';
import type { Event, LedgerLine } from '../../../src/core/model/event.ts';
import { Bucket, SystemAccount } from '../../../src/core/model/ledger-accounts.ts';
import type { State } from '../../../src/core/state/state.ts';
import { expect } from './failure.ts';

const HOUR = 3_600_000;
/** By then every portion of an hour is done (rules 14.3). */
const LATE_MAX = 5000;

export class DebtAudit {
  private readonly state: State;
  /** Sum of the house's interest, hours that were charged, debts by account and coin, and what was forced of them. */
  private readonly interest = new Map<number, bigint>();
  private readonly interestHours = new Set<string>();
  private readonly debts = new Map<string, bigint>();
  private readonly forced = new Map<number, bigint>();
  /** Coins that the present command has lent. */
  private readonly borrowed = new Set<number>();

  constructor(state: State) {
    this.state = state;
    for (const coin of state.coins.keys()) {
      this.interest.set(coin, state.ledger.balanceOf(SystemAccount.interest, coin, Bucket.cash));
      // What was owed before the audit began is nobody's growth.
      this.forced.set(coin, state.ledger.totalDebt(coin));
    }
  }

  /** A debt that grew by anything but a margin trade was forced on the account. */
  count(line: LedgerLine): void {
    if ((line.wallet ?? Wallet.unified) !== Wallet.unified) return;
    const key = `${line.uid} ${line.coin}`;
    const growth = (line.balance < 0n ? -line.balance : 0n) - (this.debts.get(key) ?? 0n);
    this.debts.set(key, line.balance < 0n ? -line.balance : 0n);
    if (growth <= 0n) return;
    const traded = line.kind === 'tradeOut' || line.kind === 'tradeIn';
    if (line.category === Category.margin && traded) this.borrowed.add(line.coin);
    else this.forced.set(line.coin, (this.forced.get(line.coin) ?? 0n) + growth);
  }

  /** I32: what the house has earned is what was charged. Loans and house accounts pay without a line of this kind. */
  checkInterest(events: readonly Event[]): void {
    const charged = new Map<number, bigint>();
    let others = [...this.state.accountByUid.values()].some((account) => account.house);
    for (const event of events) {
      if (event.type.startsWith('loan')) others = true;
      if (event.type !== 'ledgerLine') continue;
      if (event.kind === 'loanInterest') others = true;
      if (event.kind !== 'interest') continue;
      const late = this.state.rules.portions ? LATE_MAX : 0;
      expect(event.time % HOUR <= late, () => `I32: interest of ${event.uid} at ${event.time}`);
      const hour = `${event.uid} ${event.coin} ${Math.floor(event.time / HOUR)}`;
      expect(!this.interestHours.has(hour), () => `I32: ${hour} is charged twice`);
      this.interestHours.add(hour);
      charged.set(event.coin, (charged.get(event.coin) ?? 0n) - event.amount);
    }
    for (const coin of this.state.coins.keys()) {
      const earned = this.state.ledger.balanceOf(SystemAccount.interest, coin, Bucket.cash);
      const before = this.interest.get(coin) ?? 0n;
      this.interest.set(coin, earned);
      const due = charged.get(coin) ?? 0n;
      expect(
        others || earned - before === due,
        () => `I32: coin ${coin}: ${earned - before} for ${due} charged`,
      );
    }
  }

  /** I44: whoever borrows finds it in the pool, what was forced on accounts aside. */
  checkPools(): void {
    for (const coin of this.borrowed) {
      const owed = this.state.ledger.totalDebt(coin);
      const { poolLimit } = this.state.lending[coin]!.terms;
      const forced = this.forced.get(coin) ?? 0n;
      expect(owed <= poolLimit + forced, () => `I44: ${owed} of coin ${coin} lent, ${forced} of it forced`);
    }
    this.borrowed.clear();
  }
}
