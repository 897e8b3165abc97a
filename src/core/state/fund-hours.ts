/**
 * The present UTC hour of the insurance funds (rules 13.7): what they had at its beginning, what the operator has added
 * and taken since, and what they have lost to closes. Their budgets are shares of the first two.
 */

/** Which fund: of contracts, or of margin debts and pledge loans. */
export type FundName = 'futures' | 'lending';
export const FUND_NAMES: readonly FundName[] = ['futures', 'lending'];

export interface FundHour {
  /** By the operator. */
  readonly funded: bigint;
  readonly drained: bigint;
  /** Net outflow of closes and of single payments, which the budgets are for. */
  readonly paid: bigint;
  /** Outflow that has no budget: deliveries, and what an earlier edition paid in this hour. */
  readonly unlimited: bigint;
}

const NO_MOVEMENTS: FundHour = { funded: 0n, drained: 0n, paid: 0n, unlimited: 0n };

export class FundHours {
  /** The lending fund by coin at the last full hour; that of contracts is `State.insuranceAtHour`. */
  lendingAtHour: bigint[] = [];
  /** By coin; those without movements are absent. */
  readonly hours: Readonly<Record<FundName, Map<number, FundHour>>> = {
    futures: new Map(),
    lending: new Map(),
  };
  /** Net outflow by contract. */
  readonly paidBySymbol = new Map<number, bigint>();

  of(fund: FundName, coin: number): FundHour {
    return this.hours[fund].get(coin) ?? NO_MOVEMENTS;
  }

  paidFor(instrument: number): bigint {
    return this.paidBySymbol.get(instrument) ?? 0n;
  }

  add(fund: FundName, coin: number, kind: keyof FundHour, amount: bigint): void {
    if (amount === 0n) return;
    const hour = this.of(fund, coin);
    this.hours[fund].set(coin, { ...hour, [kind]: hour[kind] + amount });
  }

  addPaid(coin: number, instrument: number, amount: bigint): void {
    if (amount === 0n) return;
    this.add('futures', coin, 'paid', amount);
    this.paidBySymbol.set(instrument, this.paidFor(instrument) + amount);
  }

  /** A full hour. */
  begin(lending: bigint[]): void {
    this.lendingAtHour = lending;
    for (const fund of FUND_NAMES) this.hours[fund].clear();
    this.paidBySymbol.clear();
  }
}
