/** Thousands of random rows, and all that a history says of them. */

import { Category, Wallet } from '../../src/core/model/enums.ts';
import type {
  Event,
  FillRecord,
  LedgerLine,
  OrderRecord,
  Transferred,
  WalletRecord,
} from '../../src/core/model/event.ts';
import type { History } from '../../src/history/history.ts';
import {
  aFill,
  aLedgerLine,
  anOrder,
  aTransfer,
  aWalletRecord,
  COINS,
  INSTRUMENTS,
  NO_INSTRUMENT,
  START_TIME,
} from './example-events.ts';
import { ALL_TIME, orderEvent } from './storage.ts';

export interface RandomRows {
  readonly events: readonly Event[];
  readonly orders: readonly OrderRecord[];
  readonly fills: readonly FillRecord[];
  readonly lines: readonly LedgerLine[];
  readonly transfers: readonly Transferred[];
  /** As they were first told. */
  readonly withdrawals: readonly WalletRecord[];
  readonly lastTime: number;
}

/** Ids and times rise together with gaps and ties; orders close long after they were made. */
export function randomRows(count: number): RandomRows {
  const random = generator(20_261_225);
  const orders: OrderRecord[] = [];
  const fills: FillRecord[] = [];
  const lines: LedgerLine[] = [];
  const transfers: Transferred[] = [];
  const withdrawals: WalletRecord[] = [];
  const late: Event[] = [];
  const events: Event[] = [];
  let time = START_TIME;
  let id = 0;
  for (let n = 0; n < count; n++) {
    id += 1 + random(3);
    if (random(3) === 0) time += random(20);
    const uid = 1 + random(3);
    const instrument = random(INSTRUMENTS.length);
    const category = INSTRUMENTS[instrument]!.category;
    const kind = random(5);
    if (kind === 0) {
      const clientOid = random(2) === 0 ? `c${random(50)}` : '';
      const order = anOrder({ orderId: id, uid, instrument, category, createdTime: time, clientOid });
      orders.push(order);
      (random(4) === 0 ? late : events).push(orderEvent(order));
    } else if (kind === 1) {
      const fill = aFill({ execId: id, orderId: 1 + random(20), uid, instrument, category, time });
      fills.push(fill);
      events.push({ type: 'fill', fill });
    } else if (kind === 2) {
      const line = aLedgerLine({ lineId: id, uid, coin: random(COINS.length), time, ...ledgerKind(random) });
      lines.push(line);
      events.push(line);
    } else if (kind === 3) {
      const uids = { initiatorUid: 1 + random(3), fromUid: uid, toUid: 1 + random(3) };
      const transfer = aTransfer({ transferId: id, ...uids, coin: random(COINS.length), time });
      transfers.push(transfer);
      events.push(transfer);
    } else {
      const record = aWalletRecord({ recordId: id, uid, coin: random(COINS.length), createdTime: time });
      withdrawals.push(record);
      events.push(record);
      if (random(2) === 0) late.push({ ...record, status: 'success', reference: `tx ${id}` });
    }
  }
  return {
    events: [...events, ...late.reverse()],
    orders,
    fills,
    lines,
    transfers,
    withdrawals,
    lastTime: time,
  };
}

function ledgerKind(random: (below: number) => number): Partial<LedgerLine> {
  const instrument = random(INSTRUMENTS.length);
  const category = INSTRUMENTS[instrument]!.category;
  return [
    { kind: 'deposit', instrument: NO_INSTRUMENT, category: Category.spot } as const,
    { kind: 'deposit', instrument: NO_INSTRUMENT, category: Category.spot, wallet: Wallet.funding } as const,
    { kind: 'tradeIn', instrument, category } as const,
    { kind: 'tradeOut', instrument, category } as const,
  ][random(4)]!;
}

/** Small and repeatable (Lehmer's generator). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** A few events per command, as the exchange makes them. */
export function projectInCommands(history: History, events: readonly Event[]): void {
  for (let seq = 1; (seq - 1) * 7 < events.length; seq++) {
    history.project({ seq, time: START_TIME, events: events.slice((seq - 1) * 7, seq * 7) });
  }
}

export async function everything(history: History) {
  const query = { uid: 1, ...ALL_TIME, limit: 10_000 };
  return {
    orders: await history.closedOrders(query),
    fills: await history.fills(query),
    ledgerLines: await history.ledgerLines({ ...query, wallet: 'uta' }),
    funding: await history.ledgerLines({ ...query, wallet: 'spot' }),
    transfers: await history.transfers({ ...query, role: 'initiator' }),
    withdrawals: await history.walletRecords({ ...query, type: 'withdraw' }),
    counts: await history.counts(),
  };
}
