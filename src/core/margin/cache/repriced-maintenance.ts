/**
 * Effective equity and maintenance margin of an account of which nothing but prices has changed since its margin was cached.
 * A ranking needs these two of every holder, most of whom have not acted for long: initial margin, which costs as much
 * again, and the cache are left as they are.
 */

import { valueNumber } from '../../model/instrument.ts';
import { maintenanceWithFee } from '../../model/margin-fractions.ts';
import { ceilValue, exact, floorValue } from '../../model/safe-integers.ts';
import {
  COIN_COLUMNS,
  CONTRACT_COLUMNS,
  CoinRow,
  ContractRow,
  type MarginCache,
} from '../../state/margin-cache-state.ts';
import type { State } from '../../state/state.ts';
import { collateralNumber } from '../collateral.ts';
import { markTicks } from '../margin.ts';
import { quotePrice } from './contract-rows.ts';

export class RepricedMaintenance {
  private readonly state: State;
  /** Of the account that was computed last. */
  maintenance = 0;
  effective = 0;
  /** By number of the coin in the account. */
  private profits = new Float64Array(16);

  constructor(state: State) {
    this.state = state;
  }

  /** False where big integers are needed, for debts, coin-margined contracts or large amounts: the margin is computed in full. */
  compute(margin: MarginCache): boolean {
    if (margin.coinCount > this.profits.length) this.profits = new Float64Array(2 * margin.coinCount);
    return this.sumContracts(margin) && this.sumCoins(margin);
  }

  private sumContracts(margin: MarginCache): boolean {
    const { state, profits } = this;
    const { numbers, coinCount, endOfContracts } = margin;
    for (let n = 0; n < coinCount; n++) profits[n] = 0;
    let sum = 0;
    for (let at = margin.firstContract; at < endOfContracts; at += CONTRACT_COLUMNS) {
      const longLots = numbers[at + ContractRow.longLots]!;
      const shortLots = numbers[at + ContractRow.shortLots]!;
      if (longLots === 0 && shortLots === 0) continue;
      const instrument = state.instruments[numbers[at + ContractRow.instrument]!]!;
      const { scale, coinMargined } = instrument.futures!;
      if (coinMargined || scale === undefined) return false;
      const mark = markTicks(state, instrument);
      const long = valueNumber(instrument, mark, longLots);
      const short = valueNumber(instrument, mark, shortLots);
      const profit = exact(
        exact(long - numbers[at + ContractRow.longBasis]!) +
          exact(-short - numbers[at + ContractRow.shortBasis]!),
      );
      const coin = numbers[at + ContractRow.coin]!;
      profits[coin] = exact(profits[coin]! + profit);
      sum += ceilValue(maintenanceWithFee(scale, Math.max(long, short)), quotePrice(state, instrument));
    }
    this.maintenance = exact(sum);
    return true;
  }

  private sumCoins({ numbers, firstCoin, coinCount }: MarginCache): boolean {
    const { state, profits } = this;
    let sum = 0;
    for (let n = 0, at = firstCoin; n < coinCount; n++, at += COIN_COLUMNS) {
      const amount = exact(numbers[at + CoinRow.balance]! + profits[n]!);
      if (amount === 0) continue;
      // A debt has maintenance margin of its own. NaN is no amount.
      if (!(amount > 0)) return false;
      const coin = numbers[at + CoinRow.coin]!;
      sum += collateralNumber(state, coin, floorValue(amount, state.coinPriceNumbers[coin] ?? Number.NaN));
    }
    this.effective = exact(sum);
    return !Number.isNaN(this.effective + this.maintenance);
  }
}
