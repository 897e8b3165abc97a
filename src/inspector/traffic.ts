/**
 * What the servers tell of their traffic. A sink takes plain records and answers nothing, so that a thread which serves
 * clients can post them to the one that keeps them.
 */

/** Whose request it is: of the caller, or of the key that a refused request named. */
export interface Party {
  readonly uid: number;
  /** The main account of a sub-account, otherwise the account itself. */
  readonly mainUid: number;
  readonly apiKey: string;
}

/** One part of a signed request that the client has treated otherwise than the exchange. */
export interface SignatureFinding {
  readonly part: 'timestamp' | 'method' | 'path' | 'query' | 'body' | 'secret' | 'encoding' | 'unknown';
  readonly text: string;
}

interface Traffic {
  readonly party: Party;
  /** Unix milliseconds of the machine's clock. */
  readonly atMs: number;
  readonly peer: string | undefined;
  readonly agent: string | undefined;
  readonly finding: SignatureFinding | undefined;
}

export interface HttpCall extends Traffic {
  readonly tookMs: number;
  readonly method: string;
  /** Path and query as received. */
  readonly target: string;
  /** The header ACCESS-TIMESTAMP. */
  readonly timestamp: string | undefined;
  readonly body: Uint8Array | undefined;
  readonly status: number;
  readonly answer: string;
  /** Calls that its limit leaves in this second. */
  readonly left: number | undefined;
  /** Had the client left before the answer? */
  readonly unread: boolean;
}

/** `in` comes from the client; `close` ends a socket, and its text says what passed over it. */
export type Direction = 'in' | 'out' | 'close';

export interface SocketFrame extends Traffic {
  readonly connection: string;
  readonly path: string;
  readonly direction: Direction;
  readonly text: string;
}

export interface TrafficSink {
  call(call: HttpCall): void;
  frame(frame: SocketFrame): void;
}
