/**
 * What accounts should hold, worked out beside the exchange and without its code: integers of 10^-8, a buyer's fee in
 * the base coin, a seller's in the quote coin, what is left of a fee below 10^-8 is not charged (rules 0.4).
 */
const SCALE = 8;
const ONE = 10n ** BigInt(SCALE);

export function units(decimal: string): bigint {
  const [whole, fraction = ''] = decimal.split('.');
  if (fraction.length > SCALE) throw new Error(`${decimal} has more than ${SCALE} decimals`);
  return BigInt(whole! + fraction.padEnd(SCALE, '0'));
}

export function decimal(amount: bigint): string {
  const digits = String(amount).padStart(SCALE + 1, '0');
  return `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`.replace(/\.?0+$/, '');
}

/** a x b, cut off after 8 decimals. */
export function product(a: string, b: string): string {
  return decimal((units(a) * units(b)) / ONE);
}

export interface Trade {
  readonly base: string;
  readonly quote: string;
  readonly size: string;
  readonly price: string;
  readonly feeRate: string;
}

export class HandLedger {
  readonly #total = new Map<string, bigint>();
  readonly #locked = new Map<string, bigint>();

  constructor(assets: readonly { readonly coin: string; readonly balance: string }[]) {
    for (const { coin, balance } of assets) this.#total.set(coin, units(balance));
  }

  buys({ base, quote, size, price, feeRate }: Trade): void {
    this.#add(base, units(size) - units(product(size, feeRate)));
    this.#add(quote, -units(product(size, price)));
  }

  sells({ base, quote, size, price, feeRate }: Trade): void {
    const value = product(size, price);
    this.#add(base, -units(size));
    this.#add(quote, units(value) - units(product(value, feeRate)));
  }

  /** The whole lock of a coin: replaces what was locked before. */
  locks(coin: string, amount: string): void {
    this.#locked.set(coin, units(amount));
  }

  /** Total, locked and available of a coin, as decimal text. */
  holding(coin: string): Holding {
    const total = this.#total.get(coin) ?? 0n;
    const locked = this.#locked.get(coin) ?? 0n;
    return { coin, balance: decimal(total), locked: decimal(locked), available: decimal(total - locked) };
  }

  holdings(): Holding[] {
    return [...this.#total.keys()].map((coin) => this.holding(coin));
  }

  #add(coin: string, amount: bigint): void {
    this.#total.set(coin, (this.#total.get(coin) ?? 0n) + amount);
  }
}

export interface Holding {
  readonly coin: string;
  readonly balance: string;
  readonly locked: string;
  readonly available: string;
}
