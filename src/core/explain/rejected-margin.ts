/** Rejections for positions, money and margin of orders, and for settings of contracts (rules 1.2 numbers 12 to 16, 5, 6). */

import { NIL } from '../book/order-slab.ts';
import { isolatedOf, neededMargin } from '../futures/isolated-margin.ts';
import { closeLimit, reservePrice } from '../futures/opening-checks.ts';
import { notionalOfOthers, notionalWith, openValue } from '../futures/opening-notional.ts';
import { closingOrders } from '../futures/reduce-only-orders.ts';
import { spendable } from '../margin/available-balance.ts';
import { coinUsd } from '../margin/collateral.ts';
import { balanceOf, lendable } from '../margin/debts.ts';
import {
  computeRisk,
  futuresSetting,
  type Intent,
  inDollars,
  maintenanceAt,
  markTicks,
  positionOf,
} from '../margin/margin.ts';
import { maxSpendable } from '../margin/spending-check.ts';
import { HoldMode, OrderType, PosSide, Side } from '../model/enums.ts';
import { payableAmount, tradeValue } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import type { Position } from '../model/position.ts';
import { divCeil, formatMoney, larger, MONEY_ONE } from '../model/units.ts';
import { heldCoin } from '../orders/order-lifecycle.ts';
import { affordable } from './advice.ts';
import { amountText, coinName, type Facts, percentText, rateText, usdText, yesNo } from './figures.ts';
import { filledFacts, isIsolated, reserveFacts } from './isolated-order.ts';
import { available, boundPrice, boundQty, coinAmount, price, qty, rejection } from './rejection.ts';
import type { Subject } from './subject.ts';

/** The order as margin sees it. */
export function intentOf({ state, command, instrument, order, slot }: Subject): Intent | undefined {
  if (instrument?.futures === undefined || order === undefined) return undefined;
  const { side } = order;
  if (command.type === 'placeOrder') {
    const priceTicks = reservePrice(instrument, state.market(instrument), command);
    return { instrument, side, priceTicks, lots: command.sizeLots };
  }
  if (command.type !== 'amendOrders') return undefined;
  return { instrument, side, priceTicks: order.priceTicks, lots: order.sizeLots - state.slab.filled(slot) };
}

function positionSide({ account, order }: Subject): PosSide {
  return account?.holdMode === HoldMode.hedge ? (order?.posSide ?? PosSide.none) : PosSide.none;
}

function positionFacts(s: Subject, position: Position | undefined): Facts {
  if (position === undefined) return { position: 'none' };
  return { position: position.long ? 'long' : 'short', size: qty(s, position.lots) };
}

function closingFacts(s: Subject): Facts {
  const { state, account, instrument, order } = s;
  if (account === undefined || instrument === undefined) return {};
  const posSide = positionSide(s);
  const position = positionOf(account, instrument.index, posSide);
  const frozen = closingOrders(state, account, instrument.index, posSide).reduce(
    (sum, slot) => sum + (slot === s.slot ? 0 : state.slab.remaining[slot]!),
    0,
  );
  return {
    ...positionFacts(s, position),
    ...(order !== undefined && {
      side: order.side === Side.buy ? 'buy' : 'sell',
      qty: qty(s, order.sizeLots),
    }),
    inClosingOrders: qty(s, frozen),
  };
}

/** The notional that the party could end up with on the side of the order, and the leverage that it is to have. */
interface Tiering {
  readonly notional: bigint;
  readonly leverage: number;
}

function tieringOf(s: Subject): Tiering {
  const { state, account, slot, order, instrument, command, receiver } = s;
  const moves = command.type === 'movePositions';
  const owner = moves ? receiver : account;
  if (owner === undefined || instrument?.futures === undefined || order === undefined)
    return { notional: 0n, leverage: 0 };
  const { longLeverage, shortLeverage } = futuresSetting(owner, instrument);
  const buying = (order.side === Side.buy) !== moves;
  const side = buying ? Side.buy : Side.sell;
  const { priceTicks, lots } = intentOf(s) ?? {
    priceTicks: markTicks(state, instrument),
    lots: order.sizeLots,
  };
  const ordered = openValue(state, owner, instrument, side, slot) + tradeValue(instrument, priceTicks, lots);
  return {
    notional:
      notionalWith(state, owner, instrument, side, ordered) +
      notionalOfOthers(state, owner, instrument, side),
    leverage: buying ? longLeverage : shortLeverage,
  };
}

function tierFacts(s: Subject): Facts {
  const { notional, leverage } = tieringOf(s);
  return { leverage: String(leverage), notional: formatMoney(notional) };
}

/** The largest notional of the tiers that the leverage is allowed in. */
function tierBound(s: Subject): string {
  const { leverage } = tieringOf(s);
  const fitting = s.instrument?.futures?.tiers.filter(({ maxLeverage }) => maxLeverage >= leverage) ?? [];
  return `a notional of at most ${formatMoney(fitting.at(-1)?.upTo ?? 0n)} with leverage ${leverage}`;
}

function tierAdvice(s: Subject): string {
  const { notional } = tieringOf(s);
  const tier = s.instrument?.futures?.tiers.find(({ upTo }) => upTo >= notional);
  return tier === undefined
    ? 'a smaller quantity: the last tier ends below this'
    : `leverage ${tier.maxLeverage} or less`;
}

/** Money that a spot order pays, or that a command moves. */
function balanceFacts(s: Subject): Facts {
  const { state, account, instrument, order, result } = s;
  if (
    account !== undefined &&
    order !== undefined &&
    instrument !== undefined &&
    instrument.futures === undefined
  ) {
    const { side, priceTicks, sizeLots, quoteAmount } = order;
    const coin = heldCoin(instrument, side);
    const byAmount = order.orderType === OrderType.market && side === Side.buy;
    const filled = s.slot === NIL ? 0 : state.slab.filled(s.slot);
    const need = byAmount
      ? quoteAmount
      : BigInt(payableAmount(instrument, side, priceTicks, sizeLots - filled));
    return {
      needs: amountText(state, coin, need),
      cash: amountText(state, coin, state.ledger.balanceOf(account.index, coin, Bucket.cash)),
      ...(instrument.margin !== undefined && {
        lendable: amountText(state, coin, lendable(state, account, coin, s.slot)),
      }),
      available: spendableText(s),
    };
  }
  const coin = result.coin ?? s.coin;
  return {
    needs: coinAmount(s),
    available: available(s),
    ...(account !== undefined &&
      coin !== undefined && {
        cash: amountText(state, coin, state.ledger.balanceOf(account.index, coin, Bucket.cash)),
        fundingWallet: amountText(state, coin, state.ledger.balanceOf(account.index, coin, Bucket.funding)),
      }),
  };
}

/** The most that a spot order could pay. */
function spendableText(s: Subject): string {
  const { state, account, instrument, order, slot, result } = s;
  if (result.available !== undefined && result.coin !== undefined) return available(s);
  if (
    account === undefined ||
    instrument === undefined ||
    order === undefined ||
    instrument.futures !== undefined
  )
    return available(s);
  const { side, priceTicks: limitTicks } = order;
  const most = maxSpendable(state, account, { instrument, side, limitTicks, slot });
  return amountText(state, heldCoin(instrument, side), most);
}

const isOrder = ({ command }: Subject): boolean =>
  command.type === 'placeOrder' || command.type === 'amendOrders';

/** Initial margin before and with the order, against what there is. */
export function marginFacts(s: Subject): Facts {
  const { state, account, instrument, slot, result } = s;
  if (account === undefined) return {};
  const intent = intentOf(s);
  const before = computeRisk(state, account, undefined, slot);
  const base = {
    equity: usdText(before.effective),
    initialBefore: usdText(before.initial),
    free: usdText(before.effective - before.initial),
  };
  if (intent === undefined || instrument?.futures === undefined) return { ...base, available: available(s) };
  const { isolated, longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const leverage = String(intent.side === Side.buy ? longLeverage : shortLeverage);
  const shared = {
    qty: qty(s, intent.lots),
    price: price(s, intent.priceTicks),
    value: formatMoney(tradeValue(instrument, intent.priceTicks, intent.lots)),
    leverage,
  };
  if (isolated) return { ...shared, ...base, ...reserveFacts(state, account, intent, slot) };
  const after = computeRisk(state, account, intent, slot);
  return {
    ...shared,
    ...base,
    initialWith: usdText(after.initial),
    ...(result.available !== undefined && { available: available(s) }),
  };
}

function riskFacts(s: Subject): Facts {
  const { state, account, instrument, slot } = s;
  const intent = intentOf(s);
  if (account === undefined || instrument === undefined || intent === undefined) return accountFacts(s);
  if (isIsolated(account, instrument)) return filledFacts(state, account, intent, positionSide(s));
  const after = computeRisk(state, account, intent, slot);
  const added = inDollars(
    maintenanceAt(instrument, intent.priceTicks, intent.lots),
    coinUsd(state, instrument.quote),
  );
  return {
    equity: usdText(after.effective),
    maintenance: usdText(after.maintenance),
    maintenanceOfTheOrder: usdText(added),
    ratioWith: percentText(after.maintenance + added, after.effective),
  };
}

const bankruptcyFacts = (s: Subject): Facts => ({
  ...closingFacts(s),
  price: price(s, s.order?.priceTicks ?? 0),
});

/** How far its owner may close the position. */
function bankruptcy(s: Subject): string {
  const { state, account, instrument, order, result } = s;
  if (result.bound !== undefined || account === undefined || instrument === undefined || order === undefined)
    return boundPrice(s);
  return price(s, closeLimit(state, account, instrument, order.side, positionSide(s)) ?? 0);
}

function leverageFacts({ command, instrument, account }: Subject): Facts {
  if (command.type === 'setCoinLeverage') return { leverage: String(command.leverage) };
  if (command.type !== 'setLeverage' || instrument === undefined || account === undefined) return {};
  const present = futuresSetting(account, instrument);
  return {
    long: String(command.longLeverage || present.longLeverage),
    short: String(command.shortLeverage || present.shortLeverage),
  };
}

const leastLeverage = ({ instrument }: Subject): number => instrument?.futures?.minLeverage ?? 1;

function accountFacts(s: Subject): Facts {
  const { state, account } = s;
  if (account === undefined) return {};
  const { effective, initial, maintenance } = computeRisk(state, account);
  return {
    equity: usdText(effective),
    initial: usdText(initial),
    maintenance: usdText(maintenance),
    ratio: maintenance === 0n ? '0 %' : percentText(maintenance, effective),
  };
}

function openFacts({ state, account, instrument, command }: Subject): Facts {
  if (account === undefined) return {};
  const only = command.type === 'setMarginMode' ? instrument?.index : undefined;
  const positions = [...account.positions.values()].filter(
    (each) => only === undefined || each.instrument === only,
  );
  return {
    positions: String(positions.length),
    openOrders: String(only === undefined ? account.openFutures : state.openOrders.of(account.index, only)),
    strategyOrders: String(account.strategies.size),
    loans: String(state.loans.countOf(account.index)),
  };
}

function isolatedFacts(s: Subject): Facts {
  const { state, command } = s;
  if (command.type !== 'adjustMargin') return {};
  const found = isolatedOf(state, command);
  if ('rejectReason' in found) return {};
  const { account, instrument, position } = found;
  const coin = instrument.futures!.settle;
  return {
    margin: amountText(state, coin, position.iso),
    change: amountText(state, coin, command.amount),
    needed: amountText(state, coin, neededMargin(state, account, instrument, position)),
    fundingOwed: amountText(state, coin, position.fundingOwed),
  };
}

function removableMargin(s: Subject): string {
  const { state, command } = s;
  if (command.type !== 'adjustMargin') return '';
  const found = isolatedOf(state, command);
  if ('rejectReason' in found) return '';
  const { account, instrument, position } = found;
  const free = larger(0n, position.iso - neededMargin(state, account, instrument, position));
  const most = position.fundingOwed > 0n ? 0n : free;
  return `at most ${amountText(state, instrument.futures!.settle, most)} taken out`;
}

function affordableAmount(s: Subject): string {
  if (isOrder(s)) return affordable(s);
  return `at most ${available(s)}`;
}

function marginBound(s: Subject): string {
  const { account, instrument } = s;
  if (!isOrder(s)) return 'what is left covers debts and margin';
  return account !== undefined && instrument !== undefined && isIsolated(account, instrument)
    ? 'what it needs at most cash, and at most what is free where other margin is needed'
    : 'initial margin with the order at most equity';
}

function marginAdvice(s: Subject): string {
  if (isOrder(s)) return affordable(s);
  const { state, account, coin } = s;
  if (account === undefined || coin === undefined) return 'more collateral, or a smaller debt';
  return `at most ${amountText(state, coin, spendable(state, account, coin))}, or more collateral first`;
}

function debtFacts({ state, account, command }: Subject): Facts {
  if (account === undefined) return {};
  const coins = command.type === 'repay' ? [command.debtCoin] : state.ledger.coinsOf(account.index);
  const owed = coins
    .filter((coin) => state.coins[coin] !== undefined)
    .map((coin) => [coin, balanceOf(state, account, coin)] as const)
    .filter(([, balance]) => balance < 0n || command.type === 'repay');
  return Object.fromEntries(owed.map(([coin, balance]) => [coinName(state, coin), formatMoney(balance)]));
}

function indebtedCoins({ state, account }: Subject): string {
  const coins = account === undefined ? [] : state.ledger.coinsOf(account.index);
  const owed = coins.filter((coin) => balanceOf(state, account!, coin) < 0n);
  return owed.length === 0
    ? 'no repayment: nothing is owed'
    : owed.map((coin) => coinName(state, coin)).join(' or ');
}

const dollarsOf = ({ state, coin, amount = 0n }: Subject): string =>
  coin === undefined ? '' : usdText(divCeil(larger(0n, amount) * coinUsd(state, coin), MONEY_ONE));

export const REJECTED_FOR_MARGIN = {
  accountLiquidating: rejection(
    'the account is not being liquidated',
    'rules 1.2 number 3',
    (s) => ({ liquidating: yesNo(s.account?.liquidating === true), ...accountFacts(s) }),
    'no',
    'the same when the liquidation is over',
  ),
  noPositionToClose: rejection(
    'there is a position',
    'rules 1.2 number 12',
    closingFacts,
    'an open position of that side',
    'an opening order first; of an isolated position its symbol and side',
  ),
  closesWrongWay: rejection(
    'a closing order goes against the position',
    'rules 1.2 number 12',
    closingFacts,
    'a sell for a long, a buy for a short',
    (s) => (s.order?.side === Side.buy ? 'a sell' : 'a buy'),
  ),
  closeAboveAvailable: rejection(
    'the position has so much to close',
    'rules 1.2 number 12',
    closingFacts,
    (s) => `at most ${boundQty(s)} free of other closing orders`,
    (s) => `a quantity of at most ${boundQty(s)}`,
  ),
  aboveTier: rejection(
    'the leverage is allowed for the size',
    'rules 1.2 number 13',
    tierFacts,
    tierBound,
    tierAdvice,
  ),
  tooManyPositions: rejection(
    'the contract may have one more position',
    'rules 1.2 number 13',
    closingFacts,
    (s) => `at most ${s.result.bound ?? s.instrument?.maxPositions ?? 0}`,
    'an order of the same side, or the same when the other position is closed and its orders are cancelled',
  ),
  insufficientBalance: rejection(
    'the money is there',
    'rules 1.2 number 15',
    balanceFacts,
    (s) => `at most ${spendableText(s)}`,
    affordableAmount,
  ),
  insufficientMargin: rejection(
    'equity covers the initial margin',
    'rules 5.6',
    (s) => ({ ...marginFacts(s), ...(isOrder(s) ? {} : { amount: coinAmount(s), worth: dollarsOf(s) }) }),
    marginBound,
    marginAdvice,
  ),
  riskTooHigh: rejection(
    'a fill leaves the account far enough from liquidation',
    'rules 5.6',
    riskFacts,
    ({ instrument }) =>
      instrument?.margin === undefined
        ? 'a margin ratio below 90 % with the order'
        : `a margin ratio below ${rateText(instrument.margin.warningRatio)} to borrow`,
    affordable,
  ),
  sellBeyondBankruptcy: rejection(
    'a close is not beyond bankruptcy',
    'rules 1.2 number 16',
    bankruptcyFacts,
    (s) => `at least ${bankruptcy(s)}`,
  ),
  buyBeyondBankruptcy: rejection(
    'a close is not beyond bankruptcy',
    'rules 1.2 number 16',
    bankruptcyFacts,
    (s) => `at most ${bankruptcy(s)}`,
  ),
  leverageAboveMaximum: rejection(
    'the leverage is in range',
    'rules 5.5',
    leverageFacts,
    (s) => `${leastLeverage(s)} to ${s.result.bound ?? 0}`,
  ),
  leverageNeedsMargin: rejection(
    'equity covers the margin of the new leverage',
    'rules 5.6',
    (s) => ({ ...leverageFacts(s), ...accountFacts(s) }),
    'no more initial margin than equity',
    'a higher leverage, smaller positions and orders, or more collateral',
  ),
  positionsOrOrdersOpen: rejection(
    'nothing is open',
    'rules 5.3',
    openFacts,
    'no position, no order, no strategy order',
    'the same when they are closed and cancelled',
  ),
  marginTooLow: rejection(
    'the position keeps the margin that it needs',
    'rules 5.3',
    isolatedFacts,
    removableMargin,
  ),
  nothingOwed: rejection('something is owed', 'rules 6.8', debtFacts, 'a negative balance', indebtedCoins),
} as const;
