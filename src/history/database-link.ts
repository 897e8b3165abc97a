/** The way from the history to its database (`history-database.ts`). Messages arrive in order, and never in the same turn. */
import type { FromDatabase, ToDatabase } from './database-messages.ts';

export interface DatabaseLink {
  /** Buffers that are handed over belong to the receiver from now on. */
  post(message: ToDatabase, handedOver: readonly ArrayBuffer[]): void;
  /** After the database was closed. */
  end(): Promise<void>;
  /** Instead: nothing more is stored, and nothing is closed in order. */
  abandon(): Promise<void>;
}

export interface LinkListener {
  readonly received: (message: FromDatabase) => void;
  /** Nothing more is stored. */
  readonly failed: (error: Error) => void;
  /** Nothing more comes; to be expected after it was closed. */
  readonly ended: (reason: Error) => void;
}
