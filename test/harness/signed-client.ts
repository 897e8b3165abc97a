/** A small client of our own for tests that must control every byte: keep-alive, signed, envelope in, envelope out. */
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { DemoKeys } from './server.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed envelope; `code` is '' when the reply is not one. */
  readonly code: string;
  readonly msg: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly data: any;
}

export class SignedClient {
  private readonly url: URL;
  private readonly keys: DemoKeys | undefined;
  private readonly now: () => number;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(url: string, keys?: DemoKeys, now: () => number = Date.now) {
    this.now = now;
    this.url = new URL(url);
    this.keys = keys;
  }

  get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Reply> {
    const text = new URLSearchParams(query).toString();
    return this.send('GET', text === '' ? path : `${path}?${text}`, '');
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.send('POST', path, JSON.stringify(body));
  }

  send(
    method: string,
    path: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const signed = this.keys === undefined ? {} : this.sign(this.keys, method, path, body);
    const length =
      body === ''
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: this.url.hostname,
          port: this.url.port,
          method,
          path,
          agent: this.agent,
          headers: { ...length, ...signed, ...headers },
        },
        (incoming) => {
          let text = '';
          incoming.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          incoming.once('error', reject);
          incoming.once('end', () => resolve(readReply(incoming.statusCode ?? 0, incoming.headers, text)));
        },
      );
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }

  private sign(keys: DemoKeys, method: string, path: string, body: string): Record<string, string> {
    const timestamp = String(this.now());
    return {
      'ACCESS-KEY': keys.apiKey,
      'ACCESS-SIGN': createHmac('sha256', keys.secretKey)
        .update(timestamp + method + path + body)
        .digest('base64'),
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': keys.passphrase,
    };
  }
}

export function readReply(status: number, headers: Reply['headers'], text: string): Reply {
  let envelope: { code?: string; msg?: string; data?: unknown } = {};
  try {
    envelope = JSON.parse(text);
  } catch {
    // Not an envelope; tests that expect one see the empty code.
  }
  return { status, headers, text, code: envelope.code ?? '', msg: envelope.msg ?? '', data: envelope.data };
}
