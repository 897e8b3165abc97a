/** What an account is worth in dollars, at the prices of its own spot books. */
import { referenceTicks } from '../core/order-checks.ts';
import { balances, type CoinBalance } from '../core/reads.ts';
import type { State } from '../core/state.ts';
import { divFloor, formatUnits, MONEY_ONE, MONEY_SCALE, powerOfTen } from '../core/units.ts';

export interface ValuedBalance extends CoinBalance {
  /** 10^-8 of a dollar, which is a USDT here. */
  readonly usdValue: bigint;
}

export interface Valuation {
  readonly balances: readonly ValuedBalance[];
  readonly equityUsd: bigint;
  readonly btcEquity: bigint;
}

export function valueAccount(state: State, uid: number): Valuation {
  const valued = balances(state, uid).map((balance) => ({
    ...balance,
    usdValue: divFloor((balance.cash + balance.locked) * usdPrice(state, balance.coin), MONEY_ONE),
  }));
  const equityUsd = valued.reduce((sum, balance) => sum + balance.usdValue, 0n);
  const bitcoin = state.coinByName.get('BTC');
  const bitcoinPrice = bitcoin === undefined ? 0n : usdPrice(state, bitcoin);
  const btcEquity = bitcoinPrice === 0n ? 0n : divFloor(equityUsd * MONEY_ONE, bitcoinPrice);
  return { balances: valued, equityUsd, btcEquity };
}

/** The coins of the unified account as answers show them. */
export function assetViews(state: State, valuation: Valuation) {
  const money = (amount: bigint) => formatUnits(amount, MONEY_SCALE);
  return valuation.balances.map(({ coin, cash, locked, usdValue }) => ({
    coin: state.coins[coin]!.coin,
    equity: money(cash + locked),
    usdValue: money(usdValue),
    balance: money(cash + locked),
    available: money(cash),
    debt: '0',
    locked: money(locked),
  }));
}

/** 10^-8 dollars of one coin: a dollar coin is one dollar, others by their USDT pair, unpaired ones nothing. */
function usdPrice(state: State, coin: number): bigint {
  const name = state.coins[coin]!.coin;
  if (name === 'USDT' || name === 'USDC') return MONEY_ONE;
  const pair = state.instrument('SPOT', `${name}USDT`);
  if (pair === undefined) return 0n;
  return BigInt(referenceTicks(pair, state.market(pair))) * powerOfTen(MONEY_SCALE - pair.pricePrecision);
}
