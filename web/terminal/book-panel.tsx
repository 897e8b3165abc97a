/** The order book: asks above, bids below, the last price between them. A price that is clicked goes into the form. */
import { useEffect, useRef } from 'preact/hooks';
import { Select } from '../parts/choice.tsx';
import { amount, integer, multiply, trimmed } from '../wire/decimal.ts';
import { fixed } from '../wire/format.ts';
import { tickOf } from '../wire/types.ts';
import { takePrice } from './draft.ts';
import {
  type BookCell,
  bookCells,
  bookRows,
  instrument,
  lastMove,
  priceDigits,
  ROWS_MAX,
  redrawBook,
  spread,
  ticker,
} from './market.ts';
import { bookGroup, bookSides } from './settings.ts';

const ROW_PX = 20;
const GROUPS = [1, 10, 100] as const;

export function BookPanel() {
  const box = useRef<HTMLDivElement>(null);
  const sides = bookSides.value;
  useEffect(() => {
    const element = box.current!;
    const measure = () => {
      const middle = element.querySelector<HTMLElement>('.book-middle')?.offsetHeight ?? 30;
      const room = element.clientHeight - middle - 22;
      const shared = bookSides.peek() === 'both' ? 2 : 1;
      bookRows.value = Math.max(3, Math.min(ROWS_MAX, Math.floor(room / ROW_PX / shared)));
      redrawBook();
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // A help for the pointer: with keys a price is taken with Bid, Mid and Ask, or stepped by ticks.
    const take = ({ target }: MouseEvent) => {
      const price = (target as Element).closest('.level')?.firstElementChild?.textContent;
      if (price) takePrice(price.replaceAll(',', ''));
    };
    element.addEventListener('click', take);
    return () => {
      element.removeEventListener('click', take);
      observer.disconnect();
    };
  }, [sides]);
  const open = instrument.value;
  const rows = bookRows.value;
  return (
    <section class="panel book" aria-label="Order book">
      <header class="panel-bar">
        <h2>Book</h2>
        <Select
          label="Ticks to a row"
          options={GROUPS.map((group) => [
            String(group),
            open === undefined ? '' : trimmed(multiply(amount(tickOf(open)), integer(group))),
          ])}
          value={String(bookGroup.value)}
          onChange={(group) => {
            bookGroup.value = Number(group);
            redrawBook();
          }}
        />
        <Select
          label="Sides of the book"
          options={[
            ['both', 'Both'],
            ['bids', 'Bids'],
            ['asks', 'Asks'],
          ]}
          value={sides}
          onChange={(chosen) => {
            bookSides.value = chosen;
          }}
        />
      </header>
      <div class="book-box" ref={box} data-sides={sides}>
        <table class="ladder">
          <thead>
            <tr>
              <th scope="col">Price {open?.quoteCoin}</th>
              <th scope="col">Size {open?.baseCoin}</th>
              <th scope="col">Sum</th>
            </tr>
          </thead>
          {sides !== 'bids' && <Side name="asks" cells={bookCells.asks} rows={rows} />}
          <tbody class="book-middle">
            <tr>
              <td class={`last ${lastMove.value}`}>
                {fixed(ticker.value?.lastPrice, priceDigits.value)}
                <span aria-hidden="true">{lastMove.value === 'down' ? ' ↓' : ' ↑'}</span>
              </td>
              <td colSpan={2} class="spread">
                spread {spread}
              </td>
            </tr>
          </tbody>
          {sides !== 'asks' && <Side name="bids" cells={bookCells.bids} rows={rows} />}
        </table>
      </div>
    </section>
  );
}

interface SideProps {
  readonly name: 'asks' | 'bids';
  readonly cells: readonly BookCell[];
  readonly rows: number;
}

/** Nothing in here is drawn again when the book changes: each cell follows its own signal. */
function Side({ name, cells, rows }: SideProps) {
  const shown = cells.slice(0, rows);
  return (
    <tbody class={name}>
      {(name === 'asks' ? shown.toReversed() : shown).map((cell, index) => (
        <tr key={index} class="level" hidden={cell.hidden} style={cell.style}>
          <td>{cell.price}</td>
          <td>
            <span class="mine" title="Your order">
              {cell.mine}
            </span>
            {cell.size}
          </td>
          <td>{cell.sum}</td>
        </tr>
      ))}
    </tbody>
  );
}
