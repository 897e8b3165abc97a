/**
 * A load generator for servers in turn: a line of JSON names a server by its place in the job and a number of requests; they
 * are sent over the keep-alive sockets of that server, one in flight on each, or all over one WebSocket, and a line with the
 * seconds answers.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { loginFrame } from '../test/harness/stream-client.ts';
import { type LoadJob, requestBytes } from './http-load.ts';
import { RawStream } from './raw-stream.ts';

export interface Block {
  readonly server: number;
  readonly requests: number;
}

export interface BlockResult {
  readonly seconds: number;
  readonly failures: number;
}

/** A signature is good for 30 seconds. */
const SIGNED_FOR_MS = 10_000;

/** Counts what is under way; the two kinds differ in what a request is and over what it leaves. */
abstract class Target {
  protected readonly job: LoadJob;
  #toSend = 0;
  #toReceive = 0;
  #failures = 0;
  #done: () => void = () => {};

  constructor(job: LoadJob) {
    this.job = job;
  }

  /** What is needed for a block. A server ends connections that waited long for their turn, so each block looks anew. */
  protected abstract prepare(): Promise<void>;
  /** One request on each of the places for a request. */
  protected abstract places(): readonly (() => void)[];

  async run(requests: number): Promise<BlockResult> {
    await this.prepare();
    this.#toSend = requests;
    this.#toReceive = requests;
    this.#failures = 0;
    const start = performance.now();
    await new Promise<void>((resolve) => {
      this.#done = resolve;
      for (const send of this.places()) this.#send(send);
    });
    return { seconds: (performance.now() - start) / 1000, failures: this.#failures };
  }

  protected answered(right: boolean, send: () => void): void {
    if (!right) this.#failures++;
    if (--this.#toReceive === 0) this.#done();
    else this.#send(send);
  }

  #send(send: () => void): void {
    if (this.#toSend === 0) return;
    this.#toSend--;
    send();
  }
}

class HttpTarget extends Target {
  readonly #places = new Map<Socket, () => void>();
  #bytes: Buffer | undefined;
  #signedAt = 0;

  #placeOn(socket: Socket): () => void {
    let received = '';
    let waiting = false;
    const send = () => {
      waiting = true;
      socket.write(this.#bytes!);
    };
    const answered = (right: boolean) => {
      received = '';
      waiting = false;
      this.answered(right, send);
    };
    socket.on('data', (chunk) => {
      received += String(chunk);
      const head = received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
      if (received.length < head + 4 + length) return;
      answered(received.startsWith('HTTP/1.1 200') && received.includes('"00000"'));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#places.delete(socket);
      if (waiting) throw new Error('the server ended a connection with a request under way');
    });
    return send;
  }

  protected places() {
    return [...this.#places.values()];
  }

  protected async prepare(): Promise<void> {
    while (this.#places.size < this.job.connections) {
      const socket = connect(this.job.port, '127.0.0.1');
      await once(socket, 'connect');
      this.#places.set(socket, this.#placeOn(socket.setNoDelay(true).setEncoding('latin1')));
    }
    if (Date.now() - this.#signedAt < SIGNED_FOR_MS) return;
    this.#bytes = requestBytes(this.job);
    this.#signedAt = Date.now();
  }
}

/** As many orders in flight as the job has connections, on one WebSocket. */
class SocketTarget extends Target {
  readonly #frame: string;
  #stream: RawStream | undefined;

  constructor(job: LoadJob) {
    super(job);
    const { category, ...order } = JSON.parse(job.body) as Record<string, string>;
    this.#frame = JSON.stringify({ op: 'trade', id: '1', topic: 'place-order', category, args: [order] });
  }

  protected async prepare(): Promise<void> {
    if (this.#stream !== undefined) return;
    const { port, apiKey, secret, passphrase } = this.job;
    const loggedIn = Promise.withResolvers<void>();
    this.#stream = new RawStream({ port, path: '/v3/ws/private' }, (_length, text) => {
      if (text.startsWith('{"event":"login"')) loggedIn.resolve();
      else this.answered(text.startsWith('{"event":"trade"') && text.includes('"code":"0"'), this.#send);
    });
    await this.#stream.opened;
    this.#stream.send(
      JSON.stringify(loginFrame({ name: '', uid: 0, apiKey, secretKey: secret, passphrase })),
    );
    await loggedIn.promise;
  }

  protected places() {
    return Array.from({ length: this.job.connections }, () => this.#send);
  }

  readonly #send = () => this.#stream!.send(this.#frame);
}

const targets: Target[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as readonly LoadJob[] | Block;
  if ('server' in message) console.log(JSON.stringify(await targets[message.server]!.run(message.requests)));
  else {
    for (const job of message)
      targets.push(job.socket === true ? new SocketTarget(job) : new HttpTarget(job));
    console.log('{}');
  }
}
process.exit(0);
