/**
 * Equity, initial and maintenance margin of an account (rules 5.5, 5.6, 6.1-6.4). Dollar amounts in 10^-8. This is the
 * reference, computed from scratch in big integers; orders use `margin-cache.ts`, which must give the same results.
 */

import { NIL } from '../book/order-slab.ts';
import { HoldMode, type PosSide, Side } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { feeWithReserve } from '../model/margin-fractions.ts';
import { maintenanceOf } from '../model/margin-tiers.ts';
import type { Position } from '../model/position.ts';
import { positionKey } from '../model/position.ts';
import { divCeil, divFloor, larger, MONEY_ONE, RATE_ONE } from '../model/units.ts';
import { countsAsOpening } from '../orders/order-lifecycle.ts';
import type { Account, FuturesSetting } from '../state/account.ts';
import type { InstantPrices } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { coinUsd, collateralValue } from './collateral.ts';
import {
  balanceOf,
  debtInitial,
  debtMaintenance,
  isInDebt,
  type OrderRequirements,
  orderClaims,
  type SpotIntent,
} from './debts.ts';

export interface Risk {
  /** All coins with the profit of crossed positions. */
  readonly equity: bigint;
  /** The same after collateral discounts; margin is compared with this. */
  readonly effective: bigint;
  readonly initial: bigint;
  /** Closing fees included. */
  readonly maintenance: bigint;
}

/** An order that is being considered. */
export interface Intent {
  readonly instrument: Instrument;
  readonly side: Side;
  readonly priceTicks: number;
  readonly lots: number;
}

/** Crossed positions and opening orders of one instrument. */
export interface ContractExposure {
  readonly instrument: Instrument;
  longLots: number;
  shortLots: number;
  /** 10^-8 of the quote coin. */
  buyValue: bigint;
  sellValue: bigint;
  /** Loss at the mark if all orders filled now. */
  openLoss: bigint;
}

const DEFAULT_LEVERAGE = 10;
const DEFAULT_SETTINGS: readonly FuturesSetting[] = Array.from(
  { length: DEFAULT_LEVERAGE + 1 },
  (_, leverage) => ({ isolated: false, longLeverage: leverage, shortLeverage: leverage }),
);

export function futuresSetting(account: Account, instrument: Instrument): FuturesSetting {
  const chosen = account.futuresSettings.get(instrument.index);
  if (chosen !== undefined) return chosen;
  return DEFAULT_SETTINGS[Math.min(DEFAULT_LEVERAGE, instrument.futures!.maxLeverage)]!;
}

export function positionOf(account: Account, instrument: number, posSide: PosSide): Position | undefined {
  return account.positions.get(positionKey(instrument, posSide));
}

/** The mark price, which margin is computed at; before the first index the opening price. */
export function markTicks(state: State, instrument: Instrument): number {
  const { futures } = state.market(instrument);
  return futures?.markTicks || futures?.indexTicks || instrument.openingTicks;
}

/**
 * The risk of an account. `intent` and `spot` are orders to add, of futures and of spot or margin; `leaveOut` is the slot of
 * an order not to count. `claims`: see `orderClaims`;
 * `changes`: see `accountEquity`.
 */
export function computeRisk(
  state: State,
  account: Account,
  intent?: Intent,
  leaveOut: number = NIL,
  spot?: SpotIntent,
  claims?: OrderRequirements,
  changes?: ReadonlyMap<number, bigint>,
): Risk {
  const exposures = exposuresOf(state, account, intent, leaveOut);
  const { equity, effective, debts } = accountEquity(state, account, changes);
  const owing = debtMargin(state, account, debts, spot, leaveOut, claims);
  let { initial, maintenance } = owing;
  // Without obligations no margin is needed, so the collateral value that open orders would cost does not count.
  if (intent !== undefined || spot !== undefined || hasObligations(state, account)) initial += owing.haircut;
  for (const exposure of exposures.values()) {
    const { instrument } = exposure;
    const usd = coinUsd(state, instrument.quote);
    initial += inDollars(initialMargin(state, account, exposure), usd);
    maintenance += inDollars(exposureMaintenance(state, exposure), usd);
  }
  return { equity, effective, initial, maintenance };
}

/** Has the margin ratio reached a level? Without maintenance margin there is no ratio. */
export function hasReachedRatio(
  { effective, maintenance }: Pick<Risk, 'effective' | 'maintenance'>,
  ratio: bigint,
): boolean {
  return maintenance > 0n && maintenance * RATE_ONE >= effective * ratio;
}

export interface DebtMargin {
  /** Initial and maintenance margin, and the collateral value that fills of open spot and margin orders would cost; dollars. */
  readonly initial: bigint;
  readonly maintenance: bigint;
  readonly haircut: bigint;
}

/** Margin of debts, with the amounts that open orders would borrow (rules 6.3). */
export function debtMargin(
  state: State,
  account: Account,
  debts: ReadonlyMap<number, bigint>,
  intent?: SpotIntent,
  leaveOut: number = NIL,
  claims?: OrderRequirements,
): DebtMargin {
  let initial = 0n;
  let maintenance = 0n;
  for (const [coin, debt] of debts) maintenance += debtMaintenance(state, coin, debt);
  const owing = new Map(debts);
  const { borrowed, haircut } = orderClaims(state, account, intent, leaveOut, claims);
  for (const [coin, part] of borrowed) owing.set(coin, (owing.get(coin) ?? 0n) + part);
  for (const [coin, debt] of owing) initial += debtInitial(state, account, coin, debt);
  return { initial, maintenance, haircut };
}

/** Does the account need its coins as margin: for positions, futures orders, debts, or orders that borrow? */
export function hasObligations(state: State, account: Account): boolean {
  if (account.positions.size > 0 || account.openFutures > 0) return true;
  if (!account.cashCanBeNegative) return false;
  if (isInDebt(state, account)) return true;
  const { slab } = state;
  if (account.openSpot === 0 || slab.marginHolds.size === 0) return false;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    if ((slab.marginHolds.get(slot)?.borrowed ?? 0n) > 0n) return true;
  }
  return false;
}

/** Balance of a coin with the profit of the crossed positions settled in it. */
export function coinEquity(state: State, account: Account, coin: number): bigint {
  return balanceOf(state, account, coin) + profitIn(state, account, coin);
}

/** Coins that the account has ever had, and those that its positions settle in. */
export function coinsOf(state: State, account: Account): number[] {
  const coins = new Set(state.ledger.coinsOf(account.index));
  for (const { instrument } of account.positions.values())
    coins.add(state.instruments[instrument]!.futures!.settle);
  return [...coins].sort((a, b) => a - b);
}

/** Unrealised profit of the crossed positions settled in a coin, at present prices or those of an instant before. */
export function profitIn(state: State, account: Account, coin: number, at?: InstantPrices): bigint {
  let profit = 0n;
  for (const position of account.positions.values()) {
    const instrument = state.instruments[position.instrument]!;
    if (position.isolated || instrument.futures!.settle !== coin) continue;
    const unrealised = unrealisedOf(state, position, at?.marks[position.instrument]);
    profit += inSettleCoin(state, instrument, unrealised, at?.coins[coin]);
  }
  return profit;
}

/** Dollars of an amount, in full and after the collateral discount; a debt counts in full. */
export function collateralValueOf(
  state: State,
  coin: number,
  amount: bigint,
): { usd: bigint; counted: bigint } {
  const usd = divFloor(amount * coinUsd(state, coin), MONEY_ONE);
  return { usd, counted: usd < 0n ? usd : collateralValue(state, coin, usd) };
}

/** Profit of a position at the present mark or another, in 10^-8 of the quote coin. */
export function unrealisedOf(
  state: State,
  position: Position,
  ticks = markTicks(state, state.instruments[position.instrument]!),
): bigint {
  const instrument = state.instruments[position.instrument]!;
  return position.unrealised(tradeValue(instrument, ticks, position.lots));
}

/** Isolated margin less owed funding, in the quote coin; for a coin-margined contract converted at the mark. */
export function isolatedInQuote(state: State, position: Position): bigint {
  const instrument = state.instruments[position.instrument]!;
  const own = position.iso - position.fundingOwed;
  if (!instrument.futures!.coinMargined) return own;
  return divFloor(own * tradeValue(instrument, markTicks(state, instrument), 1), instrument.unitsPerLot);
}

/** A quote amount of a contract in its settlement coin: the same for linear ones, converted for coin-margined. */
export function inSettleCoin(
  state: State,
  instrument: Instrument,
  quoteAmount: bigint,
  coinPrice?: bigint,
): bigint {
  const { settle, coinMargined } = instrument.futures!;
  if (!coinMargined) return quoteAmount;
  const price = coinPrice ?? coinUsd(state, settle);
  return price === 0n ? 0n : divFloor(quoteAmount * MONEY_ONE, price);
}

interface AccountEquity {
  readonly equity: bigint;
  readonly effective: bigint;
  /** Debt by coin: an unrealised loss beyond the balance is already a debt (rules 6.1). */
  readonly debts: ReadonlyMap<number, bigint>;
}

/** Unrealised profit of crossed positions by the coin it would be paid in, at present prices or those of an instant before. */
export function crossedProfits(state: State, account: Account, at?: InstantPrices): Map<number, bigint> {
  const profits = new Map<number, bigint>();
  for (const position of account.positions.values()) {
    if (position.isolated) continue;
    const instrument = state.instruments[position.instrument]!;
    const { settle } = instrument.futures!;
    const unrealised = unrealisedOf(state, position, at?.marks[position.instrument]);
    const profit = inSettleCoin(state, instrument, unrealised, at?.coins[settle]);
    profits.set(settle, (profits.get(settle) ?? 0n) + profit);
  }
  return profits;
}

/** Equity of all coins, and debts. `changes` are amounts by coin to add to the balances. */
export function accountEquity(
  state: State,
  account: Account,
  changes?: ReadonlyMap<number, bigint>,
): AccountEquity {
  const { ledger } = state;
  const debts = new Map<number, bigint>();
  const profits = crossedProfits(state, account);
  let equity = 0n;
  let effective = 0n;
  const coins = new Set([...ledger.coinsOf(account.index), ...profits.keys(), ...(changes?.keys() ?? [])]);
  for (const coin of coins) {
    const amount = balanceOf(state, account, coin) + (profits.get(coin) ?? 0n) + (changes?.get(coin) ?? 0n);
    if (amount === 0n) continue;
    if (amount < 0n) debts.set(coin, -amount);
    const { usd, counted } = collateralValueOf(state, coin, amount);
    equity += usd;
    effective += counted;
  }
  return { equity, effective, debts };
}

export function exposuresOf(
  state: State,
  account: Account,
  intent: Intent | undefined,
  leaveOut: number,
): Map<number, ContractExposure> {
  const exposures = new Map<number, ContractExposure>();
  const at = (instrument: Instrument): ContractExposure => {
    let exposure = exposures.get(instrument.index);
    if (exposure === undefined) {
      exposure = { instrument, longLots: 0, shortLots: 0, buyValue: 0n, sellValue: 0n, openLoss: 0n };
      exposures.set(instrument.index, exposure);
    }
    return exposure;
  };
  for (const position of account.positions.values()) {
    if (position.isolated) continue;
    const exposure = at(state.instruments[position.instrument]!);
    if (position.long) exposure.longLots += position.lots;
    else exposure.shortLots += position.lots;
  }
  if (account.openFutures > 0) {
    const { slab } = state;
    for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
      const instrument = state.instrumentOf(slot);
      if (slot === leaveOut || !countsAsOpening(slab, instrument, slot)) continue;
      addOrder(state, at(instrument), slab.side[slot] as Side, slab.price[slot]!, slab.remaining[slot]!);
    }
  }
  if (intent !== undefined)
    addOrder(state, at(intent.instrument), intent.side, intent.priceTicks, intent.lots);
  return exposures;
}

function addOrder(
  state: State,
  exposure: ContractExposure,
  side: Side,
  priceTicks: number,
  lots: number,
): void {
  const { instrument } = exposure;
  const value = tradeValue(instrument, priceTicks, lots);
  const worse =
    side === Side.buy ? priceTicks - markTicks(state, instrument) : markTicks(state, instrument) - priceTicks;
  if (side === Side.buy) exposure.buyValue += value;
  else exposure.sellValue += value;
  if (worse > 0) exposure.openLoss += tradeValue(instrument, worse, lots);
}

/** What the initial margin of a contract is the sum of, in the quote coin. */
export interface InitialParts {
  /** Larger side of what is held, and of what the account could end up with. */
  readonly held: bigint;
  readonly most: bigint;
  readonly leverage: bigint;
  readonly byLeverage: bigint;
  /** Closing fee of what is held, reserved fee of what orders may add. */
  readonly fees: bigint;
  readonly openLoss: bigint;
}

/** In the quote coin: the largest side the account could end up with, at its leverage, with the closing fee. */
export function initialParts(state: State, account: Account, exposure: ContractExposure): InitialParts {
  const { instrument, longLots, shortLots, buyValue, sellValue, openLoss } = exposure;
  const mark = markTicks(state, instrument);
  const long = tradeValue(instrument, mark, longLots);
  const short = tradeValue(instrument, mark, shortLots);
  const held = larger(long, short);
  const expLong = account.holdMode === HoldMode.hedge ? long + buyValue : larger(0n, long + buyValue - short);
  const expShort =
    account.holdMode === HoldMode.hedge ? short + sellValue : larger(0n, short + sellValue - long);
  const most = larger(held, larger(expLong, expShort));
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const leverage = BigInt(expLong >= expShort ? longLeverage : shortLeverage);
  const { takerRate, futures } = instrument;
  const reserve = feeWithReserve(takerRate, futures!.feeReserveRate);
  const byLeverage = divCeil(most, leverage);
  const fees = divCeil(held * takerRate + (most - held) * reserve, RATE_ONE);
  return { held, most, leverage, byLeverage, fees, openLoss };
}

function initialMargin(state: State, account: Account, exposure: ContractExposure): bigint {
  const { byLeverage, fees, openLoss } = initialParts(state, account, exposure);
  return byLeverage + fees + openLoss;
}

/** Only the larger side of a hedged pair counts (rules 5.5). */
function exposureMaintenance(state: State, exposure: ContractExposure): bigint {
  const { instrument } = exposure;
  const lots = Math.max(exposure.longLots, exposure.shortLots);
  return lots === 0 ? 0n : maintenanceAt(instrument, markTicks(state, instrument), lots);
}

/** Maintenance margin and closing fee of a size at a price, in the quote coin. */
export function maintenanceAt(instrument: Instrument, priceTicks: number, lots: number): bigint {
  const notional = tradeValue(instrument, priceTicks, lots);
  return (
    maintenanceOf(instrument.futures!.tiers, notional) + divCeil(notional * instrument.takerRate, RATE_ONE)
  );
}

/** A margin requirement in dollars, rounded up. */
export function inDollars(quoteAmount: bigint, usd: bigint): bigint {
  return usd === MONEY_ONE ? quoteAmount : divCeil(quoteAmount * usd, MONEY_ONE);
}
