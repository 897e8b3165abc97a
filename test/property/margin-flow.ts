/**
 * Random margin and spot trading beside futures and pledge loans of the same accounts: small pools, thin books, prices
 * that fall, clock jumps over full hours. Driven by a seed, so that a failure can be repeated.
 */
import type { BorrowSpec } from '../../src/core/model/borrow-terms.ts';
import type { Command } from '../../src/core/model/command.ts';
import { OrderType, Side, StpMode, TimeInForce } from '../../src/core/model/enums.ts';
import { Bucket } from '../../src/core/model/ledger-accounts.ts';
import type { State } from '../../src/core/state/state.ts';
import { Rng, UIDS } from './futures-flow.ts';
import { LOAN_SET_UP, LoanFlow } from './loan-flow.ts';
import { order, spotPair } from './venue.ts';

const ONE = 10n ** 8n;
const HOUR = 3_600_000;
const PAUSE_MS = 5 * 60_000;

const terms = (poolLimit: string, userLimit: string): BorrowSpec => ({
  yearRate: '4.38',
  poolLimit,
  userLimit,
  masterSubLimit: userLimit,
  freeLimit: '20',
  tiers: [
    { upTo: '400', maxLeverage: '5', mmr: '0.04' },
    { upTo: '1500', maxLeverage: '3', mmr: '0.07' },
    { upTo: '100000', maxLeverage: '2', mmr: '0.12' },
  ],
});
const BORROW: Readonly<Record<string, BorrowSpec>> = {
  USDT: terms('15000', '6000'),
  AAA: terms('200', '60'),
  BBB: terms('900', '300'),
};

/** Of USDT and BBB; large conversions get a worse price. */
const COLLATERAL = [
  { tierStartValue: '0', discountRate: '0.98' },
  { tierStartValue: '500', discountRate: '0.9', exchangeDiscount: '0.01' },
];

const MARGIN = {
  isIsolatedBaseBorrowable: 'NO',
  isIsolatedQuotedBorrowable: 'NO',
  warningRiskRatio: '0.8',
  liquidationRiskRatio: '0.95',
  maxCrossedLeverage: '5',
  maxIsolatedLeverage: '5',
  userMinBorrow: '0.001',
  maxLeverage: '5',
};
const pair = (base: string, category: 'SPOT' | 'MARGIN', price: string): Command =>
  spotPair(base, 'USDT', {
    category,
    buyLimitPriceRatio: '0.3',
    sellLimitPriceRatio: '0.3',
    pricePrecision: '1',
    quantityPrecision: '2',
    quotePrecision: '2',
    openingPrice: price,
    ...(category === 'MARGIN' && { margin: MARGIN }),
  });

/** The pairs come behind the instruments of futures: spot of AAA and BBB, then their margin twins. */
const FIRST_PAIR = 4;
export const MARGIN_SET_UP: readonly Command[] = [
  ...LOAN_SET_UP.map((command): Command => {
    if (command.type !== 'listCoin') return command;
    const borrow = BORROW[command.spec.coin];
    if (borrow === undefined) return command;
    const collateral = command.spec.collateral ?? COLLATERAL;
    return { ...command, spec: { ...command.spec, borrow, collateral } };
  }),
  pair('AAA', 'SPOT', '100'),
  pair('BBB', 'SPOT', '20'),
  pair('AAA', 'MARGIN', '100'),
  pair('BBB', 'MARGIN', '20'),
  // Everybody starts small, so that borrowing is what trades.
  ...UIDS.flatMap((uid): Command[] => [
    { type: 'deposit', time: 0, uid, coin: 3, amount: 10n * ONE, reference: '' },
    ...(uid === 1
      ? []
      : [
          {
            type: 'withdraw',
            time: 0,
            uid,
            coin: 0,
            amount: BigInt(400 * uid - 400) * ONE,
            reference: '',
          } as const,
          {
            type: 'withdraw',
            time: 0,
            uid,
            coin: 2,
            amount: BigInt(3 * uid - 3) * ONE,
            reference: '',
          } as const,
        ]),
  ]),
];

export class MarginFlow {
  private readonly dice: Rng;
  private readonly others: LoanFlow;
  private readonly state: State;
  private stale: number[] = [];

  constructor(seed: number, state: State) {
    this.dice = new Rng(seed * 104_729);
    this.others = new LoanFlow(seed, state);
    this.state = state;
  }

  /** After a long pause prices are told anew: nobody is liquidated by stale ones. */
  next(): Command {
    const { futures } = this.others;
    if (this.stale.length > 0) return this.move(this.stale.pop()!, 0.02 * (this.dice.next() - 0.5));
    const before = futures.time;
    const command = this.draw();
    if (futures.time - before > PAUSE_MS) this.stale = [0, 1, 2, 3];
    return command;
  }

  private draw(): Command {
    const { dice } = this;
    const { futures } = this.others;
    futures.time += dice.below(300);
    const { time } = futures;
    const uid = dice.pick(UIDS);
    const roll = dice.next();
    if (roll < 0.1) return this.others.next();
    if (roll < 0.24) return futures.next();
    if (roll < 0.68) return this.order(uid);
    if (roll < 0.72)
      return { type: 'setCoinLeverage', time, uid, coin: dice.below(4), leverage: 1 + dice.below(6) };
    if (roll < 0.75) return this.repay(uid);
    if (roll < 0.77) return { type: 'cancelAll', time, uid, category: dice.pick([0, 1]), instrument: -1 };
    if (roll < 0.97) return this.fall();
    futures.time += dice.pick([1000, 30 * 60_000, HOUR, 5 * HOUR]);
    return { type: 'tick', time: futures.time };
  }

  /** Mostly a coin that is owed, with one that is there. */
  private repay(uid: number): Command {
    const { dice, state } = this;
    const { ledger } = state;
    const debtor = dice.chance(0.9) ? dice.pick([0, ...ledger.accountsInDebt()]) : 0;
    const account = state.accounts[debtor] ?? state.accountByUid.get(uid)!;
    const owed = [0, 1, 2, 3].filter((coin) => ledger.balanceOf(account.index, coin, Bucket.cash) < 0n);
    const debtCoin = dice.pick([dice.below(4), ...owed, ...owed]);
    return {
      type: 'repay',
      time: this.others.futures.time,
      uid: account.uid,
      debtCoin,
      payCoin: dice.below(4),
    };
  }

  private order(uid: number): Command {
    const { dice, state } = this;
    const second = dice.chance(0.4);
    const margin = dice.chance(0.75);
    const instrument = FIRST_PAIR + (margin ? 2 : 0) + (second ? 1 : 0);
    const fair = Number(state.coinPrices[second ? 3 : 2] ?? ONE) / 1e7;
    const away = fair * (dice.next() - 0.5) * (dice.chance(0.2) ? 0.4 : 0.04);
    const market = dice.chance(0.2);
    const side = dice.pick([Side.buy, Side.sell]);
    const lots = 1 + dice.below(second ? 6000 : 1500);
    const byAmount = market && side === Side.buy;
    return order({
      time: this.others.futures.time,
      uid,
      instrument,
      side,
      orderType: market ? OrderType.market : OrderType.limit,
      timeInForce:
        market || dice.chance(0.85) ? TimeInForce.gtc : dice.pick([TimeInForce.ioc, TimeInForce.fok]),
      stpMode: dice.pick([StpMode.none, StpMode.none, StpMode.cancelMaker, StpMode.cancelBoth]),
      priceTicks: market ? 0 : Math.max(1, Math.round(fair + away)),
      sizeLots: byAmount ? 0 : lots,
      quoteAmount: byAmount ? BigInt(1 + dice.below(2000)) * ONE : 0n,
      expired: lots % 29 === 0,
    });
  }

  /** Walks with crashes and rallies, which bring debts in dollars and debts in coins under pressure. */
  private fall(): Command {
    const { dice } = this;
    const index = dice.pick([1, 2, 2]);
    if (dice.chance(0.15)) return this.move(index, dice.pick([-0.45, -0.35, 0.6]));
    return this.move(index, (dice.next() - 0.5) * 0.06);
  }

  private move(index: number, change: number): Command {
    const { futures } = this.others;
    const before = this.state.indices[index]!.price;
    const price = (before * BigInt(Math.round((1 + change) * 1_000_000))) / 1_000_000n;
    futures.time += 1000;
    return { type: 'componentPrice', time: futures.time, index, component: 0, price, volume: 0n, by: '' };
  }
}
