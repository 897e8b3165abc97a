/** Processor time of the main thread of another process. */
import { readFileSync } from 'node:fs';

/** Of Linux alone; NaN elsewhere. */
export function mainThreadSeconds(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
  } catch {
    return Number.NaN;
  }
}
