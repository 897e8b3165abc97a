/** Faults of clients' streams that the laboratory injects; the streams ask for them as servers do in `call-faults.ts`. */

export const PUSH_FAULTS = ['skip', 'duplicate', 'reorder', 'delay'] as const;

export interface OutgoingPush {
  /** Id of its connection. */
  readonly connection: string;
  /** Undefined before a login. */
  readonly uid: number | undefined;
  readonly topic: string;
  readonly symbol: string | undefined;
}

export interface PushFault {
  readonly kind: (typeof PUSH_FAULTS)[number];
  /** How long a delay is. */
  readonly ms: number;
}

/** A socket of a client, as far as a fault can end it. */
export interface ClientSocket {
  readonly uid: number | undefined;
  readonly path: string;
  /** Closes it with a code; 1006 is a reset, without a closing frame. */
  end(code: number): void;
  /** Nothing more comes out of it, nothing that is sent into it is read, and it stays open. */
  silence(): void;
}

export interface StreamFaults {
  /** The fault that a push meets; undefined while no fault waits for pushes. */
  push: ((push: OutgoingPush) => PushFault | undefined) | undefined;
}
