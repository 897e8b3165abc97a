/** Open positions. */
import { type Column, Table } from '../parts/table.tsx';
import { amount, sign } from '../wire/decimal.ts';
import { fixed, signed, signedPercent, toneOf } from '../wire/format.ts';
import type { Position } from '../wire/types.ts';
import { positions, strategies } from './account.ts';
import { isHere, SideCell, symbolColumn } from './list-cells.tsx';
import type { ListProps } from './lists.tsx';
import { digitsOf } from './venue.ts';
import { positionWindow } from './windows.ts';

const price = (of: (row: Position) => string) => (row: Position) =>
  sign(amount(of(row))) === 0 ? '–' : fixed(of(row), digitsOf(row.category, row.symbol).price);

/** Whole-position take-profit and stop-loss of a position. */
export const protectionOf = ({ category, symbol, posSide }: Position) =>
  strategies.value.find(
    (each) =>
      each.category === category &&
      each.symbol === symbol &&
      each.posSide === posSide &&
      (each.takeProfit !== '' || each.stopLoss !== ''),
  );

function Protection({ row }: { readonly row: Position }) {
  const found = protectionOf(row);
  const digits = digitsOf(row.category, row.symbol).price;
  const text = (value: string | undefined) =>
    value === undefined || value === '' ? '–' : fixed(value, digits);
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        positionWindow.value = { position: row, what: 'protect' };
      }}
    >
      <span class="sr">Take-profit and stop-loss of {row.symbol}: </span>
      {text(found?.takeProfit)} / {text(found?.stopLoss)}
    </button>
  );
}

const COLUMNS: readonly Column<Position>[] = [
  symbolColumn<Position>(),
  {
    name: 'Side',
    cell: ({ posSide, leverage, marginMode }) => (
      <SideCell side={posSide}>
        {posSide === 'long' ? '▲ Long' : '▼ Short'}{' '}
        <small>{`${leverage}× ${marginMode === 'crossed' ? 'cross' : 'iso'}`}</small>
      </SideCell>
    ),
  },
  { name: 'Size', number: true, cell: ({ size }) => fixed(size, amount(size).scale) },
  { name: 'Entry', number: true, cell: price(({ avgPrice }) => avgPrice) },
  { name: 'Mark', number: true, cell: price(({ markPrice }) => markPrice) },
  {
    name: 'Liq.',
    number: true,
    cell: (row) => <span class="warn">{price(({ liqPrice }) => liqPrice)(row)}</span>,
  },
  {
    name: 'Unrealised',
    number: true,
    cell: ({ unrealisedPnl, profitRate, marginCoin, category }) => (
      <span class={toneOf(unrealisedPnl)}>
        {signed(unrealisedPnl, category === 'COIN-FUTURES' ? 6 : 2)}{' '}
        <small>
          {marginCoin} {signedPercent(profitRate, 1)}
        </small>
      </span>
    ),
  },
  {
    name: 'Realised',
    number: true,
    cell: ({ curRealisedPnl, category }) => (
      <span class={toneOf(curRealisedPnl)}>
        {signed(curRealisedPnl, category === 'COIN-FUTURES' ? 6 : 2)}
      </span>
    ),
  },
  { name: 'TP / SL', number: true, cell: (row) => <Protection row={row} /> },
  {
    name: 'Actions',
    cell: (position) => (
      <span class="actions">
        {position.marginMode === 'isolated' && (
          <button
            type="button"
            onClick={() => {
              positionWindow.value = { position, what: 'margin' };
            }}
          >
            Margin
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            positionWindow.value = { position, what: 'close' };
          }}
        >
          Close
        </button>
      </span>
    ),
  },
];

export function PositionsList({ here }: ListProps) {
  const rows = here ? positions.value.filter(isHere) : positions.value;
  return (
    <Table
      label="Positions"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ symbol, posSide }) => `${symbol} ${posSide}`}
      empty="No open positions. Futures orders that fill become positions here."
    />
  );
}
