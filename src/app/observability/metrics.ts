/**
 * Metrics in Prometheus text. Labels are bounded: route templates, status classes and coins, never symbols, accounts or
 * raw paths. Counters are in one typed array and latencies in native histograms, so that observing a request is cheap.
 */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { Meter } from '../../api/http/health.ts';
import type { StreamMetrics } from '../../api/ws/stream-metrics.ts';
import type { JournalCapacity } from '../../journal/command-journal.ts';
import type { Exposure } from '../../reserves/house-exposure.ts';
import type { GcPauses, LoopDelay } from './event-loop-monitor.ts';
import { exposureMetrics } from './exposure-metrics.ts';
import { memoryUsage } from './memory-guard.ts';
import { Exposition } from './prometheus-text.ts';

/** State of exchange and process at a scrape. */
export interface MetricsSnapshot {
  readonly appliedSeq: number;
  readonly durableSeq: number;
  readonly historySeq: number;
  readonly historyLagRows: number;
  readonly historyDamagedReads: number;
  readonly logQueueAgeMs: number;
  readonly capacity: JournalCapacity;
  /** Accepted commands, with all shortages considered. */
  readonly mode: JournalCapacity;
  readonly historyStarved: boolean;
  /** Undefined where the system does not provide it. */
  readonly freeBytes: number | undefined;
  readonly connectionsMax: number;
  readonly connectionsDropped: number;
  readonly accounts: number;
  readonly openOrders: number;
  readonly loopDelay: LoopDelay;
  readonly gcPauses: readonly GcPauses[];
  readonly streams: StreamMetrics;
  readonly exposure: Exposure;
}

/** Routes are a fixed table; further names share one label. */
const ROUTES_MAX = 512;
const OTHER_ROUTE = 'other';
const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const QUANTILES = [0.5, 0.9, 0.99, 0.999] as const;
const CAPACITIES: readonly JournalCapacity[] = ['normal', 'cancel_only', 'read_only'];
/** Two significant digits up to a minute keep a histogram at a few kilobytes. */
const HISTOGRAM = { lowest: 1, highest: 60_000_000_000, figures: 2 } as const;

interface RouteMetrics {
  readonly route: string;
  /** Index of the route's first counter. */
  readonly first: number;
  readonly latency: RecordableHistogram;
}

export class Metrics implements Meter {
  readonly #snapshot: () => MetricsSnapshot;
  readonly #routes = new Map<string, RouteMetrics>();
  readonly #requests = new Float64Array((ROUTES_MAX + 1) * STATUS_CLASSES.length);
  readonly #seconds = new Float64Array(ROUTES_MAX + 1);
  /** Durations of all routes since the last read; not recorded before the first one. */
  #recent: RecordableHistogram | undefined;

  constructor(snapshot: () => MetricsSnapshot) {
    this.#snapshot = snapshot;
  }

  observeRequest(route: string, status: number, seconds: number): void {
    const { first, latency } = this.#routes.get(route) ?? this.#addRoute(route);
    const statusClass = Math.min(Math.max(Math.floor(status / 100) - 1, 0), STATUS_CLASSES.length - 1);
    this.#requests[first + statusClass]! += 1;
    this.#seconds[first / STATUS_CLASSES.length]! += seconds;
    const nanoseconds = Math.min(Math.max(1, Math.round(seconds * 1e9)), HISTOGRAM.highest);
    latency.record(nanoseconds);
    this.#recent?.record(nanoseconds);
  }

  /** Requests since the last call, and the time within which 99 % of them were answered. */
  takeRecent(): { readonly requests: number; readonly p99Ms: number } {
    this.#recent ??= createHistogram(HISTOGRAM);
    const { count: requests } = this.#recent;
    const p99Ms = requests === 0 ? 0 : this.#recent.percentile(99) / 1e6;
    this.#recent.reset();
    return { requests, p99Ms };
  }

  text(): string {
    const page = new Exposition();
    this.#requestMetrics(page);
    const snapshot = this.#snapshot();
    sequencerMetrics(page, snapshot);
    exposureMetrics(page, snapshot.exposure);
    processMetrics(page);
    return page.text();
  }

  #addRoute(route: string): RouteMetrics {
    const name = this.#routes.size >= ROUTES_MAX ? OTHER_ROUTE : route;
    const known = this.#routes.get(name);
    if (known !== undefined) return known;
    const first = this.#routes.size * STATUS_CLASSES.length;
    const snapshot = { route: name, first, latency: createHistogram(HISTOGRAM) };
    this.#routes.set(name, snapshot);
    return snapshot;
  }

  #requestMetrics(page: Exposition): void {
    page.metric('bourse_http_requests_total', 'counter', 'Requests answered, by route and class of status.');
    for (const { route, first } of this.#routes.values()) {
      for (const [index, status] of STATUS_CLASSES.entries()) {
        const count = this.#requests[first + index]!;
        if (count > 0) page.value(count, { route, status });
      }
    }
    page.metric('bourse_http_request_seconds', 'summary', 'Time from request to answer since the start.');
    for (const { route, first, latency } of this.#routes.values()) {
      for (const quantile of QUANTILES) {
        page.value(latency.percentile(quantile * 100) / 1e9, { route, quantile: String(quantile) });
      }
      page.value(this.#seconds[first / STATUS_CLASSES.length]!, { route }, '_sum');
      page.value(latency.count, { route }, '_count');
    }
  }
}

function sequencerMetrics(page: Exposition, snapshot: MetricsSnapshot): void {
  page.single('bourse_applied_seq', 'counter', 'Last command applied.', snapshot.appliedSeq);
  page.single('bourse_durable_seq', 'counter', 'Last command that is safe on disk.', snapshot.durableSeq);
  page.single('bourse_history_seq', 'counter', 'Last command whose records are stored.', snapshot.historySeq);
  page.single('bourse_history_lag_rows', 'gauge', 'Records not yet stored.', snapshot.historyLagRows);
  page.single(
    'bourse_history_damaged_reads_total',
    'counter',
    'Reads refused because a record is not as it was written.',
    snapshot.historyDamagedReads,
  );
  page.single(
    'bourse_log_queue_age_seconds',
    'gauge',
    'How long the oldest command has waited for the disk.',
    snapshot.logQueueAgeMs / 1000,
  );
  page.metric('bourse_log_capacity', 'gauge', 'What the disk still allows: 1 at the present state.');
  for (const state of CAPACITIES) page.value(state === snapshot.capacity ? 1 : 0, { state });
  page.metric('bourse_mode', 'gauge', 'What the venue takes: 1 at the present mode.');
  for (const mode of CAPACITIES) page.value(mode === snapshot.mode ? 1 : 0, { mode });
  page.single(
    'bourse_history_starved',
    'gauge',
    '1 while records wait for space on the disk, or for their database.',
    snapshot.historyStarved ? 1 : 0,
  );
  if (snapshot.freeBytes !== undefined)
    page.single('bourse_data_free_bytes', 'gauge', 'Space left for the data directory.', snapshot.freeBytes);
  page.single(
    'bourse_connections_max',
    'gauge',
    'Connections that are taken at a time.',
    snapshot.connectionsMax,
  );
  page.single(
    'bourse_connections_dropped_total',
    'counter',
    'Connections beyond that number.',
    snapshot.connectionsDropped,
  );
  page.single('bourse_accounts', 'gauge', 'Accounts.', snapshot.accounts);
  page.single('bourse_open_orders', 'gauge', 'Orders that rest in the books.', snapshot.openOrders);

  streamMetrics(page, snapshot.streams);
  const { p50Ms, p99Ms, maxMs } = snapshot.loopDelay;
  page.metric(
    'bourse_event_loop_delay_seconds',
    'gauge',
    'Delay of the event loop in the last five seconds.',
  );
  page.value(p50Ms / 1000, { quantile: '0.5' });
  page.value(p99Ms / 1000, { quantile: '0.99' });
  page.value(maxMs / 1000, { quantile: '1' });
  page.metric('bourse_gc_pause_seconds', 'summary', 'Pauses of the garbage collector.');
  for (const { kind, seconds, count } of snapshot.gcPauses) {
    page.value(seconds, { kind }, '_sum');
    page.value(count, { kind }, '_count');
  }
  page.metric('bourse_gc_longest_pause_seconds', 'gauge', 'Longest pause of the collector since the start.');
  for (const { kind, longestSeconds } of snapshot.gcPauses) page.value(longestSeconds, { kind });
}

function streamMetrics(page: Exposition, snapshot: StreamMetrics): void {
  page.single('bourse_stream_connections', 'gauge', 'Sockets that are open.', snapshot.connections);
  page.single('bourse_stream_subscriptions', 'gauge', 'Channels read by sockets.', snapshot.subscriptions);
  page.single('bourse_stream_accepted_total', 'counter', 'Sockets accepted.', snapshot.accepted);
  page.single('bourse_stream_refused_total', 'counter', 'Handshakes turned away.', snapshot.refused);
  page.single('bourse_stream_received_total', 'counter', 'Messages of clients.', snapshot.received);
  page.single('bourse_stream_sent_total', 'counter', 'Messages to clients.', snapshot.sent);
  page.single('bourse_stream_sent_bytes_total', 'counter', 'Bytes to clients.', snapshot.sentBytes);
  page.single(
    'bourse_stream_conflated_total',
    'counter',
    'Pushes left out for readers that were behind.',
    snapshot.conflated,
  );
  page.single(
    'bourse_stream_dropped_total',
    'counter',
    'Sockets cut because nobody read them.',
    snapshot.dropped,
  );
  page.single('bourse_stream_unsent_bytes', 'gauge', 'Bytes that wait for readers.', snapshot.unsentBytes);
}

function processMetrics(page: Exposition): void {
  const { rss, heapUsed, heapTotal, arrayBuffers } = memoryUsage();
  const { user, system } = process.cpuUsage();
  page.single('process_resident_memory_bytes', 'gauge', 'Memory held.', rss);
  page.single('bourse_heap_used_bytes', 'gauge', 'Objects on the heap.', heapUsed);
  page.single('bourse_heap_total_bytes', 'gauge', 'Size of the heap.', heapTotal);
  page.single('bourse_array_buffers_bytes', 'gauge', 'Typed arrays and buffers.', arrayBuffers);
  page.single('process_cpu_seconds_total', 'counter', 'Processor time.', (user + system) / 1e6);
  page.single('bourse_uptime_seconds', 'gauge', 'Time since the start.', process.uptime());
}
