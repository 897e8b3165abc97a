/** What the insurance funds may have paid for forced closes of the family (rules 13.7). */
import type { FillRecord } from '../../src/core/model/event.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import type { State } from '../../src/core/state/state.ts';
import { family, isForced } from './families-finding.ts';
import type { Trades } from './families-trades.ts';
import { COIN } from './families-venue.ts';
import type { Worth } from './families-worth.ts';

const HOUR_MS = 3_600_000;
const FUND_COINS = [COIN.usdt, COIN.usdc, COIN.btc];
const FUND_CLOSE_SHARE = 0.2;
const FUND_HOUR_SHARE = 0.6;

export class Funds {
  /** Dollars that the family had of them. */
  used = 0;
  private readonly state: State;
  private readonly worth: Worth;
  private readonly trades: Trades;
  private held: number[] = [];
  private hour = 0;
  private hourBase = 0;
  private hourPaid = 0;

  constructor(state: State, worth: Worth, trades: Trades) {
    this.state = state;
    this.worth = worth;
    this.trades = trades;
  }

  /** Outside prices have changed. */
  lookAgain(): void {
    this.held = FUND_COINS.map((coin) => this.heldOf(coin));
  }

  /**
   * What the fund may have paid for forced closes of the family in this command: to those who traded with them within the
   * reach of a close, and to the closed accounts what they would have lacked (`spared`: they have more elsewhere).
   */
  allowance(forced: readonly FillRecord[], spared: number, fills: readonly FillRecord[]): number {
    const { state } = this;
    const hour = Math.floor(state.now / HOUR_MS);
    const now = FUND_COINS.map((coin) => this.heldOf(coin));
    if (hour !== this.hour) {
      this.hour = hour;
      this.hourBase = now.reduce((sum, amount) => sum + amount, 0);
      this.hourPaid = 0;
    }
    let sum = 0;
    const closes = new Set(forced.map(({ orderId }) => orderId)).size;
    for (const [n, before] of this.held.entries()) {
      // What closes of others brought it in the same command hides some of what it paid (rules 13.7 (b)).
      const brought = fills.reduce(
        (fees, fill) =>
          !family.has(fill.uid) && isForced(fill.futures?.kind) && fill.feeCoin === FUND_COINS[n]
            ? fees + Math.max(0, this.trades.feeOf(fill))
            : fees,
        0,
      );
      const paid = Math.max(0, before - now[n]! + brought);
      sum += Math.min(paid, FUND_CLOSE_SHARE * closes * before);
    }
    this.held = now;
    if (sum === 0) return 0;
    const reach = forced.reduce((total, fill) => total + this.trades.reachOf([fill], fill, forced), 0);
    return Math.min(sum, reach + spared, Math.max(0, FUND_HOUR_SHARE * this.hourBase - this.hourPaid));
  }

  use(amount: number): void {
    this.used += amount;
    this.hourPaid += amount;
  }

  private heldOf(coin: number): number {
    return this.worth.usd(coin, this.state.ledger.balanceOf(SystemAccount.insurance, coin, Bucket.cash));
  }
}
