/** What a verification finds: one check after the other, damages of the history, and the state that the log leads to. */
import type { Damage } from '../../history/proof/damage.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface CoinSum {
  readonly coin: string;
  readonly users: string;
  readonly system: string;
  /** Users and system together; anything but "0" means that money appeared or vanished. */
  readonly sum: string;
}

/** The state after one command. */
export interface StateMark {
  readonly seq: number;
  readonly stateHash: string;
}

export interface Verification {
  readonly ok: boolean;
  readonly data: string;
  readonly checks: readonly Check[];
  /** Damages of the history and their remedy; empty when there is none. */
  readonly damages: readonly Damage[];
  readonly remedy: string;
  /** Rows of the history that a repair has rewritten. */
  readonly repairedRows: number;
  readonly coins: readonly CoinSum[];
  readonly snapshots: readonly StateMark[];
  readonly accounts: number;
  readonly openOrders: number;
  readonly lastSeq: number;
  readonly stateHash: string;
}

/** Current step and its share done, from 0 to 1. */
export type Progress = (what: string, share: number) => void;

/** Notes the outcome of a check. */
export type Note = (name: string, ok: boolean, detail: string) => void;
