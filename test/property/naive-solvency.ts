/** What is owed, lent and lost of each coin, counted over every account one by one (rules 13.5 (c)). */
import { wholeEquity } from '../../src/core/margin/bad-debt.ts';
import { markTicks, unrealisedOf } from '../../src/core/margin/margin.ts';
import { FIRST_USER_ACCOUNT } from '../../src/core/model/ledger-accounts.ts';
import { divFloor, powerOfTen } from '../../src/core/model/units.ts';
import type { State } from '../../src/core/state/state.ts';

interface Sums {
  owed: bigint;
  lent: bigint;
  badDebt: bigint;
}

export function naiveSolvency(state: State): Sums[] {
  const claims = state.accounts.map(() => state.coins.map(() => 0n));
  state.ledger.eachRow((account, coin, buckets) => {
    if (account >= FIRST_USER_ACCOUNT) for (const amount of buckets) claims[account]![coin]! += amount;
  });
  for (const { index, positions } of state.accountByUid.values()) {
    for (const position of positions.values()) {
      const instrument = state.instruments[position.instrument]!;
      const ticks = markTicks(state, instrument);
      if (ticks === 0) continue;
      const { coinMargined, settle } = instrument.futures!;
      const quote = unrealisedOf(state, position);
      const scaled = quote * powerOfTen(instrument.pricePrecision);
      const profit = coinMargined ? divFloor(scaled, BigInt(ticks)) : quote;
      claims[index]![settle]! += position.isolated && profit < -position.iso ? -position.iso : profit;
    }
  }
  for (const loan of state.loans.loans.values()) claims[loan.account]![loan.loanCoin]! -= loan.debt();
  const sums = state.coins.map((): Sums => ({ owed: 0n, lent: 0n, badDebt: 0n }));
  for (const account of state.accountByUid.values()) {
    for (const [coin, claim] of claims[account.index]!.entries()) {
      if (claim >= 0n) sums[coin]!.owed += claim;
      else if (wholeEquity(state, account) > 0n) sums[coin]!.lent -= claim;
      else sums[coin]!.badDebt -= claim;
    }
  }
  return sums;
}
