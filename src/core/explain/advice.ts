/** What the exchange would have accepted instead: found by the checks themselves, which change nothing. */
import { NIL } from '../book/order-slab.ts';
import { asReduceOnly, isQuoteSized } from '../entry/pre-trade-checks.ts';
import { checkFuturesAmend } from '../futures/futures-amend.ts';
import { planFuturesOrder } from '../futures/futures-entry.ts';
import { allowedLeverage } from '../futures/futures-settings.ts';
import { futuresSetting } from '../margin/margin.ts';
import { checkSpending, maxSpendable } from '../margin/spending-check.ts';
import type { PlaceOrder } from '../model/command.ts';
import { Side } from '../model/enums.ts';
import { payableAmount } from '../model/instrument.ts';
import { divFloor, formatMoney } from '../model/units.ts';
import { coinName } from './figures.ts';
import { qty } from './rejection.ts';
import type { Subject } from './subject.ts';

/** The largest quantity, and for a contract the lowest leverage, with which the order has the money it needs. */
export function affordable(s: Subject): string {
  if (s.command.type === 'placeOrder' && s.instrument !== undefined && isQuoteSized(s.instrument, s.command))
    return `an amount of at most ${formatMoney(largestAmount(s, s.command))}`;
  const lots = largestLots(s);
  const leverage = sufficientLeverage(s);
  const options = [
    ...(lots > 0 ? [`a quantity of at most ${qty(s, lots)}`] : []),
    ...(leverage === undefined ? [] : [`leverage ${leverage}`]),
    ...(lots > 0 ? [] : [`more money: ${moneyName(s)}`]),
  ];
  return options.join(', or ');
}

function moneyName({ state, instrument, order }: Subject): string {
  if (instrument === undefined || order === undefined) return 'a deposit or a transfer';
  const coin = instrument.futures?.settle ?? (order.side === Side.buy ? instrument.quote : instrument.base);
  return `a deposit or transfer of ${coinName(state, coin)}`;
}

/** In 10^-8 of the quote coin, on the grid of amounts. */
function largestAmount({ state, account, instrument }: Subject, { side }: PlaceOrder): bigint {
  const most = maxSpendable(state, account!, { instrument: instrument!, side, limitTicks: 0, slot: NIL });
  const unit = 10n ** BigInt(8 - instrument!.quotePrecision);
  return divFloor(most, unit) * unit;
}

/** 0 when not even the smallest order would pass. */
export function largestLots(s: Subject): number {
  const { instrument, order } = s;
  const passes = testOf(s);
  if (instrument === undefined || order === undefined || passes === undefined) return 0;
  let low = 0;
  let high = Math.ceil(order.sizeLots / instrument.lotStep);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (passes(middle * instrument.lotStep)) low = middle;
    else high = middle;
  }
  const lots = low * instrument.lotStep;
  return lots >= Math.max(instrument.minLots, 1) ? lots : 0;
}

/** Would the order pass with so many lots? Undefined for commands that are not orders. */
function testOf(s: Subject): ((lots: number) => boolean) | undefined {
  const { state, account, instrument, order, command, slot } = s;
  if (account === undefined || instrument === undefined || order === undefined) return undefined;
  const context = { state, account, instrument, market: state.market(instrument) };
  const { side, priceTicks } = order;
  if (command.type === 'placeOrder' && instrument.futures !== undefined) {
    const placed = asReduceOnly(account, instrument, command);
    return (sizeLots) => !('rejectReason' in planFuturesOrder(context, { ...placed, sizeLots }));
  }
  if (command.type === 'amendOrders' && instrument.futures !== undefined && slot !== NIL) {
    const filled = state.slab.filled(slot);
    return (lots) =>
      lots > filled && checkFuturesAmend(context, slot, priceTicks, lots - filled) === undefined;
  }
  if (instrument.futures !== undefined) return undefined;
  const filled = slot === NIL ? 0 : state.slab.filled(slot);
  return (lots) => {
    if (lots <= filled) return false;
    const need = payableAmount(instrument, side, priceTicks, lots - filled);
    return checkSpending(state, account, instrument, side, priceTicks, need, slot) === undefined;
  };
}

/** The lowest leverage above the present one with which the order passes as it is; undefined when none does. */
export function sufficientLeverage(s: Subject): number | undefined {
  const { state, account, instrument, command, order } = s;
  const passes = testOf(s);
  if (command.type !== 'placeOrder' || account === undefined || order === undefined) return undefined;
  if (instrument?.futures === undefined || passes === undefined) return undefined;
  const chosen = account.futuresSettings.get(instrument.index);
  const setting = futuresSetting(account, instrument);
  const present = order.side === Side.buy ? setting.longLeverage : setting.shortLeverage;
  const most = allowedLeverage(state, account, instrument);
  const passesWith = (leverage: number) => {
    account.setFuturesSetting(instrument.index, {
      ...setting,
      longLeverage: leverage,
      shortLeverage: leverage,
    });
    try {
      return passes(order.sizeLots);
    } finally {
      account.setFuturesSetting(instrument.index, chosen);
    }
  };
  for (let leverage = present + 1; leverage <= most; leverage++) if (passesWith(leverage)) return leverage;
  return undefined;
}
