/** Admission of sockets: per address, per second, and in total. */
import type { IncomingMessage } from 'node:http';
import type { SourceRefusal } from '../../http/request-source.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import { CONNECTIONS_PER_ADDRESS_MAX, HANDSHAKES_PER_SECOND } from './limits.ts';

export interface Rejection {
  readonly status: string;
  readonly msg: string;
  readonly retryAfterSeconds?: number;
}

export class Admission {
  private readonly limiter: RateLimiter;
  private readonly limited: boolean;
  private readonly openByAddress = new Map<string, number>();
  private secondStartMs = 0;
  private handshakes = 0;

  constructor(limiter: RateLimiter, limited: boolean) {
    this.limiter = limiter;
    this.limited = limited;
  }

  /** Why the handshake is rejected; undefined when it is admitted. The connection counts until `left`. */
  admit(request: IncomingMessage, peer: string | undefined, nowMs: number): Rejection | undefined {
    const odd = oddityOf(request);
    if (odd !== undefined) return badHandshake(odd);
    if (!this.limited) return undefined;
    const overall = this.limiter.takeOverall(peer, nowMs);
    const attempts = overall.allowed ? this.limiter.takeHandshake(peer, nowMs) : overall;
    if (!attempts.allowed) {
      return tooMany('too many connection attempts of this address', Math.ceil(attempts.retryAfterMs / 1000));
    }
    if (nowMs - this.secondStartMs >= 1_000) {
      this.secondStartMs = nowMs;
      this.handshakes = 0;
    }
    if (++this.handshakes > HANDSHAKES_PER_SECOND) return tooMany('too many connect at once', 1);
    if ((this.openByAddress.get(peer ?? '') ?? 0) >= CONNECTIONS_PER_ADDRESS_MAX) {
      return tooMany(`at most ${CONNECTIONS_PER_ADDRESS_MAX} connections an address`, 1);
    }
    return undefined;
  }

  entered(peer: string | undefined): void {
    this.openByAddress.set(peer ?? '', (this.openByAddress.get(peer ?? '') ?? 0) + 1);
  }

  left(peer: string | undefined): void {
    const left = (this.openByAddress.get(peer ?? '') ?? 1) - 1;
    if (left === 0) this.openByAddress.delete(peer ?? '');
    else this.openByAddress.set(peer ?? '', left);
  }
}

/** Handshakes that the libraries accept although bytes behind them could be read as frames or as another request. */
function oddityOf({ headers, httpVersion }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1') return 'a handshake is a request of HTTP/1.1';
  // Version 8 sends the origin of a web page in another header.
  if (headers['sec-websocket-version'] !== '13') return 'the header Sec-WebSocket-Version must be 13';
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0) {
    return 'a handshake has no body';
  }
  return undefined;
}

const REASONS: Readonly<Record<SourceRefusal['status'], string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  421: 'Misdirected Request',
};

/** The Host is unknown, or the web page is not allowed. */
export function foreignHandshake({ status, message }: SourceRefusal): Rejection {
  return { status: `${status} ${REASONS[status]}`, msg: message };
}

export function badHandshake(msg: string): Rejection {
  return { status: '400 Bad Request', msg };
}

function tooMany(msg: string, retryAfterSeconds: number): Rejection {
  return { status: '429 Too Many Requests', msg, retryAfterSeconds };
}
