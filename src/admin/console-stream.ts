/**
 * `/admin/stream`, for the console: load and health of the running exchange each second, and lines of the audit log as they are
 * written. The first message is `{"bearer": "…"}`: a page cannot send headers with a handshake, and an address would be
 * kept by browser and proxies. Nothing is counted while no console is connected.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { responseText } from '../http/client-error.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { MarketSimulator } from '../simulator/market-simulator.ts';
import type { AuditLog } from './audit-log.ts';
import type { Authentication } from './authentication.ts';
import { clockView } from './clock-view.ts';
import type { AdminContext } from './route.ts';

export const STREAM_PATH = '/admin/stream';
const SEND_EVERY_MS = 1000;
const LOGIN_WITHIN_MS = 5000;
const WATCHERS_MAX = 32;
const FRAME_BYTES_MAX = 4096;
/** A page that does not read is cut off. */
const UNSENT_BYTES_MAX = 1_000_000;
/** Close codes for applications: the bearer is wrong or has ended. */
const CLOSE_UNAUTHENTICATED = 4401;
const CLOSE_RESTART = 1012;

type Context = Pick<AdminContext, 'sequencer' | 'health' | 'load' | 'market' | 'demo'> & {
  readonly audit: AuditLog;
};

export class ConsoleStream {
  readonly #context: Context;
  readonly #source: RequestSource;
  readonly #authentication: Authentication;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
  });
  /** Logged-in consoles, each with its bearer. */
  readonly #watchers = new Map<WebSocket, string>();
  #timer: NodeJS.Timeout | undefined;
  /** While somebody watches. */
  #unfollow: (() => void) | undefined;
  /** Counts when the last frame was sent. */
  #orders = 0;
  #applied = 0;
  /** Since the last frame. */
  #trades = 0;

  constructor(context: Context, source: RequestSource, authentication: Authentication) {
    this.#context = context;
    this.#source = source;
    this.#authentication = authentication;
    context.audit.onLine((line) => this.#send(`{"type":"audit","line":${line}}`));
  }

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const refusal = this.#source.handshakeRefusal(request) ?? this.#source.refusal(request);
      if (refusal !== undefined) refuse(socket, `${refusal.status} Refused`, refusal.message);
      else if (this.#sockets.clients.size >= WATCHERS_MAX)
        refuse(socket, '503 Service Unavailable', `at most ${WATCHERS_MAX} consoles may watch at a time`);
      else this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#open(ws));
    });
  }

  /** Other consoles may come later. */
  close(): void {
    this.#watchers.clear();
    this.#stopTimer();
    for (const ws of this.#sockets.clients) {
      ws.close(CLOSE_RESTART, 'the exchange stops');
      setTimeout(() => ws.terminate(), SEND_EVERY_MS).unref();
    }
  }

  #open(ws: WebSocket): void {
    const late = setTimeout(() => ws.close(CLOSE_UNAUTHENTICATED, 'no bearer'), LOGIN_WITHIN_MS);
    ws.on('error', () => ws.terminate());
    ws.on('close', () => {
      clearTimeout(late);
      this.#watchers.delete(ws);
      if (this.#watchers.size === 0) this.#stopTimer();
    });
    ws.once('message', (data) => {
      clearTimeout(late);
      const bearer = bearerIn((data as Buffer).toString());
      if (bearer === undefined || !this.#authentication.accepts(bearer)) {
        ws.close(CLOSE_UNAUTHENTICATED, 'the bearer is wrong or has ended');
        return;
      }
      this.#watchers.set(ws, bearer);
      this.#startTimer();
      ws.send(this.#frame(SEND_EVERY_MS));
    });
  }

  #startTimer(): void {
    if (this.#timer !== undefined) return;
    this.#resetCounts();
    this.#unfollow = this.#context.sequencer.onPublished(({ events }) => {
      for (const { type } of events) if (type === 'trade') this.#trades += 1;
    });
    this.#timer = setInterval(() => this.#tick(), SEND_EVERY_MS).unref();
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unfollow?.();
    this.#unfollow = undefined;
  }

  #tick(): void {
    for (const [ws, bearer] of this.#watchers)
      if (!this.#authentication.accepts(bearer)) ws.close(CLOSE_UNAUTHENTICATED, 'the session has ended');
    this.#send(this.#frame(SEND_EVERY_MS));
    this.#resetCounts();
  }

  #resetCounts(): void {
    const { ordersEntered, appliedSeq } = this.#context.sequencer;
    this.#orders = ordersEntered;
    this.#applied = appliedSeq;
    this.#trades = 0;
  }

  #send(text: string): void {
    for (const ws of this.#watchers.keys()) {
      if (ws.bufferedAmount > UNSENT_BYTES_MAX) ws.terminate();
      else ws.send(text);
    }
  }

  #frame(spanMs: number): string {
    const { sequencer, health, load, market, demo } = this.#context;
    const { appliedSeq, durableSeq, ordersEntered, history, state, clock } = sequencer;
    const perSecond = (count: number) => Math.round((count * 1000) / spanMs);
    return JSON.stringify({
      type: 'figures',
      ...clockView(clock),
      nextFunding: Number.isFinite(state.nextFunding) ? state.nextFunding : null,
      demo,
      market: market === undefined ? null : marketView(market),
      halted: state.halted,
      checks: health().checks,
      applied: appliedSeq,
      undurable: appliedSeq - durableSeq,
      historyLag: history.lag(),
      pendingWithdrawals: state.withdrawals.size,
      accounts: state.accountByUid.size,
      commandsPerSecond: perSecond(appliedSeq - this.#applied),
      ordersPerSecond: perSecond(ordersEntered - this.#orders),
      tradesPerSecond: perSecond(this.#trades),
      ...load(),
    });
  }
}

function marketView(market: MarketSimulator) {
  const { members, options } = market;
  const running = members.filter(({ agent }) => market.isRunning(agent.name)).length;
  return { level: options.level, seed: options.seed, agents: members.length, running };
}

function bearerIn(text: string): string | undefined {
  try {
    const { bearer } = JSON.parse(text) as { bearer?: unknown };
    return typeof bearer === 'string' ? bearer : undefined;
  } catch {
    return undefined;
  }
}

function refuse(socket: Duplex, status: string, message: string): void {
  socket.on('error', () => {});
  const body = JSON.stringify({ error: { code: 'not_allowed', message } });
  socket.end(responseText({ status, body }), () => socket.destroy());
}
