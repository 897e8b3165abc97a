/**
 * A table of records; without the room for it each becomes a card. Of long lists only the rows in view are in the page: the space of
 * the others is kept above and below.
 */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

export interface Column<Row> {
  readonly name: string;
  /** Numbers stand to the right. */
  readonly number?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly empty: string;
  readonly onHover?: (row: Row | undefined) => void;
}

const WINDOWED_FROM = 200;
const ROW_PX = 30;
const SPARE = 10;
/** Narrower ones are cards (`lists.css`). */
const TABLE_PX = 720;

export function Table<Row>({ label, columns, rows, keyOf, empty, onHover }: TableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  // Cards differ in height.
  const windowed = rows.length > WINDOWED_FROM && (scroller.current?.clientWidth ?? 0) >= TABLE_PX;
  const room = Math.ceil((scroller.current?.clientHeight ?? 400) / ROW_PX) + 2 * SPARE;
  const first = windowed ? Math.max(0, Math.floor(top / ROW_PX) - SPARE) : 0;
  const shown = windowed ? rows.slice(first, first + room) : rows;
  const filler = (count: number) =>
    count > 0 && (
      <tr style={`height:${count * ROW_PX}px`}>
        <td colSpan={columns.length} />
      </tr>
    );
  return (
    <section
      class="table-scroll"
      ref={scroller}
      tabIndex={0}
      aria-label={label}
      onScroll={windowed ? ({ currentTarget }) => setTop(currentTarget.scrollTop) : undefined}
    >
      <table class="records">
        <thead>
          <tr>
            {columns.map(({ name, number }) => (
              <th key={name} scope="col" class={number ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filler(first)}
          {shown.map((row) => (
            <tr
              key={keyOf(row)}
              onPointerEnter={onHover && (() => onHover(row))}
              onPointerLeave={onHover && (() => onHover(undefined))}
            >
              {columns.map(({ name, number, cell }) => (
                <td key={name} data-name={name} class={number ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {windowed && filler(rows.length - first - shown.length)}
        </tbody>
      </table>
    </section>
  );
}
