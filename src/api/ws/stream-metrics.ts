/** What the streams tell those who watch the process. */
export interface StreamMetrics {
  connections: number;
  subscriptions: number;
  accepted: number;
  refused: number;
  received: number;
  sent: number;
  sentBytes: number;
  /** Pushes left out because a newer one replaces them. */
  conflated: number;
  /** Connections cut because nobody read them. */
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
