/** Turns a refusal of the core into what the client reads: which value was wrong, and what would be right. */
import type { Instrument } from '../../core/model/instrument.ts';
import { isFutures } from '../../core/model/instrument.ts';
import type { Outcome } from '../../core/model/command-result.ts';
import { Refusal } from '../../core/model/reject-reason.ts';
import type { State } from '../../core/state/state.ts';
import { formatMoney, formatUnits } from '../../core/model/units.ts';
import type { WireCode } from './error-catalogue.ts';
import { type WireError, wireError } from './wire-error.ts';

interface Context {
  readonly state: State;
  readonly outcome: Outcome;
  /** The instrument of the order, when the request names one. */
  readonly instrument: Instrument | undefined;
}
type Row = readonly [WireCode | ((context: Context) => WireCode), string | ((context: Context) => string)];

const ROWS: Readonly<Record<Exclude<Refusal, 0>, Row>> = {
  [Refusal.unknownAccount]: ['25005', 'the account is not known'],
  [Refusal.unknownCoin]: ['25201', 'the coin is not known'],
  [Refusal.unknownInstrument]: ['25100', 'the trading pair is not known'],
  [Refusal.unknownOrder]: ['25204', 'Order does not exist'],

  [Refusal.instrumentListed]: ['25103', (c) => `${symbol(c)} is listed but not open for trading yet`],
  [Refusal.instrumentOffline]: [
    (c) => (c.instrument !== undefined && isFutures(c.instrument.category) ? '25104' : '25102'),
    (c) => `${symbol(c)} is offline: delisted or under maintenance`,
  ],
  [Refusal.openingRestricted]: ['25105', (c) => `${symbol(c)} takes no buy or opening orders at the moment`],
  [Refusal.closingRestricted]: ['25101', (c) => `${symbol(c)} takes no sell or closing orders at the moment`],
  [Refusal.apiRestricted]: ['25013', (c) => `${symbol(c)} cannot be traded through the API at the moment`],

  [Refusal.deliveryNear]: ['25106', (c) => `${symbol(c)} takes no more orders before its delivery`],
  [Refusal.tradingHalted]: ['25106', 'trading is halted; open orders can be cancelled'],

  [Refusal.illegalCombination]: [
    '40017',
    'orderType, timeInForce, price and qty do not go together: a limit order needs a price; a market order has none and no post_only, rpi or fok',
  ],
  [Refusal.priceOffTick]: ['25244', (c) => `price must be a multiple of ${tick(c)}`],
  [Refusal.priceOutOfRange]: [
    '25200',
    (c) => `price must lie between ${tick(c)} and ${price(c, c.outcome.bound)}`,
  ],
  [Refusal.sizeOffStep]: ['25610', (c) => `qty must be a multiple of ${step(c)}`],
  [Refusal.sizeTooSmall]: ['25207', (c) => `qty must be at least ${size(c, c.outcome.bound)}`],
  [Refusal.sizeTooLarge]: ['25208', (c) => `qty must be at most ${size(c, c.outcome.bound)}`],
  [Refusal.amountOffPrecision]: [
    '25610',
    (c) => `qty of a market buy is quote money with at most ${c.outcome.bound} decimals`,
  ],
  [Refusal.belowMinimumAmount]: [
    '25611',
    (c) => `the order is worth less than the minimum of ${minimumAmount(c)}`,
  ],
  [Refusal.buyAboveBand]: [
    '25206',
    (c) => `the highest buy price is ${price(c, c.outcome.bound)} at the moment`,
  ],
  [Refusal.sellBelowBand]: [
    '25205',
    (c) => `the lowest sell price is ${price(c, c.outcome.bound)} at the moment`,
  ],
  [Refusal.rpiNotAllowed]: ['25240', 'timeInForce rpi is for accounts approved as market makers'],
  [Refusal.tooManyOpenOrders]: ['25211', (c) => `too many open orders: at most ${c.outcome.bound} at a time`],
  [Refusal.clientOidInUse]: ['25212', 'clientOid is used by another open order of this account'],

  [Refusal.insufficientBalance]: ['25202', (c) => `balance is insufficient: ${available(c)} available`],
  [Refusal.amountOutOfRange]: ['25200', 'the amount must be above zero and below 10^22'],

  [Refusal.sameWallet]: ['40017', 'fromType and toType must differ'],
  [Refusal.notOneParty]: ['25240', 'money moves only between a main account and its own sub-accounts'],
  [Refusal.transferOidInUse]: ['25212', 'clientOid was used by an earlier transfer or withdrawal'],
  [Refusal.unknownWithdrawal]: ['40034', 'there is no pending withdrawal of that id'],
  [Refusal.tooManyWithdrawals]: ['13001', 'too many withdrawals are waiting to be settled; try again later'],
  [Refusal.nothingOwed]: ['25200', 'repayableCoinList: nothing is owed in this coin'],
  [Refusal.feeAboveAmount]: ['25200', 'size must be above the withdrawal fee'],

  [Refusal.nothingToAmend]: ['25571', 'price and qty are what they were'],
  [Refusal.notAmendable]: ['25568', 'this order cannot be modified'],
  [Refusal.sizeBelowFilled]: [
    '25200',
    (c) => `qty must not be below the filled quantity ${size(c, c.outcome.bound)}`,
  ],
  [Refusal.tooManyOutstandingAmends]: [
    '25572',
    (c) => `at most ${c.outcome.bound} modifications of one order may be under way`,
  ],
  [Refusal.amendAfterFailure]: ['25573', 'an earlier modification failed and the order was cancelled'],
  [Refusal.amendWouldTake]: [
    '25568',
    'a post_only or rpi order cannot be moved to a price that trades at once',
  ],
  [Refusal.duplicateInBatch]: ['40017', 'an order may appear only once in a batch of at most 20'],

  [Refusal.accountLiquidating]: ['25008', 'the account is being liquidated'],
  [Refusal.positionSideNeeded]: ['25236', 'posSide must be long or short in hedge mode'],
  [Refusal.noPositionToClose]: ['25227', 'there is no position to close'],
  [Refusal.closesWrongWay]: ['25232', 'a reduce-only order must go against the position'],
  [Refusal.closeAboveAvailable]: [
    '25225',
    (c) => `only ${size(c, c.outcome.bound)} of the position is free to close`,
  ],
  [Refusal.aboveTier]: [
    '25233',
    (c) => `the position would be above what leverage ${c.outcome.bound} allows`,
  ],
  [Refusal.leverageAboveMaximum]: ['25223', (c) => `leverage must be at most ${c.outcome.bound}`],
  [Refusal.leverageNeedsMargin]: ['25228', 'there is not enough margin for this leverage'],
  [Refusal.insufficientMargin]: ['25203', (c) => `margin is insufficient: ${available(c)} available`],
  [Refusal.riskTooHigh]: ['25218', 'the account would be close to liquidation at once'],
  [Refusal.sellBeyondBankruptcy]: [
    '25654',
    (c) => `the price is below the bankruptcy price of the long position: ${price(c, c.outcome.bound)}`,
  ],
  [Refusal.buyBeyondBankruptcy]: [
    '25655',
    (c) => `the price is above the bankruptcy price of the short position: ${price(c, c.outcome.bound)}`,
  ],
  [Refusal.positionsOrOrdersOpen]: [
    '25010',
    'close all positions and cancel all orders of the contracts first',
  ],
  [Refusal.tooManyPositions]: ['25229', (c) => `at most ${c.outcome.bound} positions at a time`],
  [Refusal.noIndexPrice]: ['25108', (c) => `${symbol(c)} has no index price yet`],
  [Refusal.marginTooLow]: ['25203', 'the position needs this margin'],

  [Refusal.coinNotOffered]: ['25240', (c) => c.outcome.detail ?? 'the loan desk does not offer this coin'],
  [Refusal.oneAmountNeeded]: ['25238', 'give either loanAmount or pledgeAmount, above zero'],
  [Refusal.noCoinPrice]: [
    '25108',
    'one of the coins has no fresh index price: nobody has told one in the last 15 minutes',
  ],
  [Refusal.loanTooSmall]: ['25207', (c) => `the loan must be at least ${available(c)}`],
  [Refusal.loanTooLarge]: ['25208', (c) => `the loan must be at most ${available(c)}`],
  [Refusal.pledgeTooSmall]: ['25207', (c) => `the pledge must be at least ${available(c)}`],
  [Refusal.pledgeTooLarge]: ['25208', (c) => `the pledge must be at most ${available(c)}`],
  [Refusal.tooManyLoans]: ['25211', (c) => `too many ongoing loans: at most ${c.outcome.bound} at a time`],
  [Refusal.unknownLoan]: ['25204', 'orderId names no ongoing loan of this account'],
  [Refusal.otherPledgeCoin]: ['40017', 'pledgeCoin must be the coin that the loan is pledged with'],
  [Refusal.pledgeNeeded]: ['25218', (c) => `at most ${available(c)} of the pledge can be taken out now`],
  [Refusal.triggerMissing]: ['40019', 'takeProfit, stopLoss or triggerPrice must be given'],
  [Refusal.longTakeProfitByEntry]: ['25579', 'takeProfit of a long must be above its average price'],
  [Refusal.longStopLossByEntry]: ['25580', 'stopLoss of a long must be below its average price'],
  [Refusal.shortTakeProfitByEntry]: ['25581', 'takeProfit of a short must be below its average price'],
  [Refusal.shortStopLossByEntry]: ['25582', 'stopLoss of a short must be above its average price'],
  [Refusal.longTakeProfitByLast]: ['25585', (c) => `takeProfit of a long must be above ${reference(c)}`],
  [Refusal.longStopLossByLast]: ['25586', (c) => `stopLoss of a long must be below ${reference(c)}`],
  [Refusal.shortTakeProfitByLast]: ['25587', (c) => `takeProfit of a short must be below ${reference(c)}`],
  [Refusal.shortStopLossByLast]: ['25588', (c) => `stopLoss of a short must be above ${reference(c)}`],
  [Refusal.longTakeProfitByMark]: ['25589', (c) => `takeProfit of a long must be above ${reference(c)}`],
  [Refusal.longStopLossByMark]: ['25590', (c) => `stopLoss of a long must be below ${reference(c)}`],
  [Refusal.shortTakeProfitByMark]: ['25591', (c) => `takeProfit of a short must be below ${reference(c)}`],
  [Refusal.shortStopLossByMark]: ['25592', (c) => `stopLoss of a short must be above ${reference(c)}`],
  [Refusal.takeProfitNotPositive]: ['25602', (c) => range(c, 'takeProfit')],
  [Refusal.stopLossNotPositive]: ['25603', (c) => range(c, 'stopLoss')],
  [Refusal.takeProfitLimitNotPositive]: ['25604', (c) => range(c, 'tpLimitPrice of a limit order')],
  [Refusal.stopLossLimitNotPositive]: ['25605', (c) => range(c, 'slLimitPrice of a limit order')],
  [Refusal.takeProfitOffTick]: ['25606', (c) => `takeProfit must be a multiple of ${tick(c)}`],
  [Refusal.stopLossOffTick]: ['25607', (c) => `stopLoss must be a multiple of ${tick(c)}`],
  [Refusal.takeProfitLimitOffTick]: ['25608', (c) => `tpLimitPrice must be a multiple of ${tick(c)}`],
  [Refusal.stopLossLimitOffTick]: ['25609', (c) => `slLimitPrice must be a multiple of ${tick(c)}`],
  [Refusal.triggerPriceOutOfRange]: ['25200', (c) => range(c, 'triggerPrice')],
  [Refusal.triggerPriceOffTick]: ['25244', (c) => `triggerPrice must be a multiple of ${tick(c)}`],
  [Refusal.callbackOutOfRange]: ['25200', 'callbackRatio must lie between 0.01 and 10 percent'],
  [Refusal.tpslNotSupported]: ['25593', (c) => `${symbol(c)} has no positions: set tpslMode partial and qty`],
  [Refusal.fullTpslExists]: ['25594', 'this position has a full take-profit and stop-loss; modify that one'],
  [Refusal.partialTpslAbovePosition]: [
    '25595',
    (c) => `only ${size(c, c.outcome.bound)} of the position has no such order yet`,
  ],
  [Refusal.unknownStrategy]: ['25597', 'there is no waiting strategy order of that id'],
  [Refusal.strategySubmitting]: ['25598', 'the strategy order has triggered and cannot be changed'],
  [Refusal.tooManyStrategies]: ['25599', (c) => `at most ${c.outcome.bound} strategy orders may wait here`],
  [Refusal.strategyUnchanged]: ['25600', 'nothing would change'],
  [Refusal.noPositionToProtect]: ['25601', 'there is no position to set take-profit or stop-loss on'],
  [Refusal.presetNotOpening]: ['25612', 'takeProfit and stopLoss come with opening orders only'],

  [Refusal.sameAccount]: ['40017', 'fromUid and toUid must be different accounts'],
  [Refusal.tooManyMoves]: ['40306', (c) => `positionList may hold at most ${c.outcome.bound} positions`],
  [Refusal.noPositionToMove]: [
    '25227',
    (c) => `fromUid has no such position of ${symbol(c)}: side sell gives a long away, buy a short`,
  ],
  [Refusal.moveAbovePosition]: [
    '25225',
    (c) => `qty must be at most ${size(c, c.outcome.bound)}, which is the position of fromUid`,
  ],
  [Refusal.moveOidInUse]: [
    '25212',
    'clientOid was used by an earlier move, which is in the history of moves',
  ],
  [Refusal.staleIndexPrice]: [
    '25108',
    (c) => `the index price of ${symbol(c)} has not moved for a minute: wait for a new one`,
  ],
  [Refusal.giverNearLiquidation]: [
    '25218',
    'fromUid is too close to liquidation to give positions away: the margin ratio must be below 80 percent',
  ],
  [Refusal.giverLacksMargin]: [
    '25203',
    (c) => `fromUid would lack margin for its open orders and what it keeps: ${available(c)} available`,
  ],
  [Refusal.receiverLacksMargin]: [
    '25203',
    (c) => `toUid has not enough margin to take the position: ${available(c)} available`,
  ],
  [Refusal.receiverTooRisky]: ['25218', 'toUid would be close to liquidation at once'],

  [Refusal.alreadyExists]: ['40017', (c) => c.outcome.detail ?? 'it exists already'],
  [Refusal.invalidSpecification]: ['40017', (c) => c.outcome.detail ?? 'the specification is not valid'],
  [Refusal.invalidCountdown]: ['40020', 'countdown must be 0 or 5 to 60 seconds'],
  [Refusal.accountsFull]: ['25002', 'the venue has no room for more accounts'],
};

export function refusalError(state: State, outcome: Outcome, instrument?: Instrument): WireError {
  const [code, message] = ROWS[outcome.refusal as Exclude<Refusal, 0>];
  const context = { state, outcome, instrument };
  return wireError(
    typeof code === 'function' ? code(context) : code,
    typeof message === 'function' ? message(context) : message,
  );
}

function symbol({ instrument }: Context): string {
  return instrument === undefined ? 'the trading pair' : `${instrument.spec.category} ${instrument.symbol}`;
}

function price({ instrument }: Context, ticks = 0): string {
  return instrument === undefined ? String(ticks) : formatUnits(BigInt(ticks), instrument.pricePrecision);
}

function size({ instrument }: Context, lots = 0): string {
  return instrument === undefined ? String(lots) : formatUnits(BigInt(lots), instrument.quantityPrecision);
}

/** The price that a trigger was measured by. */
function reference(context: Context): string {
  return `${price(context, context.outcome.bound)}, the price it is measured by`;
}

function range(context: Context, field: string): string {
  return `${field} must lie between ${tick(context)} and ${price(context, context.outcome.bound)}`;
}

function tick(context: Context): string {
  return price(context, context.instrument?.tickStep ?? 1);
}

function step(context: Context): string {
  return size(context, context.instrument?.lotStep ?? 1);
}

function minimumAmount({ instrument }: Context): string {
  if (instrument === undefined) return 'this pair';
  return `${formatMoney(instrument.minAmount)} ${instrument.spec.quoteCoin}`;
}

function available({ state, outcome }: Context): string {
  const coin = outcome.coin === undefined ? '' : ` ${state.coins[outcome.coin]!.coin}`;
  return `${formatMoney(outcome.available ?? 0n)}${coin}`;
}
