/**
 * The checks of a new order as a table of named steps, in the order of rules 1.2. Each step calls the function that the entry
 * of orders calls; entry itself is a chain of them, because every order passes it. A property test holds the two together.
 */

import { NIL } from '../book/order-slab.ts';
import {
  asReduceOnly,
  checkClientOid,
  checkCounts,
  checkRpi,
  checkTpsl,
  isLegalCombination,
  isQuoteSized,
  needsPosSide,
  statusRejectReason,
} from '../entry/pre-trade-checks.ts';
import { planFuturesOrder } from '../futures/futures-entry.ts';
import { closeLimit } from '../futures/opening-checks.ts';
import { owesBeyondMeans } from '../margin/bad-debt.ts';
import { checkSpending } from '../margin/spending-check.ts';
import type { PlaceOrder } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { HoldMode, OrderType, PosSide, Side, TimeInForce } from '../model/enums.ts';
import { payableAmount } from '../model/instrument.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { isEmpty } from '../model/tpsl.ts';
import {
  checkAmount,
  checkBand,
  checkPrice,
  checkQuoteAmount,
  checkSize,
  referenceTicks,
} from '../orders/order-checks.ts';
import type { OrderContext } from '../orders/order-context.ts';
import type { TriggeredBy } from '../state/strategy-order.ts';
import type { ReasonName } from './rejection.ts';
import { type Check, REJECTIONS, reasonName } from './rejections.ts';
import { ofOrder, type Subject } from './subject.ts';

/** An order before its checks. */
interface Entry extends OrderContext {
  readonly command: PlaceOrder;
  readonly closesAll: boolean;
  /** What the checks of positions and margin come to, once for all of their steps. */
  readonly plan: CommandResult | undefined;
  readonly closing: boolean;
}

interface Step {
  /** The reasons that it may reject with; when it passes, the first of them describes it, or `as`. */
  readonly reasons: readonly ReasonName[];
  readonly as?: { readonly check: string; readonly bounds: readonly ReasonName[] };
  readonly applies?: (entry: Entry) => boolean;
  readonly check: (entry: Entry) => CommandResult | undefined;
}

const onlyIf = (fails: boolean, reason: RejectReason) => (fails ? rejected(reason) : undefined);
const isContract = ({ instrument }: Entry) => instrument.futures !== undefined;
const isLimit = ({ command }: Entry) => command.orderType === OrderType.limit;
const byAmount = ({ instrument, command }: Entry) => isQuoteSized(instrument, command);
const bySize = (entry: Entry) => !byAmount(entry);
const isClosing = (entry: Entry) => isContract(entry) && entry.closing;
const isOpening = (entry: Entry) => isContract(entry) && !entry.closing;
const hasPreset = ({ command: { preset } }: Entry) => preset !== undefined && !isEmpty(preset);

/** Does it reduce a position? */
function reduces({ state, account, instrument, command }: Entry): boolean {
  const posSide = account.holdMode === HoldMode.hedge ? (command.posSide ?? PosSide.none) : PosSide.none;
  return (
    instrument.futures !== undefined &&
    closeLimit(state, account, instrument, command.side, posSide) !== undefined
  );
}

const maxLots = ({ instrument, command }: Entry) =>
  command.orderType === OrderType.limit ? instrument.maxLots : instrument.maxMarketLots;

/** The rest of a position may be below the minimum of an order. */
function sizeOf(entry: Entry): CommandResult | undefined {
  const { instrument, command, closesAll } = entry;
  const most = maxLots(entry);
  if (!closesAll) return checkSize(instrument, command.sizeLots, most);
  return most !== 0 && command.sizeLots > most ? rejected(RejectReason.sizeTooLarge, most) : undefined;
}

function worth({ instrument, market, command }: Entry): CommandResult | undefined {
  const limit = command.orderType === OrderType.limit;
  const ticks = limit ? command.priceTicks : referenceTicks(instrument, market);
  return checkAmount(instrument, ticks, command.sizeLots);
}

/** A step of positions, money and margin: they are computed together, and each step is found by its reasons. */
function planned(reasons: readonly ReasonName[], applies?: (entry: Entry) => boolean): Step {
  const own = new Set(reasons.map((name) => RejectReason[name] as RejectReason));
  const check = ({ plan }: Entry) => (plan !== undefined && own.has(plan.rejectReason) ? plan : undefined);
  return { reasons, check, ...(applies !== undefined && { applies }) };
}

const STATUS: readonly ReasonName[] = [
  'instrumentListed',
  'instrumentOffline',
  'openingRestricted',
  'closingRestricted',
  'apiRestricted',
  'deliveryNear',
  'staleIndexPrice',
];
const PRESET: readonly ReasonName[] = [
  'longTakeProfitByLast',
  'longStopLossByLast',
  'shortTakeProfitByLast',
  'shortStopLossByLast',
  'longTakeProfitByMark',
  'longStopLossByMark',
  'shortTakeProfitByMark',
  'shortStopLossByMark',
  'takeProfitNotPositive',
  'stopLossNotPositive',
  'takeProfitLimitNotPositive',
  'stopLossLimitNotPositive',
  'takeProfitOffTick',
  'stopLossOffTick',
  'takeProfitLimitOffTick',
  'stopLossLimitOffTick',
  'presetNotOpening',
  'tooManyStrategies',
];

const STEPS: readonly Step[] = [
  { reasons: ['tradingHalted'], check: ({ state }) => onlyIf(state.halted, RejectReason.tradingHalted) },
  {
    reasons: STATUS,
    as: { check: 'the status of the instrument lets it in', bounds: ['openingRestricted'] },
    check: (entry) => {
      const reason = statusRejectReason(entry, entry.command);
      return onlyIf(reason !== RejectReason.none, reason);
    },
  },
  {
    reasons: ['accountLiquidating'],
    check: ({ account }) => onlyIf(account.liquidating, RejectReason.accountLiquidating),
  },
  {
    reasons: ['illegalCombination'],
    check: ({ instrument, command }) =>
      onlyIf(!isLegalCombination(instrument, command), RejectReason.illegalCombination),
  },
  {
    reasons: ['positionSideNeeded'],
    applies: isContract,
    check: ({ account, command }) => onlyIf(needsPosSide(account, command), RejectReason.positionSideNeeded),
  },
  {
    reasons: ['noIndexPrice'],
    applies: isContract,
    check: ({ market }) => onlyIf(market.futures?.markTicks === 0, RejectReason.noIndexPrice),
  },
  {
    reasons: ['belowMinimumAmount', 'amountOffPrecision', 'amountOutOfRange'],
    applies: byAmount,
    check: ({ instrument, command }) => checkQuoteAmount(instrument, command.quoteAmount),
  },
  {
    reasons: ['priceOffTick', 'priceOutOfRange'],
    as: { check: 'the price is on the tick and in range', bounds: ['priceOffTick', 'priceOutOfRange'] },
    applies: (entry) => isLimit(entry) && bySize(entry),
    check: ({ instrument, command }) => checkPrice(instrument, command.priceTicks),
  },
  {
    reasons: ['sizeTooSmall', 'sizeOffStep', 'sizeTooLarge'],
    as: {
      check: 'the quantity is on the step and in range',
      bounds: ['sizeOffStep', 'sizeTooSmall', 'sizeTooLarge'],
    },
    applies: bySize,
    check: sizeOf,
  },
  {
    reasons: ['belowMinimumAmount'],
    applies: (entry) => bySize(entry) && !entry.closesAll,
    check: worth,
  },
  {
    reasons: ['buyAboveBand', 'sellBelowBand'],
    applies: (entry) => isLimit(entry) && bySize(entry),
    check: ({ instrument, market, command }) =>
      checkBand(instrument, market, command.side, command.priceTicks),
  },
  {
    reasons: ['rpiNotAllowed'],
    applies: ({ command }) => command.timeInForce === TimeInForce.rpi,
    check: ({ account, command }) => checkRpi(account, command),
  },
  {
    reasons: ['tooManyOpenOrders'],
    check: ({ state, account, instrument }) => checkCounts(state, account, instrument),
  },
  {
    reasons: ['clientOidInUse'],
    applies: ({ command }) => command.clientOid !== '',
    check: ({ state, account, command }) => checkClientOid(state, account, command.clientOid),
  },
  planned(['noPositionToClose', 'closesWrongWay', 'closeAboveAvailable'], isClosing),
  planned(['insufficientMargin'], (entry) => isOpening(entry) && owesBeyondMeans(entry.state, entry.account)),
  planned(['aboveTier'], isOpening),
  planned(['tooManyPositions'], (entry) => isOpening(entry) && entry.instrument.maxPositions === 1),
  planned(PRESET, hasPreset),
  planned(['insufficientMargin'], isOpening),
  planned(
    ['insufficientBalance', 'noCoinPrice', 'insufficientMargin', 'riskTooHigh'],
    (entry) => !isContract(entry),
  ),
  planned(['riskTooHigh'], isOpening),
  planned(['sellBeyondBankruptcy', 'buyBeyondBankruptcy'], (entry) => isLimit(entry) && reduces(entry)),
];

/** What the checks of positions, money and margin come to. */
function planOf(context: OrderContext, command: PlaceOrder, precedence: boolean): CommandResult | undefined {
  const { state, account, instrument } = context;
  const attached = checkTpsl(context, command);
  if (instrument.futures !== undefined) {
    const plan = planFuturesOrder(context, command, { precedence, attached });
    return 'rejectReason' in plan ? plan : undefined;
  }
  const { side, priceTicks, sizeLots, quoteAmount } = command;
  const need = isQuoteSized(instrument, command)
    ? quoteAmount
    : payableAmount(instrument, side, priceTicks, sizeLots);
  return attached ?? checkSpending(state, account, instrument, side, priceTicks, need, NIL);
}

/** May the order only make a position smaller? */
export function closes(
  { account, instrument }: Pick<OrderContext, 'account' | 'instrument'>,
  { side, posSide, reduceOnly }: PlaceOrder,
): boolean {
  if (instrument.futures === undefined) return false;
  if (account.holdMode === HoldMode.oneWay) return reduceOnly === true;
  return (side === Side.buy) !== (posSide === PosSide.long);
}

/** Which of a step's reasons describes it when it passes. */
function describing({ reasons }: Step, { command }: Entry): ReasonName {
  const sell = reasons.find((name) => /^sell/.test(name));
  const buy = reasons.find((name) => /^buy/.test(name));
  return (command.side === Side.buy ? buy : sell) ?? reasons[0]!;
}

/** All checks of an order; those behind the one that rejects are not reached. */
export function checksOf(
  context: OrderContext,
  given: PlaceOrder,
  triggeredBy: TriggeredBy | undefined,
): Check[] {
  const { state, account, instrument } = context;
  const command = instrument.futures === undefined ? given : asReduceOnly(account, instrument, given);
  const entry = {
    ...context,
    command,
    closesAll: triggeredBy?.closesAll ?? false,
    closing: closes(context, command),
  };
  let plan: { readonly result: CommandResult | undefined } | undefined;
  const lazily: Entry = {
    ...entry,
    // Sizes off the grid have no margin: it is computed when the checks before it have passed.
    get plan() {
      plan ??= { result: planOf(context, command, triggeredBy?.takesPrecedence ?? false) };
      return plan.result;
    },
  };
  const subject: Omit<Subject, 'result'> = {
    state,
    command,
    uid: account.uid,
    account,
    receiver: undefined,
    instrument,
    order: ofOrder(instrument, command),
    slot: NIL,
    strategy: undefined,
    coin: undefined,
    amount: undefined,
  };
  const checks: Check[] = [];
  let failed = false;
  for (const step of STEPS) {
    if (step.applies?.(lazily) === false) continue;
    if (failed) {
      const { check, rule } = REJECTIONS[describing(step, lazily)];
      checks.push({ check: step.as?.check ?? check, rule, inputs: {}, bound: '', verdict: 'not reached' });
      continue;
    }
    const result = step.check(lazily);
    failed = result !== undefined;
    checks.push(checkOf(step, lazily, { ...subject, result: result ?? rejected(RejectReason.none) }));
  }
  return checks;
}

function checkOf(step: Step, entry: Entry, subject: Subject): Check {
  const { rejectReason } = subject.result;
  const isRejected = rejectReason !== RejectReason.none;
  const reason = isRejected ? reasonName(rejectReason) : describing(step, entry);
  const { check, rule, inputs, bound, right } = REJECTIONS[reason];
  if (isRejected)
    return {
      check,
      rule,
      inputs: inputs(subject),
      bound: bound(subject),
      verdict: 'refused',
      reason,
      rightWouldBe: right(subject),
    };
  const bounds = step.as?.bounds ?? [reason];
  return {
    check: step.as?.check ?? check,
    rule,
    inputs: inputs(subject),
    bound: bounds.map((name) => REJECTIONS[name].bound(subject)).join(', '),
    verdict: 'passed',
  };
}
