/**
 * Positions worked out beside the exchange and without its code, from the formulas of rules 4.5, 5.2, 5.4, 5.7 and
 * 5.10: integers of 10^-8, fees cut off, the basis of a part cut off, prices rounded half up to one decimal.
 */
import { decimal, units } from './ledger-by-hand.ts';

const ONE = 10n ** 8n;
const TICK = ONE / 10n;

/** With a sign, which `decimal` leaves to its caller. */
export function signed(amount: bigint): string {
  return amount < 0n ? `-${decimal(-amount)}` : decimal(amount);
}

/** A linear position: everything is in the coin that prices are in. */
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
  /** Received less paid. */
  funding = 0n;
  /** What has become of the account's money: profit and funding less fees. */
  cash = 0n;

  constructor(takerRate: string) {
    this.takerRate = units(takerRate);
  }

  /** Adds or takes off; returns the profit of what it took off, which coin-margined contracts pay by the mark, too. */
  trade(side: 'buy' | 'sell', size: string, price: string, mark = price): bigint {
    const lots = units(size);
    const value = (lots * units(price)) / ONE;
    const fee = (this.feeBase(lots, value) * this.takerRate) / ONE;
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
    const gain = this.size > 0n ? value - released : released - value;
    const profit = this.paidOut(gain, units(price), units(mark));
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

  /** Of coin-margined contracts also the index at which dollars become coin; others need none. */
  unrealised(mark: string, index = mark): bigint {
    return this.inCoin(this.profitAt(mark), units(index));
  }

  /** q P (1/L + t). */
  crossedMargin(mark: string, leverage: bigint, index = mark): bigint {
    const margin = half(this.notional(mark) * (ONE + leverage * this.takerRate), leverage * ONE);
    return this.inCoin(margin, units(index));
  }

  /** Profit over that margin, of the exact numbers, to 16 decimals. */
  profitRate(mark: string, leverage: bigint): string {
    const profit = this.profitAt(mark);
    const scaled = abs(profit) * 10n ** 16n * leverage * ONE;
    const digits = half(scaled, this.notional(mark) * (ONE + leverage * this.takerRate));
    const text = `0.${String(digits).padStart(16, '0')}`.replace(/\.?0+$/, '');
    return profit < 0n ? `-${text}` : text;
  }

  /** (q E + fees - funding - realised) / (q (1 - t)) for a long, with the signs of a short for a short. */
  breakEven(index = '0'): string {
    const spent = this.inQuote(this.openFee + this.closeFee - this.realised - this.funding, units(index));
    const rate = this.size > 0n ? ONE - this.takerRate : ONE + this.takerRate;
    return onTick((this.basis + spent) * ONE * ONE, this.size * rate);
  }

  /** q P F of a settled rate: what is paid is rounded up, what is received down. */
  settles(mark: string, rate: string, index = mark): bigint {
    const rated = units(rate.replace('-', ''));
    const exact = this.inCoin(this.notional(mark) * rated, units(index));
    const pays = this.size > 0n === !rate.startsWith('-');
    const amount = pays ? -((exact + ONE - 1n) / ONE) : exact / ONE;
    this.funding += amount;
    this.cash += amount;
    return amount;
  }

  /** (iso + D - d q E) / (q (m + t - d)): up to the tick for a long, down for a short. */
  isolatedLiquidation(iso: bigint, rate: string, deduction: string): string {
    const long = this.size > 0n;
    const above = (iso + units(deduction) - this.basis) * ONE * ONE;
    const below = abs(this.size) * (units(rate) + this.takerRate - (long ? ONE : -ONE)) * TICK;
    const [n, d] = below < 0n ? [-above, -below] : [above, below];
    return decimal((long ? (n + d - 1n) / d : n / d) * TICK);
  }

  protected notional(mark: string): bigint {
    return (abs(this.size) * units(mark)) / ONE;
  }

  private profitAt(mark: string): bigint {
    return (this.size * units(mark)) / ONE - this.basis;
  }

  /** What the fee is a part of. */
  protected feeBase(_size: bigint, value: bigint): bigint {
    return value;
  }

  /** A profit as it is paid out by a trade at a price while the mark is another. */
  protected paidOut(profit: bigint, _price: bigint, _mark: bigint): bigint {
    return profit;
  }

  protected inCoin(amount: bigint, _index: bigint): bigint {
    return amount;
  }

  protected inQuote(amount: bigint, _index: bigint): bigint {
    return amount;
  }
}

/** A coin-margined position: counted in dollars, charged and paid in coin (rules 5.2, model B). */
export class HandCoinPosition extends HandPosition {
  protected override feeBase(size: bigint): bigint {
    return size;
  }

  /** A profit at the larger of the two, a loss at the smaller (rules 13.2 (e)). */
  protected override paidOut(profit: bigint, price: bigint, mark: bigint): bigint {
    return floor(profit * ONE, profit > 0n === price > mark ? price : mark);
  }

  protected override inCoin(amount: bigint, index: bigint): bigint {
    return floor(amount * ONE, index);
  }

  protected override inQuote(amount: bigint, index: bigint): bigint {
    return floor(amount * index, ONE);
  }

  /** (q E - D) / (iso + q (1 - m - t)) up for a long, (q E + D) / (q (1 + m + t) - iso) down for a short. */
  override isolatedLiquidation(iso: bigint, rate: string, deduction: string): string {
    const kept = units(rate) + this.takerRate;
    const size = abs(this.size);
    const long = this.size > 0n;
    const n = (abs(this.basis) + (long ? -1n : 1n) * units(deduction)) * ONE * ONE;
    const d = (long ? iso * ONE + size * (ONE - kept) : size * (ONE + kept) - iso * ONE) * TICK;
    return decimal((long ? (n + d - 1n) / d : n / d) * TICK);
  }
}

/** Value / size, half up to the tick. */
export function mean(value: bigint, size: bigint): string {
  return onTick(value * ONE, size);
}

function floor(n: bigint, d: bigint): bigint {
  return n < 0n ? -((-n + d - 1n) / d) : n / d;
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
