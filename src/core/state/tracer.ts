/**
 * Watches one command being applied, so that it can be explained (`explain`). It changes nothing: with and without one the
 * state comes out the same. A running exchange has none; each of these places then costs a comparison.
 */
import type { Amount } from '../model/amount.ts';
import type { Command, PlaceOrder } from '../model/command.ts';
import type { CommandResult } from '../model/command-result.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Position } from '../model/position.ts';
import type { Account } from './account.ts';
import type { TriggeredBy } from './strategy-order.ts';

/** How far a forced close may go. */
export interface ForcedClose {
  /** What stands behind the position, in the settlement coin. */
  readonly margin: bigint;
  readonly bankruptcyTicks: number;
  /** W, the last price in the book (rules 13.7). */
  readonly reachTicks: number;
}

export interface Tracer {
  /** Before the command: timed work is done, nothing of the command itself is. */
  onCommand(command: Command): void;
  /** After the command itself, before the work that it causes. */
  onResult(result: CommandResult): void;
  /** An order is checked next: of the command, or of a strategy order that fires. */
  onOrder(
    account: Account,
    instrument: Instrument,
    order: PlaceOrder,
    triggeredBy: TriggeredBy | undefined,
  ): void;
  /** Two orders, by their slots, trade next. */
  onMatch(taker: number, maker: number, priceTicks: number, lots: number): void;
  /** An amount has moved between two cells of the ledger. */
  onPosting(from: number, to: number, amount: Amount): void;
  /** The account is liquidated next, or one isolated position of it. */
  onLiquidation(account: Account, isolated: Position | undefined): void;
  /** A position is closed by force next. */
  onForcedClose(account: Account, position: Position, close: ForcedClose): void;
  /** The lending fund of a coin pays next, within its budgets. */
  onLendingFund(coin: number): void;
}
