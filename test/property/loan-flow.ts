/**
 * Random loans beside random futures and margin orders of the same accounts: prices that fall more than they rise, small pools, every
 * term, every way of repaying, clock jumps over many hours. Driven by a seed, so that a failure can be repeated.
 */
import type { BorrowSpec } from '../../src/core/model/borrow-terms.ts';
import type { Command } from '../../src/core/model/command.ts';
import { Side, StpMode, TimeInForce } from '../../src/core/model/enums.ts';
import { LoanTerm } from '../../src/core/model/loan-terms.ts';
import type { State } from '../../src/core/state/state.ts';
import { FuturesFlow, PRICES, Rng, SET_UP, UIDS } from './futures-flow.ts';
import { OPENING_TIME, order, spotPair } from './venue.ts';

const ONE = 10n ** 8n;
const HOUR = 3_600_000;

const rates = {
  flexibleRate: '0.2',
  sevenDayRate: '0.3',
  thirtyDayRate: '0.4',
  minUsdt: '1',
  maxUsdt: '2000',
};
const levels = { initRate: '0.65', supRate: '0.75', forceRate: '0.83', minUsdt: '0', maxUsdt: '5000' };
/** USDT and AAA are lent and pledged, BBB only lent, USD only pledged. */
const TERMS: Readonly<Record<string, object>> = {
  USDT: { loan: rates, pledge: { ...levels, forceRate: '0.91' } },
  AAA: { loan: rates, pledge: levels },
  BBB: { loan: rates },
  USD: { pledge: { ...levels, initRate: '0.6' } },
};
const COINS = [0, 1, 2, 3];
/** What accounts may owe by margin trading. */
const CREDIT: BorrowSpec = {
  yearRate: '0.5',
  poolLimit: '20000',
  userLimit: '2000',
  masterSubLimit: '2000',
  freeLimit: '50',
  tiers: [{ upTo: '1000000', maxLeverage: '5', mmr: '0.05' }],
};
const CREDIT_COINS: readonly string[] = ['USDT', 'AAA'];
const GRID = { pricePrecision: '1', quantityPrecision: '2', quotePrecision: '2', minOrderAmount: '1' };
const PAIR = { ...GRID, buyLimitPriceRatio: '0.3', sellLimitPriceRatio: '0.3' };
/** Where AAA is bought with credit, after the contracts, the dollar price of USDT and the SPOT pair. */
const MARGIN_PAIR = 5;

export const LOAN_SET_UP: readonly Command[] = [
  ...SET_UP.map(
    (command): Command =>
      command.type === 'listCoin'
        ? {
            ...command,
            spec: { ...command.spec, ...TERMS[command.spec.coin], ...creditOf(command.spec.coin) },
          }
        : command,
  ),
  spotPair('AAA', 'USDT', PAIR),
  spotPair('AAA', 'USDT', {
    ...PAIR,
    category: 'MARGIN',
    margin: {
      isIsolatedBaseBorrowable: 'NO',
      isIsolatedQuotedBorrowable: 'NO',
      warningRiskRatio: '0.8',
      liquidationRiskRatio: '1',
      maxCrossedLeverage: '5',
      maxIsolatedLeverage: '10',
      userMinBorrow: '0.01',
      maxLeverage: '5',
    },
  }),
  ...[0, 2, 3].map(
    (coin): Command => ({
      type: 'fundLoanPool',
      time: OPENING_TIME + 1000,
      coin,
      amount: (coin === 0 ? 4000n : 60n) * ONE,
      reference: 'opening',
      by: '',
    }),
  ),
];

function creditOf(coin: string): { borrow?: BorrowSpec } {
  return CREDIT_COINS.includes(coin) ? { borrow: CREDIT } : {};
}

export class LoanFlow {
  private readonly dice: Rng;
  /** Its clock is the clock of all. */
  readonly futures: FuturesFlow;
  private readonly state: State;

  constructor(seed: number, state: State) {
    this.dice = new Rng(seed * 7919);
    this.futures = new FuturesFlow(seed, state);
    this.state = state;
  }

  next(): Command {
    const { dice, futures } = this;
    futures.time += dice.below(300);
    const { time } = futures;
    const uid = dice.pick(UIDS);
    const roll = dice.next();
    if (roll < 0.22) return futures.next();
    if (roll < 0.34) return this.marginOrder(uid);
    if (roll < 0.52) return this.borrow(uid);
    if (roll < 0.66) return this.repay(uid);
    if (roll < 0.78) return this.revise(uid);
    if (roll < 0.93) return this.price();
    if (roll < 0.95) {
      const amount = BigInt(dice.below(1000) - 450) * ONE;
      const reference = `${dice.below(1_000_000)}`;
      return { type: 'fundLoanPool', time, coin: dice.pick([0, 2, 3]), amount, reference, by: '' };
    }
    futures.time += dice.pick([1000, 20 * 60_000, HOUR, HOUR, 26 * HOUR, 150 * HOUR]);
    return { type: 'tick', time: futures.time };
  }

  /** Near the index, so that some of them meet. */
  private marginOrder(uid: number): Command {
    const { dice, futures, state } = this;
    const ticks = Number(state.indices[0]!.price / (ONE / 10n));
    return order({
      time: futures.time,
      uid,
      instrument: dice.chance(0.8) ? MARGIN_PAIR : MARGIN_PAIR - 1,
      side: dice.pick([Side.buy, Side.sell]),
      priceTicks: Math.max(1, ticks + dice.below(21) - 10),
      sizeLots: 1 + dice.below(1000),
      timeInForce: dice.chance(0.7) ? TimeInForce.gtc : TimeInForce.ioc,
      stpMode: StpMode.cancelMaker,
    });
  }

  private borrow(uid: number): Command {
    const { dice, futures } = this;
    const sensible = dice.chance(0.9);
    const loanCoin = sensible ? dice.pick([0, 0, 2, 3]) : dice.pick(COINS);
    const pledgeCoin = sensible ? (loanCoin === 2 ? 0 : 2) : dice.pick(COINS);
    const size = BigInt(1 + dice.below(dice.chance(0.1) ? 1000 : 100));
    const amount = size * (dice.chance(0.3) ? ONE : ONE / 20n) + BigInt(dice.below(9));
    const byLoan = dice.chance(0.5);
    const both = dice.chance(0.03);
    return {
      type: 'loanBorrow',
      time: futures.time,
      uid,
      loanCoin,
      pledgeCoin,
      term: dice.pick([LoanTerm.flexible, LoanTerm.sevenDays, LoanTerm.thirtyDays]),
      loanAmount: byLoan || both ? amount : 0n,
      pledgeAmount: byLoan && !both ? 0n : amount,
    };
  }

  private repay(uid: number): Command {
    const { dice, futures } = this;
    const loan = this.someLoan(uid);
    const debt = loan?.debt() ?? 1n;
    return {
      type: 'loanRepay',
      time: futures.time,
      uid: loan?.uid ?? uid,
      loanId: loan?.id ?? dice.below(100),
      fromPledge: dice.chance(0.4),
      all: dice.chance(0.3),
      amount: (debt * BigInt(dice.below(130))) / 100n,
      unlock: dice.chance(0.5),
    };
  }

  private revise(uid: number): Command {
    const { dice, futures } = this;
    const loan = this.someLoan(uid);
    return {
      type: 'loanRevise',
      time: futures.time,
      uid: dice.chance(0.95) ? (loan?.uid ?? uid) : uid,
      loanId: loan?.id ?? dice.below(100),
      pledgeCoin: dice.chance(0.95) ? (loan?.pledgeCoin ?? 0) : dice.pick(COINS),
      into: dice.chance(0.5),
      amount: ((loan?.pledge ?? ONE) * BigInt(dice.below(60))) / 100n,
    };
  }

  private someLoan(uid: number) {
    const own = this.state.loans.of(this.state.accountByUid.get(uid)!.index);
    return own.length === 0 ? undefined : this.dice.pick(own);
  }

  /** Down more often than up, sometimes far; a price that has fallen to a third comes back at once. */
  private price(): Command {
    const { dice, futures, state } = this;
    const index = dice.below(PRICES.length);
    const before = state.indices[index]!.price;
    const change = dice.chance(0.15) ? -0.5 * dice.next() : 0.05 * (dice.next() - 0.6);
    const low = before * 3n < PRICES[index]!;
    const price = low ? PRICES[index]! : (before * BigInt(Math.round((1 + change) * 1_000_000))) / 1_000_000n;
    futures.time += 1000;
    return { type: 'componentPrice', time: futures.time, index, component: 0, price, volume: 0n, by: '' };
  }
}
