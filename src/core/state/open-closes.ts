/** Forced closes that go on with the next ticks, and the rankings they need (rules 19). */

import type { OrderKind, PosSide } from '../model/enums.ts';
import { type Position, positionKey } from '../model/position.ts';
import type { Account } from './account.ts';
import { AdlQueue, type Ranked } from './adl-queue.ts';
import type { State } from './state.ts';

/** What goes on. */
export const CloseScope = {
  /** The liquidation of an isolated position. */
  isolated: 0,
  /** The liquidation of a crossed account. */
  crossed: 1,
  /** The operator closes all positions of an account. */
  whole: 2,
  /** The operator gives a position to the other side. */
  givenUp: 3,
} as const;
export type CloseScope = (typeof CloseScope)[keyof typeof CloseScope];

export interface OpenClose {
  readonly scope: CloseScope;
  readonly account: number;
  /** The position that is being closed, by its id. */
  readonly position: number;
  readonly instrument: number;
  readonly posSide: PosSide;
  /** What is left to close of it, and the kind of the orders that do. */
  readonly lots: number;
  readonly kind: OrderKind;
  /** What the insurance fund may still pay for this close, and what it has lost by it; below zero what it has got. */
  readonly fundLeft: bigint;
  readonly fundLost: bigint;
}

/** The position of an open close; undefined when it is closed. */
export function positionOfClose(state: State, close: OpenClose): Position | undefined {
  const { positions } = state.accounts[close.account]!;
  const position = positions.get(positionKey(close.instrument, close.posSide));
  return position?.id === close.position ? position : undefined;
}

/** Does a close of the position, or of its account, go on with the next ticks? */
export function isBeingClosed({ openCloses, accounts }: State, position: Position): boolean {
  if (openCloses.length === 0) return false;
  return (
    accounts[position.account]!.liquidating || openCloses.some((close) => close.position === position.id)
  );
}

/** Is an isolated position of the account being closed, which may lack what the account then pays? */
export function hasOpenIsolatedClose({ openCloses }: State, account: number): boolean {
  return openCloses.some((close) => close.account === account && close.scope === CloseScope.isolated);
}

/** Does an open close concern the account? */
export function hasOpenClose({ openCloses }: State, account: number): boolean {
  return openCloses.length !== 0 && openCloses.some((close) => close.account === account);
}

/** Is the account being liquidated, or does it wait for that? Then no price makes it due. */
export function awaitsLiquidation({ dueAccounts }: State, { index, liquidating }: Account): boolean {
  return liquidating || dueAccounts.has(index);
}

/**
 * Positions of one direction as they are ranked, account by account in the order in which these were opened. Who could not
 * bear the price of a close is behind all others from then on, so that each is asked once.
 */
export class OpenRanking {
  readonly instrument: number;
  readonly long: boolean;
  /** The account to go on with, and the first that was opened later. */
  next: number;
  readonly until: number;
  readonly order: AdlQueue;
  /** The first place that has not been passed over. */
  head = 0;
  /** Passed over: accounts in liquidation, then those that could not bear a price. */
  readonly inLiquidation: Ranked[] = [];
  readonly ruined: Ranked[] = [];
  /** It was begun by the present command: complete, it does not outlive the instant. Not saved. */
  isNew = false;
  /** Somebody was taken by it: complete, it does not outlive the second. */
  isUsed = false;

  constructor(state: State, instrument: number, long: boolean, next: number, until: number) {
    this.instrument = instrument;
    this.long = long;
    this.next = next;
    this.until = until;
    this.order = new AdlQueue(state.accounts);
  }

  get isComplete(): boolean {
    return this.next >= this.until;
  }
}

/** Does a close wait that goes by this ranking? */
export function isAwaited(state: State, { instrument, long }: OpenRanking): boolean {
  return state.openCloses.some((close) => {
    const position = close.instrument === instrument ? positionOfClose(state, close) : undefined;
    return position !== undefined && position.long !== long;
  });
}

/** Must a close of this position wait until the other side has been ranked, or looked through? */
export function awaitsRanking({ rankings, looksLeft }: State, { instrument, long }: Position): boolean {
  return rankings.some(
    (each) => each.instrument === instrument && each.long !== long && (!each.isComplete || looksLeft <= 0),
  );
}
