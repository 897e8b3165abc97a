/** Cells that several lists share. */
import type { ComponentChildren } from 'preact';
import type { Column } from '../parts/table.tsx';
import { dateTime } from '../wire/format.ts';
import { type Category, isFutures } from '../wire/types.ts';
import { instrument, openInstrument } from './market.ts';

interface Traded {
  readonly category: Category;
  readonly symbol: string;
}

const SHORT: Readonly<Record<Category, string>> = {
  SPOT: 'spot',
  MARGIN: 'margin',
  'USDT-FUTURES': 'perp',
  'COIN-FUTURES': 'coin-m',
  'USDC-FUTURES': 'USDC',
};

export const categoryName = (category: Category): string => SHORT[category] ?? category;

export function SymbolCell({ category, symbol }: Traded) {
  return (
    <button type="button" class="link symbol" onClick={() => openInstrument(category, symbol)}>
      {symbol} <small>{categoryName(category)}</small>
    </button>
  );
}

export const SideCell = ({
  side,
  children,
}: {
  readonly side: string;
  readonly children?: ComponentChildren;
}) => <span class={side === 'buy' || side === 'long' ? 'up' : 'down'}>{children ?? side}</span>;

export const symbolColumn = <Row extends Traded>(): Column<Row> => ({
  name: 'Symbol',
  cell: ({ category, symbol }) => <SymbolCell category={category} symbol={symbol} />,
});

export const timeColumn = <Row,>(of: (row: Row) => string | undefined): Column<Row> => ({
  name: 'Time UTC',
  cell: (row) => <time>{dateTime(Number(of(row) ?? 0))}</time>,
});

export function isHere({ category, symbol }: Traded): boolean {
  const open = instrument.value;
  return category === open?.category && symbol === open?.symbol;
}

export const words = (text: string): string => text.replaceAll('_', ' ').toLowerCase();
export const sideWord = (side: string, category: Category, reduce: boolean): string =>
  `${side === 'buy' ? 'Buy' : 'Sell'}${isFutures(category) && reduce ? ' · reduce' : ''}`;
