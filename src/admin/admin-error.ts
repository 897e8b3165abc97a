/**
 * Errors of the operator's API: one catalogue of codes with their HTTP status; the message names the wrong value and
 * the valid ones.
 */
import type { CommandResult } from '../core/model/command-result.ts';
import { RejectReason } from '../core/model/reject-reason.ts';
import type { IdentityRefusal } from '../identity/identity.ts';

export const ERROR_STATUS = {
  invalid_request: 400,
  not_authenticated: 401,
  foreign_page: 403,
  unknown_path: 404,
  unknown_account: 404,
  unknown_key: 404,
  unknown_coin: 404,
  unknown_instrument: 404,
  unknown_withdrawal: 404,
  unknown_address: 404,
  unknown_session: 404,
  unknown_snapshot: 404,
  unknown_fork: 404,
  unknown_past: 404,
  unknown_fault: 404,
  already_exists: 409,
  busy: 409,
  port_taken: 409,
  gone: 410,
  unknown_host: 421,
  not_allowed: 422,
  newer_format: 422,
  limit_reached: 422,
  too_many_attempts: 429,
  internal: 500,
  unavailable: 503,
  no_space: 507,
} as const;
export type AdminErrorCode = keyof typeof ERROR_STATUS;

export class AdminError {
  readonly code: AdminErrorCode;
  readonly message: string;

  constructor(code: AdminErrorCode, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Reject reasons of the core for operator's commands. */
const OF_CORE: Readonly<Partial<Record<RejectReason, readonly [AdminErrorCode, string]>>> = {
  [RejectReason.unknownAccount]: ['unknown_account', 'the account is not known'],
  [RejectReason.unknownCoin]: ['unknown_coin', 'the coin is not listed'],
  [RejectReason.unknownInstrument]: ['unknown_instrument', 'the instrument is not listed'],
  [RejectReason.unknownWithdrawal]: ['unknown_withdrawal', 'there is no pending withdrawal of that id'],
  [RejectReason.noPositionToClose]: ['not_allowed', 'the account has no position there'],
  [RejectReason.coinNotOffered]: ['not_allowed', 'the coin cannot be borrowed here'],
  [RejectReason.alreadyExists]: ['already_exists', 'it exists already'],
  [RejectReason.invalidSpecification]: ['invalid_request', 'the specification cannot be listed'],
  [RejectReason.amountOutOfRange]: ['invalid_request', 'the amount must be above zero and at most 10^22'],
  [RejectReason.nothingOwed]: ['not_allowed', 'the account owes nothing'],
  [RejectReason.positionsOrOrdersOpen]: ['not_allowed', 'the account has positions, open orders or loans'],
  [RejectReason.debtIsCovered]: ['not_allowed', 'the account owns as much as it owes'],
  [RejectReason.custodyTooSmall]: ['not_allowed', 'the venue does not hold as much of the coin'],
  [RejectReason.insufficientMargin]: ['not_allowed', 'the account owes more than it owns'],
  [RejectReason.accountsFull]: ['not_allowed', 'the venue has as many accounts as it can hold'],
};

export function rejectedByCore({ rejectReason, detail }: CommandResult): AdminError {
  const [code, message] = OF_CORE[rejectReason] ?? [
    'not_allowed',
    `the exchange refused it, reason ${rejectReason}`,
  ];
  return new AdminError(code, detail ?? message);
}

const OF_IDENTITY: Readonly<Partial<Record<IdentityRefusal, AdminErrorCode>>> = {
  name_taken: 'already_exists',
  key_taken: 'already_exists',
  user_unknown: 'unknown_account',
  key_unknown: 'unknown_key',
  sub_of_sub: 'not_allowed',
  quota_above_cap: 'not_allowed',
  address_taken: 'already_exists',
  address_unknown: 'unknown_address',
  too_many_addresses: 'not_allowed',
  busy: 'unavailable',
};

export function refusedByIdentity(refusal: { reason: IdentityRefusal; message: string }): AdminError {
  return new AdminError(OF_IDENTITY[refusal.reason] ?? 'invalid_request', refusal.message);
}
