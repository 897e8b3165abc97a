/** Schemes that go through the funding wallet, which stands behind a unified account that owes (rules 13.7 (e), 16). */
import { Wallet } from '../../src/core/model/enums.ts';
import { payOut } from './families-acts.ts';
import { cents, type Ground, type Steps } from './families-ground.ts';
import {
  BAND,
  bring,
  COIN_MARGINED,
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
import type { Step } from './families-steps.ts';
import { BOOK, COIN, FAMILY, STRANGERS } from './families-venue.ts';

/** What the unified account owes is told by nobody; the other wallet is emptied meanwhile. */
export function* emptyInSilence(ground: Ground): Steps {
  const { dice } = ground;
  const [loser, friend] = pair(ground);
  const stake = dice.pick([2000, 10_000]);
  const aside = stake * dice.pick([0.2, 1, 5]);
  const coin = dice.pick([COIN.usdt, COIN.usdt, COIN.usdc, COIN.btc]);
  yield* putAside(ground, loser, coin, aside);
  const rises = dice.chance(0.5);
  const base = yield* dice.chance(0.4)
    ? owe(ground, loser, friend, stake, rises)
    : hold(ground, loser, friend, stake, rises);
  yield* ground.silence(silenced(ground), [
    [base, rises ? 1.1 + 0.5 * dice.next() : 1 / (1.1 + 0.5 * dice.next())],
  ]);
  yield* empty(ground, loser, friend, coin, aside);
  yield* ground.speak();
}

/** A debt remains; beside it an isolated position has a profit, whose owner empties the other wallet and then gives it away. */
export function* emptyBesideIsolated(ground: Ground): Steps {
  const { dice } = ground;
  const [loser, friend] = pair(ground);
  const stake = dice.pick([2000, 10_000]);
  const aside = stake * dice.pick([0.1, 0.5, 2]);
  const coin = dice.pick([COIN.usdt, COIN.btc]);
  const book = dice.pick([BOOK.btcPerp, BOOK.btcCoin, BOOK.btcCoin]);
  const side = sideOf(ground, loser, true);
  const size = worth(ground, book, stake * dice.pick([2, 5]));
  yield* putAside(ground, loser, coin, aside);
  yield* leverage(ground, loser, book, 20, true);
  for (const uid of [loser, friend]) yield* bring(ground, uid, settleOf(book), stake);
  yield ground.order(friend, book, false, size, ground.price(book), sideOf(ground, friend, false));
  yield ground.order(loser, book, true, size, ground.price(book), side);
  yield* owe(ground, loser, friend, stake, true);
  yield* ground.move([[COIN.btc, 1.25 + 0.3 * dice.next()]]);
  yield* ground.seconds(2);
  yield* empty(ground, loser, friend, coin, aside);
  if (dice.chance(0.5)) {
    const price = ground.price(book) * (1 - BAND);
    yield ground.order(friend, book, true, size, price, sideOf(ground, friend, true));
    yield ground.order(loser, book, false, size, price, { ...side, reduceOnly: side.posSide === undefined });
  }
}

/**
 * An account loses in one contract and wins in another, against a friend who loses there. Both keep money aside: what their
 * unified accounts cannot pay others are to bear.
 */
export function* loseBesideWallet(ground: Ground): Steps {
  const { dice } = ground;
  const [loser, friend] = pair(ground);
  const others = [...FAMILY, ...STRANGERS].filter((uid) => uid !== loser && uid !== friend);
  const third = dice.pick(others);
  const stake = dice.pick([2000, 10_000]);
  const aside = stake * dice.pick([0.5, 2, 5]);
  const coin = dice.pick([COIN.usdt, COIN.usdc, COIN.btc]);
  const owners = [friend, loser].filter(() => dice.chance(0.7));
  const rises = dice.chance(0.5);
  const [lost, won] = dice.pick([
    [BOOK.btcUsdc, BOOK.btcPerp],
    [BOOK.btcPerp, BOOK.btcUsdc],
    [BOOK.btcPerp, BOOK.btcCoin],
    [BOOK.btcCoin, BOOK.btcPerp],
  ] as const);
  for (const uid of owners) yield* putAside(ground, uid, coin, aside);
  yield* strip(ground, loser, settleOf(lost), stake);
  yield* strip(ground, friend, settleOf(won), stake * dice.pick([0.3, 1]));
  yield* bring(ground, third, settleOf(lost), stake * 10);
  for (const book of [lost, won]) yield* leverage(ground, loser, book, 20);
  yield* leverage(ground, friend, won, 20);
  yield* trade(ground, won, loser, friend, stake * dice.pick([3, 6]), rises);
  yield* trade(ground, lost, third, loser, stake * dice.pick([6, 12]), rises);
  yield* ground.move([[COIN.btc, rises ? 1.05 + 0.5 * dice.next() : 1 / (1.05 + 0.5 * dice.next())]]);
  if (dice.chance(0.3)) yield* ground.move([[COIN.usdc, 0.9992 + 0.0016 * dice.next()]]);
  yield* ground.move([[COIN.btc, 0.97 + 0.06 * dice.next()]]);
  for (const uid of owners) yield* bring(ground, uid, COIN.usdt, ground.cash(uid, COIN.usdt) + 1);
  for (const uid of owners) yield* empty(ground, uid, third, coin, aside);
}

/** The first gets the side that wins. */
function* trade(
  ground: Ground,
  book: number,
  one: number,
  other: number,
  usd: number,
  rises: boolean,
): Steps {
  const size = worth(ground, book, usd);
  yield ground.order(other, book, !rises, size, ground.price(book), sideOf(ground, other, !rises));
  yield ground.order(one, book, rises, size, ground.price(book), sideOf(ground, one, rises));
}

function* putAside(ground: Ground, uid: number, coin: number, usd: number): Steps {
  const amount = cents(usd / ground.world.prices[coin]!);
  yield ground.do({ type: 'deposit', uid, coin, amount, reference: '', wallet: Wallet.funding });
}

/** The loser owes what will rise, or owes dollars for what will fall; returns the coin that moves. */
function* owe(
  ground: Ground,
  loser: number,
  friend: number,
  stake: number,
  rises: boolean,
): Generator<Step, number, void> {
  const { dice } = ground;
  const book = dice.pick([BOOK.btcMargin, BOOK.ethMargin]);
  const spot = book === BOOK.btcMargin ? BOOK.btcSpot : BOOK.ethSpot;
  const { base } = ground.instrument(book);
  const usd = stake * (2 + 2 * dice.next());
  yield* strip(ground, loser, COIN.usdt, stake);
  for (const coin of [COIN.usdt, base]) yield* bring(ground, friend, coin, usd * 1.1);
  for (const coin of [COIN.usdt, base])
    yield ground.do({ type: 'setCoinLeverage', uid: loser, coin, leverage: 5 });
  const size = worth(ground, book, usd);
  yield ground.order(friend, spot, rises, size, ground.price(book));
  yield ground.order(loser, book, !rises, size, ground.price(book));
  return base;
}

/** The loser holds a crossed contract of a few times the stake. */
function* hold(
  ground: Ground,
  loser: number,
  friend: number,
  stake: number,
  rises: boolean,
): Generator<Step, number, void> {
  const { dice } = ground;
  const book = dice.pick([...LINEAR, ...COIN_MARGINED]);
  const times = dice.pick([2, 8]);
  yield* strip(ground, loser, settleOf(book), stake);
  yield* bring(ground, friend, settleOf(book), stake * times);
  yield* leverage(ground, loser, book, 10);
  const size = worth(ground, book, stake * times);
  yield ground.order(friend, book, rises, size, ground.price(book), sideOf(ground, friend, rises));
  yield ground.order(loser, book, !rises, size, ground.price(book), sideOf(ground, loser, !rises));
  return ground.instrument(book).base;
}

/** Every way out of the other wallet, of all or of some. */
function* empty(ground: Ground, uid: number, friend: number, coin: number, usd: number): Steps {
  const { dice } = ground;
  for (let n = 0; n < 3; n++) {
    const amount = cents((usd * dice.pick([1, 0.5, 0.2])) / ground.world.prices[coin]!);
    const out = { uid, coin, amount, fromFunding: true, fromUnified: dice.chance(0.5), clientOid: '' };
    const way = dice.below(3);
    if (way === 0) {
      yield ground.do({ type: 'requestWithdrawal', ...out, fee: 0n, address: 'outside', chain: '', tag: '' });
      yield payOut(ground);
    } else if (way === 1) yield ground.do({ type: 'internalWithdrawal', ...out, toUid: friend });
    else {
      const ends = {
        initiatorUid: mainOf(uid),
        fromUid: uid,
        toUid: mainOf(uid),
        fromWallet: Wallet.funding,
      };
      yield ground.do({ type: 'transfer', ...ends, toWallet: Wallet.unified, coin, amount, clientOid: '' });
    }
  }
}
