/**
 * Reads the commands that a journal consists of without an object for each: a replay has done with a command before it
 * reads the next. The fields are those of `order-layouts.ts`, which writes them; as its functions serve both
 * directions, they would be called with two kinds of objects here and not be compiled into one piece.
 */
import { type ByteReader, UnreadableRecord } from '../model/bytes.ts';
import type { AmendItem, AmendOrders, CancelOrder, Command, PlaceOrder } from '../model/command.ts';
import type { Category, OrderType, PosSide, Side, Source, StpMode, TimeInForce } from '../model/enums.ts';
import { BATCH_ITEMS_MAX } from '../model/limits.ts';
import { KEEP_PRESET, NO_PRESET, presetChangeFields, presetFields } from '../model/tpsl.ts';
import { ORDER_LAYOUTS } from './order-layouts.ts';

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

const order: Writable<PlaceOrder> = {
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
  expired: false,
};
const cancel: Writable<CancelOrder> = {
  type: 'cancelOrder',
  time: 0,
  uid: 0,
  orderId: 0,
  clientOid: '',
  category: -1,
  instrument: -1,
};
const amend: Writable<AmendOrders> = { type: 'amendOrders', time: 0, uid: 0, source: 0, items: [] };
const onlyItem = newItem();
const oneItem: AmendItem[] = [onlyItem];

/** Undefined for every other type. The command is valid until the next call. */
export function readOrderCommand(code: number, r: ByteReader, time: number): Command | undefined {
  switch (code) {
    case ORDER_LAYOUTS.placeOrder.code:
      return readOrder(r, time);
    case ORDER_LAYOUTS.cancelOrder.code:
      return readCancel(r, time);
    case ORDER_LAYOUTS.amendOrders.code:
      return readAmend(r, time);
    default:
      return undefined;
  }
}

function readOrder(r: ByteReader, time: number): PlaceOrder {
  order.time = time;
  order.uid = r.f64(0);
  order.source = r.u8(0) as Source;
  order.instrument = r.u16(0);
  order.side = r.u8(0) as Side;
  order.orderType = r.u8(0) as OrderType;
  order.timeInForce = r.u8(0) as TimeInForce;
  order.stpMode = r.u8(0) as StpMode;
  order.priceTicks = r.i32(0);
  order.sizeLots = r.f64(0);
  order.quoteAmount = r.money(0n);
  order.clientOid = r.text('');
  order.posSide = r.u8(0) as PosSide;
  order.reduceOnly = r.flag(false);
  order.expired = r.flag(false);
  return r.flag(false) ? { ...order, preset: presetFields(r, NO_PRESET) } : order;
}

function readCancel(r: ByteReader, time: number): CancelOrder {
  cancel.time = time;
  cancel.uid = r.f64(0);
  cancel.orderId = r.f64(0);
  cancel.clientOid = r.text('');
  cancel.category = r.i32(0) as Category;
  cancel.instrument = r.i32(0);
  return cancel;
}

function readAmend(r: ByteReader, time: number): AmendOrders {
  amend.time = time;
  amend.uid = r.f64(0);
  amend.source = r.u8(0) as Source;
  const count = r.u8(0);
  if (count > BATCH_ITEMS_MAX) throw new UnreadableRecord(`${count} items in a batch`);
  amend.items = count === 1 ? readOneItem(r) : Array.from({ length: count }, () => readItem(r, newItem()));
  return amend;
}

function readOneItem(r: ByteReader): readonly AmendItem[] {
  oneItem[0] = readItem(r, onlyItem);
  return oneItem;
}

function readItem(r: ByteReader, item: Writable<AmendItem>): AmendItem {
  item.orderId = r.f64(0);
  item.clientOid = r.text('');
  item.category = r.i32(0) as Category;
  item.instrument = r.i32(0);
  item.priceTicks = r.i32(0);
  item.sizeLots = r.f64(0);
  item.autoCancel = r.flag(false);
  item.outstanding = r.u16(0);
  item.requestId = r.text('');
  return r.flag(false) ? { ...item, preset: presetChangeFields(r, KEEP_PRESET) } : item;
}

function newItem(): Writable<AmendItem> {
  return {
    orderId: 0,
    clientOid: '',
    category: -1,
    instrument: -1,
    priceTicks: 0,
    sizeLots: 0,
    autoCancel: false,
    outstanding: 0,
    requestId: '',
  };
}
