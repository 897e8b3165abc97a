/**
 * A load generator in a process of its own: raw keep-alive sockets, one request in flight on each. Closed loop when no
 * rate is given; with a rate, requests are due at fixed times and latency counts from when they were due, so that a
 * stalled server cannot hide its stalls. Reads one JSON job from standard input, prints one JSON result.
 */

import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';

export interface LoadJob {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second over all connections; 0 = as fast as answers come. */
  readonly rate: number;
  readonly path: string;
  readonly body: string;
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
  /** The orders go over one WebSocket, as many in flight as there would be connections. */
  readonly socket?: boolean;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly failures: number;
  readonly firstFailure: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly replyBytes: number;
}

const WARM_UP_SECONDS = 1;

export function requestBytes(job: LoadJob): Buffer {
  const timestamp = String(Date.now());
  const sign = createHmac('sha256', job.secret)
    .update(`${timestamp}POST${job.path}${job.body}`)
    .digest('base64');
  return Buffer.from(
    `POST ${job.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(job.body)}\r\nACCESS-KEY: ${job.apiKey}\r\nACCESS-SIGN: ${sign}\r\n` +
      `ACCESS-TIMESTAMP: ${timestamp}\r\nACCESS-PASSPHRASE: ${job.passphrase}\r\n\r\n${job.body}`,
  );
}

async function run(job: LoadJob): Promise<LoadResult> {
  const latency = createHistogram({ lowest: 1000, highest: 60_000_000_000, figures: 3 });
  let bytes = requestBytes(job);
  let requests = 0;
  let failures = 0;
  let firstFailure = '';
  let replyBytes = 0;
  let measuring = false;
  const idle: Worker[] = [];
  const due: bigint[] = [];

  class Worker {
    readonly socket: Socket;
    private started = 0n;
    private received = '';

    constructor(socket: Socket) {
      this.socket = socket;
      socket.setNoDelay(true);
      socket.setEncoding('latin1');
      socket.on('data', (chunk) => this.onData(String(chunk)));
    }

    send(dueTime: bigint): void {
      this.started = dueTime;
      this.socket.write(bytes);
    }

    private onData(chunk: string): void {
      this.received += chunk;
      const head = this.received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = /content-length: (\d+)/i.exec(this.received)?.[1];
      if (length === undefined || this.received.length < head + 4 + Number(length)) return;
      const ok = this.received.startsWith('HTTP/1.1 200') && this.received.includes('"00000"');
      if (measuring) {
        requests++;
        replyBytes = this.received.length;
        latency.record(process.hrtime.bigint() - this.started);
        if (!ok) {
          failures++;
          if (firstFailure === '') firstFailure = this.received.slice(0, 400);
        }
      }
      this.received = '';
      if (job.rate === 0) this.send(process.hrtime.bigint());
      else if (due.length > 0) this.send(due.shift()!);
      else idle.push(this);
    }
  }

  const workers: Worker[] = [];
  for (let n = 0; n < job.connections; n++) {
    const socket = connect(job.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    workers.push(new Worker(socket));
  }
  // A signature is good for 30 seconds.
  const fresh = setInterval(() => {
    bytes = requestBytes(job);
  }, 5000);
  let pacer: NodeJS.Timeout | undefined;
  if (job.rate === 0) {
    for (const worker of workers) worker.send(process.hrtime.bigint());
  } else {
    idle.push(...workers);
    const gap = BigInt(Math.round(1e9 / job.rate));
    let next = process.hrtime.bigint();
    pacer = setInterval(() => {
      for (const now = process.hrtime.bigint(); next <= now; next += gap) {
        const worker = idle.pop();
        if (worker === undefined) due.push(next);
        else worker.send(next);
      }
    }, 1);
  }
  await sleep(WARM_UP_SECONDS);
  measuring = true;
  const start = performance.now();
  await sleep(job.seconds);
  measuring = false;
  const seconds = (performance.now() - start) / 1000;
  clearInterval(fresh);
  clearInterval(pacer);
  for (const worker of workers) worker.socket.destroy();
  return {
    requests,
    seconds,
    failures,
    firstFailure,
    replyBytes,
    p50Ms: latency.percentile(50) / 1e6,
    p99Ms: latency.percentile(99) / 1e6,
    maxMs: latency.max / 1e6,
  };
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

if (process.argv[1] === import.meta.filename) {
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  console.log(JSON.stringify(await run(JSON.parse(text) as LoadJob)));
  process.exit(0);
}
