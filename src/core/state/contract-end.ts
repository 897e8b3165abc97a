/** The end of a contract in portions, as far as it is done (rules 14.5). */

import type { OrderKind } from '../model/enums.ts';
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { Sweep } from './sweep.ts';

/** Every stage goes over all accounts before the next begins. */
export const EndStage = {
  /** Orders are cancelled and positions closed. */
  closing: 0,
  /** What losers lack is added up. */
  counting: 1,
  /** Winners get their gains, less their share of what the fund does not pay. */
  sharing: 2,
  /** What was lacking is paid. */
  covering: 3,
} as const;
export type EndStage = (typeof EndStage)[keyof typeof EndStage];

/** Of an isolated position, or of all crossed ones of an account together. */
export interface Gain {
  readonly realised: bigint;
  /** After the fee: the most that may be taken of it. */
  readonly most: bigint;
}

/** What an account waits for whose positions are closed. */
export interface Pending {
  gains: readonly Gain[];
  /** Of its gains, what it does not have yet. */
  kept: bigint;
  /** Margin that its isolated positions lacked. Its cash has paid it and gets back what is covered. */
  readonly lacking: bigint;
  /** Cash that it owes and has nothing to pay with. */
  debt: bigint;
  /** Its largest debt since the full hour before the positions were closed. */
  readonly peak: bigint;
  /** It has acted since. */
  acted: boolean;
}

export class ContractEnd {
  readonly time: number;
  readonly instrument: number;
  readonly kind: typeof OrderKind.delivery | typeof OrderKind.delisting;
  readonly priceTicks: number;
  readonly sweep: Sweep;
  stage: EndStage = EndStage.closing;
  /** The account that a later stage goes on with. */
  next = FIRST_USER_ACCOUNT;
  /** By account. */
  readonly pending = new Map<number, Pending>();
  /** What of `sys:settling` is of this work. */
  held = 0n;
  /** Lacking margins, debts, and the gains that share. */
  lacking = 0n;
  debts = 0n;
  gains = 0n;
  /** What the fund does not pay of the first two, and what winners have given for it. */
  shortage = 0n;
  shared = 0n;
  /** What is left to cover margins and debts with. */
  forMargins = 0n;
  forDebts = 0n;

  constructor(
    time: number,
    instrument: number,
    kind: typeof OrderKind.delivery | typeof OrderKind.delisting,
    priceTicks: number,
    until: number,
  ) {
    this.time = time;
    this.instrument = instrument;
    this.kind = kind;
    this.priceTicks = priceTicks;
    this.sweep = new Sweep(until);
  }

  /** Is it to get something that it does not have yet? */
  owes(account: number): boolean {
    return this.pending.has(account);
  }
}
