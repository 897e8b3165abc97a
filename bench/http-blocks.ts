/**
 * A load generator for servers in turn: a line of JSON names a server by its place in the job and a number of requests; they
 * are sent over the keep-alive sockets of that server, one in flight on each, and a line with the seconds answers.
 */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type LoadJob, requestBytes } from './http-load.ts';

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

class Target {
  readonly #job: LoadJob;
  readonly #sockets: Socket[] = [];
  #bytes: Buffer;
  #signedAt = 0;
  #toSend = 0;
  #toReceive = 0;
  #failures = 0;
  #done: () => void = () => {};

  constructor(job: LoadJob) {
    this.#job = job;
    this.#bytes = requestBytes(job);
  }

  async open(): Promise<void> {
    for (let n = 0; n < this.#job.connections; n++) {
      const socket = connect(this.#job.port, '127.0.0.1');
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.setNoDelay(true).setEncoding('latin1');
      let received = '';
      socket.on('data', (chunk) => {
        received += String(chunk);
        const head = received.indexOf('\r\n\r\n');
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
        if (received.length < head + 4 + length) return;
        if (!received.startsWith('HTTP/1.1 200') || !received.includes('"00000"')) this.#failures++;
        received = '';
        this.#next(socket);
      });
      this.#sockets.push(socket);
    }
  }

  async run(requests: number): Promise<BlockResult> {
    if (Date.now() - this.#signedAt > SIGNED_FOR_MS) {
      this.#bytes = requestBytes(this.#job);
      this.#signedAt = Date.now();
    }
    this.#toSend = requests;
    this.#toReceive = requests;
    this.#failures = 0;
    const start = performance.now();
    await new Promise<void>((resolve) => {
      this.#done = resolve;
      for (const socket of this.#sockets) this.#send(socket);
    });
    return { seconds: (performance.now() - start) / 1000, failures: this.#failures };
  }

  #send(socket: Socket): void {
    if (this.#toSend === 0) return;
    this.#toSend--;
    socket.write(this.#bytes);
  }

  #next(socket: Socket): void {
    if (--this.#toReceive === 0) this.#done();
    else this.#send(socket);
  }
}

const targets: Target[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as readonly LoadJob[] | Block;
  if ('server' in message) console.log(JSON.stringify(await targets[message.server]!.run(message.requests)));
  else {
    for (const job of message) {
      const target = new Target(job);
      await target.open();
      targets.push(target);
    }
    console.log('{}');
  }
}
process.exit(0);
