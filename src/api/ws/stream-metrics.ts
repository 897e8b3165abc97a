/** Counters of the streams for the metrics page. */
export interface StreamMetrics {
  connections: number;
  subscriptions: number;
  accepted: number;
  refused: number;
  received: number;
  sent: number;
  sentBytes: number;
  /** Pushes skipped because a newer one replaced them. */
  conflated: number;
  /** Connections closed because the client did not read. */
  dropped: number;
  unsentBytes: number;
}

export function emptyStreamMetrics(): StreamMetrics {
  return {
    connections: 0,
    subscriptions: 0,
    accepted: 0,
    refused: 0,
    received: 0,
    sent: 0,
    sentBytes: 0,
    conflated: 0,
    dropped: 0,
    unsentBytes: 0,
  };
}
