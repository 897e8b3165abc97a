/** Profit of spot trades by the average cost of the session's own trades. What was there before counts for nothing. */
import { divHalf } from '../../core/model/units.ts';

export class SpotCost {
  /** Bought and not sold again; negative when sold and not bought back. */
  lots = 0n;
  /** What they cost or brought, in 10^-8 of the quote coin. */
  basis = 0n;

  /** Returns the profit of what it closes. */
  trade(buy: boolean, lots: bigint, value: bigint): bigint {
    const opens = this.lots === 0n || this.lots > 0n === buy;
    const held = this.lots < 0n ? -this.lots : this.lots;
    const closed = opens ? 0n : lots < held ? lots : held;
    const closedValue = divHalf(value * closed, lots);
    const closedBasis = held === 0n ? 0n : divHalf(this.basis * closed, held);
    this.basis += value - closedValue - closedBasis;
    this.lots += buy ? lots : -lots;
    return buy ? closedBasis - closedValue : closedValue - closedBasis;
  }

  /** The profit that is not realised when the rest has this value. */
  unrealised(value: bigint): bigint {
    return this.lots < 0n ? this.basis - value : value - this.basis;
  }
}
