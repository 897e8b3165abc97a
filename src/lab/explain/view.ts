/** A trace as its asker may see it: other accounts without name, ids and balances. */
import { coinName, type Facts } from '../../core/explain/figures.ts';
import type { Check } from '../../core/explain/rejections.ts';
import type { PostingEnd, Trace, TracedMatch } from '../../core/explain/trace.ts';
import type { Event } from '../../core/model/event.ts';
import { formatOrderId } from '../../core/model/order-id.ts';
import { formatMoney } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';
import type { MatchView, PostingView } from './explanation.ts';

const OTHERS = 'another account';

/** Which accounts are shown. */
export type Shows = (uid: number) => boolean;

export const accountName = (uid: number, shows: Shows): string => (shows(uid) ? String(uid) : OTHERS);

export function matchViews(state: State, trace: Trace, events: readonly Event[], shows: Shows): MatchView[] {
  const levels = new Map<string, Map<string, number>>();
  const fills = new FillQueue(events);
  return trace.matched.map((match) => {
    const { symbol, category, side, price, qty, value, taker, maker } = match;
    const known = levels.get(taker.orderId) ?? new Map<string, number>();
    levels.set(taker.orderId, known);
    if (!known.has(price)) known.set(price, known.size + 1);
    return {
      level: known.get(price)!,
      symbol,
      category,
      side,
      price,
      qty,
      value,
      taker: accountName(taker.uid, shows),
      maker: accountName(maker.uid, shows),
      ...(shows(taker.uid) && { takerOrderId: taker.orderId }),
      ...(shows(maker.uid) && { makerOrderId: maker.orderId }),
      fees: feesOf(state, match, fills, shows),
    };
  });
}

/** Fills of each order in their order; a match has one of each side, or two where it turns a position. */
class FillQueue {
  readonly #byOrder = new Map<string, Extract<Event, { type: 'fill' }>['fill'][]>();

  constructor(events: readonly Event[]) {
    for (const event of events) {
      if (event.type !== 'fill') continue;
      const id = formatOrderId(event.fill.orderId);
      this.#byOrder.set(id, [...(this.#byOrder.get(id) ?? []), event.fill]);
    }
  }

  /** The fills of the next trade of an order. */
  next(orderId: string) {
    const queue = this.#byOrder.get(orderId) ?? [];
    const trade = queue[0]?.execLinkId;
    const taken = queue.filter(({ execLinkId }) => execLinkId === trade);
    this.#byOrder.set(orderId, queue.slice(taken.length));
    return taken;
  }
}

function feesOf(state: State, { taker, maker }: TracedMatch, fills: FillQueue, shows: Shows): Facts[] {
  return [taker, maker].flatMap(({ uid, orderId }) =>
    fills
      .next(orderId)
      .filter(() => shows(uid))
      .map((fill) => ({
        of: fill.maker ? 'maker' : 'taker',
        fill: formatOrderId(fill.execId),
        fee: formatMoney(fill.fee),
        coin: coinName(state, fill.feeCoin),
        ...(fill.futures?.closing === true && { profit: formatMoney(fill.futures.pnl) }),
      })),
  );
}

export function postingViews({ postings }: Trace, shows: Shows): PostingView[] {
  const seen = ({ uid }: PostingEnd) => uid !== 0 && shows(uid);
  const name = (end: PostingEnd) =>
    end.uid === 0 ? end.name : `${accountName(end.uid, shows)} ${end.bucket}`;
  return postings
    .filter(({ from, to }) => seen(from) || seen(to) || (from.uid === 0 && to.uid === 0))
    .map(({ from, to, coin, amount }) => ({
      from: name(from),
      to: name(to),
      coin,
      amount,
      ...(seen(from) && { fromBalance: from.balance }),
      ...(seen(to) && { toBalance: to.balance }),
    }));
}

export const stopped = (checks: readonly Check[]): Check | undefined =>
  checks.find(({ verdict }) => verdict === 'refused');
