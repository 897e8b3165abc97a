/** Schemes that go through the funding wallet, which stands behind a unified account that owes (rules 13.7 (e), 16). */
import { Wallet } from '../../src/core/model/enums.ts';
import { LoanTerm } from '../../src/core/model/loan-terms.ts';
import { payOut } from './families-acts.ts';
import { cents, type Ground, type Steps } from './families-ground.ts';
import {
  BAND,
  bring,
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

/** The same with pledges that are worth more than their loans, whose money has left. */
export function* loseBesidePledge(ground: Ground): Steps {
  const { dice } = ground;
  const [loser, friend] = pair(ground);
  const stake = dice.pick([2000, 10_000]);
  const pledged = stake * dice.pick([1, 4, 10]);
  const owners = [friend, loser].filter(() => dice.chance(0.7));
  for (const uid of owners) yield* pledge(ground, uid, pledged);
  yield* winAndLose(ground, loser, friend, stake, function* () {});
  for (const uid of owners) yield* unpledge(ground, uid);
}

/** The same with an isolated order far from the price: what it holds is not in the unified account. */
export function* loseBesideOrder(ground: Ground): Steps {
  const { dice } = ground;
  const [loser, friend] = pair(ground);
  const stake = dice.pick([2000, 10_000]);
  const book = dice.pick([BOOK.ethPerp, BOOK.ethPerp, BOOK.btcQuarter]);
  yield* winAndLose(ground, loser, friend, stake, () => hide(ground, friend, book, stake * 2));
  yield ground.do({ type: 'cancelEverything', uid: friend });
}

/** The same in the seconds in which a contract ends in portions: what the friend has won there is not in his account yet. */
export function* loseBesideGain(ground: Ground): Steps {
  const { dice } = ground;
  const [loser, friend] = pair(ground);
  const payer = dice.pick(FAMILY.filter((uid) => uid !== loser && uid !== friend));
  const stake = dice.pick([2000, 10_000]);
  const book = BOOK.btcQuarter;
  const { time } = ground.instrument(book).futures!.delivery!;
  const rises = dice.chance(0.5);
  yield* ground.seconds(1);
  if (!ground.isOpen(book)) return;
  for (const uid of [friend, payer]) {
    yield* bring(ground, uid, COIN.btc, stake * 4);
    yield* leverage(ground, uid, book, 10);
  }
  yield* trade(ground, book, friend, payer, stake * dice.pick([8, 15]), rises);
  yield* ground.move([[COIN.btc, rises ? 1.15 : 1 / 1.15]]);
  while (ground.now < time - 300_000) yield* ground.pause(Math.min(590_000, time - 240_000 - ground.now));
  yield* winAndLose(ground, loser, friend, stake, function* () {
    if (ground.now < time - 10_000) yield* ground.pause(time - 10_000 - ground.now);
    while (ground.now < time) yield* ground.seconds(1);
  });
}

/** Rises or falls that make one lose more in a contract than it wins in another, where a friend cannot pay it. */
function* winAndLose(
  ground: Ground,
  loser: number,
  friend: number,
  stake: number,
  before: () => Steps,
): Steps {
  const { dice } = ground;
  const others = [...FAMILY, ...STRANGERS].filter((uid) => uid !== loser && uid !== friend);
  const third = dice.pick(others);
  const rises = dice.chance(0.6);
  // Where somebody quotes, the friend is not needed to close the position.
  const won = deserted(ground, [BOOK.btcPerp, BOOK.btcUsdc, BOOK.btcCoin]);
  const lost = won === BOOK.btcPerp ? dice.pick([BOOK.btcUsdc, BOOK.btcCoin]) : BOOK.btcPerp;
  yield* strip(ground, loser, settleOf(lost), stake);
  yield* strip(ground, friend, settleOf(won), stake * dice.pick([0.3, 0.3, 1]));
  yield* bring(ground, third, settleOf(lost), stake * 10);
  for (const book of [lost, won]) yield* leverage(ground, loser, book, 20);
  yield* leverage(ground, friend, won, 20);
  yield* trade(ground, won, loser, friend, stake * dice.pick([3, 5, 5]), rises);
  yield* trade(ground, lost, third, loser, stake * dice.pick([6, 12]), rises);
  yield* before();
  yield* ground.move([[COIN.btc, rises ? 1.15 + 0.4 * dice.next() : 1 / (1.15 + 0.4 * dice.next())]]);
  if (dice.chance(0.3)) yield* ground.move([[COIN.usdc, 0.9992 + 0.0016 * dice.next()]]);
  yield* ground.move([[COIN.btc, 0.97 + 0.06 * dice.next()]]);
}

/** A loan against coins of this worth. What was borrowed is left to whoever strips the account. */
function* pledge(ground: Ground, uid: number, usd: number): Steps {
  const { dice } = ground;
  const [loanCoin, pledgeCoin] = dice.pick([
    [COIN.usdt, COIN.btc],
    [COIN.usdt, COIN.eth],
    [COIN.eth, COIN.btc],
    [COIN.eth, COIN.usdt],
  ] as const);
  yield* bring(ground, uid, pledgeCoin, usd);
  const byPledge = dice.chance(0.5);
  const amount = (coin: number, worth: number) =>
    BigInt(Math.round((worth / ground.world.prices[coin]!) * 1e8));
  yield ground.do({
    type: 'loanBorrow',
    uid,
    loanCoin,
    pledgeCoin,
    term: dice.pick([LoanTerm.flexible, LoanTerm.sevenDays]),
    loanAmount: byPledge ? 0n : amount(loanCoin, usd * 0.2),
    pledgeAmount: byPledge ? amount(pledgeCoin, usd * 0.99) : 0n,
  });
  if (!byPledge) {
    const rest = amount(pledgeCoin, usd * 0.6);
    yield ground.do({ type: 'loanRevise', uid, loanId: 1, pledgeCoin, into: true, amount: rest });
  }
}

/** Every way to get a pledge back. */
function* unpledge(ground: Ground, uid: number): Steps {
  const { dice } = ground;
  const [loan] = ground.state.loans.of(ground.account(uid).index);
  if (loan === undefined) return;
  if (dice.chance(0.5)) {
    const amount = BigInt(Math.floor(Number(loan.pledge) * dice.pick([0.1, 0.3])));
    const { pledgeCoin } = loan;
    yield ground.do({ type: 'loanRevise', uid, loanId: 1, pledgeCoin, into: false, amount });
  }
  yield ground.do({
    type: 'loanRepay',
    uid,
    loanId: 1,
    fromPledge: true,
    all: dice.chance(0.8),
    amount: loan.principal / 2n + 1n,
    unlock: true,
  });
}

/** An isolated order far from the price holds so much. */
function* hide(ground: Ground, uid: number, book: number, usd: number): Steps {
  yield ground.do({ type: 'setMarginMode', uid, instrument: book, isolated: true });
  yield ground.do({ type: 'setLeverage', uid, instrument: book, longLeverage: 1, shortLeverage: 1 });
  yield* bring(ground, uid, settleOf(book), ground.cash(uid, settleOf(book)) + usd);
  const price = ground.price(book) * (1 - BAND);
  yield ground.order(uid, book, true, worth(ground, book, usd), price, sideOf(ground, uid, true));
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
