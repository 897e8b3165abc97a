/**
 * Manoeuvres that have robbed venues, with random numbers: chance alone would not put their five to ten steps in a row. Each
 * runs as written or disturbed by random commands in between (`families-run.ts`), so that what is found need not be what was
 * thought of. The first are the runs behind R1 to R10 and R2 (f) of rules 13; the others circle what the rules left.
 */

import { HoldMode, PosSide, Side } from '../../src/core/model/enums.ts';
import { LoanTerm } from '../../src/core/model/loan-terms.ts';
import { payOut, randomAct, requestAll, strangerAct } from './families-acts.ts';
import type { Ground, Steps } from './families-ground.ts';
import { BOOK, BTCUSD, COIN, FAMILY, MASTERS, STRANGERS } from './families-venue.ts';

export type Scheme = (ground: Ground) => Steps;

const LINEAR = [BOOK.btcPerp, BOOK.btcPerp, BOOK.ethPerp, BOOK.btcUsdc];
const COIN_MARGINED = [BOOK.btcCoin, BOOK.btcCoin, BOOK.btcQuarter];
/** Just inside the price band of 5 %. */
const BAND = 0.0495;

function pair({ dice }: Ground): [number, number] {
  const one = dice.pick(FAMILY);
  const others = FAMILY.filter((uid) => uid !== one && (dice.chance(0.5) || mainOf(uid) !== mainOf(one)));
  return [one, dice.pick(others.length === 0 ? FAMILY.filter((uid) => uid !== one) : others)];
}

function mainOf(uid: number): number {
  return MASTERS[uid] ?? uid;
}

function settleOf(book: number): number {
  if (book >= BOOK.btcCoin) return COIN.btc;
  return book === BOOK.btcUsdc ? COIN.usdc : COIN.usdt;
}

/** Mostly a book in which nobody of the house quotes. */
function deserted({ dice, terms }: Ground, books: readonly number[]): number {
  const free = books.filter((book) => !terms.quoted.includes(book));
  return dice.pick(free.length === 0 || dice.chance(0.2) ? books : free);
}

/** A stranger of high leverage has a position in this direction, at an honest price: the first to be deleveraged. */
function* bystander(ground: Ground, book: number, buying: boolean, usd: number): Steps {
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
function* bring(ground: Ground, uid: number, coin: number, usd: number): Steps {
  const lacking = usd / ground.world.prices[coin]! - ground.cash(uid, coin);
  if (lacking <= 0) return;
  const amount = BigInt(Math.round(lacking * 1e8));
  yield ground.do({ type: 'deposit', uid, coin, amount, reference: '' });
}

/** What the account has beyond so many dollars of the coin leaves. */
function* shed(ground: Ground, uid: number, coin: number, usd: number): Steps {
  const beyond = ground.cash(uid, coin) - usd / ground.world.prices[coin]!;
  if (beyond <= 0) return;
  const amount = BigInt(Math.round(beyond * 1e8));
  yield ground.do({ type: 'withdraw', uid, coin, amount, reference: '' });
}

/** The account has so many dollars of the coin and nothing else that counts as margin. */
function* strip(ground: Ground, uid: number, coin: number, usd: number): Steps {
  yield ground.do({ type: 'cancelEverything', uid });
  for (const each of [COIN.usdt, COIN.usdc, COIN.btc, COIN.eth])
    if (each !== coin) yield* shed(ground, uid, each, 0);
  yield* shed(ground, uid, coin, usd);
  yield* bring(ground, uid, coin, usd);
}

function* leverage(ground: Ground, uid: number, instrument: number, times: number, isolated = false): Steps {
  yield ground.do({ type: 'cancelEverything', uid });
  yield ground.do({ type: 'setMarginMode', uid, instrument, isolated });
  yield ground.do({ type: 'setLeverage', uid, instrument, longLeverage: times, shortLeverage: times });
}

/** A size of so many dollars. */
function worth(ground: Ground, book: number, usd: number): number {
  return usd / ground.world.prices[ground.instrument(book).base]!;
}

/** R1: an order rests, its owner loses what is behind it, a friend takes it. */
export function* restThenJump(ground: Ground): Steps {
  const { dice } = ground;
  const [thin, friend] = pair(ground);
  const book = deserted(ground, dice.chance(0.75) ? LINEAR : COIN_MARGINED);
  const stake = dice.pick([1500, 6500, 20_000]);
  const times = dice.pick([20, 50, 100]);
  yield* strip(ground, thin, settleOf(book), stake);
  yield* bring(ground, friend, settleOf(book), 200_000);
  yield* leverage(ground, thin, book, times);
  const buying = dice.chance(0.5);
  const price = ground.price(book);
  const usd = stake * times * (0.3 + 0.6 * dice.next());
  const size = worth(ground, book, usd);
  if (dice.chance(0.8)) yield* bystander(ground, book, !buying, usd);
  yield ground.order(thin, book, buying, size, price * (buying ? 0.9995 : 1.0005));
  const jump = 1 + (buying ? -1 : 1) * (0.02 + 0.1 * dice.next());
  yield* ground.move([[ground.instrument(book).base, jump]]);
  yield ground.order(friend, book, !buying, size, price * (buying ? 0.999 : 1.001));
}

/** R1 on MARGIN: the same with a coin that is to be borrowed. */
export function* restBorrowedThenJump(ground: Ground): Steps {
  const { dice } = ground;
  const [thin, friend] = pair(ground);
  const stake = dice.pick([3000, 21_000]);
  yield* strip(ground, thin, COIN.usdt, stake);
  yield* bring(ground, friend, COIN.usdt, 200_000);
  yield ground.do({ type: 'setCoinLeverage', uid: thin, coin: COIN.btc, leverage: 5 });
  const price = ground.price(BOOK.btcMargin);
  const size = worth(ground, BOOK.btcMargin, stake * dice.pick([2, 4, 4.5]));
  yield ground.order(thin, BOOK.btcMargin, false, size, price * 1.001);
  yield* ground.move([[COIN.btc, 1.1 + 0.35 * dice.next()]]);
  yield ground.order(friend, BOOK.btcSpot, true, size, price * 1.002);
  yield requestAll(ground, friend, COIN.btc);
  yield payOut(ground);
}

/** R2: coin-margined profits are realised where a dollar is many coins, losses where it is few. */
export function* rollCoins(ground: Ground): Steps {
  const { dice } = ground;
  const book = dice.pick(COIN_MARGINED);
  const party = dice.pick([
    [11, 12, 13],
    [31, 32, 33],
  ]);
  const [long, next, short] = party as [number, number, number];
  const usd = dice.pick([50_000, 300_000, 900_000]);
  for (const uid of party) {
    yield* bring(ground, uid, COIN.btc, usd / 2);
    yield* leverage(ground, uid, book, 20);
  }
  for (let n = dice.pick([1, 3, 8]); n > 0; n--) {
    const price = ground.price(book);
    const size = worth(ground, book, usd);
    yield* ground.deal(long, short, book, size, price * (1 - BAND));
    if (dice.chance(0.6)) {
      const items = [{ instrument: book, side: Side.sell, sizeLots: Math.round(size * 10_000) }];
      yield ground.do({
        type: 'movePositions',
        initiatorUid: mainOf(long),
        fromUid: long,
        toUid: next,
        items,
      });
    } else yield* ground.deal(next, long, book, size, price);
    yield* ground.deal(short, next, book, size, price * (1 + BAND));
    if (dice.chance(0.4)) yield* ground.move([[COIN.btc, 0.97 + 0.06 * dice.next()]]);
    else yield* ground.seconds(2);
  }
}

/**
 * R2 (f): coin-margined pairs stand at two prices; in a silence who knows the price outside chooses what becomes coin at the
 * last mark, by closes against each other or by handing a side over.
 */
export function* pickInSilence(ground: Ground): Steps {
  const { dice } = ground;
  const book = dice.pick(COIN_MARGINED);
  const [long, short, lateLong, lateShort] = dice.pick([
    [11, 21, 12, 31],
    [13, 12, 22, 11],
    [31, 11, 32, 21],
  ]) as [number, number, number, number];
  const usd = dice.pick([300_000, 900_000]);
  const size = worth(ground, book, usd);
  for (const uid of [long, short, lateLong, lateShort]) {
    yield* bring(ground, uid, COIN.btc, usd);
    yield* leverage(ground, uid, book, 20);
  }
  yield* ground.deal(long, short, book, size, ground.price(book));
  const up = dice.chance(0.5);
  const rise = 1.05 + 0.1 * dice.next();
  yield* ground.move([[COIN.btc, up ? rise : 1 / rise]]);
  yield* ground.seconds(61);
  const prepared = dice.chance(0.6);
  if (prepared) yield* ground.deal(lateLong, lateShort, book, size, ground.price(book));
  const fall = 1.03 + 0.1 * dice.next();
  yield* ground.silence([BTCUSD, ...silenced(ground)], [[COIN.btc, dice.chance(0.5) ? fall : 1 / fall]]);
  const words = { reduceOnly: prepared };
  const mark = ground.markOf(book);
  const [seller, buyer] = dice.chance(0.5) ? [lateLong, short] : [long, lateShort];
  yield ground.order(seller, book, false, size, mark, words);
  yield ground.order(buyer, book, true, size, mark, words);
  yield* ground.speak();
}

/** Debt in one coin, by selling it short to a friend who may take it away. */
function* sellShort(ground: Ground, borrower: number, friend: number, book: number, usd: number): Steps {
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

/** R3: a dollar coin is worth less than a dollar, and a debt is paid with it. */
export function* depegAndRepay(ground: Ground): Steps {
  const { dice } = ground;
  const [borrower, friend] = pair(ground);
  const early = dice.chance(0.5);
  const usd = dice.pick([5000, 60_000]);
  const book = dice.pick([BOOK.btcMargin, BOOK.ethMargin]);
  if (early) yield* sellShort(ground, borrower, friend, book, usd);
  yield* ground.move([[dice.pick([COIN.usdt, COIN.usdt, COIN.usdc]), dice.pick([0.99, 0.97, 0.94, 1.01])]]);
  yield* ground.seconds(dice.pick([1, 5, 30, 65]));
  if (!early) yield* sellShort(ground, borrower, friend, book, usd);
  const debtCoin = ground.instrument(book).base;
  yield ground.do({ type: 'repay', uid: borrower, debtCoin, payCoin: dice.pick([COIN.usdt, COIN.usdc]) });
}

/** R4: lonely orders and a print move the mark; a stranger is closed into an order of the family. */
export function* lonelyMark(ground: Ground): Steps {
  const { dice } = ground;
  const [one, other] = pair(ground);
  const stranger = dice.pick(STRANGERS);
  const book = deserted(ground, [BOOK.btcPerp, BOOK.ethPerp, BOOK.btcUsdc]);
  const usd = 40_000;
  for (const uid of [one, other]) yield* bring(ground, uid, settleOf(book), 400_000);
  yield* strip(ground, stranger, settleOf(book), 2080);
  yield ground.do({
    type: 'setLeverage',
    uid: stranger,
    instrument: book,
    longLeverage: 20,
    shortLeverage: 20,
  });
  const price = ground.price(book);
  const size = worth(ground, book, usd);
  const up = dice.chance(0.5);
  const away = up ? 1 : -1;
  yield ground.order(stranger, book, !up, size, price);
  yield ground.order(one, book, up, size, price);
  const at = price * (1 + away * BAND);
  const dust = worth(ground, book, dice.pick([60, 4000]));
  yield ground.order(one, book, true, dust, at * 0.9995);
  yield ground.order(other, book, false, dust, at * 1.0005);
  yield* ground.deal(one, other, book, dust, at);
  yield ground.order(other, book, !up, size, at);
  for (let n = 0; n < 6; n++) {
    yield* ground.seconds(54);
    if (dice.chance(0.7)) yield* ground.deal(one, other, book, dust, at);
  }
}

/** R5: what is borrowed is sold to a friend and leaves the venue. */
export function* borrowSellWithdraw(ground: Ground): Steps {
  const { dice } = ground;
  const [borrower, friend] = pair(ground);
  const book = dice.pick([BOOK.btcMargin, BOOK.ethMargin]);
  const { base } = ground.instrument(book);
  yield* sellShort(ground, borrower, friend, book, dice.pick([60_000, 150_000, 400_000]));
  yield requestAll(ground, friend, base);
  yield payOut(ground);
  if (dice.chance(0.3)) yield ground.do({ type: 'repay', uid: borrower, debtCoin: base, payCoin: COIN.usdt });
}

/** R6: feeds stop, the world goes on, and a debt is paid at the price of before. */
export function* repayInSilence(ground: Ground): Steps {
  const { dice } = ground;
  const [borrower, friend] = pair(ground);
  const usd = dice.pick([5000, 60_000]);
  const book = dice.pick([BOOK.btcMargin, BOOK.ethMargin]);
  const { base } = ground.instrument(book);
  yield* sellShort(ground, borrower, friend, book, usd);
  const indices = silenced(ground);
  const coin = dice.chance(0.6) ? base : dice.pick([COIN.usdt, COIN.usdc]);
  yield* ground.silence(indices, [
    [coin, coin === base ? 1.02 + 0.1 * dice.next() : 0.95 + 0.06 * dice.next()],
  ]);
  yield* ground.seconds(dice.pick([1, 30, 90]));
  yield ground.do({
    type: 'repay',
    uid: borrower,
    debtCoin: base,
    payCoin: dice.pick([COIN.usdt, COIN.usdc]),
  });
  for (let n = 0; n < 4; n++) yield randomAct(ground);
  yield* ground.speak();
}

/** All feeds, those of one coin, or some. */
function silenced({ dice }: Ground): number[] {
  const roll = dice.next();
  if (roll < 0.3) return [0, 1, 2, 3, 4];
  if (roll < 0.55) return [0, 3, 4];
  return [0, 1, 2, 3, 4].filter(() => dice.chance(0.5));
}

/** R6 at the loan desk: the pledge has fallen, the desk takes it at the price of before. */
export function* loanInSilence(ground: Ground): Steps {
  const { dice } = ground;
  const uid = dice.pick(FAMILY);
  yield* bring(ground, uid, COIN.btc, 60_000);
  yield ground.do({
    type: 'loanBorrow',
    uid,
    loanCoin: dice.pick([COIN.usdt, COIN.eth]),
    pledgeCoin: COIN.btc,
    term: LoanTerm.flexible,
    loanAmount: 0n,
    pledgeAmount: BigInt(Math.round((50_000 / ground.world.prices[COIN.btc]!) * 1e8)),
  });
  yield* ground.silence(dice.chance(0.6) ? [0, 1, 2, 3, 4] : silenced(ground), [
    [COIN.btc, 0.7 + 0.25 * dice.next()],
  ]);
  const amount = BigInt(dice.pick([5000, 20_000])) * 100_000_000n;
  yield ground.do({
    type: 'loanRepay',
    uid,
    loanId: 1,
    fromPledge: true,
    all: dice.chance(0.5),
    amount,
    unlock: dice.chance(0.5),
  });
  yield* ground.speak();
}

/** R7: a position of the highest leverage is liquidated into the own orders, as far away as they are reached. */
export function* liquidatedIntoOwn(ground: Ground): Steps {
  const { dice } = ground;
  const [thin, friend] = pair(ground);
  const book = deserted(ground, LINEAR);
  const isolated = dice.chance(0.6);
  const usd = dice.pick([60_000, 140_000]);
  yield* bring(ground, friend, settleOf(book), 300_000);
  yield* strip(ground, thin, settleOf(book), usd / 105);
  yield* leverage(ground, thin, book, 125, isolated);
  const price = ground.price(book);
  const size = worth(ground, book, usd);
  const long = dice.chance(0.5);
  yield* long ? ground.deal(thin, friend, book, size, price) : ground.deal(friend, thin, book, size, price);
  const away = (distance: number) => price * (long ? 1 - distance : 1 + distance);
  for (const distance of dice.chance(0.5) ? [BAND] : [0.006 + 0.006 * dice.next(), BAND])
    yield ground.order(friend, book, long, size, away(distance));
  for (let n = 0; n < 3; n++) {
    const factor = 1 - 0.002 - 0.004 * dice.next();
    yield* ground.move([[ground.instrument(book).base, long ? factor : 1 / factor]]);
  }
}

/** R8: an order that nobody fills asks for funding. */
export function* fundingSqueeze(ground: Ground): Steps {
  const { dice } = ground;
  const [one, other] = pair(ground);
  const book = deserted(ground, [BOOK.btcPerp, BOOK.ethPerp, BOOK.btcUsdc]);
  const usd = 300_000;
  for (const uid of [one, other]) yield* bring(ground, uid, settleOf(book), 400_000);
  const price = ground.price(book);
  const up = dice.chance(0.5);
  const stranger = dice.pick(STRANGERS);
  const size = worth(ground, book, 20_000);
  yield ground.order(stranger, book, up, size, price);
  yield ground.order(one, book, !up, size, price);
  yield ground.order(one, book, up, worth(ground, book, usd), price * (1 + (up ? BAND : -BAND)));
  const next = ground.state.market(ground.instrument(book)).futures!.nextFunding;
  while (ground.now < next && next - ground.now < 2 * 3_600_000) {
    ground.now = Math.min(next - 1000, ground.now + 60_000);
    yield* ground.seconds(2);
  }
}

/** R9: many small accounts of one owner are one large position. */
export function* smallTiers(ground: Ground): Steps {
  const { dice } = ground;
  const book = dice.pick([BOOK.btcPerp, BOOK.ethPerp]);
  const price = ground.price(book);
  const times = dice.pick([100, 125]);
  const usd = times === 125 ? 140_000 : 800_000;
  yield* bring(ground, 21, COIN.usdt, 200_000);
  yield* leverage(ground, 21, book, 20);
  const buying = dice.chance(0.5);
  for (const uid of [11, 12, 13]) {
    yield* bring(ground, uid, COIN.usdt, usd / 50);
    yield* leverage(ground, uid, book, times);
    const size = worth(ground, book, usd);
    yield* buying ? ground.deal(uid, 21, book, size, price) : ground.deal(21, uid, book, size, price);
  }
}

/** R10: trades with oneself for rebates, or so small that they cost nothing. */
export function* wash(ground: Ground): Steps {
  const { dice } = ground;
  const book = dice.pick(Object.values(BOOK));
  const [maker, taker] = dice.chance(0.7) ? [21, 13] : pair(ground);
  const price = ground.price(book) * (1 + (dice.chance(0.3) ? BAND : 0.0005) * (2 * dice.next() - 1));
  const usd = dice.chance(0.2) ? 1.2 : dice.pick([5000, 60_000]);
  const { base, quote } = ground.instrument(book);
  for (const uid of [maker, taker] as [number, number])
    for (const coin of [book >= BOOK.btcPerp ? settleOf(book) : quote, book >= BOOK.btcPerp ? quote : base])
      if (coin !== COIN.usd) yield* bring(ground, uid, coin, Math.min(usd * 1.1, 70_000));
  const size = worth(ground, book, usd);
  for (let n = dice.pick([2, 6]); n > 0; n--) {
    const buying = n % 2 === 0;
    yield ground.order(maker, book, buying, size, price);
    yield ground.order(taker, book, !buying, size, price);
  }
}

/** A debt that is there between full hours only. */
export function* debtBetweenHours(ground: Ground): Steps {
  const { dice } = ground;
  const [borrower, friend] = pair(ground);
  yield* sellShort(ground, borrower, friend, BOOK.btcMargin, 30_000);
  const hour = 3_600_000;
  ground.now = Math.max(ground.now, Math.ceil(ground.now / hour) * hour - dice.pick([2000, 60_000]));
  yield* ground.seconds(1);
  const size = worth(ground, BOOK.btcSpot, 31_000);
  yield ground.order(friend, BOOK.btcSpot, false, size, ground.price(BOOK.btcSpot));
  yield ground.order(borrower, BOOK.btcSpot, true, size, ground.price(BOOK.btcSpot));
  yield* ground.pause(dice.pick([70_000, hour]));
}

/** An account hands its margin to a friend by a bad price, and leaves its other positions to the fund. */
export function* badClose(ground: Ground): Steps {
  const { dice } = ground;
  const [thin, friend] = pair(ground);
  const books = [dice.pick(LINEAR), dice.pick([BOOK.btcPerp, BOOK.ethPerp])];
  yield* strip(ground, thin, settleOf(books[0]!), dice.pick([1500, 5000]));
  for (const book of books) {
    yield* bring(ground, friend, settleOf(book), 300_000);
    yield* leverage(ground, thin, book, 50);
  }
  const long = dice.chance(0.5);
  const sizes: number[] = [];
  for (const book of books) {
    const size = worth(ground, book, dice.pick([20_000, 90_000]));
    sizes.push(size);
    const price = ground.price(book);
    yield* long ? ground.deal(thin, friend, book, size, price) : ground.deal(friend, thin, book, size, price);
  }
  if (dice.chance(0.5)) yield* ground.move([[COIN.btc, long ? 0.995 : 1.005]]);
  const [book, size] = [books[0]!, sizes[0]!];
  const price = ground.price(book) * (long ? 1 - BAND : 1 + BAND);
  yield ground.order(friend, book, long, size, price);
  yield ground.order(thin, book, !long, size, price, {
    market: dice.chance(0.5),
    reduceOnly: dice.chance(0.5),
  });
}

/** One lot at the mark lets a market order in; the rest of it waits at the end of the band. */
export function* marketIntoFriend(ground: Ground): Steps {
  const { dice } = ground;
  const [thin, friend] = pair(ground);
  const book = dice.chance(0.7) ? dice.pick(LINEAR) : dice.pick(COIN_MARGINED);
  const stake = dice.pick([1500, 6500]);
  const times = dice.pick([50, 100]);
  yield* strip(ground, thin, settleOf(book), stake);
  yield* bring(ground, friend, settleOf(book), 300_000);
  yield* leverage(ground, thin, book, times);
  const buying = dice.chance(0.5);
  const price = ground.price(book);
  const usd = stake * times * (0.3 + 0.6 * dice.next());
  const size = worth(ground, book, usd);
  if (dice.chance(0.7)) yield* bystander(ground, book, !buying, usd);
  yield ground.order(friend, book, !buying, worth(ground, book, 100), price);
  yield ground.order(friend, book, !buying, size, price * (buying ? 1 + BAND : 1 - BAND));
  yield ground.order(thin, book, buying, size, price, { market: true });
}

/** Both sides of a contract in two accounts of little margin; the world decides which one is left behind. */
export function* straddle(ground: Ground): Steps {
  const { dice } = ground;
  const [one, other] = pair(ground);
  const book = dice.chance(0.7) ? dice.pick(LINEAR) : dice.pick(COIN_MARGINED);
  const usd = dice.pick([30_000, 140_000]);
  for (const uid of [one, other]) {
    yield* strip(ground, uid, settleOf(book), usd / 40);
    yield* leverage(ground, uid, book, dice.pick([50, 125]), dice.chance(0.6));
  }
  yield* ground.deal(one, other, book, worth(ground, book, usd), ground.price(book));
  if (dice.chance(0.5)) yield strangerAct(ground);
  yield* ground.move([
    [ground.instrument(book).base, dice.chance(0.5) ? 0.93 + 0.05 * dice.next() : 1.02 + 0.05 * dice.next()],
  ]);
  const winner = ground.account(one).positions.size > 0 ? one : other;
  yield requestAll(ground, winner, settleOf(book), 0.9);
  yield payOut(ground);
  yield ground.do({ type: 'writeOffDebt', uid: winner === one ? other : one });
}

/** Positions go round the party while prices move. */
export function* moveRound(ground: Ground): Steps {
  const { dice } = ground;
  const book = dice.chance(0.5) ? dice.pick(LINEAR) : dice.pick(COIN_MARGINED);
  const party = dice.pick([
    [11, 12, 13],
    [31, 32, 33],
  ]);
  for (const uid of party) {
    yield* bring(ground, uid, settleOf(book), 20_000);
    if (dice.chance(0.3)) yield ground.do({ type: 'setHoldMode', uid, holdMode: HoldMode.hedge });
    yield* leverage(ground, uid, book, 20, dice.chance(0.4));
  }
  const [a, b] = party as [number, number];
  const size = worth(ground, book, 60_000);
  yield ground.order(a, book, true, size, ground.price(book), sideOf(ground, a, true));
  yield ground.order(b, book, false, size, ground.price(book), sideOf(ground, b, false));
  for (let n = 0; n < 5; n++) {
    yield* ground.move([[ground.instrument(book).base, 0.985 + 0.03 * dice.next()]]);
    const from = dice.pick(party);
    const held = [...ground.account(from).positions.values()].find(({ instrument }) => instrument === book);
    if (held === undefined) continue;
    const items = [{ instrument: book, side: held.long ? Side.sell : Side.buy, sizeLots: held.lots }];
    const toUid = dice.pick(party.filter((uid) => uid !== from));
    yield ground.do({ type: 'movePositions', initiatorUid: mainOf(from), fromUid: from, toUid, items });
  }
}

function sideOf(ground: Ground, uid: number, long: boolean): { posSide?: PosSide } {
  if (ground.account(uid).holdMode !== HoldMode.hedge) return {};
  return { posSide: long ? PosSide.long : PosSide.short };
}

/** A spot order gives collateral away below its worth while a position needs it. */
export function* collateralGift(ground: Ground): Steps {
  const { dice } = ground;
  const [thin, friend] = pair(ground);
  const book = dice.pick([BOOK.btcPerp, BOOK.ethPerp]);
  yield* strip(ground, thin, COIN.btc, 20_000);
  yield* bring(ground, friend, COIN.usdt, 300_000);
  yield* leverage(ground, thin, book, 50);
  const price = ground.price(book);
  const long = dice.chance(0.5);
  const size = worth(ground, book, dice.pick([100_000, 400_000]));
  yield* long ? ground.deal(thin, friend, book, size, price) : ground.deal(friend, thin, book, size, price);
  const spot = ground.price(BOOK.btcSpot);
  const amount = ground.cash(thin, COIN.btc) * 0.99;
  yield ground.order(thin, BOOK.btcSpot, false, amount, spot * 0.9505);
  yield* ground.move([[ground.instrument(book).base, long ? 0.985 : 1.015]]);
  yield ground.order(friend, BOOK.btcSpot, true, amount, spot * 0.96);
}

/** A coin is borrowed and sold at a price that nobody has told for minutes. */
export function* borrowInSilence(ground: Ground): Steps {
  const { dice } = ground;
  const [borrower, friend] = pair(ground);
  const book = dice.pick([BOOK.btcMargin, BOOK.ethMargin]);
  const { base } = ground.instrument(book);
  const spot = book === BOOK.btcMargin ? BOOK.btcSpot : BOOK.ethSpot;
  const stake = dice.pick([5000, 30_000]);
  yield* strip(ground, borrower, COIN.usdt, stake);
  yield* bring(ground, friend, COIN.usdt, stake * 5);
  yield ground.do({ type: 'setCoinLeverage', uid: borrower, coin: base, leverage: 5 });
  const price = ground.price(book);
  const size = worth(ground, book, stake * (2 + 2.5 * dice.next()));
  yield* ground.silence(dice.chance(0.7) ? [0, 1, 2, 3, 4] : silenced(ground), [
    [base, 1.25 + 0.2 * dice.next()],
  ]);
  yield ground.order(friend, spot, true, size, price);
  yield ground.order(borrower, book, false, size, price);
  yield requestAll(ground, friend, base);
  yield payOut(ground);
  yield* ground.speak();
}

/** Voices of an index stop one after the other; they come back together, and a debt is paid at once. */
export function* voicesReturn(ground: Ground): Steps {
  const { dice } = ground;
  const [borrower, friend] = pair(ground);
  const book = dice.pick([BOOK.btcMargin, BOOK.ethMargin]);
  const debtCoin = ground.instrument(book).base;
  yield* sellShort(ground, borrower, friend, book, 30_000);
  yield* ground.loseVoice(dice.below(2));
  yield* ground.silence([0, 1, 3, 4], [[debtCoin, 1.02 + 0.08 * dice.next()]]);
  yield* ground.speak();
  for (const seconds of [1, dice.pick([5, 30])]) {
    yield ground.do({ type: 'repay', uid: borrower, debtCoin, payCoin: dice.pick([COIN.usdt, COIN.usdc]) });
    yield* ground.seconds(seconds);
  }
}

/** Contracts near their delivery, with prints at the ends of the band. */
export function* towardsDelivery(ground: Ground): Steps {
  const { dice } = ground;
  const [one, other] = pair(ground);
  const book = BOOK.btcQuarter;
  for (const uid of [one, other]) yield* bring(ground, uid, COIN.btc, 60_000);
  const price = ground.price(book);
  const size = worth(ground, book, dice.pick([5000, 100_000]));
  yield* ground.deal(one, other, book, size, price * (1 + BAND * (2 * dice.next() - 1)));
  const time = ground.instrument(book).futures!.delivery!.time;
  if (time > ground.now && time - ground.now < 90 * 60_000) {
    if (dice.chance(0.5)) yield* ground.deal(other, one, book, size / 2, price * (1 + BAND));
    while (ground.now < time - 600_000) yield* ground.pause(590_000);
    while (ground.now < time) yield* ground.pause(60_000);
  } else yield* ground.pause(60_000);
}

/** A quiet hour for random commands, among small moves that are told late. */
export function* anything(ground: Ground): Steps {
  const { dice } = ground;
  for (let n = 20 + dice.below(80); n > 0; n--) {
    if (dice.chance(0.12)) yield strangerAct(ground);
    else yield randomAct(ground);
    const roll = dice.next();
    if (roll < 0.05)
      yield* ground.move([[dice.pick([COIN.btc, COIN.btc, COIN.eth]), 0.985 + 0.03 * dice.next()]]);
    else if (roll < 0.08)
      yield {
        outside: [
          { coin: COIN.btc, price: ground.world.prices[COIN.btc]! * (0.9998 + 0.0004 * dice.next()) },
        ],
      };
    else if (roll < 0.16) yield* ground.seconds(1);
    else if (roll < 0.17) yield* ground.pause(dice.pick([20_000, 300_000]));
    else if (roll < 0.172) yield* ground.loseVoice(dice.below(2));
    else if (roll < 0.18) yield* ground.speak();
  }
}

/** A jump while the venue hears nothing, then random commands. */
export function* anythingInSilence(ground: Ground): Steps {
  const { dice } = ground;
  for (let n = 0; n < 15; n++) yield randomAct(ground);
  const coin = dice.pick([COIN.btc, COIN.eth, COIN.usdt, COIN.usdc]);
  const dollar = coin === COIN.usdt || coin === COIN.usdc;
  const factor = dollar ? 0.95 + 0.06 * dice.next() : 0.85 + 0.3 * dice.next();
  yield* ground.silence(silenced(ground), [[coin, factor]]);
  for (let n = 0; n < 25; n++) {
    yield randomAct(ground);
    if (dice.chance(0.1)) yield* ground.seconds(1);
  }
  yield* ground.speak();
}

export const SCHEMES: Readonly<Record<string, Scheme>> = {
  restThenJump,
  restBorrowedThenJump,
  rollCoins,
  pickInSilence,
  depegAndRepay,
  lonelyMark,
  borrowSellWithdraw,
  repayInSilence,
  loanInSilence,
  liquidatedIntoOwn,
  fundingSqueeze,
  smallTiers,
  wash,
  debtBetweenHours,
  badClose,
  marketIntoFriend,
  straddle,
  moveRound,
  collateralGift,
  borrowInSilence,
  voicesReturn,
  towardsDelivery,
  anything,
  anythingInSilence,
};
