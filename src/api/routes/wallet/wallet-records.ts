/** Records of deposits and withdrawals, which share their query. */

import { parseOrderId } from '../../../core/model/order-id.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import type { WalletRecordType, WalletRecordView } from '../../../views/wallet-record-view.ts';
import type { Services } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { CoinName, MovementOid } from '../../wire/money-input.ts';
import { historyPage, WINDOW_MS } from '../../wire/paging.ts';
import { WireError } from '../../wire/wire-error.ts';

const RECORDS_DEFAULT = 20;

/** Both times are required, unlike elsewhere. */
export const recordFields = { ...fields.pageFields, startTime: fields.Time, endTime: fields.Time };

export const RecordQuery = Type.Object({
  coin: Type.Optional(CoinName),
  orderId: Type.Optional(fields.OrderId),
  clientOid: Type.Optional(MovementOid),
  ...recordFields,
});

export async function readRecords(
  { sequencer, clock }: Services,
  uid: number,
  type: WalletRecordType,
  query: Static<typeof RecordQuery>,
): Promise<WalletRecordView[] | WireError> {
  const now = clock.now();
  // A period before the window is no mistake: nothing of it is kept.
  const page = historyPage(query, now, WINDOW_MS, RECORDS_DEFAULT, Number.POSITIVE_INFINITY);
  if (page instanceof WireError) return page;
  const startTime = Math.max(page.startTime, now - WINDOW_MS);
  if (page.endTime < startTime) return [];
  // An id that no record can have matches no record.
  const orderId = query.orderId === undefined ? undefined : (parseOrderId(query.orderId) ?? 0);
  await sequencer.durable();
  return sequencer.history.walletRecords({
    uid,
    type,
    ...page,
    startTime,
    ...(query.coin !== undefined && { coin: query.coin.toUpperCase() }),
    ...(orderId !== undefined && { orderId }),
    ...(query.clientOid !== undefined && { clientOid: query.clientOid }),
  });
}
