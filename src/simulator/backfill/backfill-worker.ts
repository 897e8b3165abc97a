import { workerData } from 'node:worker_threads';
import type { GeneratedPast } from '../../history/generated-candles.ts';
import { threadPort } from '../../thread-port.ts';
import { loadParameters } from '../parameters.ts';
import { makePast, type Past } from './backfill.ts';

const port = threadPort();

export interface BackfillWorkerData extends Past {
  readonly catalogue: string;
}

/** A year of prices takes seconds to make: beside the thread that serves requests. */
const { catalogue, ...past } = workerData as BackfillWorkerData;
for (const made of makePast(past, loadParameters(catalogue)))
  port.postMessage(
    made,
    made.candles.flatMap(({ ticks, lots }) => [ticks.buffer, lots.buffer] as ArrayBuffer[]),
  );
port.postMessage(undefined satisfies GeneratedPast | undefined);
