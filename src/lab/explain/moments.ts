/** Events of the core as moments of a timeline. */

import { amountText, type Facts } from '../../core/explain/figures.ts';
import {
  CANCEL_REASON_NAMES,
  ORDER_STATUS_NAMES,
  OrderKind,
  SIDE_NAMES,
  STRATEGY_REASON_NAMES,
  STRATEGY_STATUS_NAMES,
} from '../../core/model/enums.ts';
import type { Event, FillRecord, LedgerLine, OrderRecord } from '../../core/model/event.ts';
import { formatOrderId } from '../../core/model/order-id.ts';
import { formatMoney, formatUnits } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';
import type { Moment } from './explanation.ts';
import { describeLoan } from './loan-moments.ts';
import { STEPS, stepOf } from './steps.ts';

const KINDS: Readonly<Record<OrderKind, string>> = {
  [OrderKind.user]: 'fill',
  [OrderKind.offset]: 'hedged pair closed against itself at the mark',
  [OrderKind.reduce]: 'position cut by tiers',
  [OrderKind.liquidation]: 'position closed by liquidation',
  [OrderKind.adl]: 'position closed by deleveraging',
  [OrderKind.delivery]: 'position delivered',
  [OrderKind.delisting]: 'position closed because the contract ended',
  [OrderKind.move]: 'position moved',
};

export function fillFacts(state: State, fill: FillRecord): Facts {
  const { symbol, pricePrecision, quantityPrecision } = state.instruments[fill.instrument]!;
  return {
    orderId: formatOrderId(fill.orderId),
    fill: formatOrderId(fill.execId),
    symbol,
    side: SIDE_NAMES[fill.side],
    role: fill.maker ? 'maker' : 'taker',
    price: formatUnits(BigInt(fill.priceTicks), pricePrecision),
    qty: formatUnits(BigInt(fill.sizeLots), quantityPrecision),
    value: formatMoney(fill.value),
    fee: `${formatMoney(fill.fee)} ${state.coins[fill.feeCoin]!.coin}`,
    ...(fill.futures?.closing === true && { profit: formatMoney(fill.futures.pnl) }),
  };
}

function orderFacts(state: State, order: OrderRecord): Facts {
  const { symbol, pricePrecision, quantityPrecision } = state.instruments[order.instrument]!;
  const cancelled = CANCEL_REASON_NAMES[order.cancelReason];
  return {
    orderId: formatOrderId(order.orderId),
    symbol,
    side: SIDE_NAMES[order.side],
    price: formatUnits(BigInt(order.priceTicks), pricePrecision),
    qty: formatUnits(BigInt(order.sizeLots), quantityPrecision),
    filled: formatUnits(BigInt(order.filledLots), quantityPrecision),
    status: ORDER_STATUS_NAMES[order.status],
    ...(cancelled !== '' && { cancelReason: cancelled }),
  };
}

/** An event and where it stands. */
export interface Happened {
  readonly state: State;
  readonly event: Event;
  readonly seq: number;
  /** Did a liquidation of the account begin before it, in the same command? */
  readonly inside?: boolean;
  /** Of the forced close that it belongs to, or of the fund that pays. */
  readonly terms?: Facts;
}

/** What an event says about an account; undefined when it is about another or not worth a line. */
export function momentOf(happened: Happened, uid: number): Moment | undefined {
  const { event, seq, inside = false, terms = {} } = happened;
  const report = reportOf(happened, uid);
  if (report === undefined) return undefined;
  const step = stepOf(event, inside, terms.budget !== undefined);
  const { time, what } = report;
  if (step === undefined) return { time, seq, what, facts: report.facts };
  const facts = { ...report.facts, ...terms };
  return { time, seq, what, facts, ...STEPS[step](facts) };
}

/** The account that an event is about; undefined when it is about none. */
export function uidOf(event: Event): number | undefined {
  if (event.type === 'order' || event.type === 'strategyOrder') return event.order.uid;
  if (event.type === 'fill') return event.fill.uid;
  if (event.type === 'transfer') return event.fromUid;
  return 'uid' in event ? event.uid : undefined;
}

interface Report {
  readonly time: number;
  readonly what: string;
  readonly facts: Facts;
}

function reportOf({ state, event, inside, terms }: Happened, uid: number): Report | undefined {
  const at = (time: number, what: string, facts: Facts): Report => ({ time, what, facts });
  const money = (coin: number, amount: bigint) => amountText(state, coin, amount);
  switch (event.type) {
    case 'order': {
      const { order } = event;
      if (order.uid !== uid) return undefined;
      return at(order.updatedTime, `order ${ORDER_STATUS_NAMES[order.status]}`, orderFacts(state, order));
    }
    case 'strategyOrder': {
      const { order } = event;
      if (order.uid !== uid || inside !== true) return undefined;
      const facts = {
        orderId: formatOrderId(order.orderId),
        cancelReason: STRATEGY_REASON_NAMES[order.reason],
      };
      return at(order.updatedTime, `strategy order ${STRATEGY_STATUS_NAMES[order.status]}`, facts);
    }
    case 'fill': {
      const { fill } = event;
      if (fill.uid !== uid) return undefined;
      return at(fill.time, KINDS[fill.futures?.kind ?? OrderKind.user], fillFacts(state, fill));
    }
    case 'conversion':
      if (event.uid !== uid) return undefined;
      return at(event.time, event.forced ? 'coins sold for a debt' : 'coins converted', {
        sold: money(event.fromCoin, event.fromAmount),
        repaid: money(event.toCoin, event.toAmount),
      });
    case 'transfer':
      // Without initiator: what the account owed was taken (rules 16.2).
      if (event.fromUid !== uid || event.initiatorUid !== 0) return undefined;
      return at(event.time, 'taken from the funding wallet for a debt', {
        amount: money(event.coin, event.amount),
      });
    case 'loan':
    case 'loanRepaid':
    case 'loanNotice':
    case 'pledgeRevised':
    case 'loanReduced':
      return event.uid === uid ? describeLoan(state, event) : undefined;
    case 'ledgerLine':
      if (event.uid !== uid) return undefined;
      return describeLine(state, event, inside === true, terms?.budget !== undefined);
    case 'riskWarning':
      if (event.uid !== uid) return undefined;
      return at(event.time, 'warning: the margin ratio is high', {
        equity: formatMoney(event.effective),
        maintenance: formatMoney(event.maintenance),
      });
    case 'positionClosed': {
      if (event.uid !== uid) return undefined;
      const { symbol } = state.instruments[event.instrument]!;
      const { realised, funding, openFee, closeFee } = event;
      const sums = { realised, funding, openFee, closeFee };
      return at(event.updatedTime, 'position ended', {
        symbol,
        ...Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, formatMoney(sum)])),
      });
    }
    default:
      return undefined;
  }
}

function describeLine(state: State, line: LedgerLine, inside: boolean, closed: boolean): Report | undefined {
  const { time, kind, coin, amount, balance } = line;
  const facts = { amount: amountText(state, coin, amount), balance: amountText(state, coin, balance) };
  if (kind === 'liquidation')
    return {
      time,
      what: amount > 0n ? 'the insurance fund paid' : 'the insurance fund took what was left',
      facts,
    };
  if (kind !== 'marginAdded' || !inside) return undefined;
  const added = { ...facts, amount: amountText(state, coin, -amount) };
  const what = closed ? 'a loss that nobody pays is owed' : 'margin added to the isolated position';
  return { time, what, facts: added };
}
