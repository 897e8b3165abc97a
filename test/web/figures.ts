/**
 * Figures of the acceptance: printed always, judged only on a machine that has nothing else to do, because they say how
 * fast a page is and not how busy the machine was.
 */
import assert from 'node:assert/strict';
import { availableParallelism, loadavg } from 'node:os';
import type { TestContext } from 'node:test';

/** At the start: the browser itself is load. */
const LOAD = loadavg()[0]! / availableParallelism();
const IDLE = 0.5;

export function figure(
  t: TestContext,
  what: string,
  value: number,
  unit: string,
  most?: number,
  least?: number,
): void {
  const bound = most !== undefined ? `at most ${most}` : `at least ${least}`;
  t.diagnostic(`${what}: ${value.toFixed(1)} ${unit} (${bound}; load ${LOAD.toFixed(1)} a core)`);
  if (LOAD > IDLE) return;
  if (most !== undefined) assert.ok(value <= most, `${what}: ${value} ${unit}`);
  if (least !== undefined) assert.ok(value >= least, `${what}: ${value} ${unit}`);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
