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

/** A strategy order that places an order: what its checks do otherwise. */
export interface Firing {
  readonly takesPrecedence: boolean;
  readonly closesAll: boolean;
}

export interface Tracer {
  /** Timed work is done; nothing of the command itself is. */
  meets(command: Command): void;
  /** The command itself is done; what it sets off is not. */
  comesTo(result: CommandResult): void;
  /** An order is checked next: of the command, or of a strategy order that fires. */
  enters(account: Account, instrument: Instrument, order: PlaceOrder, firing: Firing | undefined): void;
  /** Two orders, by their slots, trade next. */
  matches(taker: number, maker: number, priceTicks: number, lots: number): void;
  /** An amount has moved between two cells of the ledger. */
  posts(from: number, to: number, amount: Amount): void;
  /** The account is liquidated next, or one isolated position of it. */
  liquidates(account: Account, isolated: Position | undefined): void;
}
