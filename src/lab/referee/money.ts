/** Sums by coin, exact. */
import { divHalf, formatMoney, formatUnits, MONEY_ONE } from '../../core/model/units.ts';
import { coinUsd } from '../../core/reads/margin-reads.ts';
import type { State } from '../../core/state/state.ts';

export class CoinSums {
  readonly #sums = new Map<string, bigint>();

  add(coin: string, amount: bigint): void {
    this.#sums.set(coin, this.of(coin) + amount);
  }

  of(coin: string): bigint {
    return this.#sums.get(coin) ?? 0n;
  }

  get coins(): readonly string[] {
    return [...this.#sums.keys()].sort();
  }

  /** As decimal texts; coins with nothing are left out. */
  texts(): Record<string, string> {
    const some = this.coins.filter((coin) => this.of(coin) !== 0n);
    return Object.fromEntries(some.map((coin) => [coin, formatMoney(this.of(coin))]));
  }
}

export function inDollars(state: State, coin: number, amount: bigint): bigint {
  return divHalf(amount * coinUsd(state, coin), MONEY_ONE);
}

/** `part` of `whole` with so many decimals; 0 of nothing. */
export function ratio(part: bigint, whole: bigint, decimals: number, scale = 1n): string {
  if (whole === 0n) return '0';
  return formatUnits(divHalf(part * scale * 10n ** BigInt(decimals), whole), decimals);
}
