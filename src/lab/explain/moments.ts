/** Events of the core as moments of a timeline. */

import type { Facts } from '../../core/explain/figures.ts';
import { CANCEL_REASON_NAMES, ORDER_STATUS_NAMES, OrderKind, SIDE_NAMES } from '../../core/model/enums.ts';
import type { Event, FillRecord, OrderRecord } from '../../core/model/event.ts';
import { formatOrderId } from '../../core/model/order-id.ts';
import { formatMoney, formatUnits } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';
import type { Moment } from './explanation.ts';

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

/** What an event says about an account; undefined when it is about another or not worth a line. */
export function momentOf(state: State, event: Event, uid: number, seq: number): Moment | undefined {
  const at = (time: number, what: string, facts: Facts): Moment => ({ time, seq, what, facts });
  const money = (coin: number, amount: bigint) => `${formatMoney(amount)} ${state.coins[coin]!.coin}`;
  switch (event.type) {
    case 'order': {
      const { order } = event;
      if (order.uid !== uid) return undefined;
      return at(order.updatedTime, `order ${ORDER_STATUS_NAMES[order.status]}`, orderFacts(state, order));
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
    case 'pledgeRevised':
      if (event.uid !== uid) return undefined;
      return at(event.time, event.into ? 'pledge added to a loan' : 'pledge of a loan released', {
        amount: money(event.pledgeCoin, event.amount),
      });
    case 'loanReduced':
      if (event.uid !== uid) return undefined;
      return at(event.time, 'loan closed by force', {
        sold: money(event.pledgeCoin, event.sold),
        repaid: money(event.loanCoin, event.paid),
        fee: money(event.loanCoin, event.fee),
        released: money(event.pledgeCoin, event.unlocked),
      });
    case 'ledgerLine': {
      if (event.uid !== uid || event.kind !== 'liquidation') return undefined;
      const what = event.amount > 0n ? 'the insurance fund paid' : 'the insurance fund took what was left';
      return at(event.time, what, {
        amount: money(event.coin, event.amount),
        balance: money(event.coin, event.balance),
      });
    }
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
