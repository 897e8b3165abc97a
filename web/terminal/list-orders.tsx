/** Orders in the book, and orders that wait for a trigger. */
import { type Column, Table } from '../parts/table.tsx';
import { fixed } from '../wire/format.ts';
import type { Order, StrategyOrder } from '../wire/types.ts';
import { orders, strategies } from './account.ts';
import { cancelOrder, cancelStrategy } from './actions.ts';
import { highlighted } from './chart-lines.tsx';
import { isHere, SideCell, sideWord, symbolColumn, timeColumn, words } from './list-cells.tsx';
import type { ListProps } from './lists.tsx';
import { digitsOf } from './venue.ts';

const hover = (row: { readonly orderId: string } | undefined) => {
  highlighted.value = row?.orderId;
};

const ORDER_COLUMNS: readonly Column<Order>[] = [
  timeColumn<Order>(({ createdTime }) => createdTime),
  symbolColumn<Order>(),
  {
    name: 'Side',
    cell: ({ side, category, reduceOnly }) => (
      <SideCell side={side}>{sideWord(side, category, /yes/i.test(reduceOnly))}</SideCell>
    ),
  },
  { name: 'Type', cell: ({ orderType, timeInForce }) => `${orderType} ${words(timeInForce)}` },
  {
    name: 'Price',
    number: true,
    cell: ({ price, category, symbol }) => fixed(price, digitsOf(category, symbol).price),
  },
  {
    name: 'Size',
    number: true,
    cell: ({ qty, category, symbol }) => fixed(qty, digitsOf(category, symbol).size),
  },
  {
    name: 'Filled',
    number: true,
    cell: ({ cumExecQty, category, symbol }) => fixed(cumExecQty, digitsOf(category, symbol).size),
  },
  {
    name: 'Actions',
    cell: (order) => (
      <span class="actions">
        <button
          type="button"
          aria-label={`Cancel order ${order.orderId}`}
          onClick={() => void cancelOrder(order)}
        >
          Cancel
        </button>
      </span>
    ),
  },
];

export function OpenOrders({ here }: ListProps) {
  const rows = here ? orders.value.filter(isHere) : orders.value;
  return (
    <Table
      label="Open orders"
      columns={ORDER_COLUMNS}
      rows={rows}
      keyOf={({ orderId }) => orderId}
      onHover={hover}
      empty="No open orders."
    />
  );
}

function condition({
  triggerPrice,
  triggerBy,
  callbackRatio,
  takeProfit,
  stopLoss,
  category,
  symbol,
}: StrategyOrder): string {
  const digits = digitsOf(category, symbol).price;
  const by = triggerBy === 'mark' ? 'mark' : 'last';
  if (takeProfit !== '' || stopLoss !== '')
    return [
      takeProfit !== '' && `TP ${fixed(takeProfit, digits)}`,
      stopLoss !== '' && `SL ${fixed(stopLoss, digits)}`,
    ]
      .filter(Boolean)
      .join(' · ');
  const from = triggerPrice === '' ? '' : `${by} ${fixed(triggerPrice, digits)}`;
  if (callbackRatio !== undefined && callbackRatio !== '')
    return `trails ${callbackRatio} %${from === '' ? '' : ` from ${from}`}`;
  return from;
}

function kind({ takeProfit, stopLoss, callbackRatio }: StrategyOrder): string {
  if (takeProfit !== '' || stopLoss !== '') return 'TP/SL';
  return callbackRatio !== undefined && callbackRatio !== '' ? 'trailing' : 'trigger';
}

const TRIGGER_COLUMNS: readonly Column<StrategyOrder>[] = [
  timeColumn<StrategyOrder>(({ createdTime }) => createdTime),
  symbolColumn<StrategyOrder>(),
  { name: 'Type', cell: kind },
  { name: 'Side', cell: ({ side }) => <SideCell side={side}>{side === 'buy' ? 'Buy' : 'Sell'}</SideCell> },
  { name: 'Waits for', number: true, cell: condition },
  {
    name: 'Then',
    number: true,
    cell: ({ triggerOrderType, triggerOrderPrice, category, symbol }) =>
      triggerOrderType === 'limit'
        ? `limit ${fixed(triggerOrderPrice, digitsOf(category, symbol).price)}`
        : 'market',
  },
  { name: 'Size', number: true, cell: ({ qty }) => (qty === '' || qty === '0' ? 'whole position' : qty) },
  {
    name: 'Actions',
    cell: (order) => (
      <span class="actions">
        <button
          type="button"
          aria-label={`Cancel order ${order.orderId}`}
          onClick={() => void cancelStrategy(order)}
        >
          Cancel
        </button>
      </span>
    ),
  },
];

export function Triggers({ here }: ListProps) {
  const rows = here ? strategies.value.filter(isHere) : strategies.value;
  return (
    <Table
      label="Orders that wait for a trigger"
      columns={TRIGGER_COLUMNS}
      rows={rows}
      keyOf={({ orderId }) => orderId}
      onHover={hover}
      empty="Nothing waits for a trigger."
    />
  );
}
