/** Records over all sub-accounts of a broker (wire 4.5). */

import { CATEGORY_NAMES, type CategoryName } from '../../../core/model/enums.ts';
import type { State } from '../../../core/state/state.ts';
import {
  COMMISSION_FILLS_MAX,
  type CommissionView,
  type FamilyRecordView,
} from '../../../history/history.ts';
import type { User } from '../../../identity/identity.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { historyPage, type PageRequest, pageLimit, period } from '../../wire/paging.ts';
import { texts } from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';

const group = 'Broker';
const PER_SECOND = 20;
/** Each query sums thousands of fills while all other queries of the history wait. */
const COMMISSIONS_PER_SECOND = 1;
const DAY_MS = 86_400_000;
const RECORDS_SPAN_MS = 7 * DAY_MS;

const PAGES_MAX = 1_000_000;

const LINES = {
  spot_trade: 'SPOT',
  spot_margin: 'MARGIN',
  usdt_futures: 'USDT-FUTURES',
  usdc_futures: 'USDC-FUTURES',
  coin_futures: 'COIN-FUTURES',
} as const satisfies Readonly<Record<string, CategoryName>>;
type Line = keyof typeof LINES;

const BUSINESSES = {
  SPOT: ['SPOT', 'MARGIN'],
  FUTURES: ['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES'],
} as const satisfies Readonly<Record<string, readonly CategoryName[]>>;
type Business = keyof typeof BUSINESSES;

/** All sub-accounts of a broker, from memory: reading thousands of rows would delay every query. */
function subUids({ accountByUid }: State, { uid }: User): number[] {
  return accountByUid.get(uid)?.subAccounts.map((sub) => sub.uid) ?? [];
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
    handle: async ({ sequencer, clock, caller, query }) => {
      const { status } = query;
      const page = historyPage(yesterdayUnless(query, clock.now()), clock.now(), RECORDS_SPAN_MS);
      if (page instanceof WireError) return page;
      const uids = subUids(sequencer.state, caller.user);
      await sequencer.durable();
      const records = await sequencer.history.familyWalletRecords({
        uids,
        ...page,
        ...(status !== undefined && { status }),
      });
      return { list: records.map(recordOf), endId: records.at(-1)?.orderId ?? '' };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/broker/commission',
    summary:
      'Trading fees of the sub-accounts and what of them the broker was paid, by account, pair and coin',
    group,
    access: 'broker_read',
    perSecond: COMMISSIONS_PER_SECOND,
    query: Type.Object({
      startTime: Type.Optional(fields.Time),
      endTime: Type.Optional(fields.Time),
      pageSize: Type.Optional(fields.Limit),
      pageNo: Type.Optional(fields.Limit),
      bizType: Type.Optional(Type.Enum(Object.keys(BUSINESSES) as Business[])),
      subBizType: Type.Optional(Type.Enum(Object.keys(LINES) as Line[])),
    }),
    data: Type.Array(
      Type.Object(
        texts(
          'uid',
          'coin',
          'symbol',
          'dealtAmount',
          'totalFee',
          'deductedFee',
          'paidFee',
          'markUpFee',
          'totalCommission',
        ),
      ),
    ),
    handle: async ({ sequencer, clock, caller, query }) => {
      const window = period(query, clock.now());
      if (window instanceof WireError) return window;
      const size = pageLimit(query.pageSize, undefined, undefined, 'pageSize');
      if (size instanceof WireError) return size;
      const number = pageLimit(query.pageNo, 1, PAGES_MAX, 'pageNo');
      if (number instanceof WireError) return number;
      const uids = subUids(sequencer.state, caller.user);
      await sequencer.durable();
      const rows = await sequencer.history.commissions({
        uids,
        categories: categoriesOf(query),
        ...window,
        skip: (number - 1) * size,
        limit: size,
      });
      if (rows === undefined) {
        const most = COMMISSION_FILLS_MAX.toLocaleString('en-US');
        return wireError(
          '40017',
          `there are more than ${most} fills between startTime and endTime: ask for less`,
        );
      }
      return rows.map(commissionOf);
    },
  }),
];

/** Categories of a product line and, where both are given, only those in both. */
function categoriesOf({ bizType, subBizType }: { bizType?: Business; subBizType?: Line }): CategoryName[] {
  const ofBusiness = bizType === undefined ? CATEGORY_NAMES : BUSINESSES[bizType];
  return ofBusiness.filter((category) => subBizType === undefined || LINES[subBizType] === category);
}

/** Fees are neither paid in a deduction coin nor marked up. */
function commissionOf({ uid, coin, symbol, dealtAmount, totalFee, totalCommission }: CommissionView) {
  const nothing = { deductedFee: '0', paidFee: totalFee, markUpFee: '0' };
  return { uid, coin, symbol, dealtAmount, totalFee, ...nothing, totalCommission };
}

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
