/** Every reason for a refusal, and how it is explained. */
import { RejectReason } from '../model/reject-reason.ts';
import type { Facts } from './figures.ts';
import type { ReasonName, Refusal, Refusals } from './refusal.ts';
import { REFUSED_AMENDS } from './refused-amends.ts';
import { REFUSED_MARGIN } from './refused-margin.ts';
import { REFUSED_MONEY } from './refused-money.ts';
import { REFUSED_OPERATIONS } from './refused-operations.ts';
import { REFUSED_ORDERS } from './refused-orders.ts';
import { REFUSED_STRATEGIES } from './refused-strategies.ts';
import type { Subject } from './subject.ts';

export const REFUSALS: Refusals<ReasonName> = {
  ...REFUSED_ORDERS,
  ...REFUSED_AMENDS,
  ...REFUSED_MARGIN,
  ...REFUSED_MONEY,
  ...REFUSED_STRATEGIES,
  ...REFUSED_OPERATIONS,
};

const NAMES: ReadonlyMap<number, ReasonName> = new Map(
  Object.entries(RejectReason).map(([name, code]) => [code, name as ReasonName]),
);

export const reasonName = (reason: RejectReason): ReasonName => NAMES.get(reason)!;
export const refusalOf = (reason: RejectReason): Refusal => REFUSALS[reasonName(reason)];

/** One check of a command. */
export interface Check {
  readonly check: string;
  readonly rule: string;
  readonly inputs: Facts;
  readonly bound: string;
  readonly verdict: 'passed' | 'refused' | 'not reached';
  /** Of a refusal. */
  readonly reason?: ReasonName;
  readonly rightWouldBe?: string;
}

/** The check that a command has failed. */
export function failedCheck(subject: Subject): Check {
  const { rejectReason } = subject.result;
  const { check, rule, inputs, bound, right } = refusalOf(rejectReason);
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
