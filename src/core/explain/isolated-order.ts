/** What an order of an isolated position needs, and the position with it filled at its price (rules 5.6). */
import { isolatedReserve, worstFillPrice } from '../futures/opening-checks.ts';
import { coinUsd } from '../margin/collateral.ts';
import {
  futuresSetting,
  type Intent,
  isolatedInQuote,
  maintenanceAt,
  markTicks,
  positionOf,
  unrealisedOf,
} from '../margin/margin.ts';
import { type PosSide, Side } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { divCeil, larger, MONEY_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { amountText, type Facts, percentText, usdText } from './figures.ts';

export function isIsolated(account: Account, instrument: Instrument): boolean {
  return instrument.futures !== undefined && futuresSetting(account, instrument).isolated;
}

/** Cash that it would hold, beyond what the order it replaces holds already. */
export function reserveFacts(state: State, account: Account, intent: Intent, slot: number): Facts {
  const { instrument } = intent;
  const coin = instrument.futures!.settle;
  const priceTicks = worstFillPrice(state.market(instrument), intent);
  const hold = isolatedReserve(account, { ...intent, priceTicks });
  const needs = larger(0n, hold - (state.slab.isolatedHolds.get(slot) ?? 0n));
  return {
    needs: amountText(state, coin, needs),
    needsWorth: usdText(divCeil(needs * coinUsd(state, coin), MONEY_ONE)),
    cash: amountText(state, coin, state.ledger.balanceOf(account.index, coin, Bucket.cash)),
  };
}

/** What it opens beyond a position of the other side has no margin but its own; all of it in the quote coin. */
export function filledFacts(state: State, account: Account, intent: Intent, posSide: PosSide): Facts {
  const { instrument, side, priceTicks, lots } = intent;
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const buying = side === Side.buy;
  const held = positionOf(account, instrument.index, posSide);
  const turns = held !== undefined && held.long !== buying;
  const added = turns ? undefined : held;
  const opened = Math.max(0, lots - (turns ? held.lots : 0));
  const mark = markTicks(state, instrument);
  const value = tradeValue(instrument, priceTicks, opened);
  const gain = tradeValue(instrument, mark, opened) - value;
  const margin =
    value / BigInt(buying ? longLeverage : shortLeverage) +
    (added === undefined ? 0n : isolatedInQuote(state, added));
  const unrealised = (buying ? gain : -gain) + (added === undefined ? 0n : unrealisedOf(state, added));
  const maintenance = maintenanceAt(instrument, mark, opened + (added?.lots ?? 0));
  const inQuote = (amount: bigint) => amountText(state, instrument.quote, amount);
  return {
    marginWith: inQuote(margin),
    unrealisedWith: inQuote(unrealised),
    maintenanceWith: inQuote(maintenance),
    ratioWith: percentText(maintenance, margin + unrealised),
  };
}
