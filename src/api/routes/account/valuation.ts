/** Value of an account in dollars: its coins with the profit of crossed positions (rules 6.1 to 6.4). */

import type { Risk } from '../../../core/margin/margin.ts';
import {
  divFloor,
  divHalf,
  formatMoney,
  formatUnits,
  larger,
  MONEY_ONE,
  powerOfTen,
} from '../../../core/model/units.ts';
import { accountRisk, coinUsd, crossedProfits, spendable } from '../../../core/reads/margin-reads.ts';
import { balances, type CoinBalance } from '../../../core/reads/reads.ts';
import type { State } from '../../../core/state/state.ts';

export interface ValuedBalance extends CoinBalance {
  /** Available to spot orders and transfers. */
  readonly free: bigint;
  /** Profit of crossed positions that settle in the coin. */
  readonly unrealised: bigint;
  /** 10^-8 of a dollar. */
  readonly usdValue: bigint;
}

export interface Valuation {
  readonly balances: readonly ValuedBalance[];
  readonly risk: Risk;
  readonly unrealisedUsd: bigint;
}

const NO_RISK: Risk = { equity: 0n, effective: 0n, initial: 0n, maintenance: 0n };

export function valueAccount(state: State, uid: number): Valuation {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return { balances: [], risk: NO_RISK, unrealisedUsd: 0n };
  const profits = crossedProfits(state, account);
  const valued = balances(state, uid).map((balance) => {
    const unrealised = profits.get(balance.coin) ?? 0n;
    const equity = balance.cash + balance.locked + unrealised;
    const free = spendable(state, account, balance.coin);
    return { ...balance, free, unrealised, usdValue: inDollars(state, balance.coin, equity) };
  });
  let unrealisedUsd = 0n;
  for (const [coin, profit] of profits) unrealisedUsd += inDollars(state, coin, profit);
  return { balances: valued, risk: accountRisk(state, account), unrealisedUsd };
}

/** The ratio of an account with maintenance margin and no equity. */
const RATIO_WITHOUT_EQUITY = '9999';
const RATIO_SCALE = 8;

/** Maintenance / effective equity (rules 6.4). */
export function marginRatio({ maintenance, effective }: Risk): string {
  if (maintenance === 0n) return '0';
  if (effective <= 0n) return RATIO_WITHOUT_EQUITY;
  return formatUnits(divHalf(maintenance * powerOfTen(RATIO_SCALE), effective), RATIO_SCALE);
}

/** The coins of the unified account in responses. */
export function assetViews(state: State, valuation: Valuation) {
  return valuation.balances.map(({ coin, cash, locked, free, unrealised, usdValue }) => ({
    coin: state.coins[coin]!.coin,
    equity: formatMoney(cash + locked + unrealised),
    usdValue: formatMoney(usdValue),
    balance: formatMoney(cash + locked),
    available: formatMoney(free),
    debt: formatMoney(larger(0n, -(cash + locked + unrealised))),
    locked: formatMoney(locked),
  }));
}

/** A dollar amount in a coin, for totals in USDT and BTC; 0 when the coin has no price. */
export function dollarsIn(state: State, coinName: string, usd: bigint): bigint {
  const coin = state.coinByName.get(coinName);
  const price = coin === undefined ? 0n : coinUsd(state, coin);
  return price === 0n ? 0n : divFloor(usd * MONEY_ONE, price);
}

function inDollars(state: State, coin: number, amount: bigint): bigint {
  return divFloor(amount * coinUsd(state, coin), MONEY_ONE);
}
