/** Commands as bytes of the log. A type keeps its number for ever; a changed layout gets a new one. */
import { ByteReader, ByteWriter, type Fields, UnreadableRecord } from './bytes.ts';
import type { AmendItem, Command, CommandType } from './command.ts';
import type { CoinSpec, InstrumentSpec } from './instrument.ts';
import { BATCH_ITEMS_MAX } from './limits.ts';
import type { LoanTerm } from './loan/loan-terms.ts';
import {
  KEEP_LEG,
  KEEP_PRESET,
  legChangeFields,
  legFields,
  NO_LEG,
  NO_PRESET,
  presetChangeFields,
  presetFields,
} from './strategy/trigger-leg.ts';
import type {
  Category,
  InstrumentStatusName,
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  StrategyKind,
  TimeInForce,
  Wallet,
} from './terms.ts';

/** How one type of command is laid out. `blank` gives the reader a record of the right shape to fill. */
interface Layout<C extends Command> {
  readonly code: number;
  readonly blank: () => C;
  readonly fields: (f: Fields, c: C) => void;
}
type Layouts = { readonly [T in CommandType]: Layout<Extract<Command, { type: T }>> };

const LAYOUTS: Layouts = {
  tick: {
    code: 1,
    blank: () => ({ type: 'tick', time: 0 }),
    fields: (f, c) => {
      c.by = f.text(c.by ?? '');
    },
  },
  openAccount: {
    code: 2,
    blank: () => ({ type: 'openAccount', time: 0, uid: 0, masterUid: 0, marketMaker: false, house: false }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.masterUid = f.f64(c.masterUid);
      c.marketMaker = f.flag(c.marketMaker);
      c.house = f.flag(c.house);
      c.by = f.text(c.by ?? '');
    },
  },
  listCoin: {
    code: 3,
    blank: () => ({ type: 'listCoin', time: 0, spec: {} as CoinSpec }),
    fields: (f, c) => {
      c.spec = JSON.parse(f.text(JSON.stringify(c.spec)));
      c.by = f.text(c.by ?? '');
    },
  },
  listInstrument: {
    code: 4,
    blank: () => ({ type: 'listInstrument', time: 0, spec: {} as InstrumentSpec }),
    fields: (f, c) => {
      c.spec = JSON.parse(f.text(JSON.stringify(c.spec)));
      c.by = f.text(c.by ?? '');
    },
  },
  setInstrumentStatus: {
    code: 5,
    blank: () => ({ type: 'setInstrumentStatus', time: 0, instrument: 0, status: 'online' }),
    fields: (f, c) => {
      c.instrument = f.u16(c.instrument);
      c.status = f.text(c.status) as InstrumentStatusName;
      c.by = f.text(c.by ?? '');
    },
  },
  deposit: {
    code: 6,
    blank: () => ({ type: 'deposit', time: 0, uid: 0, coin: 0, amount: 0n, reference: '' }),
    fields: (f, c) => {
      movement(f, c);
      c.wallet = f.u8(c.wallet ?? 0) as Wallet;
      c.chain = f.text(c.chain ?? '');
      c.address = f.text(c.address ?? '');
    },
  },
  withdraw: {
    code: 7,
    blank: () => ({ type: 'withdraw', time: 0, uid: 0, coin: 0, amount: 0n, reference: '' }),
    fields: movement,
  },
  setFees: {
    code: 8,
    blank: () => ({ type: 'setFees', time: 0, uid: 0, instrument: 0, makerRate: 0n, takerRate: 0n }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.instrument = f.u16(c.instrument);
      c.makerRate = f.money(c.makerRate);
      c.takerRate = f.money(c.takerRate);
      c.by = f.text(c.by ?? '');
    },
  },
  placeOrder: {
    code: 9,
    blank: () => ({
      type: 'placeOrder',
      time: 0,
      uid: 0,
      source: 0,
      instrument: 0,
      side: 0,
      orderType: 0,
      timeInForce: 0,
      stpMode: 0,
      priceTicks: 0,
      sizeLots: 0,
      quoteAmount: 0n,
      clientOid: '',
      posSide: 0,
      reduceOnly: false,
    }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.source = f.u8(c.source) as Source;
      c.instrument = f.u16(c.instrument);
      c.side = f.u8(c.side) as Side;
      c.orderType = f.u8(c.orderType) as OrderType;
      c.timeInForce = f.u8(c.timeInForce) as TimeInForce;
      c.stpMode = f.u8(c.stpMode) as StpMode;
      c.priceTicks = f.i32(c.priceTicks);
      c.sizeLots = f.f64(c.sizeLots);
      c.quoteAmount = f.money(c.quoteAmount);
      c.clientOid = f.text(c.clientOid);
      c.posSide = f.u8(c.posSide ?? 0) as PosSide;
      c.reduceOnly = f.flag(c.reduceOnly ?? false);
      if (f.flag(c.preset !== undefined)) c.preset = presetFields(f, c.preset ?? NO_PRESET);
    },
  },
  cancelOrder: {
    code: 10,
    blank: () => ({
      type: 'cancelOrder',
      time: 0,
      uid: 0,
      orderId: 0,
      clientOid: '',
      category: -1,
      instrument: -1,
    }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.orderId = f.f64(c.orderId);
      c.clientOid = f.text(c.clientOid);
      c.category = f.i32(c.category) as Category;
      c.instrument = f.i32(c.instrument);
    },
  },
  cancelAll: {
    code: 11,
    blank: () => ({ type: 'cancelAll', time: 0, uid: 0, category: 0, instrument: -1 }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.category = f.i32(c.category) as Category;
      c.instrument = f.i32(c.instrument);
    },
  },
  amendOrders: {
    code: 12,
    blank: () => ({ type: 'amendOrders', time: 0, uid: 0, source: 0, items: [] }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.source = f.u8(c.source) as Source;
      const count = f.u8(c.items.length);
      if (count > BATCH_ITEMS_MAX) throw new UnreadableRecord(`${count} items in a batch`);
      for (let n = 0; n < count; n++) {
        if (n === c.items.length) c.items.push(blankAmend());
        amendItem(f, c.items[n]!);
      }
    },
  },
  countdownCancel: {
    code: 13,
    blank: () => ({ type: 'countdownCancel', time: 0, uid: 0, seconds: 0 }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.seconds = f.u16(c.seconds);
    },
  },
  transfer: {
    code: 15,
    blank: () => ({
      type: 'transfer',
      time: 0,
      initiatorUid: 0,
      fromUid: 0,
      toUid: 0,
      fromWallet: 0,
      toWallet: 0,
      coin: 0,
      amount: 0n,
      clientOid: '',
    }),
    fields: (f, c) => {
      c.initiatorUid = f.f64(c.initiatorUid);
      c.fromUid = f.f64(c.fromUid);
      c.toUid = f.f64(c.toUid);
      c.fromWallet = f.u8(c.fromWallet) as Wallet;
      c.toWallet = f.u8(c.toWallet) as Wallet;
      c.coin = f.u16(c.coin);
      c.amount = f.money(c.amount);
      c.clientOid = f.text(c.clientOid);
    },
  },
  requestWithdrawal: {
    code: 16,
    blank: () => ({
      type: 'requestWithdrawal',
      time: 0,
      uid: 0,
      coin: 0,
      amount: 0n,
      fee: 0n,
      fromFunding: false,
      fromUnified: false,
      address: '',
      chain: '',
      tag: '',
      clientOid: '',
    }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.coin = f.u16(c.coin);
      c.amount = f.money(c.amount);
      c.fee = f.money(c.fee);
      c.fromFunding = f.flag(c.fromFunding);
      c.fromUnified = f.flag(c.fromUnified);
      c.address = f.text(c.address);
      c.chain = f.text(c.chain);
      c.tag = f.text(c.tag);
      c.clientOid = f.text(c.clientOid);
    },
  },
  endWithdrawal: {
    code: 17,
    blank: () => ({ type: 'endWithdrawal', time: 0, withdrawalId: 0, uid: 0, paid: false, reference: '' }),
    fields: (f, c) => {
      c.withdrawalId = f.f64(c.withdrawalId);
      c.uid = f.f64(c.uid);
      c.paid = f.flag(c.paid);
      c.reference = f.text(c.reference);
      c.by = f.text(c.by ?? '');
    },
  },
  setHalt: {
    code: 18,
    blank: () => ({ type: 'setHalt', time: 0, halted: false }),
    fields: (f, c) => {
      c.halted = f.flag(c.halted);
      c.by = f.text(c.by ?? '');
    },
  },
  setMarketMaker: {
    code: 19,
    blank: () => ({ type: 'setMarketMaker', time: 0, uid: 0, marketMaker: false }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.marketMaker = f.flag(c.marketMaker);
      c.by = f.text(c.by ?? '');
    },
  },
  setFeeDeduction: {
    code: 20,
    blank: () => ({ type: 'setFeeDeduction', time: 0, uid: 0, on: false }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.on = f.flag(c.on);
    },
  },
  innerWithdrawal: {
    code: 21,
    blank: () => ({
      type: 'innerWithdrawal',
      time: 0,
      uid: 0,
      toUid: 0,
      coin: 0,
      amount: 0n,
      fromFunding: false,
      fromUnified: false,
      clientOid: '',
    }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.toUid = f.f64(c.toUid);
      c.coin = f.u16(c.coin);
      c.amount = f.money(c.amount);
      c.fromFunding = f.flag(c.fromFunding);
      c.fromUnified = f.flag(c.fromUnified);
      c.clientOid = f.text(c.clientOid);
    },
  },
  componentPrice: {
    code: 22,
    blank: () => ({ type: 'componentPrice', time: 0, index: 0, component: 0, price: 0n, volume: 0n }),
    fields: (f, c) => {
      c.index = f.u16(c.index);
      c.component = f.u8(c.component);
      c.price = f.money(c.price);
      c.volume = f.money(c.volume);
      c.by = f.text(c.by ?? '');
    },
  },
  setLeverage: {
    code: 23,
    blank: () => ({ type: 'setLeverage', time: 0, uid: 0, instrument: 0, longLeverage: 0, shortLeverage: 0 }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.instrument = f.u16(c.instrument);
      c.longLeverage = f.u16(c.longLeverage);
      c.shortLeverage = f.u16(c.shortLeverage);
    },
  },
  setHoldMode: {
    code: 24,
    blank: () => ({ type: 'setHoldMode', time: 0, uid: 0, holdMode: 0 }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.holdMode = f.u8(c.holdMode);
    },
  },
  setMarginMode: {
    code: 25,
    blank: () => ({ type: 'setMarginMode', time: 0, uid: 0, instrument: 0, isolated: false }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.instrument = f.u16(c.instrument);
      c.isolated = f.flag(c.isolated);
    },
  },
  adjustMargin: {
    code: 26,
    blank: () => ({ type: 'adjustMargin', time: 0, uid: 0, instrument: 0, posSide: 0, amount: 0n }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.instrument = f.u16(c.instrument);
      c.posSide = f.u8(c.posSide) as PosSide;
      c.amount = f.money(c.amount);
    },
  },
  setAutoMargin: {
    code: 38,
    blank: () => ({ type: 'setAutoMargin', time: 0, uid: 0, instrument: 0, posSide: 0, room: 0n }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.instrument = f.u16(c.instrument);
      c.posSide = f.u8(c.posSide) as PosSide;
      c.room = f.money(c.room);
    },
  },
  loanBorrow: {
    code: 27,
    blank: () => ({
      type: 'loanBorrow',
      time: 0,
      uid: 0,
      loanCoin: 0,
      pledgeCoin: 0,
      term: 0,
      loanAmount: 0n,
      pledgeAmount: 0n,
    }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.loanCoin = f.u16(c.loanCoin);
      c.pledgeCoin = f.u16(c.pledgeCoin);
      c.term = f.u8(c.term) as LoanTerm;
      c.loanAmount = f.money(c.loanAmount);
      c.pledgeAmount = f.money(c.pledgeAmount);
    },
  },
  loanRepay: {
    code: 28,
    blank: () => ({
      type: 'loanRepay',
      time: 0,
      uid: 0,
      loanId: 0,
      fromPledge: false,
      all: false,
      amount: 0n,
      unlock: false,
    }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.loanId = f.f64(c.loanId);
      c.fromPledge = f.flag(c.fromPledge);
      c.all = f.flag(c.all);
      c.amount = f.money(c.amount);
      c.unlock = f.flag(c.unlock);
    },
  },
  loanRevise: {
    code: 29,
    blank: () => ({
      type: 'loanRevise',
      time: 0,
      uid: 0,
      loanId: 0,
      pledgeCoin: 0,
      into: false,
      amount: 0n,
    }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.loanId = f.f64(c.loanId);
      c.pledgeCoin = f.u16(c.pledgeCoin);
      c.into = f.flag(c.into);
      c.amount = f.money(c.amount);
    },
  },
  fundLoanPool: {
    code: 30,
    blank: () => ({ type: 'fundLoanPool', time: 0, coin: 0, amount: 0n, reference: '' }),
    fields: (f, c) => {
      c.coin = f.u16(c.coin);
      c.amount = f.money(c.amount);
      c.reference = f.text(c.reference);
      c.by = f.text(c.by ?? '');
    },
  },
  forceClose: {
    code: 37,
    blank: () => ({ type: 'forceClose', time: 0, uid: 0, deleverage: false, instrument: -1 }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.deleverage = f.flag(c.deleverage);
      c.instrument = f.i32(c.instrument);
      c.by = f.text(c.by ?? '');
    },
  },
  setLoanRate: {
    code: 31,
    blank: () => ({ type: 'setLoanRate', time: 0, coin: 0, term: 0, yearRate: '' }),
    fields: (f, c) => {
      c.coin = f.u16(c.coin);
      c.term = f.u8(c.term) as LoanTerm;
      c.yearRate = f.text(c.yearRate);
      c.by = f.text(c.by ?? '');
    },
  },
  placeStrategy: {
    code: 32,
    blank: () => ({
      type: 'placeStrategy',
      time: 0,
      uid: 0,
      source: 0,
      instrument: 0,
      kind: 0,
      side: 0,
      posSide: 0,
      reduceOnly: false,
      stpMode: 0,
      sizeLots: 0,
      quoteAmount: 0n,
      takeProfit: NO_LEG,
      stopLoss: NO_LEG,
      trigger: NO_LEG,
      callbackPpm: 0,
      clientOid: '',
    }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.source = f.u8(c.source) as Source;
      c.instrument = f.u16(c.instrument);
      c.kind = f.u8(c.kind) as StrategyKind;
      c.side = f.u8(c.side) as Side;
      c.posSide = f.u8(c.posSide) as PosSide;
      c.reduceOnly = f.flag(c.reduceOnly);
      c.stpMode = f.u8(c.stpMode) as StpMode;
      c.sizeLots = f.f64(c.sizeLots);
      c.quoteAmount = f.money(c.quoteAmount);
      c.takeProfit = legFields(f, c.takeProfit);
      c.stopLoss = legFields(f, c.stopLoss);
      c.trigger = legFields(f, c.trigger);
      c.callbackPpm = f.i32(c.callbackPpm);
      c.clientOid = f.text(c.clientOid);
    },
  },
  modifyStrategy: {
    code: 33,
    blank: () => ({
      type: 'modifyStrategy',
      time: 0,
      uid: 0,
      orderId: 0,
      clientOid: '',
      sizeLots: 0,
      quoteAmount: 0n,
      takeProfit: KEEP_LEG,
      stopLoss: KEEP_LEG,
      trigger: KEEP_LEG,
      callbackPpm: 0,
    }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.orderId = f.f64(c.orderId);
      c.clientOid = f.text(c.clientOid);
      c.sizeLots = f.f64(c.sizeLots);
      c.quoteAmount = f.money(c.quoteAmount);
      c.takeProfit = legChangeFields(f, c.takeProfit);
      c.stopLoss = legChangeFields(f, c.stopLoss);
      c.trigger = legChangeFields(f, c.trigger);
      c.callbackPpm = f.i32(c.callbackPpm);
    },
  },
  cancelStrategy: {
    code: 34,
    blank: () => ({ type: 'cancelStrategy', time: 0, uid: 0, orderId: 0, clientOid: '' }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.orderId = f.f64(c.orderId);
      c.clientOid = f.text(c.clientOid);
    },
  },
  setCoinLeverage: {
    code: 35,
    blank: () => ({ type: 'setCoinLeverage', time: 0, uid: 0, coin: 0, leverage: 0 }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.coin = f.u16(c.coin);
      c.leverage = f.u16(c.leverage);
    },
  },
  repay: {
    code: 36,
    blank: () => ({ type: 'repay', time: 0, uid: 0, debtCoin: 0, payCoin: 0 }),
    fields: (f, c) => {
      c.uid = f.f64(c.uid);
      c.debtCoin = f.u16(c.debtCoin);
      c.payCoin = f.u16(c.payCoin);
    },
  },
  checkpoint: {
    code: 14,
    blank: () => ({ type: 'checkpoint', time: 0, digest: 0 }),
    fields: (f, c) => {
      c.digest = f.f64(c.digest);
    },
  },
};

interface Movement {
  uid: number;
  coin: number;
  amount: bigint;
  reference: string;
  by?: string;
}

function movement(f: Fields, c: Movement): void {
  c.uid = f.f64(c.uid);
  c.coin = f.u16(c.coin);
  c.amount = f.money(c.amount);
  c.reference = f.text(c.reference);
  c.by = f.text(c.by ?? '');
}

function blankAmend(): AmendItem {
  return {
    orderId: 0,
    clientOid: '',
    category: -1,
    instrument: -1,
    priceTicks: 0,
    sizeLots: 0,
    autoCancel: false,
    outstanding: 0,
  };
}

function amendItem(f: Fields, item: AmendItem): void {
  item.orderId = f.f64(item.orderId);
  item.clientOid = f.text(item.clientOid);
  item.category = f.i32(item.category) as Category;
  item.instrument = f.i32(item.instrument);
  item.priceTicks = f.i32(item.priceTicks);
  item.sizeLots = f.f64(item.sizeLots);
  item.autoCancel = f.flag(item.autoCancel);
  item.outstanding = f.u16(item.outstanding);
  if (f.flag(item.preset !== undefined)) item.preset = presetChangeFields(f, item.preset ?? KEEP_PRESET);
}

type AnyLayout = Layout<Command>;
const BY_CODE: AnyLayout[] = [];
for (const layout of Object.values(LAYOUTS)) BY_CODE[layout.code] = layout as unknown as AnyLayout;

const writer = new ByteWriter();
const reader = new ByteReader(new Uint8Array(0));

/** The bytes are valid until the next call. */
export function encodeCommand(command: Command): Uint8Array<ArrayBuffer> {
  const layout = LAYOUTS[command.type] as unknown as AnyLayout;
  writer.reset();
  writer.u8(layout.code);
  writer.f64(command.time);
  layout.fields(writer, command);
  return writer.written();
}

export function decodeCommand(bytes: Uint8Array): Command {
  reader.reset(bytes);
  const code = reader.u8(0);
  const layout = BY_CODE[code];
  if (layout === undefined)
    throw new UnreadableRecord(`unknown command type ${code}: written by a newer version?`);
  const command = layout.blank();
  command.time = reader.f64(0);
  layout.fields(reader, command);
  reader.finish();
  return command;
}
