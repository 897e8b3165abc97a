/** Records of loans: closed loans, repayments, pledges, forced closes (interface 4.6, wire 4.6). */
import { Type } from '../../../validation/schema.ts';
import { REDUCE_COMPLETE } from '../../../views/loan-view.ts';
import { type Route, route } from '../../route.ts';
import { WireError } from '../../wire/wire-error.ts';
import { coinFields, readLoanRecords, recordFields } from './loan-history.ts';
import { LOANS, statusOf } from './loan-input.ts';
import * as responses from './loan-responses.ts';

const CLOSED_STATUSES = ['ROLLBACK', 'FORCE', 'REPAY'];

const REDUCE_STATUSES = [REDUCE_COMPLETE, 'WAIT'];

const Status = Type.String({ maxLength: 16, description: 'in any letter case' });

export const loanRecordRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/loan/borrow-history',
    summary: 'Loans that have ended, newest first',
    ...LOANS,
    access: 'mgt_read',
    query: Type.Object({ ...recordFields, ...coinFields, status: Type.Optional(Status) }),
    data: Type.Array(responses.ClosedLoan),
    handle: (call) => {
      const status = statusOf(call.query.status, CLOSED_STATUSES);
      return status instanceof WireError ? status : readLoanRecords(call, 'borrow', status);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/repay-history',
    summary: 'Repayments, newest first',
    ...LOANS,
    access: 'mgt_read',
    query: Type.Object({ ...recordFields, ...coinFields }),
    data: Type.Array(responses.RepayRecord),
    handle: (call) => readLoanRecords(call, 'repay'),
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/pledge-rate-history',
    summary:
      'Collateral that was added (down) or taken out (up) with the pledge rates before and after, newest first',
    ...LOANS,
    access: 'mgt_read',
    query: Type.Object({ ...recordFields, reviseSide: Type.Optional(Type.Enum(['down', 'up'] as const)) }),
    data: Type.Array(responses.PledgeRateRecord),
    handle: (call) => readLoanRecords(call, 'pledgeRate', call.query.reviseSide),
  }),

  route({
    method: 'GET',
    path: '/api/v3/loan/reduces',
    summary: 'Loans closed by force, newest first',
    ...LOANS,
    access: 'mgt_read',
    query: Type.Object({ ...recordFields, ...coinFields, status: Type.Optional(Status) }),
    data: Type.Array(responses.ReduceRecord),
    handle: (call) => {
      const status = statusOf(call.query.status, REDUCE_STATUSES);
      return status instanceof WireError ? status : readLoanRecords(call, 'reduce', status);
    },
  }),
];
