/**
 * Faults of requests and responses that the laboratory injects (`lab/faults`). The servers ask for them through optional
 * functions: while none is set, a request costs one comparison.
 */

/** `before`: before anything has read the request. `after`: its answer is ready and everything in it is durable. */
export type Moment = 'before' | 'after';

/** A request as it came in. */
export interface IncomingCall {
  readonly method: string;
  readonly path: string;
  /** The key that the request names, whether or not its signature is right. */
  readonly apiKey: string | undefined;
  /** Symbols in its body or query. */
  readonly symbols: () => readonly string[];
  /** Kinds of fault that it can meet. Default: all. */
  readonly kinds?: ReadonlySet<CallFault['kind']>;
}

export const FAULT_STATUSES = [429, 500, 502, 503, 504] as const;
export type FaultStatus = (typeof FAULT_STATUSES)[number];
export const FAULT_BODIES = ['vendor', 'html', 'empty'] as const;
export type FaultBody = (typeof FAULT_BODIES)[number];
export const GARBLINGS = ['truncate', 'html', 'wrong-type'] as const;
export type Garbling = (typeof GARBLINGS)[number];

export type CallFault =
  | { readonly kind: 'latency'; readonly at: Moment; readonly ms: number }
  | { readonly kind: 'drop'; readonly at: Moment }
  | {
      readonly kind: 'status';
      readonly at: Moment;
      readonly status: FaultStatus;
      readonly body: FaultBody;
      /** Seconds. */
      readonly retryAfter: number | undefined;
    }
  | { readonly kind: 'garble'; readonly how: Garbling }
  | { readonly kind: 'reject'; readonly code: string; readonly msg: string | undefined }
  | { readonly kind: 'skew'; readonly ms: number }
  | {
      readonly kind: 'act';
      /** Does something before or after a request that was admitted, and carries it out. */
      readonly around: (call: AdmittedCall, runHandler: () => Promise<unknown>) => Promise<unknown>;
    };

/** A request that has passed signature, limits and schema. */
export interface AdmittedCall {
  readonly uid: number | undefined;
  readonly body: unknown;
}

export interface CallFaults {
  /** The fault that a request meets; undefined while no fault waits for requests. */
  call: ((call: IncomingCall) => CallFault | undefined) | undefined;
  /** The fault that orders ask for by their client ids. */
  named(clientOids: readonly (string | undefined)[]): CallFault | undefined;
  /** Calls back after so long; `cut` instead when the exchange cannot wait for it. */
  wait(ms: number, goOn: () => void, cut: () => void): void;
}
