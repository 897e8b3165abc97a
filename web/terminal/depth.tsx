/** Depth: what could be bought and sold down to each price. Drawn from the book on the screen; pixels only. */
import { bookCells, bookSeq } from './market.ts';

const WIDTH = 400;
const HEIGHT = 200;

const plain = (text: string | undefined): number => Number((text ?? '').replaceAll(',', ''));

export function Depth() {
  void bookSeq.value;
  const read = (cells: (typeof bookCells)['asks']) =>
    cells
      .filter(({ hidden }) => hidden.peek() === false)
      .map(({ price, sum }) => ({ price: plain(price.peek()), sum: plain(sum.peek()) }));
  const [asks, bids] = [read(bookCells.asks), read(bookCells.bids)];
  if (asks.length === 0 || bids.length === 0) return <p class="empty">The book is empty on one side.</p>;
  const [low, high] = [bids.at(-1)!.price, asks.at(-1)!.price];
  const most = Math.max(asks.at(-1)!.sum, bids.at(-1)!.sum);
  const x = (price: number) => ((price - low) / (high - low)) * WIDTH;
  const y = (sum: number) => HEIGHT - (sum / most) * (HEIGHT - 12);
  const area = (rows: readonly { price: number; sum: number }[], edge: number) => {
    let path = `M${x(rows[0]!.price)} ${HEIGHT}`;
    for (const { price, sum } of rows) path += `H${x(price)}V${y(sum)}`;
    return `${path}H${edge}V${HEIGHT}Z`;
  };
  return (
    <svg
      class="depth"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label="Depth of the book"
    >
      <path class="bids" d={area(bids, 0)} />
      <path class="asks" d={area(asks, WIDTH)} />
    </svg>
  );
}
