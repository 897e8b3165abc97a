/**
 * What the contract test and the exchange said to each other, kept by what was asked. A recording is made against real
 * servers; played back, the same questions get the same answers without any, changed where `alter` says so.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Operator } from '../../harness/operator-client.ts';
import type { DemoKeys, LoggedServer } from '../../harness/server.ts';
import { type Reply, readReply, SignedClient } from '../../harness/signed-client.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';

/** An answer of the interface, as it came over the wire. */
export interface Recorded {
  readonly endpoint: string;
  readonly reply: Reply;
}

type Alter = (recorded: Recorded) => Reply;
const UNALTERED: Alter = ({ reply }) => reply;

/** Under one question all its answers, in turn. */
type Reel<T> = Map<string, T[]>;

class Tape {
  recording = true;
  alter: Alter = UNALTERED;
  readonly #reels: Reel<unknown> = new Map();
  #turns = new Map<string, number>();
  readonly #servers: LoggedServer[] = [];
  #serversStarted = 0;

  /** The next play begins at the start. */
  rewind(alter: Alter = UNALTERED): void {
    this.recording = false;
    this.alter = alter;
    this.#turns = new Map();
    this.#serversStarted = 0;
  }

  /** A server for the recording; played back, what its callers see of it. */
  async server(start: () => Promise<LoggedServer>): Promise<LoggedServer> {
    if (!this.recording) return this.#servers[this.#serversStarted++]!;
    const server = await start();
    const data = temporaryDirectory();
    writeFileSync(join(data, 'operator.json'), readFileSync(join(server.data, 'operator.json')));
    this.#servers.push({ ...server, data, stop: async () => 0 });
    return server;
  }

  /** Asks the exchange and keeps the answer, or gives the one that was kept; undefined when there is none (any more). */
  async ask<T>(question: string, really: () => Promise<T>): Promise<T | undefined> {
    const reel = (this.#reels.get(question) ?? []) as T[];
    if (this.recording) {
      // Its place is taken when it is asked: answers may come in another order.
      const turn = reel.push(undefined as T) - 1;
      this.#reels.set(question, reel);
      reel[turn] = await really();
      return reel[turn];
    }
    const turn = this.#turns.get(question) ?? 0;
    this.#turns.set(question, turn + 1);
    return reel[turn];
  }

  *answers(): Generator<Recorded> {
    for (const reel of this.#reels.values()) {
      for (const each of reel) if (isRecorded(each)) yield each;
    }
  }
}

const isRecorded = (value: unknown): value is Recorded =>
  typeof value === 'object' && value !== null && 'endpoint' in value;

export const tape = new Tape();

/** Nobody was asked this while it was recorded: a changed answer has led the test astray. */
const ASTRAY = readReply(
  404,
  {},
  '{"code":"40404","msg":"not recorded","requestTime":1794000000000,"data":null}',
);

type Request = (
  method: string,
  path: string,
  body: string,
  headers?: Record<string, string>,
) => Promise<Reply>;
const client = SignedClient.prototype as unknown as { send: Request };
const request = client.send;
client.send = async function (this: { url: URL; keys?: DemoKeys }, method, path, body, headers = {}) {
  // Times and signatures differ from run to run; which headers there are does not.
  const worn = Object.entries(headers).map(([name, value]) => (name === 'content-type' ? value : name));
  const question = [this.url.href, this.keys?.apiKey, method, path, body, ...worn].join(' ');
  const endpoint = `${method} ${path.split('?')[0]!.replace('/api/v3/', '')}`;
  const recorded = await tape.ask(question, async () => ({
    endpoint,
    reply: await request.call(this as never, method, path, body, headers),
  }));
  return recorded === undefined ? ASTRAY : tape.recording ? recorded.reply : tape.alter(recorded);
};

/** What the operator was told; a `Response` can be read only once, so its text is kept. */
type Send = (path: string, init: RequestInit) => Promise<Response>;
const endpoint = Operator.prototype as unknown as { send: Send };
const ask = endpoint.send;
endpoint.send = async function (this: { endpoint: { url: string } }, path, init) {
  const question = ['operator', this.endpoint.url, init.method, path, JSON.stringify(init.body ?? '')].join(
    ' ',
  );
  const kept = await tape.ask(question, async () => {
    const response = await ask.call(this as never, path, init);
    return { status: response.status, text: await response.text() };
  });
  return new Response(kept?.text ?? '{}', { status: kept?.status ?? 404 });
};
