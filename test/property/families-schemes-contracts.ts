/** Schemes that go through contracts. */
import { HoldMode, Side } from '../../src/core/model/enums.ts';
import { payOut, requestAll, strangerAct } from './families-acts.ts';
import type { Ground, Steps } from './families-ground.ts';
import {
  BAND,
  bring,
  bystander,
  COIN_MARGINED,
  deserted,
  LINEAR,
  leverage,
  mainOf,
  pair,
  settleOf,
  sideOf,
  silenced,
  strip,
  worth,
} from './families-hands.ts';
import { BOOK, BTCUSD, COIN, STRANGERS } from './families-venue.ts';

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
