/**
 * Checks all connections a few times a second and ends those that may not stay: stalled readers, silent peers,
 * missing logins, revoked keys. Pinging a thousand readers at once, and handling a thousand pongs, would delay
 * orders: each step of a round checks a part of them.
 */
import type { Clock } from '../../sequencer/clock.ts';
import type { Connection } from './connection.ts';
import { CloseCode } from './control.ts';
import {
  AGE_MAX_MS,
  AGE_NOTICE_MS,
  IDLE_MAX_MS,
  LOGIN_WITHIN_MS,
  REAPER_ROUND_MS,
  REAPER_STEP_MS,
  UNSENT_TOTAL_BYTES_MAX,
} from './limits.ts';
import type { StreamMetrics } from './stream-metrics.ts';

const STEPS = REAPER_ROUND_MS / REAPER_STEP_MS;

export interface ReaperOptions {
  readonly connections: ReadonlySet<Connection>;
  readonly wallClock: Clock;
  readonly metrics: StreamMetrics;
  /** Does the connection still have the rights it logged in with? */
  readonly isCurrent: (connection: Connection) => boolean;
  readonly unsentTotalBytesMax?: number | undefined;
}

export class ConnectionReaper {
  private readonly options: ReaperOptions;
  private readonly timer: NodeJS.Timeout;
  /** Connections that this round has not checked yet; undefined between two rounds. */
  private left: Iterator<Connection> | undefined;
  private steps = 0;
  /** Sum over the connections that this round has checked. */
  private unsentBytes = 0;

  constructor(options: ReaperOptions) {
    this.options = options;
    this.timer = setInterval(() => this.step(), REAPER_STEP_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Checks every connection at once. */
  wholeRound(): void {
    this.begin();
    while (this.left !== undefined) this.next(this.left);
  }

  private step(): void {
    if (this.steps++ % STEPS === 0 && this.left === undefined) this.begin();
    const share = Math.ceil(this.options.connections.size / STEPS) + 1;
    for (let n = 0; n < share && this.left !== undefined; n++) this.next(this.left);
  }

  private begin(): void {
    this.left = this.options.connections.values();
    this.unsentBytes = 0;
  }

  private next(left: Iterator<Connection>): void {
    const { value: connection } = left.next();
    if (connection === undefined) {
      this.endRound();
      return;
    }
    const nowMs = this.options.wallClock.now();
    this.unsentBytes += connection.unsentBytes;
    if (!connection.silenced && this.checkConnection(connection, nowMs)) connection.pingIfDue(nowMs);
  }

  private endRound(): void {
    this.left = undefined;
    const { metrics, unsentTotalBytesMax = UNSENT_TOTAL_BYTES_MAX } = this.options;
    metrics.unsentBytes = this.unsentBytes;
    if (this.unsentBytes > unsentTotalBytesMax) this.shedSlowest(unsentTotalBytesMax);
  }

  private checkConnection(connection: Connection, nowMs: number): boolean {
    const ageMs = nowMs - connection.openedMs;
    if (connection.isStalled(nowMs)) {
      connection.drop();
      return false;
    }
    const needsLogin = connection.role === 'private' || connection.role === 'inspect';
    const stranger = needsLogin && connection.caller === undefined;
    if (stranger && !connection.loggingIn && ageMs > LOGIN_WITHIN_MS) {
      connection.fail('loginFailed', `log in within ${LOGIN_WITHIN_MS / 1000} seconds`);
      return false;
    }
    if (nowMs - connection.messageMs > IDLE_MAX_MS) {
      connection.close(CloseCode.policy, `no ping for ${IDLE_MAX_MS / 60_000} minutes`);
      return false;
    }
    if (ageMs > AGE_MAX_MS) {
      connection.close(CloseCode.goingAway, 'a connection lasts 24 hours');
      return false;
    }
    if (ageMs > AGE_MAX_MS - AGE_NOTICE_MS && !connection.warnedOfAge) {
      connection.warnedOfAge = true;
      connection.fail('upgrade', 'this connection ends in a minute: 24 hours are over');
    }
    return this.options.isCurrent(connection);
  }

  /** Too many bytes wait for all readers together: the slowest are dropped first. */
  private shedSlowest(bytesMax: number): void {
    let left = this.unsentBytes;
    const furthestFirst = [...this.options.connections].sort((a, b) => b.unsentBytes - a.unsentBytes);
    for (const connection of furthestFirst) {
      if (left <= bytesMax) return;
      left -= connection.unsentBytes;
      connection.drop();
    }
  }
}
