/** Every reject reason, and how it is explained. */
import { RejectReason } from '../model/reject-reason.ts';
import type { Facts } from './figures.ts';
import { REJECTED_AMENDS } from './rejected-amends.ts';
import { REJECTED_FOR_MARGIN } from './rejected-margin.ts';
import { REJECTED_MONEY_COMMANDS } from './rejected-money.ts';
import { REJECTED_OPERATIONS } from './rejected-operations.ts';
import { REJECTED_ORDERS } from './rejected-orders.ts';
import { REJECTED_STRATEGIES } from './rejected-strategies.ts';
import type { ReasonName, Rejection, Rejections } from './rejection.ts';
import type { Subject } from './subject.ts';

export const REJECTIONS: Rejections<ReasonName> = {
  ...REJECTED_ORDERS,
  ...REJECTED_AMENDS,
  ...REJECTED_FOR_MARGIN,
  ...REJECTED_MONEY_COMMANDS,
  ...REJECTED_STRATEGIES,
  ...REJECTED_OPERATIONS,
};

const NAMES: ReadonlyMap<number, ReasonName> = new Map(
  Object.entries(RejectReason).map(([name, code]) => [code, name as ReasonName]),
);

export const reasonName = (reason: RejectReason): ReasonName => NAMES.get(reason)!;
export const rejectionOf = (reason: RejectReason): Rejection => REJECTIONS[reasonName(reason)];

/** One check of a command. */
export interface Check {
  readonly check: string;
  readonly rule: string;
  readonly inputs: Facts;
  readonly bound: string;
  readonly verdict: 'passed' | 'refused' | 'not reached';
  /** Of a check that failed. */
  readonly reason?: ReasonName;
  readonly rightWouldBe?: string;
}

/** The check that a command has failed. */
export function failedCheck(subject: Subject): Check {
  const { rejectReason } = subject.result;
  const { check, rule, inputs, bound, right } = rejectionOf(rejectReason);
  return {
    check,
    rule,
    inputs: inputs(subject),
    bound: bound(subject),
    verdict: 'refused',
    reason: reasonName(rejectReason),
    rightWouldBe: right(subject),
  };
}
