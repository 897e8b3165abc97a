/**
 * Orders over sockets, the counterpart of `http-load.ts`: connections that are logged in, so many requests in flight on
 * each, as fast as answers come. Reads one JSON job from standard input, prints one JSON result.
 */

import { createHistogram } from 'node:perf_hooks';
import { loginFrame } from '../test/harness/stream-client.ts';
import type { LoadResult } from './http-load.ts';
import { RawStream } from './raw-stream.ts';

export interface StreamLoadJob {
  readonly port: number;
  readonly connections: number;
  readonly inFlight: number;
  readonly seconds: number;
  /** The order, without its category. */
  readonly order: object;
  readonly category: string;
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

const WARM_UP_MS = 1_000;

async function run(job: StreamLoadJob): Promise<LoadResult> {
  const latency = createHistogram({ lowest: 1000, highest: 60_000_000_000, figures: 3 });
  let requests = 0;
  let failures = 0;
  let firstFailure = '';
  let replyBytes = 0;
  let measuring = false;
  let lastId = 0;
  const sent = new Map<string, bigint>();
  const keys = { name: '', uid: 0, apiKey: job.apiKey, secretKey: job.secret, passphrase: job.passphrase };

  const order = JSON.stringify(job.order);
  const send = (stream: RawStream) => {
    const id = String(++lastId);
    sent.set(id, process.hrtime.bigint());
    stream.send(
      `{"op":"trade","id":"${id}","category":"${job.category}","topic":"place-order","args":[${order}]}`,
    );
  };
  const heard = (stream: RawStream, text: string) => {
    if (text.startsWith('{"event":"login"')) {
      for (let n = 0; n < job.inFlight; n++) send(stream);
      return;
    }
    const id = /"id":"(\d+)"/.exec(text)?.[1];
    if (id === undefined) return;
    const started = sent.get(id)!;
    sent.delete(id);
    if (measuring) {
      requests++;
      replyBytes = text.length;
      latency.record(process.hrtime.bigint() - started);
      if (!text.startsWith('{"event":"trade"')) {
        failures++;
        if (firstFailure === '') firstFailure = text.slice(0, 400);
      }
    }
    send(stream);
  };
  const streams: RawStream[] = [];
  for (let n = 0; n < job.connections; n++) {
    const stream: RawStream = new RawStream({ port: job.port, path: '/v3/ws/private' }, (_length, text) =>
      heard(stream, text),
    );
    await stream.opened;
    stream.send(JSON.stringify(loginFrame(keys)));
    streams.push(stream);
  }
  await sleep(WARM_UP_MS);
  measuring = true;
  const start = performance.now();
  await sleep(job.seconds * 1000);
  measuring = false;
  const seconds = (performance.now() - start) / 1000;
  for (const { socket } of streams) socket.destroy();
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

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

if (process.argv[1] === import.meta.filename) {
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  console.log(JSON.stringify(await run(JSON.parse(text) as StreamLoadJob)));
  process.exit(0);
}
