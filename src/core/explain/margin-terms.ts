/**
 * Equity, initial and maintenance margin of an account with each term of their sums (rules 5.5, 5.6, 6.1 to 6.4). Dollars in
 * 10^-8; `margin.ts` has the rule, and the terms add up to what it gives.
 */
import { NIL } from '../book/order-slab.ts';
import { coinUsd } from '../margin/collateral.ts';
import {
  balanceOf,
  coinLeverage,
  debtInitial,
  debtMaintenance,
  liquidationRatio,
  orderClaims,
  type SpotIntent,
} from '../margin/debts.ts';
import {
  accountEquity,
  type ContractExposure,
  collateralValueOf,
  computeRisk,
  crossedProfits,
  exposuresOf,
  hasObligations,
  type Intent,
  inDollars,
  initialParts,
  isolatedInQuote,
  maintenanceAt,
  markTicks,
  type Risk,
  unrealisedOf,
} from '../margin/margin.ts';
import { CATEGORY_NAMES } from '../model/enums.ts';
import { tradeValue } from '../model/instrument.ts';
import { tierIndex } from '../model/margin-tiers.ts';
import type { Position } from '../model/position.ts';
import { formatMoney, formatRate, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { coinName, type Facts, percentText, priceText, qtyText } from './figures.ts';

/** What a term adds to. */
export type TermOf = 'equity' | 'initial' | 'maintenance';

export interface Term {
  readonly of: TermOf;
  /** Coin or contract. */
  readonly what: string;
  readonly rule: string;
  readonly inputs: Facts;
  /** Dollars that it adds. */
  readonly usd: string;
}

/** An isolated position stands by itself: its margin against its maintenance, in the quote coin. */
export interface IsolatedMargin {
  readonly symbol: string;
  readonly category: string;
  readonly side: 'long' | 'short';
  readonly inputs: Facts;
  readonly equity: string;
  readonly maintenance: string;
  readonly ratio: string;
}

export interface MarginView {
  /** All coins with the profit of crossed positions; after collateral discounts, which margin is compared with. */
  readonly equity: string;
  readonly effective: string;
  readonly initial: string;
  readonly maintenance: string;
  /** Maintenance of effective equity, and the ratio at which the account is liquidated. */
  readonly ratio: string;
  readonly liquidationRatio: string;
  readonly terms: readonly Term[];
  readonly isolated: readonly IsolatedMargin[];
}

/** An order to count as well, and the slot of one not to count. */
export interface Considered {
  readonly intent?: Intent | undefined;
  readonly spot?: SpotIntent | undefined;
  readonly leaveOut?: number;
}

export function marginView(state: State, account: Account, considered: Considered = {}): MarginView {
  const { intent, spot, leaveOut = NIL } = considered;
  const risk = computeRisk(state, account, intent, leaveOut, spot);
  return {
    equity: formatMoney(risk.equity),
    effective: formatMoney(risk.effective),
    initial: formatMoney(risk.initial),
    maintenance: formatMoney(risk.maintenance),
    ratio: ratioText(risk),
    liquidationRatio: percentText(liquidationRatio(state, account), RATE_ONE),
    terms: [
      ...equityTerms(state, account),
      ...debtTerms(state, account, considered),
      ...contractTerms(state, account, considered),
    ],
    isolated: [...account.positions.values()]
      .filter(({ isolated }) => isolated)
      .map((position) => isolatedMargin(state, position)),
  };
}

export const ratioText = ({ maintenance, effective }: Risk): string =>
  maintenance === 0n ? '0 %' : percentText(maintenance, effective);

function equityTerms(state: State, account: Account): Term[] {
  const profits = crossedProfits(state, account);
  const coins = new Set([...state.ledger.coinsOf(account.index), ...profits.keys()]);
  return [...coins].flatMap((coin) => {
    const balance = balanceOf(state, account, coin);
    const profit = profits.get(coin) ?? 0n;
    if (balance + profit === 0n) return [];
    const { usd, counted } = collateralValueOf(state, coin, balance + profit);
    const inputs = {
      balance: formatMoney(balance),
      unrealised: formatMoney(profit),
      price: formatMoney(coinUsd(state, coin)),
      counted: formatMoney(counted),
    };
    return [{ of: 'equity', what: coinName(state, coin), rule: 'rules 6.1', inputs, usd: formatMoney(usd) }];
  });
}

function debtTerms(state: State, account: Account, { intent, spot, leaveOut = NIL }: Considered): Term[] {
  const { debts } = accountEquity(state, account);
  const { borrowed, haircut } = orderClaims(state, account, spot, leaveOut);
  const terms: Term[] = [];
  const add = (of: TermOf, what: string, inputs: Facts, usd: bigint) =>
    terms.push({ of, what, rule: 'rules 6.3', inputs, usd: formatMoney(usd) });
  for (const coin of new Set([...debts.keys(), ...borrowed.keys()])) {
    const debt = debts.get(coin) ?? 0n;
    const ordered = borrowed.get(coin) ?? 0n;
    const owed = debt + ordered;
    if (owed === 0n) continue;
    const price = formatMoney(coinUsd(state, coin));
    const leverage = String(coinLeverage(state, account, coin));
    const inputs = { owed: formatMoney(debt), toBorrow: formatMoney(ordered), price, leverage };
    add('initial', `debt of ${coinName(state, coin)}`, inputs, debtInitial(state, account, coin, owed));
  }
  for (const [coin, debt] of debts) {
    const usd = debtMaintenance(state, coin, debt);
    const price = formatMoney(coinUsd(state, coin));
    const { tiers } = state.lending[coin]!.terms;
    const value = -collateralValueOf(state, coin, -debt).usd;
    const rate = formatRate(tiers[tierIndex(tiers, value)]!.rate);
    add('maintenance', `debt of ${coinName(state, coin)}`, { owed: formatMoney(debt), price, rate }, usd);
  }
  const counts = intent !== undefined || spot !== undefined || hasObligations(state, account);
  if (counts && haircut > 0n) add('initial', 'collateral value that open orders would cost', {}, haircut);
  return terms;
}

function contractTerms(state: State, account: Account, { intent, leaveOut = NIL }: Considered): Term[] {
  return [...exposuresOf(state, account, intent, leaveOut).values()].flatMap((exposure) => [
    initialTerm(state, account, exposure),
    ...maintenanceTerm(state, exposure),
  ]);
}

function initialTerm(state: State, account: Account, exposure: ContractExposure): Term {
  const { instrument, longLots, shortLots, buyValue, sellValue } = exposure;
  const { most, leverage, byLeverage, fees, openLoss } = initialParts(state, account, exposure);
  const price = coinUsd(state, instrument.quote);
  return {
    of: 'initial',
    what: nameOf(exposure),
    rule: 'rules 5.6',
    inputs: {
      long: qtyText(instrument, longLots),
      short: qtyText(instrument, shortLots),
      mark: priceText(instrument, markTicks(state, instrument)),
      buyOrders: formatMoney(buyValue),
      sellOrders: formatMoney(sellValue),
      largestSide: formatMoney(most),
      leverage: String(leverage),
      byLeverage: formatMoney(byLeverage),
      fees: formatMoney(fees),
      lossIfFilled: formatMoney(openLoss),
      price: formatMoney(price),
    },
    usd: formatMoney(inDollars(byLeverage + fees + openLoss, price)),
  };
}

/** Only the larger side of a hedged pair counts. */
function maintenanceTerm(state: State, exposure: ContractExposure): Term[] {
  const { instrument } = exposure;
  const lots = Math.max(exposure.longLots, exposure.shortLots);
  if (lots === 0) return [];
  const mark = markTicks(state, instrument);
  const price = coinUsd(state, instrument.quote);
  const notional = tradeValue(instrument, mark, lots);
  const { tiers } = instrument.futures!;
  return [
    {
      of: 'maintenance',
      what: nameOf(exposure),
      rule: 'rules 5.5',
      inputs: {
        size: qtyText(instrument, lots),
        mark: priceText(instrument, mark),
        notional: formatMoney(notional),
        tierRate: formatRate(tiers[tierIndex(tiers, notional)]!.rate),
        closingFeeRate: formatRate(instrument.takerRate),
        price: formatMoney(price),
      },
      usd: formatMoney(inDollars(maintenanceAt(instrument, mark, lots), price)),
    },
  ];
}

function nameOf({ instrument }: ContractExposure): string {
  return `${CATEGORY_NAMES[instrument.category]} ${instrument.symbol}`;
}

/** Margin with profit of an isolated position, and what it must keep; in the quote coin. */
export function isolatedRisk(state: State, position: Position): { equity: bigint; maintenance: bigint } {
  const instrument = state.instruments[position.instrument]!;
  return {
    equity: isolatedInQuote(state, position) + unrealisedOf(state, position),
    maintenance: maintenanceAt(instrument, markTicks(state, instrument), position.lots),
  };
}

export function isolatedMargin(state: State, position: Position): IsolatedMargin {
  const instrument = state.instruments[position.instrument]!;
  const { equity, maintenance } = isolatedRisk(state, position);
  return {
    symbol: instrument.symbol,
    category: CATEGORY_NAMES[instrument.category],
    side: position.long ? 'long' : 'short',
    inputs: {
      size: qtyText(instrument, position.lots),
      mark: priceText(instrument, markTicks(state, instrument)),
      margin: formatMoney(isolatedInQuote(state, position)),
      unrealised: formatMoney(unrealisedOf(state, position)),
    },
    equity: formatMoney(equity),
    maintenance: formatMoney(maintenance),
    ratio: percentText(maintenance, equity),
  };
}
