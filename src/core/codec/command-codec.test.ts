import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UnreadableRecord } from '../model/bytes.ts';
import type { AmendItem, Command, CommandType, MoveItem, PlaceOrder } from '../model/command.ts';
import {
  type Category,
  INSTRUMENT_STATUS_NAMES,
  type OrderType,
  type PosSide,
  type Side,
  type Source,
  type StpMode,
  type StrategyKind,
  type TimeInForce,
  type TriggerBy,
  type Wallet,
} from '../model/enums.ts';
import type { CoinSpec, InstrumentSpec } from '../model/listing-spec.ts';
import type { LoanTerm } from '../model/loan-terms.ts';
import type { LegChange, Preset, PresetChange, TriggerLeg } from '../model/tpsl.ts';
import { decodeCommand, decodeNextCommand, encodeCommand, stampCommand } from './command-codec.ts';

function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true });
}

const time = fc.nat(Number.MAX_SAFE_INTEGER);
const id = fc.nat(Number.MAX_SAFE_INTEGER);
const u16 = fc.nat(0xffff);
/** Every character but the surrogates. The library's own takes seconds to list them. */
const character = fc
  .nat(0x10ffff - 0x800)
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
const text = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: character, maxLength: 64 }) },
  fc.constantFrom('__proto__', 'constructor', 'toString', 'valueOf'),
);
const money = fc.bigInt({ min: -(2n ** 126n), max: 2n ** 126n });
const code = <T extends number>(max: number) => fc.nat(max) as fc.Arbitrary<T>;
const anyOr = <T extends number>(max: number) => fc.integer({ min: -1, max }) as fc.Arbitrary<T>;
/** Prices and sizes with their codes for "off the grid" and "out of range". */
const ticks = fc.integer({ min: -2, max: 2 ** 30 - 1 });
const lots = fc.maxSafeInteger().map((value) => Math.max(-2, value));

const plainAmendItem = record<AmendItem>({
  orderId: id,
  clientOid: text,
  category: anyOr<Category>(4),
  instrument: fc.integer({ min: -1, max: 4095 }),
  priceTicks: ticks,
  sizeLots: lots,
  autoCancel: fc.boolean(),
  outstanding: u16,
  requestId: text,
});

const leg = record<TriggerLeg>({
  triggerTicks: ticks,
  triggerBy: code<TriggerBy>(1),
  orderType: code<OrderType>(1),
  limitTicks: ticks,
});
const legChange = record<LegChange>({
  triggerTicks: fc.integer({ min: -3, max: 2 ** 30 - 1 }),
  triggerBy: anyOr<number>(1),
  orderType: anyOr<number>(1),
  limitTicks: ticks,
});
const preset = record<Preset>({ takeProfit: leg, stopLoss: leg });
const presetChange = record<PresetChange>({ takeProfit: legChange, stopLoss: legChange });

/** Some have a preset, some do not. */
function maybeWith<P, C extends { preset?: P }>(
  command: fc.Arbitrary<C>,
  presets: fc.Arbitrary<P>,
): fc.Arbitrary<C> {
  return fc
    .tuple(command, fc.option(presets))
    .map(([each, chosen]) => (chosen === null ? each : { ...each, preset: chosen }));
}

const spec = fc.dictionary(fc.string({ maxLength: 12 }), fc.oneof(text, fc.integer(), fc.boolean()), {
  noNullPrototype: true,
});

const COMMANDS: { [T in CommandType]: fc.Arbitrary<Extract<Command, { type: T }>> } = {
  tick: record({ type: fc.constant('tick'), time, by: text }),
  openAccount: record({
    type: fc.constant('openAccount'),
    time,
    uid: id,
    masterUid: id,
    marketMaker: fc.boolean(),
    house: fc.boolean(),
    by: text,
  }),
  listCoin: record({
    type: fc.constant('listCoin'),
    time,
    spec: spec as unknown as fc.Arbitrary<CoinSpec>,
    by: text,
  }),
  listInstrument: record({
    type: fc.constant('listInstrument'),
    time,
    spec: spec as unknown as fc.Arbitrary<InstrumentSpec>,
    by: text,
  }),
  setInstrumentStatus: record({
    type: fc.constant('setInstrumentStatus'),
    time,
    instrument: u16,
    status: fc.constantFrom(...INSTRUMENT_STATUS_NAMES),
    by: text,
  }),
  deposit: record({
    type: fc.constant('deposit'),
    time,
    uid: id,
    coin: u16,
    amount: money,
    reference: text,
    wallet: code<Wallet>(1),
    chain: text,
    address: text,
    by: text,
  }),
  withdraw: record({
    type: fc.constant('withdraw'),
    time,
    uid: id,
    coin: u16,
    amount: money,
    reference: text,
    by: text,
  }),
  setFees: record({
    type: fc.constant('setFees'),
    time,
    uid: id,
    instrument: u16,
    makerRate: money,
    takerRate: money,
    by: text,
  }),
  placeOrder: maybeWith(
    record<PlaceOrder>({
      type: fc.constant('placeOrder'),
      time,
      uid: id,
      source: code<Source>(1),
      instrument: u16,
      side: code<Side>(1),
      orderType: code<OrderType>(1),
      timeInForce: code<TimeInForce>(4),
      stpMode: code<StpMode>(3),
      priceTicks: ticks,
      sizeLots: lots,
      quoteAmount: money,
      clientOid: text,
      posSide: code<PosSide>(2),
      reduceOnly: fc.boolean(),
      expired: fc.boolean(),
    }),
    preset,
  ),
  cancelOrder: record({
    type: fc.constant('cancelOrder'),
    time,
    uid: id,
    orderId: id,
    clientOid: text,
    category: anyOr<Category>(4),
    instrument: fc.integer({ min: -1, max: 4095 }),
  }),
  cancelAll: record({
    type: fc.constant('cancelAll'),
    time,
    uid: id,
    category: code<Category>(4),
    instrument: fc.integer({ min: -1, max: 4095 }),
  }),
  amendOrders: record({
    type: fc.constant('amendOrders'),
    time,
    uid: id,
    source: code<Source>(1),
    items: fc.array(maybeWith(plainAmendItem, presetChange), { maxLength: 20 }),
  }),
  countdownCancel: record({ type: fc.constant('countdownCancel'), time, uid: id, seconds: u16 }),
  cancelEverything: record({ type: fc.constant('cancelEverything'), time, uid: id, by: text }),
  transfer: record({
    type: fc.constant('transfer'),
    time,
    initiatorUid: id,
    fromUid: id,
    toUid: id,
    fromWallet: code<Wallet>(1),
    toWallet: code<Wallet>(1),
    coin: u16,
    amount: money,
    clientOid: text,
  }),
  requestWithdrawal: record({
    type: fc.constant('requestWithdrawal'),
    time,
    uid: id,
    coin: u16,
    amount: money,
    fee: money,
    fromFunding: fc.boolean(),
    fromUnified: fc.boolean(),
    address: text,
    chain: text,
    tag: text,
    clientOid: text,
  }),
  endWithdrawal: record({
    type: fc.constant('endWithdrawal'),
    time,
    withdrawalId: id,
    uid: id,
    paid: fc.boolean(),
    reference: text,
    by: text,
  }),
  setEdition: record({
    type: fc.constant('setEdition'),
    time,
    edition: fc.integer({ min: 1, max: 255 }),
    by: text,
  }),
  setHalt: record({ type: fc.constant('setHalt'), time, halted: fc.boolean(), by: text }),
  setMarketMaker: record({
    type: fc.constant('setMarketMaker'),
    time,
    uid: id,
    marketMaker: fc.boolean(),
    by: text,
  }),
  setFeeDeduction: record({ type: fc.constant('setFeeDeduction'), time, uid: id, on: fc.boolean() }),
  internalWithdrawal: record({
    type: fc.constant('internalWithdrawal'),
    time,
    uid: id,
    toUid: id,
    coin: u16,
    amount: money,
    fromFunding: fc.boolean(),
    fromUnified: fc.boolean(),
    clientOid: text,
  }),
  componentPrice: record({
    type: fc.constant('componentPrice'),
    time,
    index: u16,
    component: fc.nat(255),
    price: money,
    volume: money,
    by: text,
  }),
  setLeverage: record({
    type: fc.constant('setLeverage'),
    time,
    uid: id,
    instrument: u16,
    longLeverage: u16,
    shortLeverage: u16,
  }),
  setHoldMode: record({ type: fc.constant('setHoldMode'), time, uid: id, holdMode: fc.nat(255) }),
  setMarginMode: record({
    type: fc.constant('setMarginMode'),
    time,
    uid: id,
    instrument: u16,
    isolated: fc.boolean(),
  }),
  setCoinLeverage: record({ type: fc.constant('setCoinLeverage'), time, uid: id, coin: u16, leverage: u16 }),
  repay: record({ type: fc.constant('repay'), time, uid: id, debtCoin: u16, payCoin: u16 }),
  adjustMargin: record({
    type: fc.constant('adjustMargin'),
    time,
    uid: id,
    instrument: u16,
    posSide: code<PosSide>(2),
    amount: money,
  }),
  setAutoMargin: record({
    type: fc.constant('setAutoMargin'),
    time,
    uid: id,
    instrument: u16,
    posSide: code<PosSide>(2),
    room: money,
  }),
  setCommission: record({
    type: fc.constant('setCommission'),
    time,
    uid: id,
    rate: money,
    by: text,
  }),
  setBroker: record({
    type: fc.constant('setBroker'),
    time,
    uid: id,
    broker: fc.boolean(),
    by: text,
  }),
  setDepositWallet: record({
    type: fc.constant('setDepositWallet'),
    time,
    uid: id,
    coin: u16,
    wallet: code<Wallet>(1),
  }),
  loanBorrow: record({
    type: fc.constant('loanBorrow'),
    time,
    uid: id,
    loanCoin: u16,
    pledgeCoin: u16,
    term: code<LoanTerm>(2),
    loanAmount: money,
    pledgeAmount: money,
  }),
  loanRepay: record({
    type: fc.constant('loanRepay'),
    time,
    uid: id,
    loanId: id,
    fromPledge: fc.boolean(),
    all: fc.boolean(),
    amount: money,
    unlock: fc.boolean(),
  }),
  loanRevise: record({
    type: fc.constant('loanRevise'),
    time,
    uid: id,
    loanId: id,
    pledgeCoin: u16,
    into: fc.boolean(),
    amount: money,
  }),
  fundLoanPool: record({
    type: fc.constant('fundLoanPool'),
    time,
    coin: u16,
    amount: money,
    reference: text,
    by: text,
  }),
  forceClose: record({
    type: fc.constant('forceClose'),
    time,
    uid: id,
    deleverage: fc.boolean(),
    instrument: fc.integer({ min: -1, max: 4095 }),
    by: text,
  }),
  forceFunding: record({
    type: fc.constant('forceFunding'),
    time,
    instrument: fc.integer({ min: 0, max: 4095 }),
    by: text,
  }),
  movePositions: record({
    type: fc.constant('movePositions'),
    time,
    initiatorUid: id,
    fromUid: id,
    toUid: id,
    items: fc.array(record<MoveItem>({ instrument: u16, side: code<Side>(1), sizeLots: lots }), {
      maxLength: 10,
    }),
    clientOid: text,
  }),
  fundInsurance: record({
    type: fc.constant('fundInsurance'),
    time,
    coin: fc.integer({ min: 0, max: 65_535 }),
    lending: fc.boolean(),
    amount: money,
    reference: text,
    by: text,
  }),
  writeOffDebt: record({ type: fc.constant('writeOffDebt'), time, uid: id, by: text }),
  setCoinLimits: record({
    type: fc.constant('setCoinLimits'),
    time,
    coin: u16,
    houseShortUsd: text,
    lendShare: text,
    insuranceFloor: text,
    by: text,
  }),
  setLoanRate: record({
    type: fc.constant('setLoanRate'),
    time,
    coin: u16,
    term: code<LoanTerm>(2),
    yearRate: text,
    by: text,
  }),
  placeStrategy: record({
    type: fc.constant('placeStrategy'),
    time,
    uid: id,
    source: code<Source>(1),
    instrument: u16,
    kind: code<StrategyKind>(4),
    side: code<Side>(1),
    posSide: code<PosSide>(2),
    reduceOnly: fc.boolean(),
    stpMode: code<StpMode>(3),
    sizeLots: lots,
    quoteAmount: money,
    takeProfit: leg,
    stopLoss: leg,
    trigger: leg,
    callbackPpm: fc.nat(1_000_000),
    clientOid: text,
  }),
  modifyStrategy: record({
    type: fc.constant('modifyStrategy'),
    time,
    uid: id,
    orderId: id,
    clientOid: text,
    sizeLots: lots,
    quoteAmount: money,
    takeProfit: legChange,
    stopLoss: legChange,
    trigger: legChange,
    callbackPpm: fc.nat(1_000_000),
  }),
  cancelStrategy: record({
    type: fc.constant('cancelStrategy'),
    time,
    uid: id,
    orderId: id,
    clientOid: text,
  }),
  skipCommand: record({ type: fc.constant('skipCommand'), time, seq: id, by: text }),
  identityMark: record({ type: fc.constant('identityMark'), time, store: text, changes: id }),
  checkpoint: record({ type: fc.constant('checkpoint'), time, digest: id }),
};

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) deepFreeze(each);
  return Object.freeze(value);
}

for (const [type, commands] of Object.entries<fc.Arbitrary<Command>>(COMMANDS)) {
  test(`${type} is read as it was written`, () => {
    fc.assert(
      fc.property(commands, (command) => {
        const bytes = Uint8Array.from(encodeCommand(command));
        deepEqual(decodeCommand(bytes), command);
        deepEqual(decodeNextCommand(bytes), command);
      }),
    );
  });

  test(`${type} is stamped as it will be read, and stays as it was given`, () => {
    fc.assert(
      fc.property(commands, time, (given, stampedTime) => {
        const { command, bytes } = stampCommand(deepFreeze(given), stampedTime);
        deepEqual(command, { ...given, time: stampedTime });
        deepEqual(decodeCommand(Uint8Array.from(bytes)), command);
      }),
    );
  });

  test(`${type} cut short anywhere, or with a byte behind it, is refused`, () => {
    const [command] = fc.sample(commands, { numRuns: 1, seed: 7 });
    const bytes = Uint8Array.from(encodeCommand(command!));
    for (let length = 0; length < bytes.length; length++) {
      throws(() => decodeCommand(bytes.subarray(0, length)), UnreadableRecord);
      throws(() => decodeNextCommand(bytes.subarray(0, length)), UnreadableRecord);
    }
    throws(() => decodeCommand(Uint8Array.of(...bytes, 0)), UnreadableRecord);
    throws(() => decodeNextCommand(Uint8Array.of(...bytes, 0)), UnreadableRecord);
  });
}

test('optional fields that are left out have one value when stamped and when read', () => {
  const plain = {
    type: 'placeOrder',
    uid: 7,
    source: 0,
    instrument: 1,
    side: 1,
    orderType: 0,
    timeInForce: 0,
    stpMode: 0,
    priceTicks: 100,
    sizeLots: 3,
    quoteAmount: 0n,
    clientOid: '',
  } as const;
  const { command, bytes } = stampCommand(plain, 5);
  deepEqual(command, { ...plain, time: 5, posSide: 0, reduceOnly: false, expired: false });
  deepEqual(decodeCommand(Uint8Array.from(bytes)), command);
});

test('a command of a newer version is refused and says so', () => {
  const bytes = Uint8Array.from(encodeCommand({ type: 'tick', time: 1 }));
  for (const unknown of [0, 99, 255]) {
    bytes[0] = unknown;
    throws(() => decodeCommand(bytes), /unknown command type .* newer version/);
  }
});

test('types keep their numbers for ever', () => {
  const numbers = Object.values<fc.Arbitrary<Command>>(COMMANDS).map((commands) => {
    const [command] = fc.sample(commands, { numRuns: 1, seed: 7 });
    return encodeCommand(command!)[0];
  });
  deepEqual(
    numbers,
    [
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 43, 15, 16, 17, 44, 18, 19, 20, 21, 22, 23, 24, 25, 35, 36,
      26, 38, 41, 50, 39, 27, 28, 29, 30, 37, 53, 40, 46, 47, 51, 31, 32, 33, 34, 42, 52, 14,
    ],
  );
});

test('a second command may be written before the first is read, if its bytes were kept', () => {
  const first = Uint8Array.from(encodeCommand({ type: 'tick', time: 1 }));
  encodeCommand({ type: 'tick', time: 2 });
  equal(decodeCommand(first).time, 1);
});
