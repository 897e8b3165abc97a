/** How a figure is printed: with its conditions, beside its baseline, never alone. */
import { cpus, loadavg, totalmem } from 'node:os';

export interface BenchmarkOptions {
  /** Another checkout to compare with, where a benchmark can. */
  readonly against: string | undefined;
}

export interface Benchmark {
  readonly title: string;
  run(options: BenchmarkOptions): void | Promise<void>;
}

export function printConditions(): void {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[0]!;
  console.log(
    `CPU ${first?.model ?? 'unknown'}, ${cpus().length} cores, ${memory} GiB, load ${load.toFixed(1)} at the start`,
  );
  if (load > cpus().length / 2)
    console.log('Other work keeps the machine busy: every figure below is too low.');
  console.log(`node ${process.version}, V8 ${process.versions.v8}, ${process.platform} ${process.arch}`);
}

/** Right-aligned columns except the first. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((_, n) => Math.max(...[head, ...rows].map((row) => row[n]!.length)));
  const line = (row: readonly string[]) =>
    row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]!) : cell.padStart(widths[n]!))).join('  ');
  console.log(line(head));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of rows) console.log(line(row));
}

export function rate(count: number, seconds: number): string {
  return `${Math.round(count / seconds).toLocaleString('en-US')}/s`;
}

export function ratio(ours: number, theirs: number): string {
  const times = ours / theirs;
  return `${times >= 100 ? Math.round(times) : times.toFixed(1)}x`;
}

/** Seconds of the fastest of several runs: other work on the machine only ever makes a run slower. */
export function best(runs: number, run: () => number): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < runs; n++) {
    globalThis.gc?.();
    fastest = Math.min(fastest, run());
  }
  return fastest;
}

/** Seconds that `work` takes. */
export function timed(work: () => void): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e9;
}
