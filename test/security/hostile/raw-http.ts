/** HTTP as bytes on a socket, for requests that no proper client can be made to send. */
import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { DemoKeys } from '../../harness/server.ts';

export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface MessageHandler {
  readonly replies: readonly RawReply[];
  /** What the server sent that is not a complete reply. */
  readonly rest: string;
  /** The server hung up; false when we did, after the wanted replies or the wait. */
  readonly closedByServer: boolean;
  readonly elapsedMs: number;
}

export interface MessageHandlerOptions {
  /** Hang up after so many replies. */
  readonly replies?: number;
  readonly waitMs?: number;
  /** The reply to a HEAD announces a length and has no body. */
  readonly bodiless?: boolean;
}

/** A guard against an answer that never comes. */
const WAIT_MS = 120_000;

/** Sends the bytes and listens until the wanted replies are there, the server hangs up, or the wait is over. */
export function converse(
  url: string,
  bytes: string | Uint8Array,
  options: MessageHandlerOptions = {},
): Promise<MessageHandler> {
  const { replies: wanted = 1, waitMs = WAIT_MS, bodiless = false } = options;
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const socket = dial(url);
    const reader = new ReplyReader(bodiless);
    const finish = (closedByServer: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      const { replies, rest } = reader;
      resolve({ replies, rest, closedByServer, elapsedMs: performance.now() - startedMs });
    };
    const timer = setTimeout(() => finish(false), waitMs);
    socket.on('error', () => finish(true));
    socket.on('end', () => finish(true));
    socket.on('data', (chunk) => {
      reader.read(chunk);
      if (reader.replies.length >= wanted) finish(false);
    });
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

/** A connection that does not hang up by itself when the server does: attackers are not polite. */
export function dial(url: string, localAddress?: string): Socket {
  const { hostname, port } = new URL(url);
  const from = localAddress === undefined ? {} : { localAddress };
  return connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true, ...from });
}

/** Cuts a stream of bytes into replies. Only replies with a length are understood; ours all have one. */
export class ReplyReader {
  readonly replies: RawReply[] = [];
  private readonly bodiless: boolean;
  private bytes: Buffer = Buffer.alloc(0);

  constructor(bodiless = false) {
    this.bodiless = bodiless;
  }

  /** What is no complete reply, yet or at all. */
  get rest(): string {
    return this.bytes.toString('latin1');
  }

  read(chunk: Buffer): void {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
    let at = 0;
    for (;;) {
      const reply = this.replyAt(at);
      if (reply === undefined) break;
      at = reply.end;
      if (reply.status !== 100) this.replies.push(reply);
    }
    this.bytes = this.bytes.subarray(at);
  }

  private replyAt(start: number): (RawReply & { readonly end: number }) | undefined {
    const bodyStart = this.bytes.indexOf('\r\n\r\n', start) + 4;
    if (bodyStart < 4) return undefined;
    const [statusLine, ...lines] = this.bytes.toString('latin1', start, bodyStart - 4).split('\r\n');
    const match = /^HTTP\/1\.1 ([0-9]{3})/.exec(statusLine!);
    if (match === null) return undefined;
    const status = Number(match[1]);
    const headers = new Map(lines.map(headerOf));
    const length = this.bodiless ? 0 : Number(headers.get('content-length') ?? 0);
    const end = bodyStart + length;
    if (this.bytes.length < end) return undefined;
    return { status, headers, body: this.bytes.toString('utf8', bodyStart, end), end };
  }
}

function headerOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** The four headers of a private call. */
export function signatureHeaders(
  keys: DemoKeys,
  method: string,
  path: string,
  body: string | Uint8Array = '',
  timestamp = String(Date.now()),
): [name: string, value: string][] {
  const sign = createHmac('sha256', keys.secretKey)
    .update(timestamp + method + path)
    .update(body)
    .digest('base64');
  return [
    ['ACCESS-KEY', keys.apiKey],
    ['ACCESS-SIGN', sign],
    ['ACCESS-TIMESTAMP', timestamp],
    ['ACCESS-PASSPHRASE', keys.passphrase],
  ];
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
}

/** A proper request as bytes; `signedBy` adds the signature. */
export function requestBytes(request: RawRequest, signedBy?: DemoKeys): Buffer {
  const { method, path, headers = [], body = '' } = request;
  const payload = Buffer.from(body);
  const length: [string, string][] =
    payload.length === 0
      ? []
      : [
          ['Content-Type', 'application/json'],
          ['Content-Length', String(payload.length)],
        ];
  const signature = signedBy === undefined ? [] : signatureHeaders(signedBy, method, path, payload);
  const lines = [['Host', 'localhost'], ...length, ...signature, ...headers].map((line) => line.join(': '));
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
    payload,
  ]);
}
