/** A whole exchange with its market in this process, watched for a stretch of logical time. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../../src/app/config/resolve-config.ts';
import { createLogger } from '../../src/app/observability/logging.ts';
import { type RunningExchange, startExchange } from '../../src/app/start/start-exchange.ts';
import { Sampler } from './sampler.ts';
import { printVerdict } from './verdict.ts';

export interface LiveRun {
  readonly clock: string;
  readonly logicalSeconds: number;
  readonly level?: string;
  readonly afterwards?: (exchange: RunningExchange) => Promise<boolean>;
}

/** The market warms up before it is judged: indices need their first second, premiums their first minute. */
const WARM_UP_S = 5;

export async function liveRun({
  clock,
  logicalSeconds,
  level = 'normal',
  afterwards,
}: LiveRun): Promise<boolean> {
  const data = mkdtempSync(join(tmpdir(), 'bourse-market-'));
  const flags = { data, port: '0', operator: 'off', market: level, clock, backfill: '0', logLevel: 'error' };
  const resolved = await resolveConfig({ flags, environment: {}, directory: data });
  const exchange = await startExchange(resolved, createLogger(resolved.config), (error) => {
    throw error;
  });
  try {
    const good = await watch(exchange, logicalSeconds, data);
    const after = afterwards === undefined ? true : await afterwards(exchange);
    return good && after;
  } finally {
    await exchange.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

async function watch(exchange: RunningExchange, logicalSeconds: number, data: string): Promise<boolean> {
  const { sequencer, market, ticker } = exchange;
  await logicalPause(exchange, WARM_UP_S * 1000);
  const sampler = new Sampler(sequencer.state, market!);
  const fromMs = sequencer.clock.now();
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  const seq = sequencer.appliedSeq;
  await new Promise<void>((resolve) => {
    ticker.onTick(() => {
      if (sampler.samples < logicalSeconds) sampler.sample();
      else resolve();
    });
  });
  const realSeconds = (performance.now() - startedMs) / 1000;
  const used = process.cpuUsage(cpu);
  const cpuShare = (used.user + used.system) / 1e6 / realSeconds;
  const logical = (sequencer.clock.now() - fromMs) / 1000;
  const good = printVerdict(exchange, sampler);
  const { rss } = process.memoryUsage();
  console.log(
    `      ${logical.toFixed(0)} logical in ${realSeconds.toFixed(0)} real seconds; ${(cpuShare * 100).toFixed(0)} % of a core, ` +
      `${Math.round(rss / 2 ** 20)} MiB, sampling included; ${Math.round((sequencer.appliedSeq - seq) / logical)} commands a logical second`,
  );
  console.log(
    `      history ${megabytes(data, /history/)} MB, command log and snapshots ${megabytes(join(data, 'log'), /./)} MB on disk`,
  );
  return good;
}

export async function logicalPause({ sequencer }: RunningExchange, ms: number): Promise<void> {
  const until = sequencer.clock.now() + ms;
  while (sequencer.clock.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
}

function megabytes(folder: string, pattern: RegExp): string {
  const files = readdirSync(folder).filter((name) => pattern.test(name));
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return (bytes / 1e6).toFixed(1);
}
