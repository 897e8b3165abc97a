/** Two states of one exchange side by side: what accounts own, open orders, positions, prices. */
import { CATEGORY_NAMES, SIDE_NAMES } from '../core/model/enums.ts';
import type { OrderRecord } from '../core/model/event.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { formatMoney, formatUnits } from '../core/model/units.ts';
import { markTicks } from '../core/reads/margin-reads.ts';
import { type PositionView, positionViews } from '../core/reads/position-reads.ts';
import { balances, dayStatistics, openOrders } from '../core/reads/reads.ts';
import type { State } from '../core/state/state.ts';
import { formatId } from '../views/format.ts';

/** Rows of a part that are shown. */
const ROWS_MAX = 1000;

/** `null` where there is none. */
export interface DifferenceRow {
  readonly account?: string;
  readonly uid?: number;
  readonly what: string;
  readonly from: string | null;
  readonly to: string | null;
}

export interface DifferencePart {
  /** How many differ; the first 1,000 are rows. */
  readonly count: number;
  readonly rows: DifferenceRow[];
}

export interface Difference {
  readonly accounts: DifferencePart;
  readonly orders: DifferencePart;
  readonly positions: DifferencePart;
  readonly prices: DifferencePart;
}

/** Texts by what they are of. */
type Facts = ReadonlyMap<string, string>;

export function differences(from: State, to: State, nameOf: (uid: number) => string): Difference {
  const uids = [...new Set([...from.accountByUid.keys(), ...to.accountByUid.keys()])];
  const each = (factsOf: (state: State, uid: number) => Facts) =>
    partOf(
      uids.flatMap((uid) =>
        compare(factsOf(from, uid), factsOf(to, uid)).map((row) => ({ account: nameOf(uid), uid, ...row })),
      ),
    );
  return {
    accounts: each(money),
    orders: each(orders),
    positions: each(positions),
    prices: partOf(compare(prices(from), prices(to))),
  };
}

function partOf(rows: readonly DifferenceRow[]): DifferencePart {
  return { count: rows.length, rows: rows.slice(0, ROWS_MAX) };
}

function compare(from: Facts, to: Facts): DifferenceRow[] {
  const keys = [...new Set([...from.keys(), ...to.keys()])];
  return keys
    .map((what) => ({ what, from: from.get(what) ?? null, to: to.get(what) ?? null }))
    .filter((row) => row.from !== row.to);
}

function money(state: State, uid: number): Facts {
  const facts = new Map<string, string>();
  for (const { coin, cash, locked, funding } of balances(state, uid)) {
    const name = state.coins[coin]!.coin;
    facts.set(name, formatMoney(cash + locked));
    if (funding !== 0n) facts.set(`${name} in the funding wallet`, formatMoney(funding));
  }
  return facts;
}

function orders(state: State, uid: number): Facts {
  const open = openOrders(state, { uid, limit: Number.POSITIVE_INFINITY });
  return new Map(open.map((order) => [formatId(order.orderId), orderText(state, order)]));
}

function orderText(state: State, order: OrderRecord): string {
  const { instrument: index, priceTicks, sizeLots, filledLots } = order;
  const instrument = state.instruments[index]!;
  const lots = (count: number) => formatUnits(BigInt(count), instrument.quantityPrecision);
  const filled = filledLots === 0 ? '' : `, ${lots(filledLots)} of it filled`;
  return `${nameOf(instrument)} ${SIDE_NAMES[order.side]} ${lots(sizeLots)} at ${price(instrument, priceTicks)}${filled}`;
}

function positions(state: State, uid: number): Facts {
  return new Map(
    positionViews(state, uid).map((position) => [positionName(position), positionText(position)]),
  );
}

function positionName({ instrument, long }: PositionView): string {
  return `${nameOf(instrument)} ${long ? 'long' : 'short'}`;
}

function positionText({ instrument, totalLots, averageTicks }: PositionView): string {
  const lots = formatUnits(BigInt(totalLots), instrument.quantityPrecision);
  return `${lots} at ${averageTicks / 10 ** instrument.pricePrecision}`;
}

function prices(state: State): Facts {
  const facts = new Map<string, string>();
  for (const instrument of state.instruments) {
    const { lastTicks } = dayStatistics(state, instrument);
    if (lastTicks !== 0) facts.set(`${nameOf(instrument)} last`, price(instrument, lastTicks));
    if (instrument.futures !== undefined)
      facts.set(`${nameOf(instrument)} mark`, price(instrument, markTicks(state, instrument)));
  }
  return facts;
}

function nameOf({ category, symbol }: Instrument): string {
  return `${CATEGORY_NAMES[category]}:${symbol}`;
}

function price({ pricePrecision }: Instrument, ticks: number): string {
  return formatUnits(BigInt(Math.round(ticks)), pricePrecision);
}
