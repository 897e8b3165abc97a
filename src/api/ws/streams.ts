/**
 * The WebSocket server, on the port of the HTTP server. A handshake passes host, origin, path and limits; then the
 * client sends messages (`message-handler.ts`) and reads channels (`channels.ts`) until it leaves or is removed
 * (`connection-reaper.ts`).
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CallFaults } from '../../http/call-faults.ts';
import { type PeerRefusal, RequestSource } from '../../http/request-source.ts';
import type { ClientSocket, StreamFaults } from '../../http/stream-faults.ts';
import type { Recorder } from '../../inspector/recorder.ts';
import type { Clock } from '../../sequencer/clock.ts';
import type { ReplayGuard } from '../auth/replay-guard.ts';
import { pathOf, type StreamRole, streamRole } from '../http/stream-paths.ts';
import { type PeerAddress, peerAddressResolver } from '../limits/peer-address.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import type { Services } from '../route.ts';
import { errorEnvelope } from '../wire/envelope.ts';
import { Admission, badHandshake, foreignHandshake, type Rejection } from './admission.ts';
import { Channels } from './channels.ts';
import { Connection } from './connection.ts';
import { ConnectionReaper } from './connection-reaper.ts';
import { CloseCode } from './control.ts';
import { DurableGate } from './durable-gate.ts';
import { Fanout } from './fanout.ts';
import type { ExplainCommand } from './inspect/explained.ts';
import { Inspector } from './inspect/inspector.ts';
import {
  CLOSE_GRACE_MS,
  CONNECTIONS_PER_UID_MAX,
  FRAME_BYTES_MAX,
  LEAVE_STEP_MS,
  LEAVE_TOGETHER,
  LEAVE_WITHIN_MS,
} from './limits.ts';
import { MessageHandler } from './message-handler.ts';
import { WsOrderEntry } from './order-entry.ts';
import { SessionAuth } from './session-auth.ts';
import { SocketRecorder } from './socket-recorder.ts';
import { emptyStreamMetrics, type StreamMetrics } from './stream-metrics.ts';

export interface StreamsOptions extends Services {
  /** The machine's clock: logins and timeouts use real time, whatever the exchange's clock is. */
  readonly wallClock: Clock;
  /** The clock of rate limits. Default: the machine's. */
  readonly limitClock?: Clock;
  /** Topics are polled by `poll` alone, when time has moved. */
  readonly driven?: boolean;
  readonly limiter: RateLimiter;
  readonly rateLimits: 'on' | 'off';
  readonly trustedProxies: readonly string[];
  /** Further host names under which the exchange responds (`HostList` has the built-in ones). */
  readonly allowedHosts: readonly string[];
  readonly peerRefusal?: PeerRefusal | undefined;
  /** Undefined when replays are not rejected. */
  readonly replays?: ReplayGuard | undefined;
  /** Origins of other hosts whose pages may connect. */
  readonly allowedOrigins: readonly string[];
  readonly logger: FastifyBaseLogger;
  /** Undefined while nothing is recorded. */
  readonly recorder?: Recorder | undefined;
  /** Undefined without a laboratory. */
  readonly faults?: (CallFaults & StreamFaults) | undefined;
  /** Explains commands to their senders; absent where there is no laboratory. */
  readonly explain?: ExplainCommand | undefined;
  /** Why it takes nobody at all. */
  readonly refusal?: string | undefined;
  /** Bytes that may wait for all readers together; a process with little memory may want less. */
  readonly unsentTotalBytesMax?: number;
}

/** Not a code of a closing frame: the connection ended without one. */
const ABNORMAL = 1006;

/** A connection that the streams of another venue take over. */
export interface HandedOver {
  readonly id: string;
  readonly role: StreamRole;
  readonly peer: string | undefined;
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly openedMs: number;
  /** The key that it has logged in with. */
  readonly apiKey: string | undefined;
  /** JSON of the arguments that it has subscribed to. */
  readonly args: readonly string[];
}

export class Streams {
  readonly metrics: StreamMetrics = emptyStreamMetrics();
  private readonly options: StreamsOptions;
  private readonly sockets: WebSocketServer;
  private readonly source: RequestSource;
  private readonly peerOf: PeerAddress;
  private readonly admission: Admission;
  private readonly channels: Channels;
  private readonly messages: MessageHandler;
  private readonly inspector: Inspector | undefined;
  private readonly connections = new Set<Connection>();
  private readonly connectionsByUid = new Map<number, number>();
  private readonly reaper: ConnectionReaper;
  /** The notice of a planned stop that was sent; undefined while none is planned. */
  private notice: string | undefined;
  /** Refuses new connections. */
  private closing = false;
  private closed = false;

  constructor(options: StreamsOptions) {
    const { sequencer, clock, wallClock, limiter, rateLimits, logger } = options;
    const limited = rateLimits === 'on';
    this.options = options;
    this.peerOf = peerAddressResolver(options.trustedProxies);
    this.source = new RequestSource({ ...options, ownPagesOnly: () => false });
    this.admission = new Admission(limiter, limited);
    const { driven = false } = options;
    const durable = new DurableGate(sequencer);
    const context = { sequencer, clock, wallClock, driven, fanout: new Fanout(), durable };
    this.channels = new Channels(context, this.metrics);
    const onInternalError = (err: unknown) => logger.error({ err }, 'a request over a socket failed');
    const { channels } = this;
    const admitUser = (connection: Connection, uid: number) => this.admitUser(connection, uid);
    const logins = new SessionAuth({ ...options, channels, admitUser });
    const trading = new WsOrderEntry(options, limiter, onInternalError);
    this.inspector =
      options.recorder && new Inspector(options.recorder, options.identity, wallClock, options.explain);
    const { inspector } = this;
    this.messages = new MessageHandler({ ...options, limited, channels, trading, logins, inspector });
    // No compression: it costs more than it saves on small frames, and decompression can be attacked.
    this.sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: FRAME_BYTES_MAX,
      perMessageDeflate: false,
      // Pongs are frames like any other: counted, and bounded by the reader's backlog.
      autoPong: false,
    });
    this.sockets.on('wsClientError', (error, socket) =>
      this.rejectUpgrade(socket, badHandshake(error.message)),
    );
    this.reaper = new ConnectionReaper({
      connections: this.connections,
      wallClock,
      metrics: this.metrics,
      isCurrent: (connection) => logins.isCurrent(connection),
      unsentTotalBytesMax: options.unsentTotalBytesMax,
    });
  }

  /** Pushes what has changed, where time does not run by itself. */
  poll(): void {
    this.channels.poll();
  }

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.upgrade(request, socket, head),
    );
  }

  /** Announces a planned stop to all clients (wire 5.1); they stay until `close`. Returns their number. */
  announceStop(seconds: number): number {
    this.notice = `the exchange stops in about ${seconds} seconds: connect again then`;
    for (const connection of this.connections) connection.fail('upgrade', this.notice);
    return this.connections.size;
  }

  /**
   * Closes the connections in groups, so that the clients do not return all at once (reliability 2.2). Clients that
   * wait for their turn get a notice; the others learn of the stop from the close frame: one client throws an
   * exception for any error frame, and its users do not retry after that exception (wire 2.5).
   */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.closing = true;
    const leaving = [...this.connections];
    const steps = LEAVE_WITHIN_MS / LEAVE_STEP_MS;
    const aStep = Math.max(LEAVE_TOGETHER, Math.ceil(leaving.length / steps));
    if (this.notice === undefined) {
      for (const waits of leaving.slice(aStep)) waits.fail('upgrade', 'the exchange stops: connect again');
    }
    for (let from = 0; from < leaving.length; from += aStep) {
      if (from > 0) await sleep(LEAVE_STEP_MS);
      for (const connection of leaving.slice(from, from + aStep)) {
        connection.close(CloseCode.restart, 'the exchange stops');
      }
    }
    this.reaper.stop();
    this.channels.close();
    for (let waited = 0; this.connections.size > 0 && waited < CLOSE_GRACE_MS; waited += 10) await sleep(10);
    for (const { ws } of this.connections) ws.terminate();
  }

  /** Nothing more is read from clients until `resume`. */
  hold(): void {
    for (const { ws } of this.connections) ws.pause();
  }

  resume(): void {
    for (const { ws } of this.connections) ws.resume();
  }

  /** Ends every connection at once, with a reason. */
  leave(reason: string): void {
    this.closing = true;
    this.resume();
    for (const connection of this.connections) connection.close(CloseCode.restart, reason);
  }

  /** Connections on which one side has sent its close frame and the other has not. */
  get halfClosed(): number {
    let count = 0;
    for (const { closing } of this.connections) if (closing) count++;
    return count;
  }

  /** Gives up its connections, for the streams of another venue to adopt. */
  handOver(): HandedOver[] {
    return [...this.connections].map((connection) => {
      const { id, role, peer, ws, openedMs, caller } = connection;
      const args = [...connection.subscriptions.values()].map(({ arg }) => arg);
      for (const event of ['message', 'ping', 'pong', 'error', 'close']) ws.removeAllListeners(event);
      this.onClose(connection);
      return { id, role, peer, ws, socket: connection.stream, openedMs, apiKey: caller?.key.apiKey, args };
    });
  }

  /** Takes connections over: a login stays valid while its key is, and subscriptions begin with a new snapshot. */
  adopt(connections: readonly HandedOver[]): void {
    for (const { apiKey, args, ...options } of connections) {
      const connection = new Connection({
        ...options,
        metrics: this.metrics,
        faults: this.options.faults,
      });
      this.enter(connection, undefined);
      const credential = apiKey === undefined ? undefined : this.options.identity.findKey(apiKey);
      if (credential?.frozen === false && this.admitUser(connection, credential.user.uid))
        connection.caller = { user: credential.user, key: credential.key };
      if (apiKey !== undefined && connection.caller === undefined)
        connection.fail('keyInvalid', 'the API key is not known in this state; log in again');
      else this.messages.resubscribe(connection, args);
      options.ws.resume();
    }
  }

  private limitMs(): number {
    const { limitClock, wallClock } = this.options;
    return (limitClock ?? wallClock).now();
  }

  /** Sockets of clients, without those of the inspector. */
  clientSockets(): readonly ClientSocket[] {
    return [...this.connections]
      .filter(({ role, open }) => role !== 'inspect' && open)
      .map((connection) => ({
        uid: connection.caller?.user.uid,
        path: pathOf(connection.role),
        end: (code) => {
          if (code === ABNORMAL) connection.stream.resetAndDestroy();
          else connection.close(code as CloseCode, '');
        },
        silence: () => connection.silence(),
      }));
  }

  /** A handshake. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const foreign = this.source.handshakeRefusal(request);
    if (foreign !== undefined) {
      this.rejectUpgrade(socket, foreignHandshake(foreign));
      return;
    }
    const role = streamRole(request.url);
    const peer = this.peerOf(request.socket.remoteAddress, request.rawHeaders);
    const { refusal } = this.options;
    const turned =
      refusal !== undefined
        ? { status: '503 Service Unavailable', msg: refusal }
        : role === undefined
          ? { status: '404 Not Found', msg: 'there is no stream at this path' }
          : role === 'inspect' && this.inspector === undefined
            ? { status: '404 Not Found', msg: 'nothing is recorded here: start with --inspect on' }
            : this.closing
              ? { status: '503 Service Unavailable', msg: 'the exchange stops', retryAfterSeconds: 1 }
              : this.admission.admit(request, peer, this.limitMs());
    if (turned !== undefined) {
      this.rejectUpgrade(socket, turned);
      return;
    }
    request.socket.setNoDelay(true);
    this.sockets.handleUpgrade(request, socket, head, (ws) => this.onOpen(ws, request, role!, peer));
  }

  /** A request with a body comes with a stream in place of its socket. */
  private rejectUpgrade(socket: Duplex, { status, msg, retryAfterSeconds }: Rejection): void {
    this.metrics.refused++;
    const code = status.startsWith('429') ? '429' : '40017';
    const body = JSON.stringify(errorEnvelope(code, msg, this.options.clock.now()));
    const retry = retryAfterSeconds === undefined ? '' : `Retry-After: ${retryAfterSeconds}\r\n`;
    socket.on('error', () => {});
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nSec-WebSocket-Version: 13\r\n${retry}` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      () => socket.destroy(),
    );
  }

  private onOpen(
    ws: WebSocket,
    { socket, headers }: IncomingMessage,
    role: StreamRole,
    peer: string | undefined,
  ): void {
    const openedMs = this.options.wallClock.now();
    const { metrics } = this;
    const { faults } = this.options;
    metrics.accepted++;
    const connection = new Connection({
      id: randomUUID(),
      role,
      peer,
      ws,
      socket,
      openedMs,
      metrics,
      faults,
    });
    this.enter(connection, headers['user-agent']);
    if (this.notice !== undefined) connection.fail('upgrade', this.notice);
  }

  private enter(connection: Connection, agent: string | undefined): void {
    const { logger } = this.options;
    const { metrics } = this;
    const { ws, peer } = connection;
    connection.recorder = this.recorderOf(connection, agent);
    this.connections.add(connection);
    this.admission.entered(peer);
    metrics.connections++;
    ws.on('message', (data, binary) => {
      metrics.received++;
      connection.recorder?.received(data as Buffer, connection.caller);
      this.messages.onMessage(connection, data as Buffer, binary);
    });
    ws.on('ping', (bytes) => {
      connection.recorder?.pinged();
      this.messages.onPing(connection, bytes);
    });
    ws.on('pong', () => this.messages.onPong(connection));
    // Malformed frames close the connection with their own close code.
    ws.on('error', (error) => logger.debug({ err: error }, 'a socket failed'));
    ws.on('close', (code) => {
      connection.recorder?.closed(code, connection.caller);
      this.onClose(connection);
    });
  }

  /** Connections of the inspector are not recorded. */
  private recorderOf({ id, role, peer }: Connection, agent: string | undefined): SocketRecorder | undefined {
    const { recorder: traffic, identity, wallClock } = this.options;
    if (traffic === undefined || role === 'inspect') return undefined;
    return new SocketRecorder(
      { traffic, identity, wallClock },
      { connection: id, path: pathOf(role), peer, agent },
    );
  }

  private onClose(connection: Connection): void {
    if (!this.connections.delete(connection)) return;
    this.channels.leave(connection);
    this.inspector?.leave(connection);
    this.admission.left(connection.peer);
    this.metrics.connections--;
    const uid = connection.caller?.user.uid;
    if (uid === undefined) return;
    const left = (this.connectionsByUid.get(uid) ?? 1) - 1;
    if (left === 0) this.connectionsByUid.delete(uid);
    else this.connectionsByUid.set(uid, left);
  }

  private admitUser(connection: Connection, uid: number): boolean {
    if (!this.connections.has(connection)) return false;
    const open = this.connectionsByUid.get(uid) ?? 0;
    if (open >= CONNECTIONS_PER_UID_MAX) return false;
    this.connectionsByUid.set(uid, open + 1);
    return true;
  }

  /** Checks all connections now, for callers that cannot wait for the next round. */
  checkAll(): void {
    this.reaper.wholeRound();
  }
}
