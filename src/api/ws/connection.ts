/**
 * One client's socket: its login, its subscriptions, and the bytes that wait for it. Frames are written to the socket
 * as ready bytes; all frames for a client in one turn of the event loop leave together.
 */
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { StreamFaults } from '../../http/stream-faults.ts';
import type { RequestTimer } from '../../inspector/request-timer.ts';
import type { StreamRole } from '../http/stream-paths.ts';
import type { Caller } from '../route.ts';
import { CloseCode, CONTROL, type ControlName } from './control.ts';
import { FaultyPushes } from './faulty-pushes.ts';
import { errorText, textFrame, tradeErrorText } from './frames.ts';
import {
  CLOSE_GRACE_MS,
  CONFLATE_ABOVE_BYTES,
  MESSAGE_BURST,
  MESSAGES_PER_SECOND,
  PING_INTERVAL_MS,
  PROBE_AFTER_BYTES,
  PROBE_AFTER_MS,
  REQUESTS_AFTER_WARNING,
  SILENCE_MAX_MS,
  STALLED_MS,
  SUBSCRIBE_REQUESTS_PER_HOUR,
  UNSENT_BYTES_MAX,
} from './limits.ts';
import type { SocketRecorder } from './socket-recorder.ts';
import type { StreamMetrics } from './stream-metrics.ts';
import type { Recipient, Subscription } from './subscription.ts';

const HOUR_MS = 3_600_000;

/** Within the limits, warned (30006), or to be closed (30007; wire 2.5). */
export type Verdict = 'fine' | 'tooMany' | 'over';

export interface ConnectionOptions {
  readonly id: string;
  readonly role: StreamRole;
  readonly peer: string | undefined;
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly openedMs: number;
  readonly metrics: StreamMetrics;
  /** Undefined without a laboratory. */
  readonly faults?: StreamFaults | undefined;
}

export class Connection implements Recipient {
  readonly id: string;
  readonly role: StreamRole;
  readonly peer: string | undefined;
  readonly ws: WebSocket;
  readonly openedMs: number;
  /** By channel. */
  readonly subscriptions = new Map<string, Subscription>();
  caller: Caller | undefined;
  /** While the exchange records what passes. */
  recorder: SocketRecorder | undefined;
  loggingIn = false;
  warnedOfAge = false;
  tradesInFlight = 0;
  messageMs: number;
  private readonly socket: Socket;
  private readonly metrics: StreamMetrics;
  private readonly faults: StreamFaults | undefined;
  private faultyPushes: FaultyPushes | undefined;
  /** A fault has cut it off: it stays open, and nothing passes. */
  silenced = false;
  private messageAllowance = MESSAGE_BURST;
  private allowanceMs: number;
  private warnedOfMessages = false;
  private subscribeHourMs: number;
  private subscribeRequests = 0;
  /** Time of the last message, ping or pong. */
  private aliveMs: number;
  private sentSinceAlive = 0;
  /** Time of the probe that waits for a pong; 0 = none. */
  private probedMs = 0;
  private pingedMs: number;
  private pongsDue = 0;
  private progressMs: number;
  private writtenBytes = 0;

  constructor(options: ConnectionOptions) {
    this.id = options.id;
    this.role = options.role;
    this.peer = options.peer;
    this.ws = options.ws;
    this.socket = options.socket;
    this.metrics = options.metrics;
    this.faults = options.faults;
    this.openedMs = options.openedMs;
    this.aliveMs = options.openedMs;
    this.pingedMs = options.openedMs;
    this.messageMs = options.openedMs;
    this.allowanceMs = options.openedMs;
    this.progressMs = options.openedMs;
    this.subscribeHourMs = options.openedMs;
  }

  get stream(): Socket {
    return this.socket;
  }

  /** Takes and sends messages. */
  get open(): boolean {
    return this.ws.readyState === WebSocket.OPEN && !this.silenced;
  }

  get closing(): boolean {
    return this.ws.readyState === WebSocket.CLOSING && !this.silenced;
  }

  get unsentBytes(): number {
    return this.socket.writableLength;
  }

  /** The client sent a message of its own; a pong shows only that it is alive. */
  onClientMessage(nowMs: number): void {
    this.messageMs = nowMs;
    this.onAlive(nowMs);
  }

  onAlive(nowMs: number): void {
    this.aliveMs = nowMs;
    this.sentSinceAlive = 0;
    this.probedMs = 0;
  }

  /** False for a pong without a ping. */
  consumePong(): boolean {
    if (this.pongsDue === 0) return false;
    this.pongsDue--;
    return true;
  }

  /** Counts a message; the warning is given once, until the client has slowed down for a while. */
  countMessage(nowMs: number): Verdict {
    const earned = ((nowMs - this.allowanceMs) / 1000) * MESSAGES_PER_SECOND;
    this.allowanceMs = nowMs;
    this.messageAllowance = Math.min(MESSAGE_BURST, this.messageAllowance + Math.max(0, earned)) - 1;
    if (this.messageAllowance >= MESSAGE_BURST / 2) this.warnedOfMessages = false;
    if (this.messageAllowance >= 0) return 'fine';
    if (this.messageAllowance < -REQUESTS_AFTER_WARNING) return 'over';
    if (this.warnedOfMessages) return 'fine';
    this.warnedOfMessages = true;
    return 'tooMany';
  }

  /** On `tooMany` the request is rejected and the connection goes on. */
  countSubscribe(nowMs: number): Verdict {
    if (nowMs - this.subscribeHourMs >= HOUR_MS) {
      this.subscribeHourMs = nowMs;
      this.subscribeRequests = 0;
    }
    const over = ++this.subscribeRequests - SUBSCRIBE_REQUESTS_PER_HOUR;
    return over <= 0 ? 'fine' : over <= REQUESTS_AFTER_WARNING ? 'tooMany' : 'over';
  }

  /** `answers` is the request that the text answers, while the exchange records what passes. */
  send(text: string, answers?: RequestTimer): void {
    this.deliver(textFrame(text), answers);
  }

  /** Sent with the other frames of this turn. */
  deliver(frame: Buffer, answers?: RequestTimer): void {
    if (this.open) corkForThisTurn(this.socket);
    this.deliverNow(frame, false, answers);
  }

  deliverNow(frame: Buffer, replaceable: boolean, answers?: RequestTimer): boolean {
    if (!this.open) return true;
    const unsent = this.socket.writableLength;
    if (replaceable && unsent > CONFLATE_ABOVE_BYTES) {
      this.metrics.conflated++;
      return false;
    }
    if (unsent + frame.length > UNSENT_BYTES_MAX) {
      this.drop();
      return true;
    }
    const findFault = this.faults?.push;
    if (findFault === undefined) this.socket.write(frame);
    else this.deliverFaulty(frame, findFault);
    this.recorder?.sent(frame, this.caller, answers);
    this.sentSinceAlive += frame.length;
    this.metrics.sent++;
    this.metrics.sentBytes += frame.length;
    return true;
  }

  private deliverFaulty(frame: Buffer, findFault: NonNullable<StreamFaults['push']>): void {
    this.faultyPushes ??= new FaultyPushes((each) => {
      if (this.open) this.socket.write(each);
    });
    this.faultyPushes.deliver(frame, findFault, { connection: this.id, uid: this.caller?.user.uid });
  }

  /** As if its network had gone: neither side hears of the other, and nothing closes. */
  silence(): void {
    this.silenced = true;
    this.ws.pause();
  }

  fail(name: ControlName, msg: string, arg?: string): void {
    const { code, closes } = CONTROL[name];
    this.send(errorText(code, msg, this.id, arg));
    if (closes) this.close(CloseCode.policy, `${code}`);
  }

  /** An error about an order carries the order's id where it has one. */
  failTrade(id: string | undefined, name: ControlName, msg: string): void {
    const { code } = CONTROL[name];
    this.send(
      id === undefined ? errorText(code, msg, this.id) : tradeErrorText(id, String(code), msg, this.id),
    );
  }

  close(code: CloseCode, reason: string): void {
    if (!this.open) return;
    this.ws.close(code, reason);
    setTimeout(() => this.ws.terminate(), CLOSE_GRACE_MS).unref();
  }

  /** For stalled readers: nothing that is sent would arrive, not even a reason. */
  drop(): void {
    if (!this.open) return;
    this.metrics.dropped++;
    this.recorder?.stalled();
    this.ws.terminate();
  }

  /**
   * Does the client read? Not when bytes wait here and none has left for a while; and, because the kernel buffers
   * megabytes before any wait here, not when much was sent and a ping behind it stays unanswered.
   */
  isStalled(nowMs: number): boolean {
    const written = this.socket.bytesWritten - this.socket.writableLength;
    if (this.socket.writableLength === 0 || written !== this.writtenBytes) {
      this.writtenBytes = written;
      this.progressMs = nowMs;
    }
    if (nowMs - this.progressMs >= STALLED_MS) return true;
    if (this.probedMs !== 0) return nowMs - this.probedMs >= STALLED_MS;
    return nowMs - this.aliveMs > SILENCE_MAX_MS;
  }

  /** Sends a ping when one is due, or when much was sent since the last sign of life. */
  pingIfDue(nowMs: number): void {
    if (!this.open) return;
    const isTime = nowMs - this.pingedMs >= PING_INTERVAL_MS;
    const worthAsking = this.sentSinceAlive >= PROBE_AFTER_BYTES && nowMs - this.aliveMs >= PROBE_AFTER_MS;
    if (!isTime && (!worthAsking || this.probedMs !== 0)) return;
    if (worthAsking && this.probedMs === 0) this.probedMs = nowMs;
    this.pingedMs = nowMs;
    this.pongsDue++;
    this.ws.ping();
  }
}

/** Sockets with frames in this turn. */
let corked = new Set<Socket>();

function corkForThisTurn(socket: Socket): void {
  if (corked.has(socket)) return;
  if (corked.size === 0) process.nextTick(uncorkAll);
  corked.add(socket);
  socket.cork();
}

function uncorkAll(): void {
  const sockets = corked;
  corked = new Set();
  for (const socket of sockets) socket.uncork();
}
