/** A venue whose commands are explained, and the raw facts of its accounts: cells, positions, orders and prices as they lie in the state. */
import assert from 'node:assert/strict';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Command, PlaceOrder } from '../../src/core/model/command.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import { Category, Side } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import type { CoinSpec, InstrumentSpec } from '../../src/core/model/listing-spec.ts';
import type { LoanSpec, PledgeSpec } from '../../src/core/model/loan-terms.ts';
import { formatOrderId } from '../../src/core/model/order-id.ts';
import type { RejectReason } from '../../src/core/model/reject-reason.ts';
import { saveState } from '../../src/core/snapshot/snapshot.ts';
import type { Snapshot } from '../../src/journal/command-journal.ts';
import { Explainer } from '../../src/lab/explain/explainer.ts';
import type { Explanation, Question } from '../../src/lab/explain/explanation.ts';
import { FedPast } from '../../src/lab/explain/past.ts';
import { COIN_TERMS, margin, PAIRS, USDT_TERMS } from '../core/borrowing/margin-floor.ts';
import { BTC_COIN, BTC_PERPETUAL, BTC_TIERS, priced } from '../core/futures/futures-floor.ts';
import { Rng as Chance } from '../property/futures-flow.ts';
import { account, deposit, OPENING_TIME, order } from '../property/venue.ts';
import type { FundFacts } from './explain-funds.ts';
import type {
  AccountFacts,
  CoinFacts,
  ContractFacts,
  ContractTerms,
  OrderFacts,
  Tier,
} from './explain-oracle.ts';
import { Q } from './rational.ts';

export class Rng extends Chance {
  /** A whole number, both ends included. */
  range(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }
}

/** Commands from one snapshot of a scene to the next. */
const SNAPSHOT_EVERY = 50;

export const MAKER = 9;
export const LINEAR = 'USDT-FUTURES BTCUSDT';
export const COIN = 'COIN-FUTURES BTCUSD';
/** Numbers of the contracts and coins in the order in which they are listed. */
export const CONTRACTS = [LINEAR, COIN] as const;
export const CATEGORIES = [Category.usdtFutures, Category.coinFutures] as const;
export const [USDT, USD, BTC, ETH] = [0, 1, 2, 3];
const NAMES = ['USDT', 'USD', 'BTC', 'ETH'] as const;
const TICK = 10n;
const LOT = 10_000n;
const UP = '0.005';

/** Start, collateral rate, exchange discount. */
const SLICES: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  BTC: [
    ['0', '0.975', '0.001'],
    ['2000', '0.97', '0.004'],
    ['9000', '0.9', '0.015'],
  ],
  ETH: [
    ['0', '0.95', '0'],
    ['5000', '0.9', '0.02'],
  ],
};

/** Levels of the pair that lends BTC and USDT. The first is so low that it is met before the initial margin is used up. */
const WARNED_AT = '0.1';
const LIQUIDATED_AT = '0.96';
const LENT: Readonly<Record<string, typeof USDT_TERMS>> = { USDT: USDT_TERMS, BTC: COIN_TERMS };

const BOUNDS = { minUsdt: '100', maxUsdt: '1000000' };
export const USDT_LOAN: LoanSpec = {
  flexibleRate: '0.0305',
  sevenDayRate: '0.054',
  thirtyDayRate: '0.077',
  ...BOUNDS,
};
export const PLEDGE: PledgeSpec = { initRate: '0.65', supRate: '0.75', forceRate: '0.83', ...BOUNDS };

const COINS: readonly CoinSpec[] = NAMES.map((coin) => ({
  coin,
  name: coin,
  chains: [],
  // Enough for a contract whose profits the house pays not to be closed.
  houseShortUsd: '1000000000',
  ...(SLICES[coin] !== undefined && {
    collateral: SLICES[coin].map(([tierStartValue, discountRate, exchangeDiscount]) => ({
      tierStartValue,
      discountRate,
      exchangeDiscount,
    })),
  }),
  ...(LENT[coin] !== undefined && { borrow: LENT[coin] }),
  ...(coin === 'USDT' ? { loan: USDT_LOAN } : SLICES[coin] !== undefined && { pledge: PLEDGE }),
}));

const reserved = (spec: InstrumentSpec): InstrumentSpec => ({
  ...spec,
  futures: { ...spec.futures!, feeRateUpRatio: UP },
});
const MARGIN_PAIR = margin('BTC', 'USDT');
/** The number of the MARGIN pair. */
export const PAIR = 5;
const INSTRUMENTS: readonly InstrumentSpec[] = [
  reserved(BTC_PERPETUAL),
  reserved(BTC_COIN),
  priced('USDT'),
  priced('ETH'),
  PAIRS[0]!,
  {
    ...MARGIN_PAIR,
    margin: { ...MARGIN_PAIR.margin!, warningRiskRatio: WARNED_AT, liquidationRiskRatio: LIQUIDATED_AT },
  },
];

const tiersOf = (specs: readonly { upTo: string; mmr: string; maxLeverage: string }[]): readonly Tier[] =>
  specs.map(({ upTo, mmr, maxLeverage }) => ({
    upTo: Q.of(upTo),
    rate: Q.of(mmr),
    maxLeverage: Number(maxLeverage),
  }));
export const TERMS: ContractTerms = {
  takerFee: Q.of(BTC_PERPETUAL.takerFeeRate),
  makerFee: Q.of(BTC_PERPETUAL.makerFeeRate),
  feeReserve: Q.of(UP),
  tiers: tiersOf(BTC_TIERS),
};
/** A coin that nobody lends: leverage 1, five percent (rules 6.3). */
const UNLENT = tiersOf([{ upTo: '1000000000000', mmr: '0.05', maxLeverage: '1' }]);

export const price = (ticks: number): Q => new Q(BigInt(ticks), TICK);
export const size = (lots: number): Q => new Q(BigInt(lots), LOT);
export const STEP = new Q(1n, LOT);
const money = (units: bigint): Q => new Q(units, 10n ** 8n);

export function factsOf({ state }: Exchange, uid: number): AccountFacts {
  const owner = state.accountByUid.get(uid)!;
  const cell = (coin: number, bucket: Bucket) => money(state.ledger.balanceOf(owner.index, coin, bucket));
  const coinFacts = (coin: number): CoinFacts => {
    const name = state.coins[coin]!.coin;
    const lent = LENT[name];
    return {
      name,
      cash: cell(coin, Bucket.cash),
      locked: cell(coin, Bucket.locked),
      held: cell(coin, Bucket.isolatedOrders),
      aside: cell(coin, Bucket.funding),
      price: money(state.coinPrices[coin] ?? 10n ** 8n),
      slices: SLICES[name]?.map(([from, rate, discount]) => ({
        from: Q.of(from),
        rate: Q.of(rate),
        discount: Q.of(discount),
      })),
      debt: {
        leverage: new Q(lent === undefined ? 1n : BigInt(owner.coinLeverage.get(coin) ?? 3)),
        tiers: lent === undefined ? UNLENT : tiersOf(lent.tiers),
        liquidatedAt: Q.of(lent === undefined ? '1' : LIQUIDATED_AT),
      },
    };
  };
  const known = state.ledger.coinsOf(owner.index);
  const others = NAMES.map((_, coin) => coin).filter((coin) => !known.includes(coin));
  return {
    coins: [...known, ...others].map(coinFacts),
    contracts: CONTRACTS.map((_, number) => contractFacts(state, owner, number)),
    loans: [...state.loans.loans.values()]
      .filter((loan) => loan.uid === uid)
      .map((loan) => ({
        id: formatOrderId(loan.id),
        loan: NAMES[loan.loanCoin]!,
        pledge: NAMES[loan.pledgeCoin]!,
        principal: money(loan.principal),
        pledged: money(loan.pledge),
        yearRate: Q.of(USDT_LOAN.flexibleRate),
        startedHours: BigInt(Math.floor((state.now - loan.borrowTime) / 3_600_000) + 1),
        rates: {
          init: Q.of(PLEDGE.initRate),
          supplement: Q.of(PLEDGE.supRate),
          force: Q.of(PLEDGE.forceRate),
        },
      })),
  };
}

/** Of both funds, by coin: of contracts, and of debts and loans. */
export function fundsOf({ state }: Exchange): Readonly<Record<'futures' | 'lending', readonly FundFacts[]>> {
  const { ledger, fundHours, insuranceAtHour } = state;
  const of = (fund: 'futures' | 'lending'): FundFacts[] =>
    NAMES.map((coin, number) => {
      const account = SystemAccount[fund === 'futures' ? 'insurance' : 'insuranceLending'];
      const atHour = (fund === 'futures' ? insuranceAtHour : fundHours.lendingAtHour)[number] ?? 0n;
      const { funded = 0n, drained = 0n, paid = 0n } = fundHours.hours[fund].get(number) ?? {};
      return {
        coin,
        balance: money(ledger.balanceOf(account, number, Bucket.cash)),
        base: money(atHour + funded - drained),
        paid: money(paid),
        paidFor: new Map(
          CONTRACTS.map((name, index) => [name, money(fundHours.paidBySymbol.get(index) ?? 0n)]),
        ),
      };
    });
  return { futures: of('futures'), lending: of('lending') };
}

type State = Exchange['state'];

function contractFacts(state: State, owner: State['accounts'][number], number: number): ContractFacts {
  const { slab } = state;
  const held = [...owner.positions.values()].find(({ instrument }) => instrument === number);
  const setting = owner.futuresSettings.get(number);
  const { futures, book } = state.markets[number]!;
  const orders: OrderFacts[] = [];
  for (let slot = owner.firstOrder; slot >= 0; slot = slab.accountNext[slot]!)
    if (slab.instrument[slot] === number)
      orders.push({
        buy: slab.side[slot] === Side.buy,
        price: price(slab.price[slot]!),
        qty: size(slab.remaining[slot]!),
      });
  const coinMargined = number === 1;
  return {
    name: CONTRACTS[number]!,
    coinMargined,
    settle: coinMargined ? 'BTC' : 'USDT',
    quote: coinMargined ? 'USD' : 'USDT',
    size: size(held?.size ?? 0),
    basis: money(held?.basis ?? 0n),
    mark: price(futures!.markTicks),
    leverage: new Q(BigInt(setting?.longLeverage ?? 10)),
    orders,
    terms: TERMS,
    isolated: setting?.isolated ?? false,
    margin: money(held?.iso ?? 0n),
    bestBid: price(book.bestTicks(Side.buy, true)),
  };
}

export interface Logged {
  readonly command: Command;
  readonly events: readonly Event[];
  readonly reason: RejectReason;
  /** Of the account that the command names, when it is a trader. */
  readonly before: AccountFacts | undefined;
  readonly after: AccountFacts | undefined;
}

export interface SceneTerms {
  /** What each fund of each coin has, in 10^-8. */
  readonly funds?: bigint;
  /** Fixed, of both contracts. */
  readonly fundingRate?: string;
}

export class Scene {
  readonly exchange = new Exchange();
  readonly log: Logged[] = [];
  readonly #past = new FedPast();
  readonly #explainer = new Explainer(this.#past);
  /** For questions about one command: with snapshots on the way, from which replays are short. */
  readonly #pastWithSnapshots = new FedPast();
  readonly #commandExplainer = new Explainer(this.#pastWithSnapshots);
  #snapshots: Snapshot[] = [];
  #fed = 0;
  time = OPENING_TIME;

  /** Traders by uid with what they bring, in 10^-8 of coins by number. */
  constructor(
    traders: Readonly<Record<number, Readonly<Record<number, bigint>>>>,
    { funds = 10n ** 15n, fundingRate = '0' }: SceneTerms = {},
  ) {
    for (const spec of COINS) this.send({ type: 'listCoin', time: this.time, spec });
    const funded = (spec: InstrumentSpec): InstrumentSpec =>
      spec.futures === undefined || fundingRate === '0'
        ? spec
        : {
            ...spec,
            futures: { ...spec.futures, minFundingRate: fundingRate, maxFundingRate: fundingRate },
          };
    for (const spec of INSTRUMENTS.map(funded)) this.send({ type: 'listInstrument', time: this.time, spec });
    this.send({ type: 'setEdition', time: this.time, edition: NEWEST_EDITION });
    for (const uid of [...Object.keys(traders).map(Number), MAKER]) this.send(account(uid));
    for (const coin of [USDT, BTC]) {
      this.send(deposit(MAKER, coin, 10n ** 16n));
      for (const lending of [false, true])
        this.send({
          type: 'fundInsurance',
          time: this.time,
          coin,
          lending,
          amount: funds,
          reference: `${lending}`,
        });
    }
    this.send({ type: 'fundLoanPool', time: this.time, coin: USDT, amount: 10n ** 14n, reference: 'pool' });
    for (const [uid, coins] of Object.entries(traders))
      for (const [coin, amount] of Object.entries(coins))
        this.send(deposit(Number(uid), Number(coin), amount));
    this.tell('USDTUSD', 99_870_000n);
    this.tell('ETHUSD', 3_000n * 10n ** 8n);
    this.price(60_000);
  }

  send(command: Command): RejectReason {
    const uid = 'uid' in command && command.uid !== MAKER ? command.uid : 0;
    const facts = () => (this.exchange.state.accountByUid.has(uid) ? factsOf(this.exchange, uid) : undefined);
    const before = facts();
    const { rejectReason } = this.exchange.apply(command, this.log.length + 1);
    const events = this.exchange.takeEvents();
    this.log.push({ command, events, before, after: facts(), reason: rejectReason });
    if (this.log.length % SNAPSHOT_EVERY === 0)
      this.#snapshots.push({ seq: this.log.length, state: saveState(this.exchange.state).slice() });
    return rejectReason;
  }

  tell(name: string, units: bigint): void {
    const index = this.exchange.state.indexByName.get(name)!;
    this.send({ type: 'componentPrice', time: this.time, index, component: 0, price: units, volume: 0n });
  }

  second(): void {
    this.time += 1000;
    this.send({ type: 'tick', time: this.time });
  }

  /** The index and, a second later, the mark. */
  price(dollars: number): void {
    const units = BigInt(Math.round(dollars * 10)) * 10n ** 7n;
    this.tell('BTCUSDT', units);
    // The mark of the coin-margined contract is another: a dollar has its own price.
    this.tell('BTCUSD', (units * 9_983n) / 10_000n);
    this.second();
  }

  mark(contract: number): number {
    return this.exchange.state.markets[contract]!.futures!.markTicks;
  }

  quote(contract: number, lots: number): void {
    const mark = this.mark(contract);
    this.send({
      type: 'cancelAll',
      time: this.time,
      uid: MAKER,
      category: CATEGORIES[contract]!,
      instrument: contract,
    });
    for (const [side, away] of [
      [Side.buy, -3],
      [Side.sell, 3],
      [Side.buy, -40],
      [Side.sell, 40],
    ] as const)
      this.send(this.limit(MAKER, side, mark + away, lots, contract));
  }

  limit(uid: number, side: Side, priceTicks: number, sizeLots: number, instrument = 0): PlaceOrder {
    return order({ time: this.time, uid, side, priceTicks, sizeLots, instrument });
  }

  leverage(uid: number, contract: number, leverage: number): void {
    this.send({
      type: 'setLeverage',
      time: this.time,
      uid,
      instrument: contract,
      longLeverage: leverage,
      shortLeverage: leverage,
    });
  }

  /** USDT for a pledge; the other amount follows. */
  borrow(uid: number, amounts: { loan?: bigint; pledge?: bigint }, pledgeCoin = ETH): RejectReason {
    return this.send({
      type: 'loanBorrow',
      time: this.time,
      uid,
      loanCoin: USDT,
      pledgeCoin,
      term: 0,
      loanAmount: amounts.loan ?? 0n,
      pledgeAmount: amounts.pledge ?? 0n,
    });
  }

  isolate(uid: number, contract: number): void {
    this.send({ type: 'setMarginMode', time: this.time, uid, instrument: contract, isolated: true });
  }

  explain(seq: number): Explanation {
    return this.#answer(this.#commandExplainer, { kind: 'command', seq }, true);
  }

  liquidation(uid: number): Explanation {
    return this.#answer(this.#explainer, { kind: 'liquidation', uid }, false);
  }

  position(uid: number, symbol: string): Explanation {
    return this.#answer(this.#explainer, { kind: 'position', uid, symbol }, true);
  }

  #answer(explainer: Explainer, question: Question, others: boolean): Explanation {
    this.#feed();
    const answer = explainer.answer(question, this.log.length, { own: undefined, others });
    assert.ok(!('refused' in answer), JSON.stringify(answer));
    return answer;
  }

  #feed(): void {
    if (this.#fed === this.log.length) return;
    const payloads = this.log.slice(this.#fed).map(({ command }) => Uint8Array.from(encodeCommand(command)));
    let end = 0;
    const ends = Uint32Array.from(payloads.map(({ length }) => (end += length)));
    const bytes = Uint8Array.from(payloads.flatMap((each) => [...each]));
    const pieces = [{ firstSeq: this.#fed + 1, bytes, ends }];
    for (const past of [this.#past, this.#pastWithSnapshots]) past.feed({ pieces, firstSeq: 1 });
    for (const snapshot of this.#snapshots)
      this.#pastWithSnapshots.feed({ snapshot, pieces: [], firstSeq: 1 });
    this.#snapshots = [];
    this.#fed = this.log.length;
  }
}
