/** Random single commands: anything a member of the family can send, and what honest strangers do. */
import { NIL } from '../../src/core/book/order-slab.ts';
import { ANY, DEFAULT_WALLET } from '../../src/core/model/command.ts';
import {
  HoldMode,
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  TimeInForce,
  TriggerBy,
  Wallet,
} from '../../src/core/model/enums.ts';
import { LoanTerm } from '../../src/core/model/loan-terms.ts';
import type { Position } from '../../src/core/model/position.ts';
import { NO_PRESET } from '../../src/core/model/tpsl.ts';
import type { Ground, OrderWords } from './families-ground.ts';
import type { Step } from './families-steps.ts';
import { cancelStrategy, modifyStrategy, positionOf, strategy } from './families-strategies.ts';
import { BOOK, COIN, FAMILY, MASTERS, STRANGERS } from './families-venue.ts';

const BOOKS = Object.values(BOOK);
const CONTRACTS = BOOKS.filter((book) => book >= BOOK.btcPerp);
const MONEY = [COIN.usdt, COIN.usdc, COIN.btc, COIN.eth];
const units = (amount: number): bigint => BigInt(Math.max(0, Math.round(amount * 1e8)));

export type Act = (ground: Ground, uid: number) => Step;

const order: Act = (ground, uid) => {
  const { dice } = ground;
  const book = dice.chance(0.7) ? dice.pick(CONTRACTS) : dice.pick(BOOKS);
  const market = dice.chance(0.12);
  const wide = dice.chance(0.25) ? 0.05 : 0.004;
  const at = dice.chance(0.3) ? ground.markOf(book) : ground.price(book);
  const words: OrderWords = {
    market,
    tif: dice.chance(0.6) ? TimeInForce.gtc : (dice.below(5) as TimeInForce),
    reduceOnly: book >= BOOK.btcPerp && dice.chance(0.15),
    stp: dice.chance(0.85) ? StpMode.none : (dice.below(4) as StpMode),
    retail: dice.chance(0.2),
    name: ground.newName(),
    ...hedged(ground, uid, book),
  };
  return ground.order(
    uid,
    book,
    dice.chance(0.5),
    ground.anySize(book),
    at * (1 + wide * (2 * dice.next() - 1)),
    words,
  );
};

function hedged(ground: Ground, uid: number, book: number): { posSide?: PosSide } {
  if (book < BOOK.btcPerp || ground.account(uid).holdMode !== HoldMode.hedge) return {};
  return { posSide: ground.dice.pick([PosSide.long, PosSide.short]) };
}

/** The name of an open order of the account. */
function openOrder(ground: Ground, uid: number): string {
  const { slab } = ground.state;
  const names: string[] = [];
  for (let slot = ground.account(uid).firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    const name = slab.clientOids.get(slot);
    if (name !== undefined) names.push(name);
  }
  return names.length === 0 ? 'none' : ground.dice.pick(names);
}

const amend: Act = (ground, uid) => {
  const { dice } = ground;
  const book = dice.pick(BOOKS);
  const { pricePrecision, quantityPrecision } = ground.instrument(book);
  const item = {
    orderId: 0,
    clientOid: openOrder(ground, uid),
    category: ANY,
    instrument: ANY,
    priceTicks: dice.chance(0.5)
      ? Math.round(ground.price(book) * (0.97 + 0.06 * dice.next()) * 10 ** pricePrecision)
      : 0,
    sizeLots: Math.ceil(ground.anySize(book) * 10 ** quantityPrecision),
    autoCancel: dice.chance(0.2),
    outstanding: 0,
  } as const;
  return ground.do({ type: 'amendOrders', uid, source: Source.api, items: [item] });
};

const cancelSome: Act = (ground, uid) => {
  const { dice } = ground;
  if (dice.chance(0.2)) return ground.do({ type: 'cancelEverything', uid });
  if (dice.chance(0.6)) return ground.cancel(uid, openOrder(ground, uid));
  const { category, index } = ground.instrument(dice.pick(BOOKS));
  return ground.do({ type: 'cancelAll', uid, category, instrument: index });
};

/** An opening order with take-profit and stop-loss of its own. */
const preset: Act = (ground, uid) => {
  const { dice } = ground;
  const step = order(ground, uid);
  if (!('command' in step) || step.command.type !== 'placeOrder') return step;
  const { command } = step;
  const leg = {
    triggerTicks: Math.max(1, Math.round(command.priceTicks * (0.98 + 0.04 * dice.next()))),
    triggerBy: TriggerBy.mark,
    orderType: OrderType.market,
    limitTicks: 0,
  };
  return {
    command: { ...command, preset: { ...NO_PRESET, [dice.pick(['takeProfit', 'stopLoss'])]: leg } },
  };
};

const transfer: Act = (ground, uid) => {
  const { dice } = ground;
  const main = MASTERS[uid] ?? uid;
  const party = FAMILY.filter((each) => (MASTERS[each] ?? each) === main);
  const fromUid = dice.pick(party);
  const fromWallet = dice.pick([Wallet.unified, Wallet.unified, Wallet.funding]);
  const coin = ownCoin(ground, fromUid, (each, of) =>
    fromWallet === Wallet.unified ? ground.cash(each, of) : ground.funding(each, of),
  );
  const has = fromWallet === Wallet.unified ? ground.cash(fromUid, coin) : ground.funding(fromUid, coin);
  return ground.do({
    type: 'transfer',
    initiatorUid: dice.chance(0.9) ? main : uid,
    fromUid,
    toUid: dice.pick(party),
    fromWallet,
    toWallet: dice.pick([Wallet.unified, Wallet.funding]),
    coin,
    amount: part(ground, has),
    clientOid: '',
  });
};

/** A coin that the account has, where it has one. */
function ownCoin(ground: Ground, uid: number, has: (uid: number, coin: number) => number): number {
  const own = MONEY.filter((coin) => has(uid, coin) > 0);
  return ground.dice.pick(own.length === 0 ? MONEY : own);
}

/** All of it, or some, or a little more than there is. */
function part({ dice }: Ground, amount: number): bigint {
  return units(Math.max(0, amount) * dice.pick([1, 1, dice.next(), dice.next(), 1.001]) || 1);
}

const inner: Act = (ground, uid) => {
  const { dice } = ground;
  const coin = ownCoin(ground, uid, (each, of) => ground.cash(each, of));
  return ground.do({
    type: 'internalWithdrawal',
    uid,
    toUid: dice.pick(FAMILY),
    coin,
    amount: part(ground, ground.cash(uid, coin)),
    fromFunding: dice.chance(0.5),
    fromUnified: dice.chance(0.95),
    clientOid: '',
  });
};

const withdrawal: Act = (ground, uid) => {
  const { dice } = ground;
  const coin = ownCoin(ground, uid, (each, of) => ground.cash(each, of) + ground.funding(each, of));
  if (ground.state.withdrawals.size > 0 && dice.chance(0.5))
    return ground.do({
      type: 'endWithdrawal',
      withdrawalId: 1,
      uid: dice.chance(0.2) ? uid : 0,
      paid: dice.chance(0.8),
      reference: '',
    });
  return requestAll(ground, uid, coin, dice.pick([1, 0.5, 0.98]));
};

/** A request for a share of what both wallets have. */
export function requestAll(ground: Ground, uid: number, coin: number, share = 1): Step {
  return ground.do({
    type: 'requestWithdrawal',
    uid,
    coin,
    amount: units((ground.cash(uid, coin) + ground.funding(uid, coin)) * share),
    fee: 0n,
    fromFunding: true,
    fromUnified: true,
    address: 'outside',
    chain: '',
    tag: '',
    clientOid: '',
  });
}

/** The operator pays the oldest withdrawal under way. */
export function payOut(ground: Ground): Step {
  return ground.do({ type: 'endWithdrawal', withdrawalId: 1, uid: 0, paid: true, reference: '' });
}

const money: Act = (ground, uid) => {
  const { dice } = ground;
  const coin = dice.pick(MONEY);
  const usd = dice.pick([100, 2000, 30_000]);
  const amount = units(usd / ground.world.prices[coin]!);
  const wallet = dice.chance(0.3) ? DEFAULT_WALLET : Wallet.unified;
  if (dice.chance(0.6)) return ground.do({ type: 'deposit', uid, coin, amount, reference: '', wallet });
  return ground.do({ type: 'withdraw', uid, coin, amount, reference: '' });
};

/** Where what comes from outside goes. */
const depositWallet: Act = (ground, uid) => {
  const { dice } = ground;
  const wallet = dice.pick([Wallet.unified, Wallet.funding]);
  return ground.do({ type: 'setDepositWallet', uid, coin: dice.pick(MONEY), wallet });
};

const loan: Act = (ground, anybody) => {
  const { dice } = ground;
  const borrowers = FAMILY.filter((each) => ground.state.loans.countOf(ground.account(each).index) > 0);
  const roll = borrowers.length === 0 ? 0 : dice.next();
  const uid = roll < 0.4 ? anybody : dice.pick(borrowers);
  if (roll < 0.4) {
    const pledgeCoin = dice.pick([COIN.btc, COIN.usdt, COIN.eth]);
    const byPledge = dice.chance(0.6);
    return ground.do({
      type: 'loanBorrow',
      uid,
      loanCoin: dice.pick([COIN.usdt, COIN.usdt, COIN.eth]),
      pledgeCoin,
      term: dice.pick([LoanTerm.flexible, LoanTerm.sevenDays]),
      loanAmount: byPledge ? 0n : units(dice.pick([500, 20_000])),
      pledgeAmount: byPledge ? part(ground, ground.cash(uid, pledgeCoin)) : 0n,
    });
  }
  const loans = ground.state.loans.of(ground.account(uid).index);
  const loanId = 1 + dice.below(loans.length);
  const { pledgeCoin } = loans[loanId - 1]!;
  if (roll < 0.75)
    return ground.do({
      type: 'loanRepay',
      uid,
      loanId,
      fromPledge: dice.chance(0.5),
      all: dice.chance(0.4),
      amount: units(dice.pick([10, 1000, 20_000])),
      unlock: dice.chance(0.5),
    });
  return ground.do({
    type: 'loanRevise',
    uid,
    loanId,
    pledgeCoin,
    into: dice.chance(0.4),
    amount: units(dice.pick([5, 300, 20_000]) / ground.world.prices[pledgeCoin]!),
  });
};

const repay: Act = (ground, uid) => {
  const { dice } = ground;
  const debts = MONEY.filter((coin) => ground.cash(uid, coin) < 0);
  return ground.do({
    type: 'repay',
    uid,
    debtCoin: debts.length === 0 ? dice.pick(MONEY) : dice.pick(debts),
    payCoin: dice.pick(MONEY),
  });
};

const movePosition: Act = (ground, uid) => {
  const { dice } = ground;
  const held = positionOf(ground, uid);
  const main = MASTERS[uid] ?? uid;
  const party = FAMILY.filter((each) => each !== uid && (MASTERS[each] ?? each) === main);
  const lots = held?.lots ?? 10;
  const item = {
    instrument: held?.instrument ?? BOOK.btcPerp,
    side: held?.long === true ? Side.sell : Side.buy,
    sizeLots: dice.chance(0.6) ? lots : 1 + dice.below(lots),
  };
  return ground.do({
    type: 'movePositions',
    initiatorUid: main,
    fromUid: uid,
    toUid: dice.pick(party.length === 0 ? FAMILY : party),
    items: [item],
  });
};

/** An isolated position of the family with its owner, or anything. */
function isolatedOf(ground: Ground, uid: number): { uid: number; held: Position | undefined } {
  const found = FAMILY.flatMap((each) =>
    [...ground.account(each).positions.values()]
      .filter(({ isolated }) => isolated)
      .map((held) => ({ uid: each, held })),
  );
  return found.length === 0 ? { uid, held: positionOf(ground, uid) } : ground.dice.pick(found);
}

const setting: Act = (ground, anybody) => {
  const { dice } = ground;
  const instrument = dice.pick(CONTRACTS);
  const choice = dice.below(6);
  const { uid, held } = choice >= 4 ? isolatedOf(ground, anybody) : { uid: anybody, held: undefined };
  const leverage = dice.pick([1, 5, 10, 20, 50, 100, 125]);
  switch (choice) {
    case 0:
      return ground.do({
        type: 'setLeverage',
        uid,
        instrument,
        longLeverage: leverage,
        shortLeverage: leverage,
      });
    case 1:
      return ground.do({ type: 'setMarginMode', uid, instrument, isolated: dice.chance(0.5) });
    case 2:
      return ground.do({ type: 'setHoldMode', uid, holdMode: dice.pick([HoldMode.oneWay, HoldMode.hedge]) });
    case 3:
      return ground.do({
        type: 'setCoinLeverage',
        uid,
        coin: dice.pick(MONEY),
        leverage: dice.pick([1, 3, 5]),
      });
    case 4:
      return ground.do({
        type: 'setAutoMargin',
        uid,
        instrument: held?.instrument ?? instrument,
        posSide: held?.posSide ?? PosSide.none,
        room: units(dice.pick([0, 500])),
      });
    default:
      return ground.do({
        type: 'adjustMargin',
        uid,
        instrument: held?.instrument ?? instrument,
        posSide: held?.posSide ?? PosSide.none,
        amount: units(dice.pick([1, 100, 2000])) * (dice.chance(0.5) ? -1n : 1n),
      });
  }
};

/** Commands of the operator that the family may hope for. */
const operator: Act = (ground, uid) => {
  const { dice } = ground;
  const rate = (share: number) => BigInt(Math.round(share * 1e12));
  switch (dice.below(4)) {
    case 0:
      return ground.do({ type: 'writeOffDebt', uid });
    case 1:
      return ground.do({
        type: 'setFees',
        uid,
        instrument: dice.pick(BOOKS),
        makerRate: rate(dice.pick([-0.0003, 0, 0.0002])),
        takerRate: rate(dice.pick([0, 0.0002, 0.0006])),
      });
    case 2:
      return ground.do({ type: 'setFeeDeduction', uid, on: dice.chance(0.5) });
    default:
      return ground.do({ type: 'countdownCancel', uid, seconds: dice.pick([0, 5, 60]) });
  }
};

const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [30, order],
  [4, preset],
  [5, amend],
  [4, cancelSome],
  [4, strategy],
  [2, modifyStrategy],
  [1, cancelStrategy],
  [5, transfer],
  [3, inner],
  [4, withdrawal],
  [3, money],
  [1, depositWallet],
  [5, loan],
  [5, repay],
  [5, movePosition],
  [10, setting],
  [2, operator],
];
const WEIGHTS = ACTS.reduce((sum, [weight]) => sum + weight, 0);

/** Any command of any member. */
export function randomAct(ground: Ground): Step {
  let at = ground.dice.next() * WEIGHTS;
  const uid = ground.dice.pick(FAMILY);
  for (const [weight, act] of ACTS) {
    at -= weight;
    if (at < 0) return act(ground, uid);
  }
  return order(ground, uid);
}

/** A stranger trades a contract or a coin at what it is worth outside. */
export function strangerAct(ground: Ground): Step {
  const { dice } = ground;
  const uid = dice.pick(STRANGERS);
  const book = dice.pick([BOOK.btcPerp, BOOK.btcPerp, BOOK.ethPerp, BOOK.btcSpot, BOOK.btcCoin]);
  if (dice.chance(0.1))
    return ground.do({ type: 'setLeverage', uid, instrument: book, longLeverage: 20, shortLeverage: 20 });
  const at = ground.price(book) * (1 + 0.001 * (2 * dice.next() - 1));
  const size = Math.min(ground.anySize(book), 50_000 / ground.world.prices[ground.instrument(book).base]!);
  return ground.order(uid, book, dice.chance(0.5), size, at, {
    tif: dice.chance(0.7) ? TimeInForce.gtc : TimeInForce.ioc,
  });
}
