/**
 * A small socket client of our own for tests that must see every frame: plain `ws`, everything kept in order. Wherever a
 * test runs, each frame is held against the published document; a benchmark measures the server and not that.
 */
import { createHmac } from 'node:crypto';
import { WebSocket } from 'ws';
import type { DemoKeys } from './server.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
export type Frame = any;

const assertDocumented =
  process.env.NODE_TEST_CONTEXT === undefined
    ? undefined
    : (await import('./documented.ts')).assertDocumented;

/** Frames by path and text. Tests only look at frames, so that readers may share them. */
const lately = new Map<string, Frame>();
const LATELY_MAX = 100;

export interface StreamOptions {
  readonly path?: '/v3/ws/public' | '/v3/ws/private' | '/v3/ws';
  /** Another address of this machine: limits are per address. */
  readonly localAddress?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class StreamClient {
  /** Everything that was received, in order; `pong` is the text itself. */
  readonly frames: Frame[] = [];
  readonly ws: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  private readonly waiting = new Set<() => void>();

  private constructor(ws: WebSocket, path: string) {
    this.ws = ws;
    ws.on('message', (data: Buffer) => {
      this.frames.push(this.read(data.toString(), path));
      for (const look of this.waiting) look();
    });
    ws.on('error', () => {});
    this.closed = new Promise((resolve) => {
      ws.once('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        for (const look of this.waiting) look();
      });
    });
  }

  /** What many readers are told in the same words is read and held against the document once. */
  private read(text: string, path: string): Frame {
    const known = lately.get(path + text);
    if (known !== undefined) return known;
    const frame: Frame = text.startsWith('{') ? JSON.parse(text) : text;
    this.check(frame, path);
    if (lately.size === LATELY_MAX) lately.clear();
    lately.set(path + text, frame);
    return frame;
  }

  /** A frame that should not be is thrown where nobody catches it; whoever waits for more hears that it is over. */
  private check(frame: Frame, path: string): void {
    try {
      assertDocumented?.(frame, path);
    } catch (error) {
      this.ws.terminate();
      throw error;
    }
  }

  static async open(url: string, options: StreamOptions = {}): Promise<StreamClient> {
    const { path = '/v3/ws/public', localAddress, headers = {} } = options;
    const ws = new WebSocket(`${url.replace('http', 'ws')}${path}`, { localAddress, headers });
    const client = new StreamClient(ws, path);
    await new Promise<void>((resolve, reject) => {
      ws.once('open', () => resolve());
      ws.once('unexpected-response', (_request, response) =>
        reject(new Error(`refused with ${response.statusCode}`)),
      );
      ws.once('error', reject);
    });
    return client;
  }

  /** Opens the private path and logs in. */
  static async login(url: string, keys: DemoKeys, options: StreamOptions = {}): Promise<StreamClient> {
    const client = await StreamClient.open(url, { path: '/v3/ws/private', ...options });
    client.send(loginFrame(keys));
    await client.next((frame) => frame.event === 'login');
    return client;
  }

  send(frame: unknown): void {
    this.ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Resolves when every argument is acknowledged. */
  async subscribe(...args: readonly Record<string, string>[]): Promise<void> {
    const from = this.frames.length;
    this.send({ op: 'subscribe', args });
    for (const arg of args) {
      await this.next((frame) => frame.event === 'subscribe' && same(frame.arg, arg), from);
    }
  }

  /** The first frame, from position `from` on, that fits; waits for it when there is none yet. */
  next(fits: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    let at = from;
    return new Promise((resolve, reject) => {
      const look = () => {
        for (; at < this.frames.length; at++) {
          if (!fits(this.frames[at])) continue;
          this.waiting.delete(look);
          resolve(this.frames[at]);
          return;
        }
        if (this.ws.readyState !== WebSocket.OPEN) {
          this.waiting.delete(look);
          reject(new Error(`the socket closed; the last frame was ${JSON.stringify(this.frames.at(-1))}`));
        }
      };
      this.waiting.add(look);
      look();
    });
  }

  /** Resolves when everything that was sent before has been dealt with. */
  async answers(): Promise<void> {
    const from = this.frames.length;
    this.send('ping');
    await this.next((frame) => frame === 'pong', from);
  }

  /** The next answer to a request over this socket. */
  trade(id: string, topic: string, category: string, ...args: readonly object[]): Promise<Frame> {
    const from = this.frames.length;
    this.send({ op: 'trade', id, topic, category, args });
    return this.next((frame) => frame.id === id, from);
  }

  pushes(topic: string): Frame[] {
    return this.frames.filter((frame) => frame.arg?.topic === topic && frame.data !== undefined);
  }

  close(): void {
    this.ws.terminate();
  }
}

export function loginFrame(keys: DemoKeys, timestamp: string | number = Math.floor(Date.now() / 1000)) {
  const sign = createHmac('sha256', keys.secretKey).update(`${timestamp}GET/user/verify`).digest('base64');
  return { op: 'login', args: [{ apiKey: keys.apiKey, passphrase: keys.passphrase, timestamp, sign }] };
}

function same(a: Frame, b: Frame): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
