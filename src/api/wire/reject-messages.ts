/** Reject reasons of the core as errors of the API: the wrong value, and the valid ones. */

import { type CommandResult, OK } from '../../core/model/command-result.ts';
import type { Instrument } from '../../core/model/instrument.ts';
import { isFutures } from '../../core/model/instrument.ts';
import { RejectReason } from '../../core/model/reject-reason.ts';
import { formatMoney, formatUnits } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';
import { entryOf, type WireCode } from './error-catalogue.ts';
import { WireError, wireError } from './wire-error.ts';

interface Context {
  readonly state: State;
  readonly result: CommandResult;
  /** The instrument of the order, when the request names one. */
  readonly instrument: Instrument | undefined;
}
type Row = readonly [WireCode | ((context: Context) => WireCode), string | ((context: Context) => string)];

const ROWS: Readonly<Record<Exclude<RejectReason, 0>, Row>> = {
  [RejectReason.unknownAccount]: ['25005', 'the account is not known'],
  [RejectReason.unknownCoin]: ['25201', 'the coin is not known'],
  [RejectReason.unknownInstrument]: ['25100', 'the trading pair is not known'],
  [RejectReason.unknownOrder]: ['25204', 'Order does not exist'],

  [RejectReason.instrumentListed]: ['25103', (c) => `${symbol(c)} is listed but not open for trading yet`],
  [RejectReason.instrumentOffline]: [
    (c) => (c.instrument !== undefined && isFutures(c.instrument.category) ? '25104' : '25102'),
    (c) => `${symbol(c)} is offline: delisted or under maintenance`,
  ],
  [RejectReason.openingRestricted]: [
    '25105',
    (c) => `${symbol(c)} takes no buy or opening orders at the moment`,
  ],
  [RejectReason.closingRestricted]: [
    '25101',
    (c) => `${symbol(c)} takes no sell or closing orders at the moment`,
  ],
  [RejectReason.apiRestricted]: [
    '25013',
    (c) => `${symbol(c)} cannot be traded through the API at the moment`,
  ],

  [RejectReason.deliveryNear]: ['25106', (c) => `${symbol(c)} takes no more orders before its delivery`],
  [RejectReason.tradingHalted]: ['25106', 'trading is halted; open orders can be cancelled'],

  [RejectReason.illegalCombination]: [
    '40017',
    'orderType, timeInForce, price and qty do not go together: a limit order needs a price; a market order has none and no post_only, rpi or fok',
  ],
  [RejectReason.priceOffTick]: ['25244', (c) => `price must be a multiple of ${tick(c)}`],
  [RejectReason.priceOutOfRange]: [
    '25200',
    (c) => `price must lie between ${tick(c)} and ${price(c, c.result.bound)}`,
  ],
  [RejectReason.sizeOffStep]: ['25610', (c) => `qty must be a multiple of ${step(c)}`],
  [RejectReason.sizeTooSmall]: ['25207', (c) => `qty must be at least ${size(c, c.result.bound)}`],
  [RejectReason.sizeTooLarge]: ['25208', (c) => `qty must be at most ${size(c, c.result.bound)}`],
  [RejectReason.amountOffPrecision]: [
    '25610',
    (c) => `qty of a market buy is quote money with at most ${c.result.bound} decimals`,
  ],
  [RejectReason.belowMinimumAmount]: [
    '25611',
    (c) => `the order is worth less than the minimum of ${minimumAmount(c)}`,
  ],
  [RejectReason.buyAboveBand]: [
    '25206',
    (c) => `the highest buy price is ${price(c, c.result.bound)} at the moment`,
  ],
  [RejectReason.sellBelowBand]: [
    '25205',
    (c) => `the lowest sell price is ${price(c, c.result.bound)} at the moment`,
  ],
  [RejectReason.rpiNotAllowed]: ['25240', 'timeInForce rpi is for accounts approved as market makers'],
  [RejectReason.tooManyOpenOrders]: [
    '25211',
    (c) => `too many open orders: at most ${c.result.bound} at a time`,
  ],
  [RejectReason.clientOidInUse]: ['25212', 'clientOid is used by another open order of this account'],

  [RejectReason.insufficientBalance]: ['25202', (c) => `balance is insufficient: ${available(c)} available`],
  [RejectReason.amountOutOfRange]: ['25200', 'the amount must be above zero and below 10^22'],

  [RejectReason.sameWallet]: ['40017', 'fromType and toType must differ'],
  [RejectReason.notOneParty]: ['25240', 'money moves only between a main account and its own sub-accounts'],
  [RejectReason.transferOidInUse]: ['25212', 'clientOid was used by an earlier transfer or withdrawal'],
  [RejectReason.unknownWithdrawal]: ['40034', 'there is no pending withdrawal of that id'],
  [RejectReason.tooManyWithdrawals]: [
    '13001',
    'too many withdrawals are waiting to be settled; try again later',
  ],
  [RejectReason.nothingOwed]: ['25200', 'repayableCoinList: nothing is owed in this coin'],
  [RejectReason.feeAboveAmount]: ['25200', 'size must be above the withdrawal fee'],

  [RejectReason.nothingToAmend]: ['25571', 'price and qty are what they were'],
  [RejectReason.notAmendable]: ['25568', 'this order cannot be modified'],
  [RejectReason.sizeBelowFilled]: [
    '25200',
    (c) => `qty must not be below the filled quantity ${size(c, c.result.bound)}`,
  ],
  [RejectReason.tooManyOutstandingAmends]: [
    '25572',
    (c) => `at most ${c.result.bound} modifications of one order may be under way`,
  ],
  [RejectReason.amendAfterFailure]: ['25573', 'an earlier modification failed and the order was cancelled'],
  [RejectReason.amendWouldTake]: [
    '25568',
    'a post_only or rpi order cannot be moved to a price that trades at once',
  ],
  [RejectReason.duplicateInBatch]: ['40017', 'an order may appear only once in a batch of at most 20'],

  [RejectReason.accountLiquidating]: ['25008', 'the account is being liquidated'],
  [RejectReason.positionSideNeeded]: ['25236', 'posSide must be long or short in hedge mode'],
  [RejectReason.noPositionToClose]: ['25227', 'there is no position to close'],
  [RejectReason.closesWrongWay]: ['25232', 'a reduce-only order must go against the position'],
  [RejectReason.closeAboveAvailable]: [
    '25225',
    (c) => `only ${size(c, c.result.bound)} of the position is free to close`,
  ],
  [RejectReason.aboveTier]: [
    '25233',
    (c) => `the position would be above what leverage ${c.result.bound} allows`,
  ],
  [RejectReason.leverageAboveMaximum]: ['25223', (c) => `leverage must be at most ${c.result.bound}`],
  [RejectReason.leverageNeedsMargin]: ['25228', 'there is not enough margin for this leverage'],
  [RejectReason.insufficientMargin]: ['25203', (c) => `margin is insufficient: ${available(c)} available`],
  [RejectReason.riskTooHigh]: ['25218', 'the account would be close to liquidation at once'],
  [RejectReason.sellBeyondBankruptcy]: [
    '25654',
    (c) => `the price is below the bankruptcy price of the long position: ${price(c, c.result.bound)}`,
  ],
  [RejectReason.buyBeyondBankruptcy]: [
    '25655',
    (c) => `the price is above the bankruptcy price of the short position: ${price(c, c.result.bound)}`,
  ],
  [RejectReason.positionsOrOrdersOpen]: [
    '25010',
    'close all positions and cancel all orders of the contracts first',
  ],
  [RejectReason.tooManyPositions]: ['25229', (c) => `at most ${c.result.bound} positions at a time`],
  [RejectReason.noIndexPrice]: ['25108', (c) => `${symbol(c)} has no index price yet`],
  [RejectReason.marginTooLow]: ['25203', 'the position needs this margin'],

  [RejectReason.coinNotOffered]: [
    '25240',
    (c) => c.result.detail ?? 'loans of this coin, or against it, are not offered',
  ],
  [RejectReason.oneAmountNeeded]: ['25238', 'give either loanAmount or pledgeAmount, above zero'],
  [RejectReason.noCoinPrice]: [
    '25108',
    'one of the coins has no fresh index price: try again when its index has been reported',
  ],
  [RejectReason.conversionPriceOld]: [
    '25108',
    'no conversion at this moment: it needs index prices of the last minute that agree within 0.5 %; try again after the ' +
      'next price, or pay in the coin of the debt',
  ],
  [RejectReason.loanTooSmall]: ['25207', (c) => `the loan must be at least ${available(c)}`],
  [RejectReason.loanTooLarge]: ['25208', (c) => `the loan must be at most ${available(c)}`],
  [RejectReason.pledgeTooSmall]: ['25207', (c) => `the pledge must be at least ${available(c)}`],
  [RejectReason.pledgeTooLarge]: ['25208', (c) => `the pledge must be at most ${available(c)}`],
  [RejectReason.tooManyLoans]: [
    '25211',
    (c) => `too many ongoing loans: at most ${c.result.bound} at a time`,
  ],
  [RejectReason.unknownLoan]: ['25204', 'orderId names no ongoing loan of this account'],
  [RejectReason.otherPledgeCoin]: ['40017', 'pledgeCoin must be the coin that the loan is pledged with'],
  [RejectReason.pledgeNeeded]: ['25218', (c) => `at most ${available(c)} of the pledge can be taken out now`],
  [RejectReason.triggerMissing]: ['40019', 'takeProfit, stopLoss or triggerPrice must be given'],
  [RejectReason.longTakeProfitByEntry]: ['25579', 'takeProfit of a long must be above its average price'],
  [RejectReason.longStopLossByEntry]: ['25580', 'stopLoss of a long must be below its average price'],
  [RejectReason.shortTakeProfitByEntry]: ['25581', 'takeProfit of a short must be below its average price'],
  [RejectReason.shortStopLossByEntry]: ['25582', 'stopLoss of a short must be above its average price'],
  [RejectReason.longTakeProfitByLast]: ['25585', (c) => `takeProfit of a long must be above ${reference(c)}`],
  [RejectReason.longStopLossByLast]: ['25586', (c) => `stopLoss of a long must be below ${reference(c)}`],
  [RejectReason.shortTakeProfitByLast]: [
    '25587',
    (c) => `takeProfit of a short must be below ${reference(c)}`,
  ],
  [RejectReason.shortStopLossByLast]: ['25588', (c) => `stopLoss of a short must be above ${reference(c)}`],
  [RejectReason.longTakeProfitByMark]: ['25589', (c) => `takeProfit of a long must be above ${reference(c)}`],
  [RejectReason.longStopLossByMark]: ['25590', (c) => `stopLoss of a long must be below ${reference(c)}`],
  [RejectReason.shortTakeProfitByMark]: [
    '25591',
    (c) => `takeProfit of a short must be below ${reference(c)}`,
  ],
  [RejectReason.shortStopLossByMark]: ['25592', (c) => `stopLoss of a short must be above ${reference(c)}`],
  [RejectReason.takeProfitNotPositive]: ['25602', (c) => range(c, 'takeProfit')],
  [RejectReason.stopLossNotPositive]: ['25603', (c) => range(c, 'stopLoss')],
  [RejectReason.takeProfitLimitNotPositive]: ['25604', (c) => range(c, 'tpLimitPrice of a limit order')],
  [RejectReason.stopLossLimitNotPositive]: ['25605', (c) => range(c, 'slLimitPrice of a limit order')],
  [RejectReason.takeProfitOffTick]: ['25606', (c) => `takeProfit must be a multiple of ${tick(c)}`],
  [RejectReason.stopLossOffTick]: ['25607', (c) => `stopLoss must be a multiple of ${tick(c)}`],
  [RejectReason.takeProfitLimitOffTick]: ['25608', (c) => `tpLimitPrice must be a multiple of ${tick(c)}`],
  [RejectReason.stopLossLimitOffTick]: ['25609', (c) => `slLimitPrice must be a multiple of ${tick(c)}`],
  [RejectReason.triggerPriceOutOfRange]: ['25200', (c) => range(c, 'triggerPrice')],
  [RejectReason.triggerPriceOffTick]: ['25244', (c) => `triggerPrice must be a multiple of ${tick(c)}`],
  [RejectReason.callbackOutOfRange]: [
    '25200',
    'callbackRatio is a percentage and must lie between 0.1 and 10: 1 means 1 %',
  ],
  [RejectReason.tpslNotSupported]: [
    '25593',
    (c) => `${symbol(c)} has no positions: set tpslMode partial and qty`,
  ],
  [RejectReason.fullTpslExists]: [
    '25594',
    'this position has a full take-profit and stop-loss; modify that one',
  ],
  [RejectReason.partialTpslAbovePosition]: [
    '25595',
    (c) => `only ${size(c, c.result.bound)} of the position has no such order yet`,
  ],
  [RejectReason.unknownStrategy]: ['25597', 'there is no waiting strategy order of that id'],
  [RejectReason.strategySubmitting]: ['25598', 'the strategy order has triggered and cannot be changed'],
  [RejectReason.tooManyStrategies]: [
    '25599',
    (c) => `at most ${c.result.bound} strategy orders may wait here`,
  ],
  [RejectReason.strategyUnchanged]: ['25600', 'nothing would change'],
  [RejectReason.noPositionToProtect]: ['25601', 'there is no position to set take-profit or stop-loss on'],
  [RejectReason.presetNotOpening]: ['25612', 'takeProfit and stopLoss come with opening orders only'],

  [RejectReason.sameAccount]: ['40017', 'fromUid and toUid must be different accounts'],
  [RejectReason.tooManyMoves]: ['40306', (c) => `positionList may hold at most ${c.result.bound} positions`],
  [RejectReason.noPositionToMove]: [
    '25227',
    (c) => `fromUid has no such position of ${symbol(c)}: side sell gives a long away, buy a short`,
  ],
  [RejectReason.moveAbovePosition]: [
    '25225',
    (c) => `qty must be at most ${size(c, c.result.bound)}, which is the position of fromUid`,
  ],
  [RejectReason.moveOidInUse]: [
    '25212',
    'clientOid was used by an earlier move, which is in the history of moves',
  ],
  [RejectReason.staleIndexPrice]: [
    '25108',
    (c) => `the index price of ${symbol(c)} is more than a minute old: wait for a new one`,
  ],
  [RejectReason.giverNearLiquidation]: [
    '25218',
    'fromUid is too close to liquidation to give positions away: the margin ratio must be below 80 percent',
  ],
  [RejectReason.giverLacksMargin]: [
    '25203',
    (c) => `fromUid would lack margin for its open orders and what it keeps: ${available(c)} available`,
  ],
  [RejectReason.receiverLacksMargin]: [
    '25203',
    (c) => `toUid has not enough margin to take the position: ${available(c)} available`,
  ],
  [RejectReason.receiverTooRisky]: ['25218', 'toUid would be close to liquidation at once'],

  [RejectReason.alreadyExists]: ['40017', (c) => c.result.detail ?? 'it exists already'],
  [RejectReason.invalidSpecification]: ['40017', (c) => c.result.detail ?? 'the specification is not valid'],
  [RejectReason.invalidCountdown]: ['40020', 'countdown must be 0 or 5 to 60 seconds'],
  [RejectReason.accountsFull]: ['25002', 'the venue has no room for more accounts'],

  [RejectReason.debtIsCovered]: ['25218', 'the account owns as much as it owes'],
  [RejectReason.walletAwaitsPrice]: [
    '25108',
    'the unified account owes coins or holds positions at a price that is more than a minute old or has one source left: ' +
      'until the next price its other wallets keep what it could come to owe; transfers into it are accepted',
  ],
  [RejectReason.custodyTooSmall]: [
    '13003',
    'the venue does not hold as much of the coin now; try a smaller amount, or again later',
  ],
};

export function rejectError(state: State, result: CommandResult, instrument?: Instrument): WireError {
  const [code, message] = ROWS[result.rejectReason as Exclude<RejectReason, 0>];
  const context = { state, result, instrument };
  return wireError(
    typeof code === 'function' ? code(context) : code,
    typeof message === 'function' ? message(context) : message,
  );
}

/** How long to stay away after a refusal that was not for a limit. */
const AGAIN_AFTER_MS = 1000;

/**
 * An example of a refusal with this code, worded as the first rejection of the core that has the code, or by the code's meaning
 * where the core has none. Amounts in it are zero.
 */
export function refusalWith(code: WireCode, state: State, instrument: Instrument | undefined): WireError {
  const coin = instrument?.futures?.settle ?? instrument?.quote;
  for (const [reason, [ofRow]] of Object.entries(ROWS)) {
    const result = {
      ...OK,
      rejectReason: Number(reason) as RejectReason,
      ...(coin !== undefined && { coin }),
    };
    const found = typeof ofRow === 'function' ? ofRow({ state, result, instrument }) : ofRow;
    if (found === code) return rejectError(state, result, instrument);
  }
  const { means, status } = entryOf(code);
  return new WireError(code, means, status === 429 ? AGAIN_AFTER_MS : undefined);
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

/** The price that the trigger was compared with. */
function reference(context: Context): string {
  return `${price(context, context.result.bound)}, the price it is measured by`;
}

function range(context: Context, field: string): string {
  return `${field} must lie between ${tick(context)} and ${price(context, context.result.bound)}`;
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

function available({ state, result }: Context): string {
  const coin = result.coin === undefined ? '' : ` ${state.coins[result.coin]!.coin}`;
  return `${formatMoney(result.available ?? 0n)}${coin}`;
}
