/** Rejections of orders that come before positions, money and margin (rules 1.2 numbers 1 to 11). */
import { NIL } from '../book/order-slab.ts';
import {
  CATEGORY_NAMES,
  HOLD_MODE_NAMES,
  HoldMode,
  INSTRUMENT_STATUS_NAMES,
  ORDER_TYPE_NAMES,
  OrderType,
  POS_SIDE_NAMES,
  PosSide,
  SIDE_NAMES,
  Side,
  Source,
  TIME_IN_FORCE_NAMES,
  TimeInForce,
} from '../model/enums.ts';
import { isFutures, tradeValue } from '../model/instrument.ts';
import { DELIVERY_QUIET_MS } from '../model/instrument-status.ts';
import { PRICE_TICKS_MAX } from '../model/limits.ts';
import { formatOrderId } from '../model/order-id.ts';
import { divCeil, formatMoney } from '../model/units.ts';
import { priceBand, referenceTicks } from '../orders/order-checks.ts';
import { amountText, coinName, type Facts, quoteText, rateText, timeText, yesNo } from './figures.ts';
import { named } from './rejected-amends.ts';
import { boundPrice, neighbours, price, qty, rejection, step, tick } from './rejection.ts';
import type { Subject } from './subject.ts';

const NAMES_SHOWN = 10;
const some = (names: readonly string[]): string =>
  names.length <= NAMES_SHOWN
    ? names.join(', ')
    : `${names.slice(0, NAMES_SHOWN).join(', ')} and ${names.length - NAMES_SHOWN} more`;

const account = (s: Subject): Facts => ({ account: String(s.uid) });

function statusFacts({ state, instrument, command, order }: Subject): Facts {
  if (instrument === undefined) return {};
  const { delivery } = instrument.futures ?? {};
  return {
    symbol: `${CATEGORY_NAMES[instrument.category]} ${instrument.symbol}`,
    status: INSTRUMENT_STATUS_NAMES[instrument.status],
    ...(order !== undefined && { side: SIDE_NAMES[order.side] }),
    ...('source' in command && { source: command.source === Source.api ? 'api' : 'retail' }),
    ...(instrument.closeOnly && { closeOnly: 'yes' }),
    ...(instrument.paused && { paused: 'yes' }),
    ...(delivery !== undefined && { now: timeText(state.now), delivery: timeText(delivery.time) }),
  };
}

/** From when the calendar of the instrument lets it trade. */
function opening({ instrument }: Subject): string {
  const { startTime } = instrument?.futures?.delivery ?? {};
  const time = startTime ?? instrument?.calendar.launchTime ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(time) && time > 0
    ? `the same at ${timeText(time)} or later`
    : 'the same when the operator has opened it';
}

const prices = (s: Subject): Facts => ({ price: price(s, s.order?.priceTicks ?? 0), tick: tick(s) });
const sizes = (s: Subject): Facts => ({ qty: qty(s, s.order?.sizeLots ?? 0), step: step(s) });

function nearestPrices(s: Subject): string {
  const ticks = s.order?.priceTicks ?? 0;
  if (ticks <= 0 || s.instrument === undefined) return `a multiple of ${tick(s)}`;
  return neighbours(ticks, s.instrument.tickStep)
    .map((each) => price(s, each))
    .join(' or ');
}

function nearestSizes(s: Subject): string {
  const lots = s.order?.sizeLots ?? 0;
  if (lots <= 0 || s.instrument === undefined) return `a multiple of ${step(s)}`;
  return neighbours(lots, s.instrument.lotStep)
    .map((each) => qty(s, each))
    .join(' or ');
}

/** The price that the value of an order is measured by. */
function measure({ state, instrument, order }: Subject): number {
  if (instrument === undefined || order === undefined) return 0;
  return order.orderType === OrderType.market || order.priceTicks <= 0
    ? referenceTicks(instrument, state.market(instrument))
    : order.priceTicks;
}

function valueFacts(s: Subject): Facts {
  const { instrument, order } = s;
  if (instrument === undefined || order === undefined) return {};
  if (order.quoteAmount !== 0n) return { amount: quoteText(order.quoteAmount) };
  const ticks = measure(s);
  const value = tradeValue(instrument, ticks, order.sizeLots);
  return { qty: qty(s, order.sizeLots), price: price(s, ticks), value: formatMoney(value) };
}

const leastValue = ({ state, instrument }: Subject): string =>
  instrument === undefined ? '' : amountText(state, instrument.quote, instrument.minAmount);

function leastSize(s: Subject): string {
  const { instrument, order } = s;
  const ticks = measure(s);
  if (instrument === undefined || order === undefined || order.quoteAmount !== 0n || ticks === 0)
    return `an amount of at least ${leastValue(s)}`;
  const perStep = BigInt(ticks) * instrument.valuePerTickLot * BigInt(instrument.lotStep);
  const lots = Number(divCeil(instrument.minAmount, perStep)) * instrument.lotStep;
  return `a quantity of at least ${qty(s, Math.max(lots, instrument.minLots))} at ${price(s, ticks)}`;
}

function bandFacts(s: Subject): Facts {
  const { state, instrument, order } = s;
  if (instrument === undefined || order === undefined) return {};
  const market = state.market(instrument);
  const buying = order.side === Side.buy;
  return {
    price: price(s, order.priceTicks),
    reference: price(s, referenceTicks(instrument, market)),
    band: rateText(buying ? instrument.buyBandRate : instrument.sellBandRate),
  };
}

function highestBuy(s: Subject): string {
  const { state, instrument } = s;
  return instrument === undefined
    ? boundPrice(s)
    : `at most ${price(s, priceBand(instrument, state.market(instrument)).maxBuyTicks)}`;
}

function lowestSell(s: Subject): string {
  const { state, instrument } = s;
  return instrument === undefined
    ? boundPrice(s)
    : `at least ${price(s, priceBand(instrument, state.market(instrument)).minSellTicks)}`;
}

const NO_LIMIT = 0;
function largestSize(s: Subject): string {
  const { instrument, order, result } = s;
  const market = order?.orderType === OrderType.market;
  const own = market ? instrument?.maxMarketLots : instrument?.maxLots;
  const most = result.bound ?? own ?? NO_LIMIT;
  return most === NO_LIMIT ? 'no limit' : `at most ${qty(s, most)}`;
}

const smallestSize = (s: Subject): string =>
  `at least ${qty(s, Math.max(s.instrument?.minLots ?? 1, s.instrument?.lotStep ?? 1))}`;

function combination(s: Subject): Facts {
  const { order, command } = s;
  if (command.type === 'setHoldMode') return { holdMode: String(command.holdMode) };
  if (order === undefined) return {};
  const type = order.orderType ?? order.trigger?.orderType;
  return {
    ...(type !== undefined && { orderType: ORDER_TYPE_NAMES[type] }),
    ...(order.timeInForce !== undefined && { timeInForce: TIME_IN_FORCE_NAMES[order.timeInForce] }),
    price: order.priceTicks === 0 ? 'none' : price(s, order.priceTicks),
    qty: order.sizeLots === 0 ? 'none' : qty(s, order.sizeLots),
    amount: order.quoteAmount === 0n ? 'none' : quoteText(order.quoteAmount),
  };
}

/** What to change, of the values that do not go together. */
function fittingCombination(s: Subject): string {
  const { order, command, instrument } = s;
  if (command.type === 'setHoldMode') return HOLD_MODE_NAMES.join(' or ');
  if (order === undefined) return '';
  const market = (order.orderType ?? order.trigger?.orderType) === OrderType.market;
  const byAmount = market && order.side === Side.buy && instrument?.futures === undefined;
  if (command.type === 'placeStrategy' && order.callbackPpm !== undefined && order.callbackPpm > 0 && !market)
    return 'a market order behind a trailing trigger';
  if (!market) return order.priceTicks === 0 ? 'a price' : 'a quantity, and no amount of quote coin';
  if (order.priceTicks !== 0) return 'no price, because a market order has none';
  const { timeInForce = TimeInForce.gtc } = order;
  if (timeInForce !== TimeInForce.gtc && timeInForce !== TimeInForce.ioc)
    return 'timeInForce gtc or ioc, because a market order never rests';
  return byAmount
    ? 'an amount of quote coin and no quantity, because a market buy of a pair spends money'
    : 'a quantity, and no amount of quote coin';
}

function openCounts({ state, account, instrument }: Subject): Facts {
  if (account === undefined || instrument === undefined) return {};
  const futures = isFutures(instrument.category);
  return {
    ofTheLine: String(futures ? account.openFutures : account.openSpot),
    ofTheSymbol: String(state.openOrders.of(account.index, instrument.index)),
  };
}

function openLimits({ instrument, result }: Subject): string {
  if (result.bound !== undefined) return `fewer than ${result.bound}`;
  const { maxProductOrders = 0, maxSymbolOrders = 0 } = instrument ?? {};
  const own = [
    ...(maxProductOrders === 0 ? [] : [`${maxProductOrders} of the product`]),
    ...(maxSymbolOrders === 0 ? [] : [`${maxSymbolOrders} of the symbol`]),
  ];
  return `fewer than ${['400 of the line', ...own].join(', ')}`;
}

function clientOidFacts({ command }: Subject): Facts {
  return 'clientOid' in command ? { clientOid: command.clientOid ?? '' } : {};
}

function ownOrders({ state, account }: Subject): string {
  const { slab } = state;
  const ids: string[] = [];
  for (let slot = account?.firstOrder ?? NIL; slot !== NIL; slot = slab.accountNext[slot]!)
    ids.push(formatOrderId(slab.id[slot]!));
  return ids.length === 0 ? 'none: the account has no open order' : `one of ${some(ids)}`;
}

const PLACED = 'rules 1.2';

export const REJECTED_ORDERS = {
  unknownAccount: rejection(
    'the account is known',
    `${PLACED} number 1`,
    account,
    'the uid of an open account',
  ),
  unknownCoin: rejection(
    'the coin is known',
    'rules 4.1',
    ({ coin }) => ({ coin: `number ${coin ?? 'none'}` }),
    ({ state }) => `one of ${some(state.coins.map((each) => each.coin))}`,
  ),
  unknownInstrument: rejection(
    'the symbol is known',
    `${PLACED} number 1`,
    ({ command }) => ('instrument' in command ? { instrument: `number ${command.instrument}` } : {}),
    ({ state }) =>
      `one of ${some(state.instruments.map((each) => `${CATEGORY_NAMES[each.category]} ${each.symbol}`))}`,
  ),
  unknownOrder: rejection(
    'the order is open',
    'rules 1.13',
    named,
    'an open order of the account',
    ownOrders,
  ),
  instrumentListed: rejection(
    'the instrument trades already',
    `${PLACED} number 2`,
    statusFacts,
    'a status other than listed',
    opening,
  ),
  instrumentOffline: rejection(
    'the instrument still trades',
    `${PLACED} number 2`,
    statusFacts,
    'a status other than offline',
    'another instrument, or the same when the operator has put it online',
  ),
  openingRestricted: rejection(
    'the instrument may be opened',
    `${PLACED} number 2`,
    statusFacts,
    'online, and not close-only',
    'an order that closes: a reduce-only one on a contract, a sell on a pair',
  ),
  closingRestricted: rejection(
    'the instrument may be closed',
    `${PLACED} number 2`,
    statusFacts,
    'a status other than limit_close',
    'an order that opens: a buy on a pair',
  ),
  apiRestricted: rejection(
    'the instrument takes orders of the API',
    `${PLACED} number 2`,
    statusFacts,
    'source retail while the status is restrictedAPI',
  ),
  deliveryNear: rejection(
    'the delivery is far enough away',
    'rules 5.15',
    statusFacts,
    ({ instrument }) => `before ${timeText((instrument?.futures?.delivery?.time ?? 0) - DELIVERY_QUIET_MS)}`,
    'a contract that is delivered later, or a perpetual',
  ),
  tradingHalted: rejection(
    'trading is not halted',
    `${PLACED} number 1`,
    ({ state }) => ({ halted: yesNo(state.halted) }),
    'no',
    'the same when the operator has ended the halt; cancels are accepted meanwhile',
  ),
  illegalCombination: rejection(
    'the values go together',
    `${PLACED} number 4`,
    combination,
    'a limit order with a price; a market order without price, and gtc or ioc',
    fittingCombination,
  ),
  priceOffTick: rejection(
    'the price is on the tick',
    `${PLACED} number 5`,
    prices,
    (s) => `a multiple of ${tick(s)}`,
    nearestPrices,
  ),
  priceOutOfRange: rejection(
    'the price is in range',
    `${PLACED} number 5`,
    prices,
    (s) => `${tick(s)} to ${price(s, PRICE_TICKS_MAX)}`,
  ),
  sizeOffStep: rejection(
    'the quantity is on the step',
    `${PLACED} number 6`,
    sizes,
    (s) => `a multiple of ${step(s)}`,
    nearestSizes,
  ),
  sizeTooSmall: rejection('the quantity is large enough', `${PLACED} number 6`, sizes, smallestSize),
  sizeTooLarge: rejection('the quantity is small enough', `${PLACED} number 6`, sizes, largestSize),
  amountOffPrecision: rejection(
    'the amount has few enough decimals',
    'rules 1.6',
    (s) => ({ amount: quoteText(s.order?.quoteAmount ?? 0n) }),
    ({ instrument }) => `at most ${instrument?.quotePrecision ?? 0} decimals`,
    ({ state, instrument }) =>
      instrument === undefined
        ? ''
        : `a multiple of ${formatMoney(10n ** BigInt(8 - instrument.quotePrecision))} ${coinName(state, instrument.quote)}`,
  ),
  belowMinimumAmount: rejection(
    'the order is worth enough',
    `${PLACED} number 7`,
    valueFacts,
    (s) => `at least ${leastValue(s)}`,
    leastSize,
  ),
  buyAboveBand: rejection('a buy is within the band', `${PLACED} number 8`, bandFacts, highestBuy),
  sellBelowBand: rejection('a sell is within the band', `${PLACED} number 8`, bandFacts, lowestSell),
  rpiNotAllowed: rejection(
    'the account may place rpi orders',
    `${PLACED} number 9`,
    ({ account: owner, command }) => ({
      marketMaker: yesNo(owner?.marketMaker === true),
      source: 'source' in command && command.source === Source.api ? 'api' : 'retail',
    }),
    'a market maker, through the API',
    'timeInForce post_only',
  ),
  tooManyOpenOrders: rejection(
    'there is room for one more open order',
    `${PLACED} number 10`,
    openCounts,
    openLimits,
    'the same when one of the open orders has been cancelled',
  ),
  clientOidInUse: rejection(
    'the client id is free',
    `${PLACED} number 11`,
    clientOidFacts,
    'not that of another open order, nor of a strategy order of the last six hours',
    'another clientOid, or none',
  ),
  positionSideNeeded: rejection(
    'hedge mode names a position',
    `${PLACED} number 4`,
    ({ account: owner, order }) => ({
      holdMode: HOLD_MODE_NAMES[owner?.holdMode ?? 0],
      posSide: POS_SIDE_NAMES[order?.posSide ?? PosSide.none] || 'none',
    }),
    ({ account: owner }) =>
      owner?.holdMode === HoldMode.hedge ? 'long or short' : 'none is needed in one-way mode',
    ({ order }) =>
      order?.side === Side.buy
        ? 'posSide long to open a long, short to close a short'
        : 'posSide short to open a short, long to close a long',
  ),
  noIndexPrice: rejection(
    'the contract has a mark price',
    `${PLACED} number 4`,
    (s) => ({
      mark: price(s, s.instrument === undefined ? 0 : (s.state.market(s.instrument).futures?.markTicks ?? 0)),
    }),
    'above 0',
    'the same when the index of the contract has a price',
  ),
} as const;
