/**
 * The rows that every order makes, as bytes on their way to the writer's thread: a buffer is handed over, while objects would
 * be cloned field by field on the thread that serves requests.
 */
import { ByteReader, ByteWriter, type Fields } from '../core/model/bytes.ts';
import type {
  CancelReason,
  Category,
  OrderKind,
  OrderOrigin,
  OrderStatus,
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  TimeInForce,
  Wallet,
} from '../core/model/enums.ts';
import type {
  FillRecord,
  FuturesFillFields,
  FuturesOrderFields,
  LedgerLine,
  OrderRecord,
} from '../core/model/event.ts';
import { NO_PRESET, presetFields } from '../core/model/tpsl.ts';
import type { ProjectedEvents } from './projection-batch.ts';

export type PackedKind = 'orders' | 'fills' | 'liquidations' | 'ledgerLines';

type Description<Event> = (f: Fields, event: Event) => Event;

const DESCRIPTIONS: { readonly [Kind in PackedKind]: Description<ProjectedEvents[Kind]> } = {
  orders: orderFields,
  fills: fillFields,
  liquidations: fillFields,
  ledgerLines: ledgerLineFields,
};
const KINDS = Object.keys(DESCRIPTIONS) as PackedKind[];
const CODES = Object.fromEntries(KINDS.map((kind, code) => [kind, code])) as Record<PackedKind, number>;

export function isPacked(kind: string): kind is PackedKind {
  return Object.hasOwn(DESCRIPTIONS, kind);
}

/** Bits of what a record has besides what all have. */
const FUTURES = 1;
const ORIGIN = 2;
const PRESET = 4;
const WALLET = 1;

export class RowPacker {
  readonly #writer = new ByteWriter(64 * 1024);

  add<Kind extends PackedKind>(kind: Kind, event: ProjectedEvents[Kind]): void {
    this.#writer.u8(CODES[kind]);
    DESCRIPTIONS[kind](this.#writer, event);
  }

  /** What was added since the last call, in memory of its own. */
  take(): Uint8Array<ArrayBuffer> {
    const rows = this.#writer.written().slice();
    this.#writer.reset();
    return rows;
  }
}

/** Calls `row` with each, in the order they were added. */
export function unpackRows(
  bytes: Uint8Array,
  row: <Kind extends PackedKind>(kind: Kind, event: ProjectedEvents[Kind]) => void,
): void {
  const reader = new ByteReader(bytes);
  while (!reader.finished) {
    const kind = KINDS[reader.u8(0)]!;
    const read = DESCRIPTIONS[kind] as Description<ProjectedEvents[PackedKind]>;
    row(kind, read(reader, BLANK));
  }
}

/** Readers ignore what they are given: every field of it is absent. */
const BLANK = {} as never;

type Writable<Record> = { -readonly [Field in keyof Record]: Record[Field] };

function orderFields(f: Fields, order: OrderRecord): OrderRecord {
  const parts = f.u8(
    (order.futures === undefined ? 0 : FUTURES) |
      (order.origin === undefined ? 0 : ORIGIN) |
      (order.preset === undefined ? 0 : PRESET),
  );
  const packed: Writable<OrderRecord> = {
    orderId: f.f64(order.orderId),
    clientOid: f.text(order.clientOid),
    uid: f.f64(order.uid),
    instrument: f.i32(order.instrument),
    category: f.u8(order.category) as Category,
    side: f.u8(order.side) as Side,
    orderType: f.u8(order.orderType) as OrderType,
    timeInForce: f.u8(order.timeInForce) as TimeInForce,
    stpMode: f.u8(order.stpMode) as StpMode,
    source: f.u8(order.source) as Source,
    priceTicks: f.f64(order.priceTicks),
    sizeLots: f.f64(order.sizeLots),
    quoteAmount: f.money(order.quoteAmount),
    filledLots: f.f64(order.filledLots),
    filledValue: f.money(order.filledValue),
    feeCoin: f.i32(order.feeCoin),
    fee: f.money(order.fee),
    status: f.u8(order.status) as OrderStatus,
    cancelReason: f.u8(order.cancelReason) as CancelReason,
    createdTime: f.f64(order.createdTime),
    updatedTime: f.f64(order.updatedTime),
  };
  if ((parts & FUTURES) !== 0) packed.futures = futuresOrderFields(f, order.futures ?? BLANK);
  if ((parts & ORIGIN) !== 0) packed.origin = f.u8(order.origin ?? 0) as OrderOrigin;
  if ((parts & PRESET) !== 0) packed.preset = presetFields(f, order.preset ?? NO_PRESET);
  return packed;
}

function futuresOrderFields(f: Fields, order: FuturesOrderFields): FuturesOrderFields {
  return {
    posSide: f.u8(order.posSide) as PosSide,
    hedge: f.flag(order.hedge),
    reduceOnly: f.flag(order.reduceOnly),
    closing: f.flag(order.closing),
    isolated: f.flag(order.isolated),
    kind: f.u8(order.kind) as OrderKind,
    pnl: f.money(order.pnl),
  };
}

function fillFields(f: Fields, fill: FillRecord): FillRecord {
  const parts = f.u8(fill.futures === undefined ? 0 : FUTURES);
  const packed: Writable<FillRecord> = {
    execId: f.f64(fill.execId),
    execLinkId: f.f64(fill.execLinkId),
    orderId: f.f64(fill.orderId),
    clientOid: f.text(fill.clientOid),
    uid: f.f64(fill.uid),
    instrument: f.i32(fill.instrument),
    category: f.u8(fill.category) as Category,
    side: f.u8(fill.side) as Side,
    orderType: f.u8(fill.orderType) as OrderType,
    maker: f.flag(fill.maker),
    priceTicks: f.f64(fill.priceTicks),
    sizeLots: f.f64(fill.sizeLots),
    value: f.money(fill.value),
    feeCoin: f.i32(fill.feeCoin),
    fee: f.money(fill.fee),
    commission: f.money(fill.commission),
    rpi: f.flag(fill.rpi),
    time: f.f64(fill.time),
  };
  if ((parts & FUTURES) !== 0) packed.futures = futuresFillFields(f, fill.futures ?? BLANK);
  return packed;
}

function futuresFillFields(f: Fields, fill: FuturesFillFields): FuturesFillFields {
  return {
    posSide: f.u8(fill.posSide) as PosSide,
    closing: f.flag(fill.closing),
    kind: f.u8(fill.kind) as OrderKind,
    pnl: f.money(fill.pnl),
  };
}

function ledgerLineFields(f: Fields, line: LedgerLine): LedgerLine {
  const parts = f.u8(line.wallet === undefined ? 0 : WALLET);
  const packed: Writable<LedgerLine> = {
    type: 'ledgerLine',
    lineId: f.f64(line.lineId),
    uid: f.f64(line.uid),
    coin: f.i32(line.coin),
    kind: f.text(line.kind) as LedgerLine['kind'],
    instrument: f.i32(line.instrument),
    category: f.u8(line.category) as Category,
    amount: f.money(line.amount),
    fee: f.money(line.fee),
    balance: f.money(line.balance),
    reference: f.text(line.reference),
    time: f.f64(line.time),
  };
  if ((parts & WALLET) !== 0) packed.wallet = f.u8(line.wallet ?? 0) as Wallet;
  return packed;
}
