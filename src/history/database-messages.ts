/** Messages between the history and its database, handled in the order they were sent. */
import type { Instrument } from '../core/model/instrument.ts';
import type { GeneratedPast } from './generated-candles.ts';
import type { PackedBatch } from './packed-batch.ts';
import type { Read } from './read.ts';
import type { READS } from './reads.ts';

export interface WorkerStart {
  readonly path: string;
  /** The operator has accepted that records are missing. */
  readonly acceptGap: boolean;
}

/** Every read by name, with its argument and result. */
export type ReadName = keyof typeof READS;
export type ReadArgument<Name extends ReadName> = Parameters<(typeof READS)[Name]>[1];
export type ReadAnswer<Name extends ReadName> =
  ReturnType<(typeof READS)[Name]> extends Read<infer Answer> ? Answer : never;

export type Request =
  | { readonly type: 'read'; readonly id: number; readonly name: ReadName; readonly argument: unknown }
  | { readonly type: 'flush'; readonly id: number }
  | { readonly type: 'prune'; readonly id: number; readonly now: number }
  /** To a file, or as bytes when it names none. */
  | { readonly type: 'copy'; readonly id: number; readonly path?: string }
  | { readonly type: 'close'; readonly id: number };

export type ToDatabase =
  | {
      readonly type: 'describe';
      readonly instruments: readonly Instrument[];
      readonly coins: readonly string[];
    }
  | { readonly type: 'batch'; readonly batch: PackedBatch }
  | { readonly type: 'generated'; readonly past: GeneratedPast }
  | Request;

export type FromDatabase =
  /**
   * Durable so far: the last command and the rows written since the start, and whether the rest waits for space. The
   * first message means that the database is ready.
   */
  | { readonly type: 'stored'; readonly seq: number; readonly rows: number; readonly starved: boolean }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  /** `damaged`: a requested row is damaged. */
  | { readonly type: 'refused'; readonly id: number; readonly message: string; readonly damaged: boolean }
  /** Rows of an older program that got their checksum since the start; `all` when none is left. */
  | { readonly type: 'sealed'; readonly rows: number; readonly all: boolean }
  /** The request needs space that the disk does not have, or what the reason says. */
  | { readonly type: 'starved'; readonly id: number; readonly reason?: string }
  /** For the log of the process. */
  | { readonly type: 'notice'; readonly text: string }
  /** Nothing more is stored or answered; `refused`: for a reason that the owner of the database can remove. */
  | { readonly type: 'failed'; readonly message: string; readonly refused: boolean }
  /** The database cannot be reached; the same request may be answered later. */
  | { readonly type: 'unavailable'; readonly id: number; readonly reason: string };
