/**
 * How long single pieces of work hold the main thread, by the monotonic clock. The collector's pauses that fall into a piece
 * are known and are taken off. Other work of the machine makes a piece longer too: the processor time of the thread bounds
 * it, which is counted in steps of some milliseconds, and beside the longest stands what 99 of 100 stay below.
 */
import { createHistogram, PerformanceObserver, type RecordableHistogram } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

export interface Row {
  readonly kind: string;
  /** What it goes over. */
  readonly over: string;
  readonly times: number;
  readonly longestMs: number;
  /** The longest when the collector and other work of the machine are taken off. */
  readonly ownMs: number;
  /** The 99th percentile. */
  readonly mostlyMs: number;
}

export interface Part {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly collections: { readonly times: number; readonly longestMs: number };
}

interface Span {
  readonly start: number;
  readonly ms: number;
  /** Processor time of the thread, where the piece is all that it did. */
  readonly processorMs?: number;
}

interface Pieces {
  readonly over: string;
  readonly nanoseconds: RecordableHistogram;
  longest: Span[];
}

const KEPT = 50;
const NS_PER_MS = 1e6;

export const counted = (n: number, what: string) => `${n.toLocaleString('en-US')} ${what}`;

export class Stopwatch {
  readonly #pieces = new Map<string, Pieces>();
  readonly #collections: Span[] = [];
  readonly #observer: PerformanceObserver;

  constructor() {
    this.#observer = new PerformanceObserver((list) => {
      for (const { startTime: start, duration: ms } of list.getEntries())
        this.#collections.push({ start, ms });
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  time<T>(kind: string, over: string, work: () => T): T {
    const used = process.threadCpuUsage();
    const start = performance.now();
    const result = work();
    const ms = performance.now() - start;
    this.note(kind, over, { start, ms, processorMs: processorMs(used) });
    return result;
  }

  /** Work that yields: each stretch between two turns of the loop is a piece. */
  async slices(kind: string, over: string, work: () => Promise<unknown>): Promise<void> {
    let done = false;
    let used = process.threadCpuUsage();
    let start = performance.now();
    const ended = work().finally(() => {
      done = true;
    });
    while (!done) {
      await turn();
      const now = performance.now();
      this.note(kind, over, { start, ms: now - start, processorMs: processorMs(used) });
      used = process.threadCpuUsage();
      start = performance.now();
    }
    await ended;
  }

  note(kind: string, over: string, span: Span): void {
    let pieces = this.#pieces.get(kind);
    if (pieces === undefined) {
      pieces = { over, nanoseconds: createHistogram(), longest: [] };
      this.#pieces.set(kind, pieces);
    }
    pieces.nanoseconds.record(Math.max(1, Math.round(span.ms * NS_PER_MS)));
    const { longest } = pieces;
    if (longest.length === KEPT && span.ms <= longest.at(-1)!.ms) return;
    longest.push(span);
    longest.sort((a, b) => b.ms - a.ms);
    longest.length = Math.min(longest.length, KEPT);
  }

  /** Drops what was timed so far of some kinds: their code had to be compiled first. */
  forget(is: (kind: string) => boolean): void {
    for (const kind of this.#pieces.keys()) if (is(kind)) this.#pieces.delete(kind);
  }

  async end(title: string): Promise<Part> {
    // The collector's entries are handed over in a turn of the loop.
    await turn();
    await turn();
    this.#observer.disconnect();
    const rows = [...this.#pieces].map(
      ([kind, { over, nanoseconds, longest }]): Row => ({
        kind,
        over,
        times: nanoseconds.count,
        longestMs: longest[0]!.ms,
        ownMs: Math.max(...longest.map((span) => this.#ownOf(span))),
        mostlyMs: nanoseconds.percentile(99) / NS_PER_MS,
      }),
    );
    const collections = {
      times: this.#collections.length,
      longestMs: this.#collections.reduce((longest, { ms }) => Math.max(longest, ms), 0),
    };
    return { title, rows, collections };
  }

  #ownOf(span: Span): number {
    return Math.min(span.ms - this.#collectedIn(span), span.processorMs ?? Number.POSITIVE_INFINITY);
  }

  #collectedIn({ start, ms }: Span): number {
    let sum = 0;
    for (const pause of this.#collections) {
      const overlap = Math.min(start + ms, pause.start + pause.ms) - Math.max(start, pause.start);
      if (overlap > 0) sum += overlap;
    }
    return sum;
  }
}

function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
}
