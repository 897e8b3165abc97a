/**
 * Random commands for a small, busy and poor venue: few users (one master with two sub-accounts, one market maker),
 * three pairs that share three coins, a handful of prices, balances that run out, clocks that jump. A generated
 * `Intent` names orders by their place among those at hand; `toCommand` turns it into a command.
 */
import fc from 'fast-check';
import { ANY, type Command, DEFAULT_WALLET, OFF_GRID, OUT_OF_RANGE } from '../../src/core/model/command.ts';
import {
  Category,
  INSTRUMENT_STATUS_NAMES,
  OrderType,
  Side,
  Source,
  type StpMode,
  TimeInForce,
  type Wallet,
} from '../../src/core/model/enums.ts';
import { RATE_ONE } from '../../src/core/model/units.ts';
import { account, coin, deposit, order, spotPair } from './venue.ts';

export const UIDS = [1, 2, 3, 4, 5, 6];
const MARKET_MAKERS = [3, 4];
const STRANGER = 99;
const COINS = 3;
const PAIRS = 3;
const ONE = 10n ** 8n;
const PICK_MAX = 1000;

/** Accounts 2 and 3 belong to 1; 4 makes markets; 6 pays no fee as a maker but earns one. */
export const SET_UP: readonly Command[] = [
  coin('AAA'),
  coin('BBB'),
  coin('CCC'),
  spotPair('AAA', 'CCC', {
    pricePrecision: '1',
    quantityPrecision: '2',
    minOrderAmount: '2',
    openingPrice: '10',
  }),
  spotPair('BBB', 'CCC', {
    pricePrecision: '2',
    quantityPrecision: '6',
    makerFeeRate: '-0.0001',
    openingPrice: '1',
  }),
  spotPair('AAA', 'BBB', {
    pricePrecision: '1',
    quantityPrecision: '7',
    maxSymbolOrderNum: '6',
    openingPrice: '10',
  }),
  account(1),
  account(2, 1),
  account(3, 1, true),
  account(4, 0, true),
  account(5),
  account(6),
  ...UIDS.flatMap((uid) => Array.from({ length: COINS }, (_, n) => deposit(uid, n, 30n * ONE + BigInt(uid)))),
];

/** Lots of about one whole coin, by pair. */
const LOTS = [100, 1_000_000, 10_000_000];

export interface Intent {
  readonly uid: number;
  readonly pair: number;
  readonly pick: number;
  readonly waitMs: number;
  readonly act:
    | { readonly kind: 'place'; readonly draft: Draft }
    | { readonly kind: 'amend'; readonly source: Source; readonly items: readonly Change[] }
    | { readonly kind: 'cancel'; readonly byClientOid: boolean }
    | { readonly kind: 'cancelAll'; readonly everything: boolean }
    | { readonly kind: 'countdown'; readonly seconds: number }
    | { readonly kind: 'status'; readonly status: number }
    | { readonly kind: 'money'; readonly into: boolean; readonly amount: bigint }
    | { readonly kind: 'transfer'; readonly to: number; readonly wallets: number; readonly amount: bigint }
    | {
        readonly kind: 'withdrawal';
        readonly to: number;
        readonly wallets: number;
        readonly amount: bigint;
        readonly fee: bigint;
      }
    | { readonly kind: 'ending'; readonly byOwner: boolean; readonly paid: boolean }
    | { readonly kind: 'fees'; readonly makerRate: bigint; readonly takerRate: bigint }
    | { readonly kind: 'share'; readonly rate: bigint }
    | { readonly kind: 'arrivals'; readonly wallet: Wallet }
    | { readonly kind: 'edition'; readonly edition: number }
    | { readonly kind: 'broker'; readonly broker: boolean }
    | { readonly kind: 'insurance'; readonly lending: boolean; readonly amount: bigint }
    | { readonly kind: 'writeOff' }
    | { readonly kind: 'limits'; readonly amount: string }
    | { readonly kind: 'tick' };
}

interface Draft {
  readonly side: Side;
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly stpMode: StpMode;
  readonly source: Source;
  readonly priceTicks: number;
  /** In hundredths of a coin, or a code. */
  readonly size: number;
  readonly amount: bigint;
  readonly clientOid: string;
}

interface Change {
  readonly pick: number;
  readonly byClientOid: boolean;
  readonly priceTicks: number;
  readonly size: number;
  readonly autoCancel: boolean;
  readonly outstanding: number;
}

const often = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, weight = 30): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: rare, weight: 1 });

const source = fc.constantFrom(Source.api, Source.retail);
const ticks = often(
  fc.integer({ min: 96, max: 104 }),
  fc.constantFrom(OFF_GRID, OUT_OF_RANGE, 0, 1, 150, 2 ** 30 - 1),
);
const size = often(fc.integer({ min: 1, max: 200 }), fc.constantFrom(OFF_GRID, OUT_OF_RANGE, 0, 10_000));
const clientOid = fc.oneof(
  { arbitrary: fc.constant(''), weight: 3 },
  { arbitrary: fc.constantFrom('a', 'b', 'c', 'Ä€😀'), weight: 1 },
);

const draft: fc.Arbitrary<Draft> = fc.record({
  side: fc.constantFrom(Side.buy, Side.sell),
  orderType: fc.constantFrom(
    OrderType.limit,
    OrderType.limit,
    OrderType.limit,
    OrderType.limit,
    OrderType.market,
  ),
  timeInForce: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 4, 4),
  stpMode: fc.constantFrom(0, 1, 2, 3),
  source,
  priceTicks: ticks,
  size,
  amount: often(fc.bigInt(1n, 40n), fc.constantFrom(-1n, -2n, 0n, 10n ** 23n)),
  clientOid,
});

const change: fc.Arbitrary<Change> = fc.record({
  pick: fc.nat(PICK_MAX),
  byClientOid: fc.boolean(),
  priceTicks: fc.oneof(fc.constant(0), ticks),
  size: fc.oneof(fc.constant(0), size),
  autoCancel: fc.boolean(),
  outstanding: often(fc.constant(0), fc.nat(6), 10),
});

const party = often(fc.constantFrom(...UIDS), fc.constant(STRANGER), 20);
const movedAmount = often(fc.bigInt(1n, 20n * ONE), fc.constantFrom(0n, -1n, 10n ** 31n), 10);
const rate = fc.bigInt(-(10n ** 9n), 10n ** 10n);
const act: fc.Arbitrary<Intent['act']> = fc.oneof(
  { weight: 60, arbitrary: fc.record({ kind: fc.constant('place'), draft }) },
  {
    weight: 25,
    arbitrary: fc.record({
      kind: fc.constant('amend'),
      source,
      items: fc.oneof(
        { arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }), weight: 12 },
        { arbitrary: fc.array(change, { minLength: 15, maxLength: 20, size: 'max' }), weight: 1 },
      ),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('cancel'), byClientOid: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancelAll'), everything: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('countdown'), seconds: fc.constantFrom(0, 4, 5, 30, 60, 61) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('status'),
      status: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2, 3, 4, 5, 6),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('money'),
      into: fc.boolean(),
      amount: often(fc.bigInt(1n, 20n * ONE), fc.constantFrom(0n, -1n, 10n ** 31n), 10),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('transfer'),
      to: party,
      wallets: fc.nat(3),
      amount: movedAmount,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('withdrawal'),
      to: fc.oneof(fc.constant(0), party),
      wallets: fc.nat(3),
      amount: movedAmount,
      fee: fc.bigInt(-1n, ONE),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('ending'), byOwner: fc.boolean(), paid: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fees'), makerRate: rate, takerRate: rate }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('share'),
      rate: fc.constantFrom(0n, 1n, 333_333_333_333n, RATE_ONE, RATE_ONE + 1n),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('arrivals'),
      wallet: fc.constantFrom(0 as Wallet, 1 as Wallet),
    }),
  },
  // Soon a later edition: half of the commands are decided by each.
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('edition'), edition: fc.constantFrom(2, 3, 3, 1, 4, 5, 6) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('broker'), broker: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('insurance'),
      lending: fc.boolean(),
      amount: often(fc.bigInt(-5n * ONE, 10n * ONE), fc.constantFrom(10n ** 31n, -(10n ** 31n)), 10),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('writeOff') }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('limits'), amount: fc.constantFrom('', '0', '2.5', '-1', 'x') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('tick') }) },
);

const MINUTE = 60_000;
const intent: fc.Arbitrary<Intent> = fc.record({
  uid: often(fc.constantFrom(...UIDS), fc.constant(STRANGER), 60),
  pair: often(fc.nat(PAIRS - 1), fc.constant(PAIRS), 60),
  pick: fc.nat(PICK_MAX),
  waitMs: fc.oneof(
    { arbitrary: fc.constant(0), weight: 100 },
    { arbitrary: fc.nat(2000), weight: 50 },
    { arbitrary: fc.nat(10 * MINUTE), weight: 8 },
    { arbitrary: fc.integer({ min: 0, max: 40 * 24 * 60 * MINUTE }), weight: 1 },
  ),
  act,
});

export function intents(maxLength: number): fc.Arbitrary<Intent[]> {
  return fc.array(intent, { minLength: 1, maxLength, size: 'max' });
}

/** An order of the run so far, open or closed, as a later command may name it. */
export interface Named {
  readonly orderId: number;
  readonly uid: number;
  readonly clientOid: string;
}

/** `withdrawals` are the ids of those that were ever asked for, the last few of them. */
export function toCommand(
  intent: Intent,
  time: number,
  orders: readonly Named[],
  withdrawals: readonly { readonly id: number; readonly uid: number }[] = [],
): Command {
  const { uid, pair, act } = intent;
  const named = (pick: number, among = orders) => among[pick % (among.length + 1)];
  switch (act.kind) {
    case 'place': {
      const { draft } = act;
      const isMarket = draft.orderType === OrderType.market;
      const byAmount = isMarket && draft.side === Side.buy;
      const { side, orderType, stpMode, clientOid } = draft;
      const proper = draft.timeInForce === TimeInForce.rpi && intent.pick % 5 !== 0;
      return order({
        time,
        uid: proper ? MARKET_MAKERS[intent.pick % MARKET_MAKERS.length]! : uid,
        instrument: pair,
        side,
        orderType,
        stpMode,
        source: proper ? Source.api : draft.source,
        clientOid,
        timeInForce: isMarket ? ((draft.timeInForce & 1) as TimeInForce) : draft.timeInForce,
        priceTicks: isMarket ? 0 : draft.priceTicks,
        sizeLots: byAmount ? 0 : lotsOf(pair, draft.size),
        quoteAmount: !byAmount ? 0n : draft.amount > 0n ? draft.amount * ONE : draft.amount,
        expired: intent.pick % 23 === 1,
      });
    }
    case 'amend': {
      const owner = named(intent.pick)?.uid ?? uid;
      const own = orders.filter((order) => order.uid === owner);
      return {
        type: 'amendOrders',
        time,
        uid: owner,
        source: act.source,
        items: act.items.map((item) => ({
          ...nameOf(named(item.pick, own), item.byClientOid),
          category: ANY,
          instrument: ANY,
          priceTicks: item.priceTicks,
          sizeLots: item.size === 0 ? 0 : lotsOf(pair, item.size),
          autoCancel: item.autoCancel,
          outstanding: item.outstanding,
        })),
      };
    }
    case 'cancel': {
      const target = named(intent.pick);
      return {
        type: 'cancelOrder',
        time,
        uid: target?.uid ?? uid,
        ...nameOf(target, act.byClientOid),
        category: pair === 0 ? Category.spot : ANY,
        instrument: pair === 1 ? pair : ANY,
      };
    }
    case 'cancelAll':
      return {
        type: 'cancelAll',
        time,
        uid,
        category: Category.spot,
        instrument: act.everything ? ANY : pair,
      };
    case 'countdown':
      return { type: 'countdownCancel', time, uid, seconds: act.seconds };
    case 'status':
      return {
        type: 'setInstrumentStatus',
        time,
        instrument: pair,
        status: INSTRUMENT_STATUS_NAMES[act.status] ?? ('nonsense' as 'online'),
      };
    case 'money': {
      const common = { time, uid, coin: intent.pick % (COINS + 1), amount: act.amount, reference: '' };
      if (!act.into) return { type: 'withdraw', ...common };
      const wallet = intent.pick % 2 === 0 ? DEFAULT_WALLET : 0;
      return { type: 'deposit', ...common, wallet };
    }
    case 'share':
      return { type: 'setCommission', time, uid: intent.pick % 4 === 0 ? uid : 1, rate: act.rate };
    case 'arrivals':
      return { type: 'setDepositWallet', time, uid, coin: intent.pick % (COINS + 1), wallet: act.wallet };
    case 'transfer':
      return {
        type: 'transfer',
        time,
        initiatorUid: intent.pick % 3 === 0 ? uid : 1,
        fromUid: uid,
        toUid: act.to,
        fromWallet: (act.wallets & 1) as Wallet,
        toWallet: (act.wallets >> 1) as Wallet,
        coin: intent.pick % (COINS + 1),
        amount: act.amount,
        clientOid: ['', '', 'a', 'b'][intent.pick % 4]!,
      };
    case 'withdrawal': {
      const common = {
        time,
        uid,
        coin: intent.pick % (COINS + 1),
        amount: act.amount,
        fromFunding: (act.wallets & 1) === 1,
        fromUnified: act.wallets !== 1,
        clientOid: ['', '', 'a', 'b'][intent.pick % 4]!,
      };
      if (act.to !== 0) return { type: 'internalWithdrawal', ...common, toUid: act.to };
      return { type: 'requestWithdrawal', ...common, fee: act.fee, address: '', chain: '', tag: '' };
    }
    case 'ending': {
      const target = withdrawals[intent.pick % (withdrawals.length + 1)];
      const owner = intent.pick % 5 === 0 ? uid : (target?.uid ?? uid);
      return {
        type: 'endWithdrawal',
        time,
        withdrawalId: target?.id ?? 7_777_777,
        uid: act.byOwner ? owner : 0,
        paid: act.paid,
        reference: '',
      };
    }
    case 'fees':
      return {
        type: 'setFees',
        time,
        uid,
        instrument: pair,
        makerRate: act.makerRate,
        takerRate: act.takerRate,
      };
    case 'edition':
      return { type: 'setEdition', time, edition: act.edition };
    case 'broker':
      return { type: 'setBroker', time, uid, broker: act.broker };
    case 'insurance':
      return {
        type: 'fundInsurance',
        time,
        coin: intent.pick % (COINS + 1),
        lending: act.lending,
        amount: act.amount,
        reference: `${intent.pick % 300}`,
      };
    case 'writeOff':
      return { type: 'writeOffDebt', time, uid };
    case 'limits':
      return {
        type: 'setCoinLimits',
        time,
        coin: intent.pick % (COINS + 1),
        houseShortUsd: act.amount,
        lendShare: intent.pick % 5 === 0 ? '0.5' : '',
        insuranceFloor: act.amount,
      };
    case 'tick':
      return { type: 'tick', time };
  }
}

function lotsOf(pair: number, size: number): number {
  return size <= 0 ? size : (size * (LOTS[pair] ?? 100)) / 100;
}

function nameOf(target: Named | undefined, byClientOid: boolean): { orderId: number; clientOid: string } {
  if (target === undefined) return { orderId: byClientOid ? 0 : 7_777_777, clientOid: 'nobody' };
  return byClientOid
    ? { orderId: 0, clientOid: target.clientOid }
    : { orderId: target.orderId, clientOid: '' };
}
