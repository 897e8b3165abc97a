/** What is over: orders, fills and movements of money, page by page. */
import { useSignal } from '@preact/signals';
import { Select } from '../parts/choice.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { fixed, signed, toneOf } from '../wire/format.ts';
import { CATEGORIES, type Category, type Fill, type Order } from '../wire/types.ts';
import { fills, orders } from './account.ts';
import { categoryName, isHere, SideCell, sideWord, symbolColumn, timeColumn, words } from './list-cells.tsx';
import type { ListProps } from './lists.tsx';
import { instrument } from './market.ts';
import { type Paged, usePages } from './paged.ts';
import { digitsOf } from './venue.ts';

interface HistoryProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly pages: Paged<Row>;
  readonly keyOf: (row: Row) => string;
  readonly empty: string;
  readonly category?: Category;
  readonly onCategory?: (category: Category) => void;
}

export function History<Row>({
  label,
  columns,
  pages,
  keyOf,
  empty,
  category,
  onCategory,
}: HistoryProps<Row>) {
  return (
    <div class="history">
      {category !== undefined && onCategory !== undefined && (
        <div class="history-bar">
          <Select
            label="Category"
            options={CATEGORIES.map((each) => [each, categoryName(each)])}
            value={category}
            onChange={onCategory}
          />
        </div>
      )}
      <Table
        label={label}
        columns={columns}
        rows={pages.rows}
        keyOf={keyOf}
        empty={pages.loading ? 'Loading…' : empty}
      />
      {pages.more !== undefined && (
        <button type="button" class="more" onClick={pages.more}>
          Older
        </button>
      )}
    </div>
  );
}

/** The category of the open instrument, until another is chosen. */
function useCategory(): readonly [Category, (category: Category) => void] {
  const chosen = useSignal<Category | undefined>(undefined);
  return [
    chosen.value ?? instrument.value?.category ?? 'USDT-FUTURES',
    (category) => {
      chosen.value = category;
    },
  ];
}

const ORDER_COLUMNS: readonly Column<Order>[] = [
  timeColumn<Order>(({ updatedTime }) => updatedTime),
  symbolColumn<Order>(),
  {
    name: 'Side',
    cell: ({ side, category, reduceOnly }) => (
      <SideCell side={side}>{sideWord(side, category, /yes/i.test(reduceOnly))}</SideCell>
    ),
  },
  {
    name: 'Type',
    cell: ({ orderType, delegateType = '' }) =>
      /normal|market/.test(delegateType) ? orderType : words(delegateType),
  },
  {
    name: 'Price',
    number: true,
    cell: ({ price, orderType, category, symbol }) =>
      orderType === 'market' ? 'market' : fixed(price, digitsOf(category, symbol).price),
  },
  {
    name: 'Average',
    number: true,
    cell: ({ avgPrice, category, symbol }) => fixed(avgPrice, digitsOf(category, symbol).price),
  },
  { name: 'Filled', number: true, cell: ({ cumExecQty, qty }) => `${cumExecQty} of ${qty}` },
  {
    name: 'Status',
    cell: ({ orderStatus, cancelReason = '' }) =>
      `${words(orderStatus)}${cancelReason === '' || cancelReason === 'none' ? '' : ` (${words(cancelReason)})`}`,
  },
  { name: 'Id', number: true, cell: ({ orderId }) => <small>{orderId.slice(-7)}</small> },
];

export function OrdersList({ here }: ListProps) {
  const [category, setCategory] = useCategory();
  const pages = usePages<Order>(
    'trade/history-orders',
    { category, ...(here && { symbol: instrument.value!.symbol }) },
    orders.value,
  );
  return (
    <History
      label="Order history"
      columns={ORDER_COLUMNS}
      pages={pages}
      keyOf={({ orderId }) => orderId}
      category={category}
      onCategory={setCategory}
      empty="No finished orders in this category."
    />
  );
}

const FILL_COLUMNS: readonly Column<Fill>[] = [
  timeColumn<Fill>(({ execTime, createdTime }) => execTime ?? createdTime),
  symbolColumn<Fill>(),
  { name: 'Side', cell: ({ side }) => <SideCell side={side}>{side === 'buy' ? 'Buy' : 'Sell'}</SideCell> },
  {
    name: 'Price',
    number: true,
    cell: ({ execPrice, category, symbol }) => fixed(execPrice, digitsOf(category, symbol).price),
  },
  {
    name: 'Size',
    number: true,
    cell: ({ execQty, category, symbol }) => fixed(execQty, digitsOf(category, symbol).size),
  },
  { name: 'Role', cell: ({ tradeScope }) => tradeScope },
  {
    name: 'Fee',
    number: true,
    cell: ({ feeDetail }) => feeDetail.map(({ fee, feeCoin }) => `${fee} ${feeCoin}`).join(' '),
  },
  {
    name: 'Result',
    number: true,
    cell: ({ execPnl }) => <span class={toneOf(execPnl)}>{signed(execPnl, 2)}</span>,
  },
];

export function FillsList({ here }: ListProps) {
  const rows = here ? fills.value.filter(isHere) : fills.value;
  return (
    <Table
      label="Fills"
      columns={FILL_COLUMNS}
      rows={rows}
      keyOf={({ execId }) => execId}
      empty="No fills yet."
    />
  );
}

export interface LedgerRow {
  readonly id: string;
  readonly category: Category;
  readonly symbol: string;
  readonly coin: string;
  readonly type: string;
  readonly amount: string;
  readonly fee: string;
  readonly balance: string;
  readonly ts: string;
}

const LEDGER_COLUMNS: readonly Column<LedgerRow>[] = [
  timeColumn<LedgerRow>(({ ts }) => ts),
  { name: 'Type', cell: ({ type }) => words(type) },
  { name: 'Symbol', cell: ({ symbol }) => symbol || '–' },
  { name: 'Coin', cell: ({ coin }) => coin },
  { name: 'Amount', number: true, cell: ({ amount }) => <span class={toneOf(amount)}>{amount}</span> },
  { name: 'Fee', number: true, cell: ({ fee }) => fee },
  { name: 'Balance', number: true, cell: ({ balance }) => balance },
];

export function LedgerList({ here }: ListProps) {
  const [category, setCategory] = useCategory();
  const pages = usePages<LedgerRow>(
    'account/financial-records',
    { category, ...(here && { symbol: instrument.value!.symbol }) },
    fills.value.length,
  );
  return (
    <History
      label="Ledger"
      columns={LEDGER_COLUMNS}
      pages={pages}
      keyOf={({ id }) => id}
      category={category}
      onCategory={setCategory}
      empty="No movements of money in this category."
    />
  );
}
