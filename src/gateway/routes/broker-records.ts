/** What a broker sees of all its sub-accounts together (wire.md 4.5). */
import Type from 'typebox';
import type { FamilyRecordView } from '../../history/history.ts';
import { type Identity, SUBS_PER_BROKER_MAX, type User } from '../../identity/identity.ts';
import { texts } from '../answers.ts';
import * as fields from '../fields.ts';
import { historyPage, type PageRequest } from '../paging.ts';
import { type Route, route } from '../route.ts';
import { WireError } from '../wire-error.ts';

const group = 'Broker';
const PER_SECOND = 20;
const DAY_MS = 86_400_000;
const RECORDS_SPAN_MS = 7 * DAY_MS;

/** Every sub-account of a broker. */
function subUids(identity: Identity, { uid }: User): number[] {
  const uids: number[] = [];
  for (let afterUid = 0; uids.length < SUBS_PER_BROKER_MAX; afterUid = uids.at(-1)!) {
    const page = identity.listSubs(uid, { afterUid });
    if (page.length === 0) break;
    uids.push(...page.map((sub) => sub.uid));
  }
  return uids;
}

/** Without times it is yesterday, in UTC. */
function yesterdayUnless(query: PageRequest, now: number): PageRequest {
  if (query.startTime !== undefined || query.endTime !== undefined) return query;
  const today = now - (now % DAY_MS);
  return { ...query, startTime: String(today - DAY_MS), endTime: String(today - 1) };
}

export const brokerRecordRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/broker/all-sub-deposit-withdrawal',
    summary: 'Deposits and withdrawals of all sub-accounts, newest first; yesterday when no time is given',
    group,
    access: 'broker_read',
    perSecond: PER_SECOND,
    query: Type.Object({
      ...fields.pageFields,
      status: Type.Optional(Type.Enum(['pending', 'fail', 'success'] as const)),
    }),
    data: Type.Object({
      list: Type.Array(
        Type.Object(texts('uid', 'txId', 'type', 'subType', 'coin', 'amount', 'status', 'ts')),
      ),
      endId: Type.String(),
    }),
    handle: async ({ venue, identity, clock, caller, query }) => {
      const { status } = query;
      const page = historyPage(yesterdayUnless(query, clock.now()), clock.now(), RECORDS_SPAN_MS);
      if (page instanceof WireError) return page;
      const uids = subUids(identity, caller.user);
      await venue.settled();
      const records = await venue.history.familyWalletRecords({
        uids,
        ...page,
        ...(status !== undefined && { status }),
      });
      return { list: records.map(recordOf), endId: records.at(-1)?.orderId ?? '' };
    },
  }),
];

function recordOf({ uid, recordId, type, dest, coin, size, status, createdTime }: FamilyRecordView) {
  return {
    uid,
    txId: recordId,
    type: type === 'withdraw' ? 'withdrawal' : 'deposit',
    subType: dest === 'on_chain' ? 'onchain' : 'internal',
    coin,
    amount: size,
    status,
    ts: createdTime,
  };
}
