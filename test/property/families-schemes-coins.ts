/** Schemes that go through coins: debts, loans, collateral, fees. */
import { LoanTerm } from '../../src/core/model/loan-terms.ts';
import { payOut, randomAct, requestAll } from './families-acts.ts';
import type { Ground, Steps } from './families-ground.ts';
import {
  BAND,
  bring,
  leverage,
  pair,
  sellShort,
  settleOf,
  silenced,
  strip,
  worth,
} from './families-hands.ts';
import { BOOK, COIN, FAMILY } from './families-venue.ts';

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

/** R3: a stablecoin is worth less than a dollar, and a debt is paid with it. */
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
