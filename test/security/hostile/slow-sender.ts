/** One byte a second, for ever, and no reaction when the server wants to say goodbye. */
import type { Socket } from 'node:net';
import { dial } from './raw-http.ts';

const BODY_HEAD = [
  'POST /api/v3/trade/place-order HTTP/1.1',
  'Host: x',
  'Content-Type: application/json',
  'Content-Length: 1000',
].join('\r\n');

const OPENINGS = {
  'slow headers': 'GET /api HTTP/1.1\r\nX-',
  silent: '',
  'slow body': `${BODY_HEAD}\r\n\r\n{`,
} as const;

export type Slowness = keyof typeof OPENINGS;

export class SlowSender {
  readonly kind: Slowness;
  /** Since it dialled; undefined while it is connected. */
  droppedMs: number | undefined;
  /** What the server said before it hung up. */
  said = '';
  private readonly socket: Socket;
  private readonly startedMs = performance.now();
  private readonly trickle: NodeJS.Timeout;

  constructor(url: string, kind: Slowness) {
    this.kind = kind;
    this.socket = dial(url);
    this.socket.write(OPENINGS[kind]);
    this.trickle = setInterval(() => kind !== 'silent' && this.socket.write('x'), 1_000);
    this.socket.on('error', () => this.dropped());
    this.socket.on('end', () => this.dropped());
    this.socket.on('close', () => this.dropped());
    this.socket.on('data', (chunk) => {
      this.said += chunk.toString('latin1');
    });
  }

  get connected(): boolean {
    return this.droppedMs === undefined;
  }

  leave(): void {
    clearInterval(this.trickle);
    this.socket.destroy();
  }

  private dropped(): void {
    this.droppedMs ??= performance.now() - this.startedMs;
  }
}

/** 300 that are slow with their headers, 50 that say nothing, 100 that are slow with a body. */
export function crowdOfSlowSenders(url: string): SlowSender[] {
  const kinds: readonly (readonly [Slowness, number])[] = [
    ['slow headers', 300],
    ['silent', 50],
    ['slow body', 100],
  ];
  return kinds.flatMap(([kind, count]) => Array.from({ length: count }, () => new SlowSender(url, kind)));
}
