/** Exact fractions of big integers, for oracles: nothing is rounded before it is asked for. */
export class Q {
  readonly n: bigint;
  readonly d: bigint;

  constructor(n: bigint, d = 1n) {
    this.n = d < 0n ? -n : n;
    this.d = d < 0n ? -d : d;
  }

  /** A decimal as it is written. */
  static of(text: string): Q {
    const [whole = '0', fraction = ''] = text.split('.');
    const sign = whole.startsWith('-') ? -1n : 1n;
    return new Q(
      sign * (BigInt(whole.replace('-', '')) * 10n ** BigInt(fraction.length) + BigInt(fraction || '0')),
      10n ** BigInt(fraction.length),
    );
  }

  static readonly zero = new Q(0n);

  plus(other: Q): Q {
    // Most sums are of amounts with the same decimals: the fraction need not grow.
    if (this.d === other.d) return new Q(this.n + other.n, this.d);
    return new Q(this.n * other.d + other.n * this.d, this.d * other.d);
  }

  minus(other: Q): Q {
    return this.plus(new Q(-other.n, other.d));
  }

  times(other: Q): Q {
    return new Q(this.n * other.n, this.d * other.d);
  }

  over(other: Q): Q {
    return new Q(this.n * other.d, this.d * other.n);
  }

  compare(other: Q): number {
    const difference = this.n * other.d - other.n * this.d;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  max(other: Q): Q {
    return this.compare(other) < 0 ? other : this;
  }

  min(other: Q): Q {
    return this.compare(other) > 0 ? other : this;
  }

  /** To so many decimals. */
  floor(decimals: number): Q {
    const scaled = this.n * 10n ** BigInt(decimals);
    const quotient = scaled / this.d;
    return new Q(scaled % this.d !== 0n && scaled < 0n ? quotient - 1n : quotient, 10n ** BigInt(decimals));
  }

  ceil(decimals: number): Q {
    return new Q(0n).minus(new Q(0n).minus(this).floor(decimals));
  }

  /** Half away from zero. */
  half(decimals: number): Q {
    const up = this.plus(new Q(this.n < 0n ? -1n : 1n, 2n * 10n ** BigInt(decimals)));
    return this.n < 0n ? up.ceil(decimals) : up.floor(decimals);
  }

  /** Without trailing zeros; it must have at most 18 decimals. */
  toString(): string {
    const scale = 18;
    const scaled = this.n * 10n ** BigInt(scale);
    if (scaled % this.d !== 0n) throw new Error(`${this.n}/${this.d} is no decimal of ${scale} digits`);
    const units = scaled / this.d;
    const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
    const text = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`.replace(/\.?0+$/, '');
    return units < 0n ? `-${text}` : text;
  }
}

export const sumOf = (parts: readonly Q[]): Q => parts.reduce((sum, part) => sum.plus(part), Q.zero);
