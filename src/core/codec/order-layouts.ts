/** How commands of orders lie in the log. They come in floods: no step of writing or reading them is looked up. */
import { type Fields, UnreadableRecord } from '../model/bytes.ts';
import type { AmendItem, Command } from '../model/command.ts';
import type { Category, OrderType, PosSide, Side, Source, StpMode, TimeInForce } from '../model/enums.ts';
import { BATCH_ITEMS_MAX } from '../model/limits.ts';
import { KEEP_PRESET, NO_PRESET, presetChangeFields, presetFields } from '../model/tpsl.ts';
import type { Layout, OrderCommandType } from './command-layouts.ts';

type OrderLayouts = { readonly [T in OrderCommandType]: Layout<Extract<Command, { type: T }>> };

export const ORDER_LAYOUTS: OrderLayouts = {
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
      late: false,
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
      c.late = f.flag(c.late ?? false);
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
};

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
    requestId: '',
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
  item.requestId = f.text(item.requestId ?? '');
  if (f.flag(item.preset !== undefined)) item.preset = presetChangeFields(f, item.preset ?? KEEP_PRESET);
}
