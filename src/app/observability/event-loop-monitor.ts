/** Measures what delays the process: event loop delay in windows of five seconds, and garbage collection. */
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

const WINDOW_MS = 5000;
const RESOLUTION_MS = 20;

export interface LoopDelay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface GcPauses {
  readonly kind: string;
  readonly count: number;
  readonly seconds: number;
  readonly longestSeconds: number;
}

interface GcEntry {
  readonly duration: number;
  readonly detail?: { readonly kind?: number };
}

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

export interface LoopReading {
  /** Delay in the last complete window. */
  readonly delay: LoopDelay;
  readonly gcPauses: readonly GcPauses[];
  stop(): void;
}

/** There is one loop in a process, however many exchanges it runs: it is sampled once, while it is read. */
let shared: { readonly monitor: EventLoopMonitor; readers: number } | undefined;

export function readEventLoop(): LoopReading {
  shared ??= { monitor: new EventLoopMonitor(), readers: 0 };
  const { monitor } = shared;
  shared.readers += 1;
  let reading = true;
  return {
    get delay() {
      return monitor.delay;
    },
    get gcPauses() {
      return monitor.gcPauses;
    },
    stop: () => {
      if (!reading) return;
      reading = false;
      shared!.readers -= 1;
      if (shared!.readers > 0) return;
      shared = undefined;
      monitor.stop();
    },
  };
}

class EventLoopMonitor {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #gcKinds = new Map<string, GcPauses>();
  readonly #observer: PerformanceObserver;
  readonly #timer: NodeJS.Timeout;
  #last: LoopDelay = { p50Ms: 0, p99Ms: 0, maxMs: 0 };

  constructor() {
    this.#delays.enable();
    this.#timer = setInterval(() => this.#endWindow(), WINDOW_MS).unref();
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#noteGc(entry);
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  get delay(): LoopDelay {
    return this.#last;
  }

  get gcPauses(): readonly GcPauses[] {
    return [...this.#gcKinds.values()];
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delays.disable();
    this.#observer.disconnect();
  }

  /** The sampling interval is part of each measurement and is subtracted. */
  #endWindow(): void {
    const delays = this.#delays;
    const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    if (delays.count > 0) {
      this.#last = {
        p50Ms: ms(delays.percentile(50)),
        p99Ms: ms(delays.percentile(99)),
        maxMs: ms(delays.max),
      };
    }
    delays.reset();
  }

  #noteGc({ duration, detail }: GcEntry): void {
    const kind = GC_KINDS[detail?.kind ?? 0] ?? 'other';
    const past = this.#gcKinds.get(kind);
    const seconds = duration / 1000;
    this.#gcKinds.set(kind, {
      kind,
      count: (past?.count ?? 0) + 1,
      seconds: (past?.seconds ?? 0) + seconds,
      longestSeconds: Math.max(past?.longestSeconds ?? 0, seconds),
    });
  }
}
