/** What a command came to. `rejectReason` is 0 when it was carried out. */
import { RejectReason } from './reject-reason.ts';

export interface CommandResult {
  readonly rejectReason: RejectReason;
  /** The order concerned; 0 when there is none. */
  readonly orderId: number;
  readonly clientOid: string;
  /** Of a move: the order of the receiving account; `orderId` is the giving account's. */
  readonly openOrderId?: number;
  /** One entry per item of a batch or per order of a cancel-all. */
  readonly items?: readonly CommandResult[];
  /** What would have been right, for the message: a price in ticks, a size in lots or a count. */
  readonly bound?: number;
  /** What a repayment paid off, in 10^-8 of the coin. */
  readonly amount?: bigint;
  /** Money at hand when money was short, in 10^-8 of `coin`. */
  readonly available?: bigint;
  readonly coin?: number;
  /** What a repayment came to. */
  readonly repaid?: { readonly interest: bigint; readonly principal: bigint; readonly unlocked: bigint };
  /** Pledge rate after a revision, in 10^-2 percent. */
  readonly pledgeRate?: bigint;
  /** Why a command of an operator was rejected, as text. */
  readonly detail?: string;
}

export const OK: CommandResult = { rejectReason: RejectReason.none, orderId: 0, clientOid: '' };

export function rejected(rejectReason: RejectReason, bound?: number): CommandResult {
  return bound === undefined
    ? { rejectReason, orderId: 0, clientOid: '' }
    : { rejectReason, orderId: 0, clientOid: '', bound };
}
