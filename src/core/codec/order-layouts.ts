/**
 * The layouts of order commands in the journal. These are by far the most frequent commands, so no field of them is looked
 * up in a table. The properties of each record stand in the order in which they are written.
 */
import { type Fields, UnreadableRecord } from '../model/bytes.ts';
import type { AmendItem, Command, PlaceOrder } from '../model/command.ts';
import type { Category, OrderType, PosSide, Side, Source, StpMode, TimeInForce } from '../model/enums.ts';
import { BATCH_ITEMS_MAX } from '../model/limits.ts';
import { KEEP_PRESET, NO_PRESET, presetChangeFields, presetFields } from '../model/tpsl.ts';
import type { Layout, OrderCommandType } from './command-layouts.ts';

type OrderLayouts = { readonly [T in OrderCommandType]: Layout<Extract<Command, { type: T }>> };
type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

export const ORDER_LAYOUTS: OrderLayouts = {
  placeOrder: {
    code: 9,
    blank: {
      type: 'placeOrder',
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
    },
    fields: (f, c, time) => {
      const order: Writable<PlaceOrder> = {
        type: 'placeOrder',
        time,
        uid: f.f64(c.uid),
        source: f.u8(c.source) as Source,
        instrument: f.u16(c.instrument),
        side: f.u8(c.side) as Side,
        orderType: f.u8(c.orderType) as OrderType,
        timeInForce: f.u8(c.timeInForce) as TimeInForce,
        stpMode: f.u8(c.stpMode) as StpMode,
        priceTicks: f.i32(c.priceTicks),
        sizeLots: f.f64(c.sizeLots),
        quoteAmount: f.money(c.quoteAmount),
        clientOid: f.text(c.clientOid),
        posSide: f.u8(c.posSide ?? 0) as PosSide,
        reduceOnly: f.flag(c.reduceOnly ?? false),
        expired: f.flag(c.expired ?? false),
      };
      if (f.flag(c.preset !== undefined)) order.preset = presetFields(f, c.preset ?? NO_PRESET);
      return order;
    },
  },
  cancelOrder: {
    code: 10,
    blank: { type: 'cancelOrder', uid: 0, orderId: 0, clientOid: '', category: -1, instrument: -1 },
    fields: (f, c, time) => ({
      type: 'cancelOrder',
      time,
      uid: f.f64(c.uid),
      orderId: f.f64(c.orderId),
      clientOid: f.text(c.clientOid),
      category: f.i32(c.category) as Category,
      instrument: f.i32(c.instrument),
    }),
  },
  cancelAll: {
    code: 11,
    blank: { type: 'cancelAll', uid: 0, category: 0, instrument: -1 },
    fields: (f, c, time) => ({
      type: 'cancelAll',
      time,
      uid: f.f64(c.uid),
      category: f.i32(c.category) as Category,
      instrument: f.i32(c.instrument),
    }),
  },
  amendOrders: {
    code: 12,
    blank: { type: 'amendOrders', uid: 0, source: 0, items: [] },
    fields: (f, c, time) => ({
      type: 'amendOrders',
      time,
      uid: f.f64(c.uid),
      source: f.u8(c.source) as Source,
      items: amendItems(f, c.items),
    }),
  },
};

function amendItems(f: Fields, given: readonly AmendItem[]): AmendItem[] {
  const count = f.u8(given.length);
  if (count > BATCH_ITEMS_MAX) throw new UnreadableRecord(`${count} items in a batch`);
  const items = new Array<AmendItem>(count);
  for (let n = 0; n < count; n++) items[n] = amendItem(f, n < given.length ? given[n]! : BLANK_ITEM);
  return items;
}

const BLANK_ITEM: AmendItem = {
  orderId: 0,
  clientOid: '',
  category: -1,
  instrument: -1,
  priceTicks: 0,
  sizeLots: 0,
  autoCancel: false,
  outstanding: 0,
};

function amendItem(f: Fields, given: AmendItem): AmendItem {
  const item: Writable<AmendItem> = {
    orderId: f.f64(given.orderId),
    clientOid: f.text(given.clientOid),
    category: f.i32(given.category) as Category,
    instrument: f.i32(given.instrument),
    priceTicks: f.i32(given.priceTicks),
    sizeLots: f.f64(given.sizeLots),
    autoCancel: f.flag(given.autoCancel),
    outstanding: f.u16(given.outstanding),
    requestId: f.text(given.requestId ?? ''),
  };
  if (f.flag(given.preset !== undefined)) item.preset = presetChangeFields(f, given.preset ?? KEEP_PRESET);
  return item;
}
