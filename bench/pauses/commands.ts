/** One command of every kind, again and again, on accounts drawn at random. */
import { ANY, type Command, type CommandType, EVERY_COMPONENT } from '../../src/core/model/command.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import { Side, Source, TimeInForce, Wallet } from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { KEEP_LEG } from '../../src/core/model/tpsl.ts';
import { account, deposit } from '../../test/property/venue.ts';
import { Random } from '../random.ts';
import type { Stopwatch } from './stopwatch.ts';
import { Coin, Listed, ONE, PRICE, TICKS, type Venue } from './venue.ts';

const WARM_UP = 300;
const TIMES = 300;

interface Maker {
  readonly over: string;
  /** Prepares the next one, untimed. */
  readonly before?: () => void;
  readonly make: () => Command;
  readonly times?: number;
  /** Every one of them is rejected, after the same look. */
  readonly refused?: true;
}

/** Kinds that the other parts time: each of these goes over much at once. */
type Elsewhere = 'tick' | 'setInstrumentStatus' | 'cancelEverything' | 'cancelAll';

export function timeCommands(venue: Venue, watch: Stopwatch): void {
  for (const [kind, maker] of Object.entries(makers(venue))) {
    let accepted = 0;
    for (let n = -(maker.times ?? WARM_UP); n < (maker.times ?? TIMES); n++) {
      maker.before?.();
      const command = maker.make();
      const { rejectReason } =
        n < 0 ? venue.apply(command) : watch.time(kind, maker.over, () => venue.apply(command));
      if (rejectReason === RejectReason.none) accepted++;
    }
    if (accepted === 0 && maker.refused === undefined) throw new Error(`no ${kind} was accepted`);
  }
}

function makers(venue: Venue): Record<Exclude<CommandType, Elsewhere>, Maker> {
  const random = new Random(11);
  const { accounts, debtors, loans } = venue.shape;
  const { state } = venue.exchange;
  const ONE_ACCOUNT = 'one account';
  let fresh = accounts;
  let serial = 0;
  let last = 0;
  /** Solvent ones with a position in the first contract. */
  const someone = () => 1 + random.below(accounts / 2);
  const debtor = () => accounts - random.below(debtors);
  const t = () => ({ time: venue.time });
  const perpetual = Listed.perpetual;
  const named = (orderId: number) => ({ orderId, clientOid: '', category: ANY, instrument: ANY }) as const;
  let uid = 1;
  const place = () => {
    uid = someone();
    last = venue.must(
      venue.limit({ uid, instrument: perpetual, priceTicks: TICKS - 100, sizeLots: 1 }),
    ).orderId;
  };
  const placeTrigger = () => {
    uid = someone();
    last = venue.must(venue.trigger(uid, 2 * TICKS)).orderId;
  };
  const loanOf = () => {
    uid = 1 + random.below(loans);
    last = state.loans.of(state.accountByUid.get(uid)!.index)[0]!.id;
  };
  const isolated = () => {
    // Nobody holds a position there yet.
    uid = ++fresh;
    venue.must({ ...account(uid), ...t() });
    venue.must({ ...deposit(uid, Coin.usdt, 1000n * ONE), ...t() });
    venue.must({ type: 'setMarginMode', ...t(), uid, instrument: perpetual, isolated: true });
    venue.must(
      venue.limit({ uid: 1, instrument: perpetual, side: Side.sell, priceTicks: TICKS, sizeLots: 1 }),
    );
    venue.must(venue.limit({ uid, instrument: perpetual, priceTicks: TICKS, sizeLots: 1 }));
  };
  const families = () => {
    uid = someone();
    venue.must({ ...account(++fresh, uid), ...t() });
    venue.must({ ...deposit(fresh, Coin.usdt, 1000n * ONE), ...t() });
  };
  const request = () => {
    uid = someone();
    last = venue.must({
      type: 'requestWithdrawal',
      ...t(),
      uid,
      coin: Coin.usdt,
      amount: ONE,
      fee: 1n,
      fromFunding: false,
      fromUnified: true,
      address: 'a',
      chain: 'c',
      tag: '',
      clientOid: '',
    }).orderId;
  };
  return {
    openAccount: { over: ONE_ACCOUNT, make: () => ({ ...account(++fresh), ...t() }) },
    listCoin: {
      over: 'one coin',
      make: () => ({ type: 'listCoin', ...t(), spec: { coin: `N${++serial}`, name: 'new', chains: [] } }),
      times: 20,
    },
    listInstrument: {
      over: 'one pair',
      make: () => ({
        type: 'listInstrument',
        ...t(),
        spec: {
          ...state.instruments[Listed.spot]!.spec,
          symbol: `N${++serial}USDT`,
          baseCoin: `N${1 + (serial % 20)}`,
        },
      }),
      times: 20,
    },
    deposit: {
      over: ONE_ACCOUNT,
      make: () => ({ ...deposit(someone(), Coin.usdt, ONE), ...t() }),
    },
    withdraw: {
      over: ONE_ACCOUNT,
      make: () => ({ type: 'withdraw', ...t(), uid: someone(), coin: Coin.btc, amount: 1n, reference: '' }),
    },
    setFees: {
      over: 'accounts with rates of their own',
      make: () => ({
        type: 'setFees',
        ...t(),
        uid: someone(),
        instrument: Listed.spot,
        makerRate: 10n ** 9n,
        takerRate: 10n ** 9n,
      }),
    },
    placeOrder: {
      over: 'one order, one fill at most',
      make: () => {
        const taking = random.below(2) === 0;
        const spot = random.below(2) === 0;
        return venue.limit({
          uid: someone(),
          instrument: spot ? Listed.spot : perpetual,
          side: spot === taking ? Side.buy : Side.sell,
          priceTicks: spot === taking ? TICKS + (taking ? 1 : -50) : TICKS + (taking ? -1 : 50),
          sizeLots: 1,
          timeInForce: taking ? TimeInForce.ioc : TimeInForce.gtc,
        });
      },
      times: 3000,
    },
    cancelOrder: {
      over: 'one order',
      before: place,
      make: () => ({ type: 'cancelOrder', ...t(), uid, ...named(last) }),
    },
    amendOrders: {
      over: 'one order',
      before: place,
      make: () => ({
        type: 'amendOrders',
        ...t(),
        uid,
        source: Source.api,
        items: [{ ...named(last), priceTicks: TICKS - 101, sizeLots: 0, autoCancel: false, outstanding: 0 }],
      }),
    },
    countdownCancel: {
      over: 'all countdowns that run',
      make: () => ({ type: 'countdownCancel', ...t(), uid: someone(), seconds: 60 }),
    },
    componentPrice: {
      over: 'one index',
      make: () => ({
        type: 'componentPrice',
        ...t(),
        index: 0,
        component: EVERY_COMPONENT,
        price: PRICE,
        volume: 0n,
      }),
    },
    setLeverage: {
      over: ONE_ACCOUNT,
      make: () => ({
        type: 'setLeverage',
        ...t(),
        uid: someone(),
        instrument: perpetual,
        longLeverage: 5 + random.below(10),
        shortLeverage: 0,
      }),
    },
    setCoinLeverage: {
      over: ONE_ACCOUNT,
      make: () => ({
        type: 'setCoinLeverage',
        ...t(),
        uid: debtor(),
        coin: Coin.usdt,
        leverage: 2 + random.below(4),
      }),
    },
    repay: {
      over: ONE_ACCOUNT,
      make: () => ({ type: 'repay', ...t(), uid: debtor(), debtCoin: Coin.usdt, payCoin: Coin.btc }),
    },
    setHoldMode: {
      over: ONE_ACCOUNT,
      before: () => {
        uid = ++fresh;
        venue.must({ ...account(uid), ...t() });
      },
      make: () => ({ type: 'setHoldMode', ...t(), uid, holdMode: 1 }),
    },
    setMarginMode: {
      over: ONE_ACCOUNT,
      make: () => ({
        type: 'setMarginMode',
        ...t(),
        uid: someone(),
        instrument: perpetual + 1,
        isolated: random.below(2) === 0,
      }),
    },
    adjustMargin: {
      over: ONE_ACCOUNT,
      before: isolated,
      make: () => ({ type: 'adjustMargin', ...t(), uid, instrument: perpetual, posSide: 0, amount: ONE }),
    },
    setAutoMargin: {
      over: ONE_ACCOUNT,
      before: isolated,
      make: () => ({ type: 'setAutoMargin', ...t(), uid, instrument: perpetual, posSide: 0, room: ONE }),
    },
    loanBorrow: { over: ONE_ACCOUNT, make: () => venue.borrow(someone(), venue.time) },
    loanRepay: {
      over: ONE_ACCOUNT,
      before: loanOf,
      make: () => ({
        type: 'loanRepay',
        ...t(),
        uid,
        loanId: last,
        fromPledge: false,
        all: false,
        amount: ONE / 100n,
        unlock: false,
      }),
    },
    loanRevise: {
      over: ONE_ACCOUNT,
      before: loanOf,
      make: () => ({
        type: 'loanRevise',
        ...t(),
        uid,
        loanId: last,
        pledgeCoin: Coin.btc,
        into: true,
        amount: ONE / 100n,
      }),
    },
    fundLoanPool: {
      over: 'one coin',
      make: () => ({ type: 'fundLoanPool', ...t(), coin: Coin.btc, amount: ONE, reference: `l${++serial}` }),
    },
    fundInsurance: {
      over: 'one coin',
      make: () => ({
        type: 'fundInsurance',
        ...t(),
        coin: Coin.usdt,
        lending: false,
        amount: 1000n * ONE,
        reference: `i${++serial}`,
      }),
    },
    writeOffDebt: {
      over: 'one account, which can pay',
      make: () => ({ type: 'writeOffDebt', ...t(), uid: debtor() }),
      refused: true,
    },
    setCoinLimits: {
      over: 'one coin',
      make: () => ({
        type: 'setCoinLimits',
        ...t(),
        coin: Coin.usdt,
        houseShortUsd: '100000',
        lendShare: '',
        insuranceFloor: '',
      }),
    },
    forceClose: {
      over: 'one account, its ranking among 50,000 holders',
      make: () => ({ type: 'forceClose', ...t(), uid: someone(), deleverage: true, instrument: perpetual }),
      times: 20,
    },
    forceFunding: {
      over: '50,000 holders',
      make: () => ({ type: 'forceFunding', ...t(), instrument: perpetual }),
      times: 5,
    },
    movePositions: {
      over: 'two accounts',
      before: families,
      make: () => {
        const position = [...state.accountByUid.get(uid)!.positions.values()][0];
        const side = position?.long === true ? Side.sell : Side.buy;
        const items = [{ instrument: perpetual, side, sizeLots: 1 }];
        return { type: 'movePositions', ...t(), initiatorUid: uid, fromUid: uid, toUid: fresh, items };
      },
    },
    setLoanRate: {
      over: 'one coin',
      make: () => ({ type: 'setLoanRate', ...t(), coin: Coin.usdt, term: 0, yearRate: '0.21' }),
    },
    transfer: {
      over: ONE_ACCOUNT,
      make: () => {
        const initiatorUid = someone();
        return {
          type: 'transfer',
          ...t(),
          initiatorUid,
          fromUid: initiatorUid,
          toUid: initiatorUid,
          fromWallet: Wallet.unified,
          toWallet: Wallet.funding,
          coin: Coin.btc,
          amount: 1n,
          clientOid: `t${++serial}`,
        };
      },
    },
    requestWithdrawal: {
      over: ONE_ACCOUNT,
      make: () => ({
        type: 'requestWithdrawal',
        ...t(),
        uid: someone(),
        coin: Coin.usdt,
        amount: ONE,
        fee: 1n,
        fromFunding: false,
        fromUnified: true,
        address: 'a',
        chain: 'c',
        tag: '',
        clientOid: '',
      }),
    },
    endWithdrawal: {
      over: ONE_ACCOUNT,
      before: request,
      make: () => ({ type: 'endWithdrawal', ...t(), withdrawalId: last, uid: 0, paid: true, reference: 'r' }),
    },
    internalWithdrawal: {
      over: 'two accounts',
      make: () => ({
        type: 'internalWithdrawal',
        ...t(),
        uid: someone(),
        toUid: 1,
        coin: Coin.btc,
        amount: 1n,
        fromFunding: false,
        fromUnified: true,
        clientOid: '',
      }),
    },
    setHalt: { over: 'the exchange', make: () => ({ type: 'setHalt', ...t(), halted: false }) },
    setEdition: {
      over: 'the exchange, of the first edition',
      before: () => {
        state.edition = 1;
      },
      make: () => ({ type: 'setEdition', ...t(), edition: NEWEST_EDITION }),
      times: 3,
    },
    setMarketMaker: {
      over: ONE_ACCOUNT,
      make: () => ({ type: 'setMarketMaker', ...t(), uid: someone(), marketMaker: random.below(2) === 0 }),
    },
    setFeeDeduction: {
      over: ONE_ACCOUNT,
      make: () => ({ type: 'setFeeDeduction', ...t(), uid: someone(), on: false }),
    },
    setDepositWallet: {
      over: ONE_ACCOUNT,
      make: () => ({
        type: 'setDepositWallet',
        ...t(),
        uid: someone(),
        coin: Coin.usdt,
        wallet: Wallet.unified,
      }),
    },
    setCommission: {
      over: ONE_ACCOUNT,
      before: () => {
        uid = someone();
        venue.must({ type: 'setBroker', ...t(), uid, broker: true });
      },
      make: () => ({ type: 'setCommission', ...t(), uid, rate: 10n ** 11n }),
    },
    setBroker: {
      over: ONE_ACCOUNT,
      make: () => ({ type: 'setBroker', ...t(), uid: someone(), broker: false }),
    },
    placeStrategy: { over: 'one order', make: () => venue.trigger(someone(), 2 * TICKS) },
    modifyStrategy: {
      over: 'one order',
      before: placeTrigger,
      make: () => ({
        type: 'modifyStrategy',
        ...t(),
        uid,
        orderId: last,
        clientOid: '',
        sizeLots: 2,
        quoteAmount: 0n,
        takeProfit: KEEP_LEG,
        stopLoss: KEEP_LEG,
        trigger: KEEP_LEG,
        callbackPpm: 0,
      }),
    },
    cancelStrategy: {
      over: 'one order',
      before: placeTrigger,
      make: () => ({ type: 'cancelStrategy', ...t(), uid, orderId: last, clientOid: '' }),
    },
    identityMark: {
      over: 'nothing',
      make: () => ({ type: 'identityMark', ...t(), store: '00', changes: 1 }),
    },
    skipCommand: { over: 'nothing', make: () => ({ type: 'skipCommand', ...t(), seq: 1 }) },
    checkpoint: {
      over: 'the digest',
      make: () => ({ type: 'checkpoint', ...t(), digest: state.digest.value }),
    },
  };
}
