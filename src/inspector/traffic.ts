/**
 * What the servers report of their traffic. A sink takes plain records and returns nothing, so that a thread which serves
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

/**
 * When a request reached its steps, in microseconds since it arrived; 0 where it did not. A request with several commands
 * is applied with the first of them, and durable with the last.
 */
export interface RequestSteps {
  /** Its bytes were read. */
  readonly parsedUs: number;
  /** Signature, permission, limit and parameters were in order. */
  readonly admittedUs: number;
  readonly appliedUs: number;
  readonly durableUs: number;
  /** Sequence numbers of its commands. */
  readonly commands: readonly number[];
}

interface Traffic {
  readonly party: Party;
  /** Unix milliseconds of the machine's clock. */
  readonly atMs: number;
  readonly peer: string | undefined;
  readonly agent: string | undefined;
  readonly finding: SignatureFinding | undefined;
  /** Undefined where a request went no further than its address, and of frames that answer none. */
  readonly steps: RequestSteps | undefined;
  /** From the arrival of a request to its answer. */
  readonly tookMs: number;
}

export interface HttpCall extends Traffic {
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
