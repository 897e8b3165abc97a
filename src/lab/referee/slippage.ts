/** What orders cost against the middle of the book when they arrived. */
import { SIDE_NAMES } from '../../core/model/enums.ts';
import type { FillRecord } from '../../core/model/event.ts';
import { type Instrument, tradeValue } from '../../core/model/instrument.ts';
import { MONEY_ONE } from '../../core/model/units.ts';
import { ratio } from './money.ts';
import type { SlippageReport } from './report.ts';

/** Best prices in ticks. */
export interface Top {
  readonly bid: number;
  readonly ask: number;
}

interface Executed {
  readonly top: Top;
  /** In 10^-8 of the quote coin. */
  value: bigint;
  /** Twice what was paid beyond the middle, and twice the value at the middle: no half is lost. */
  cost2: bigint;
  middle2: bigint;
}

const SIZES: readonly { readonly name: string; readonly below: bigint | undefined }[] = [
  { name: 'below 1000', below: 1000n * MONEY_ONE },
  { name: '1000 to 10000', below: 10_000n * MONEY_ONE },
  { name: '10000 to 100000', below: 100_000n * MONEY_ONE },
  { name: '100000 and more', below: undefined },
];
const BPS = 10_000n;
const BPS_DECIMALS = 4;

export class Slippage {
  readonly #orders = new Map<number, Executed>();

  /** An order that has come to a book with both sides. */
  arrived(orderId: number, top: Top): void {
    this.#orders.set(orderId, { top, value: 0n, cost2: 0n, middle2: 0n });
  }

  filled(fill: FillRecord, instrument: Instrument): void {
    const order = this.#orders.get(fill.orderId);
    if (order === undefined) return;
    const { priceTicks, sizeLots, side } = fill;
    const value = (ticks: number) => tradeValue(instrument, ticks, sizeLots);
    const middle2 = value(order.top.bid) + value(order.top.ask);
    const beyond2 = 2n * value(priceTicks) - middle2;
    order.value += value(priceTicks);
    order.middle2 += middle2;
    order.cost2 += SIDE_NAMES[side] === 'buy' ? beyond2 : -beyond2;
  }

  report(): { all: SlippageReport; bySize: SlippageReport[] } {
    const executed = [...this.#orders.values()].filter(({ value }) => value > 0n);
    const bySize = SIZES.map(({ name, below }, n) => {
      const least = SIZES[n - 1]?.below ?? 0n;
      const within = executed.filter(({ value }) => value >= least && (below === undefined || value < below));
      return summed(name, within);
    });
    return { all: summed('all', executed), bySize: bySize.filter(({ orders }) => orders > 0) };
  }
}

function summed(size: string, executed: readonly Executed[]): SlippageReport {
  const sum = (of: (each: Executed) => bigint) => executed.reduce((total, each) => total + of(each), 0n);
  const bps = ratio(
    sum(({ cost2 }) => cost2),
    sum(({ middle2 }) => middle2),
    BPS_DECIMALS,
    BPS,
  );
  return { size, orders: executed.length, bps };
}
