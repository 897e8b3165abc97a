/**
 * What the house would lack if all positions of a coin-margined contract were closed now (rules 13.2): its profits are not
 * zero-sum in the coin. Beyond the fund and an allowance the contracts of the coin only close.
 */

import type { FuturesMarket } from '../marketdata/futures-market.ts';
import { HOUSE_SHORT_USD } from '../model/listing-spec.ts';
import { divCeil, divFloor, larger, MONEY_ONE, MONEY_SCALE, parseUnits, powerOfTen } from '../model/units.ts';
import type { State } from '../state/state.ts';
import { coinUsd } from './collateral.ts';
import { fundBalance } from './insurance-fund.ts';

/** The flag goes below 8 tenths of the limit. */
const EASED_TENTHS = 8n;

/** D of a contract in its coin: `ceil(-S / mark) - clearing`; negative when the house is ahead. */
export function shortfallOf({ instrument, terms, cleared, clearing, markTicks }: FuturesMarket): bigint {
  if (!terms.coinMargined || markTicks === 0) return 0n;
  return divCeil(cleared * powerOfTen(instrument.pricePrecision), BigInt(markTicks)) - clearing;
}

/** What the house lacks of a coin over all its contracts, those where it is ahead left out. */
export function coinShortfall({ coinMargined }: State, coin: number): bigint {
  let short = 0n;
  for (const futures of coinMargined) {
    if (futures.terms.settle === coin) short += larger(0n, shortfallOf(futures));
  }
  return short;
}

/** The fund of the coin and what the house may lack beyond it. */
export function shortfallLimit(state: State, coin: number): bigint {
  const price = coinUsd(state, coin);
  const usd = parseUnits(state.coins[coin]!.houseShortUsd ?? HOUSE_SHORT_USD, MONEY_SCALE) ?? 0n;
  return fundBalance(state, coin) + (price === 0n ? 0n : divFloor(usd * MONEY_ONE, price));
}

/** After trades, and each second, which alone takes the flag back. */
export function updateShortfalls(state: State, wholeSecond: boolean): void {
  state.clearingChanged = false;
  if (!state.rules.clearingShortfall) return;
  const shorts = new Map<number, bigint>();
  for (const futures of state.coinMargined) {
    const { settle } = futures.terms;
    shorts.set(settle, (shorts.get(settle) ?? 0n) + larger(0n, shortfallOf(futures)));
  }
  for (const [coin, short] of shorts) {
    const limit = shortfallLimit(state, coin);
    if (short > limit) flagContracts(state, coin, true);
    else if (wholeSecond && short * 10n < limit * EASED_TENTHS) flagContracts(state, coin, false);
  }
}

function flagContracts(state: State, coin: number, closeOnly: boolean): void {
  for (const { instrument, terms } of state.coinMargined) {
    if (terms.settle !== coin || instrument.closeOnly === closeOnly) continue;
    instrument.closeOnly = closeOnly;
    state.emit({ type: 'instrument', instrument: instrument.index });
  }
}
