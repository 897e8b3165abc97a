/** What schemes are made of: who takes part, what they bring, in which book and how large. */
import { HoldMode, PosSide } from '../../src/core/model/enums.ts';
import type { Ground, Steps } from './families-ground.ts';
import { BOOK, COIN, FAMILY, MASTERS, STRANGERS } from './families-venue.ts';

export const LINEAR = [BOOK.btcPerp, BOOK.btcPerp, BOOK.ethPerp, BOOK.btcUsdc];
export const COIN_MARGINED = [BOOK.btcCoin, BOOK.btcCoin, BOOK.btcQuarter];
/** Just inside the price band of 5 %. */
export const BAND = 0.0495;

export function pair({ dice }: Ground): [number, number] {
  const one = dice.pick(FAMILY);
  const others = FAMILY.filter((uid) => uid !== one && (dice.chance(0.5) || mainOf(uid) !== mainOf(one)));
  return [one, dice.pick(others.length === 0 ? FAMILY.filter((uid) => uid !== one) : others)];
}

export function mainOf(uid: number): number {
  return MASTERS[uid] ?? uid;
}

export function settleOf(book: number): number {
  if (book >= BOOK.btcCoin) return COIN.btc;
  return book === BOOK.btcUsdc ? COIN.usdc : COIN.usdt;
}

/** Mostly a book in which nobody of the house quotes. */
export function deserted({ dice, terms }: Ground, books: readonly number[]): number {
  const free = books.filter((book) => !terms.quoted.includes(book));
  return dice.pick(free.length === 0 || dice.chance(0.2) ? books : free);
}

/** A stranger of high leverage has a position in this direction, at an honest price: the first to be deleveraged. */
export function* bystander(ground: Ground, book: number, buying: boolean, usd: number): Steps {
  const { dice } = ground;
  const uid = dice.pick(STRANGERS);
  const other = dice.pick(FAMILY);
  yield* strip(ground, uid, settleOf(book), usd / 15);
  yield* bring(ground, other, settleOf(book), usd / 5);
  yield ground.do({ type: 'setLeverage', uid, instrument: book, longLeverage: 50, shortLeverage: 50 });
  const size = worth(ground, book, usd);
  yield ground.order(uid, book, buying, size, ground.price(book));
  yield ground.order(other, book, !buying, size, ground.price(book));
}

/** The account has at least so many dollars of the coin; what it lacks is brought. */
export function* bring(ground: Ground, uid: number, coin: number, usd: number): Steps {
  const lacking = usd / ground.world.prices[coin]! - ground.cash(uid, coin);
  if (lacking <= 0) return;
  const amount = BigInt(Math.round(lacking * 1e8));
  yield ground.do({ type: 'deposit', uid, coin, amount, reference: '' });
}

/** What the account has beyond so many dollars of the coin leaves. */
export function* shed(ground: Ground, uid: number, coin: number, usd: number): Steps {
  const beyond = ground.cash(uid, coin) - usd / ground.world.prices[coin]!;
  if (beyond <= 0) return;
  const amount = BigInt(Math.round(beyond * 1e8));
  yield ground.do({ type: 'withdraw', uid, coin, amount, reference: '' });
}

/** The account has so many dollars of the coin and nothing else that counts as margin. */
export function* strip(ground: Ground, uid: number, coin: number, usd: number): Steps {
  yield ground.do({ type: 'cancelEverything', uid });
  for (const each of [COIN.usdt, COIN.usdc, COIN.btc, COIN.eth])
    if (each !== coin) yield* shed(ground, uid, each, 0);
  yield* shed(ground, uid, coin, usd);
  yield* bring(ground, uid, coin, usd);
}

export function* leverage(
  ground: Ground,
  uid: number,
  instrument: number,
  times: number,
  isolated = false,
): Steps {
  yield ground.do({ type: 'cancelEverything', uid });
  yield ground.do({ type: 'setMarginMode', uid, instrument, isolated });
  yield ground.do({ type: 'setLeverage', uid, instrument, longLeverage: times, shortLeverage: times });
}

/** A size of so many dollars. */
export function worth(ground: Ground, book: number, usd: number): number {
  return usd / ground.world.prices[ground.instrument(book).base]!;
}

/** Debt in one coin, by selling it short to a friend who may take it away. */
export function* sellShort(
  ground: Ground,
  borrower: number,
  friend: number,
  book: number,
  usd: number,
): Steps {
  const { base, quote } = ground.instrument(book);
  yield* bring(ground, borrower, quote, usd);
  yield* bring(ground, friend, quote, usd * 1.2);
  yield ground.do({ type: 'setCoinLeverage', uid: borrower, coin: base, leverage: 5 });
  const spot = book === BOOK.btcMargin ? BOOK.btcSpot : BOOK.ethSpot;
  const price = ground.price(book);
  const size = worth(ground, book, usd);
  yield ground.order(friend, spot, true, size, price);
  yield ground.order(borrower, book, false, size, price);
}

/** All feeds, those of one coin, or some. */
export function silenced({ dice }: Ground): number[] {
  const roll = dice.next();
  if (roll < 0.3) return [0, 1, 2, 3, 4];
  if (roll < 0.55) return [0, 3, 4];
  return [0, 1, 2, 3, 4].filter(() => dice.chance(0.5));
}

export function sideOf(ground: Ground, uid: number, long: boolean): { posSide?: PosSide } {
  if (ground.account(uid).holdMode !== HoldMode.hedge) return {};
  return { posSide: long ? PosSide.long : PosSide.short };
}
