/**
 * A linear position worked out beside the exchange and without its code, from the formulas of domain.md 4.5, 5.4, 5.7:
 * integers of 10^-8, fees cut off, the basis of a part cut off, prices rounded half up to one decimal.
 */
import { decimal, units } from './ledger-by-hand.ts';

const ONE = 10n ** 8n;
const TICK = ONE / 10n;

/** With a sign, which `decimal` leaves to its caller. */
export function signed(amount: bigint): string {
  return amount < 0n ? `-${decimal(-amount)}` : decimal(amount);
}

export class HandPosition {
  readonly takerRate: bigint;
  /** 10^-8 coins, positive long. */
  size = 0n;
  basis = 0n;
  realised = 0n;
  openFee = 0n;
  closeFee = 0n;
  opened = { size: 0n, value: 0n };
  closed = { size: 0n, value: 0n };
  /** What has become of the account's money: profit less fees. */
  cash = 0n;

  constructor(takerRate: string) {
    this.takerRate = units(takerRate);
  }

  /** Adds or takes off; returns the profit of what it took off. */
  trade(side: 'buy' | 'sell', size: string, price: string): bigint {
    const lots = units(size);
    const value = (lots * units(price)) / ONE;
    const fee = (value * this.takerRate) / ONE;
    const long = side === 'buy';
    this.cash -= fee;
    if (this.size === 0n || this.size > 0n === long) {
      this.size += long ? lots : -lots;
      this.basis += long ? value : -value;
      this.openFee += fee;
      this.opened.size += lots;
      this.opened.value += value;
      return 0n;
    }
    const held = abs(this.size);
    const released = lots === held ? abs(this.basis) : (abs(this.basis) * lots) / held;
    const profit = this.size > 0n ? value - released : released - value;
    this.basis += this.size > 0n ? -released : released;
    this.size += this.size > 0n ? -lots : lots;
    this.realised += profit;
    this.closeFee += fee;
    this.closed.size += lots;
    this.closed.value += value;
    this.cash += profit;
    return profit;
  }

  averagePrice(): string {
    return mean(abs(this.basis), abs(this.size));
  }

  unrealised(mark: string): bigint {
    return (this.size * units(mark)) / ONE - this.basis;
  }

  /** q P (1/L + t). */
  crossedMargin(mark: string, leverage: bigint): bigint {
    const notional = (abs(this.size) * units(mark)) / ONE;
    return half(notional * (ONE + leverage * this.takerRate), leverage * ONE);
  }

  /** (q E + fees - realised) / (q (1 - t)) for a long, with the signs of a short for a short. */
  breakEven(): string {
    const spent = this.openFee + this.closeFee - this.realised;
    const rate = this.size > 0n ? ONE - this.takerRate : ONE + this.takerRate;
    return onTick((this.basis + spent) * ONE * ONE, this.size * rate);
  }

  /** (iso + D - d q E) / (q (m + t - d)): up to the tick for a long, down for a short. */
  isolatedLiquidation(iso: bigint, rate: string, deduction: string): string {
    const long = this.size > 0n;
    const above = (iso + units(deduction) - this.basis) * ONE * ONE;
    const below = abs(this.size) * (units(rate) + this.takerRate - (long ? ONE : -ONE)) * TICK;
    const [n, d] = below < 0n ? [-above, -below] : [above, below];
    return decimal((long ? (n + d - 1n) / d : n / d) * TICK);
  }
}

/** Value / size, half up to the tick. */
export function mean(value: bigint, size: bigint): string {
  return onTick(value * ONE, size);
}

function half(n: bigint, d: bigint): bigint {
  return (2n * n + d) / (2n * d);
}

function onTick(n: bigint, d: bigint): string {
  return decimal(half(abs(n), abs(d) * TICK) * TICK);
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
