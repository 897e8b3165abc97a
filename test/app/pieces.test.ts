/** The parts of operation that need no process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyStreamMetrics } from '../../src/api/ws/stream-metrics.ts';
import { Metrics, type MetricsSnapshot } from '../../src/app/observability/metrics.ts';
import { readinessChecks } from '../../src/app/observability/readiness.ts';
import { isLoopback, urlOf } from '../../src/app/start/loopback.ts';
import { banner, listeningLine } from '../../src/app/terminal/banner.ts';
import { plain } from '../../src/app/terminal/colour.ts';
import { didYouMean } from '../../src/app/terminal/did-you-mean.ts';
import { PrettyLog } from '../../src/app/terminal/pretty-log.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { DEMO_ACCOUNTS } from '../../src/identity/demo-accounts.ts';
import { exposureLimits } from '../../src/reserves/exposure-limits.ts';
import { HouseExposure } from '../../src/reserves/house-exposure.ts';

/** Of an exchange without coins. */
const EXPOSURE = await new HouseExposure(
  new Exchange(),
  exposureLimits(['bad-debt=100', 'insurance:USDT=5']),
).now();

const FIGURES: MetricsSnapshot = {
  appliedSeq: 12,
  durableSeq: 11,
  historySeq: 10,
  historyLagRows: 3,
  historyDamagedReads: 1,
  logQueueAgeMs: 1.5,
  capacity: 'cancel_only',
  mode: 'read_only',
  historyStarved: true,
  freeBytes: 4096,
  connectionsMax: 90,
  connectionsDropped: 3,
  accounts: 4,
  openOrders: 2,
  loopDelay: { p50Ms: 1, p99Ms: 2, maxMs: 3 },
  gcPauses: [{ kind: 'minor', count: 5, seconds: 0.01, longestSeconds: 0.004 }],
  streams: { ...emptyStreamMetrics(), connections: 7, dropped: 1 },
  exposure: EXPOSURE,
};

test('metrics follow the text format: a head before its values, names with units', () => {
  const metrics = new Metrics(() => FIGURES);
  metrics.observeRequest('/api/v3/market/tickers', 200, 0.002);
  metrics.observeRequest('/api/v3/market/tickers', 429, 0.001);
  const text = metrics.text();
  let current = '';
  for (const line of text.trimEnd().split('\n')) {
    const head = /^# TYPE (\S+) (counter|gauge|summary)$/.exec(line);
    if (head !== null) current = head[1]!;
    if (line.startsWith('#')) continue;
    assert.match(line, /^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+$/);
    assert.ok(line.startsWith(current), `${line} stands under ${current}`);
  }
  assert.match(text, /^bourse_http_requests_total\{route="\/api\/v3\/market\/tickers",status="2xx"\} 1$/m);
  assert.match(text, /^bourse_http_requests_total\{route="\/api\/v3\/market\/tickers",status="4xx"\} 1$/m);
  assert.match(text, /^bourse_log_capacity\{state="cancel_only"\} 1$/m);
  assert.match(text, /^bourse_mode\{mode="read_only"\} 1$/m);
  assert.match(text, /^bourse_history_starved 1$/m);
  assert.match(text, /^bourse_data_free_bytes 4096$/m);
  assert.match(text, /^bourse_connections_max 90$/m);
  assert.match(text, /^bourse_exposure_dollars\{figure="clearing-short"\} 0$/m);
  assert.match(text, /^bourse_exposure_limit_dollars\{figure="bad-debt",coin="",kind="most"\} 100$/m);
  assert.match(text, /^bourse_exposure_limit_passed\{figure="insurance",coin="USDT"\} 1$/m);
  assert.match(text, /^bourse_solvency\{state="solvent"\} 1$/m);
  assert.match(text, /^bourse_log_queue_age_seconds 0.0015$/m);
});

test('the number of series is bounded, whatever routes are given', () => {
  const metrics = new Metrics(() => FIGURES);
  for (let route = 0; route < 5000; route++) metrics.observeRequest(`/r${route}`, 200, 0.001);
  const series = metrics
    .text()
    .split('\n')
    .filter((line) => line.startsWith('bourse_http_requests_total{'));
  assert.equal(series.length, 513);
  assert.match(metrics.text(), /route="other",status="2xx"\} 4488$/m);
});

test('a failing readiness check is named and says why', () => {
  const healthy = {
    stopping: false,
    failure: undefined,
    capacity: 'normal',
    memoryShort: false,
    logQueueAgeMs: 0,
    historyLagRows: 0,
    historyDamagedReads: 0,
    historyStarved: false,
    historyWaitsFor: 'disk',
    loopDelayP99Ms: 0,
    exposure: { missing: [], limits: [], closeOnly: [] },
  } as const;
  assert.ok(readinessChecks(healthy).every(({ ok }) => ok));
  const failing = (change: object) =>
    readinessChecks({ ...healthy, ...change })
      .filter(({ ok }) => !ok)
      .map(({ name, detail }) => `${name}: ${detail}`);
  assert.deepEqual(failing({ stopping: true }), ['running: the process is stopping']);
  assert.deepEqual(failing({ failure: new Error('disk') }), ['venue: the venue has stopped: disk']);
  assert.deepEqual(failing({ capacity: 'read_only' }), [
    'log space: the disk is full or nearly so: read_only',
  ]);
  const away = { historyStarved: true, historyWaitsFor: 'database', historyLagRows: 9 } as const;
  assert.deepEqual(failing(away), [
    "history space: the history's database is away: 9 rows wait for it, only cancellations are taken",
  ]);
  assert.deepEqual(failing({ historyStarved: true, historyLagRows: 9 }), [
    'history space: the disk is full: 9 rows wait for space, only cancellations are taken',
  ]);
  assert.deepEqual(failing({ memoryShort: true }), [
    'memory: memory is nearly full: only cancellations are taken',
  ]);
  assert.deepEqual(failing({ historyDamagedReads: 2 }), [], 'a warning');
  assert.match(
    JSON.stringify(readinessChecks({ ...healthy, historyDamagedReads: 2 })),
    /2 reads came to damaged/,
  );
  const { limits } = EXPOSURE;
  const exposure = { missing: [{ coin: 'BTC', solvency: 'insolvent' }], limits, closeOnly: ['ETH'] } as const;
  assert.deepEqual(failing({ exposure }), [], 'R5 (c): a warning');
  const warned = readinessChecks({ ...healthy, exposure }).flatMap(({ detail }) => detail ?? []);
  assert.deepEqual(warned, [
    'BTC is insolvent: run "bourse reserves audit"',
    'insurance of USDT is 0 USD, below its limit of 5; contracts of ETH only close: the house lacks more than fund and allowance: run "bourse exposure"',
  ]);
  assert.deepEqual(failing({ loopDelayP99Ms: 250 }), ['event loop: its delay (p99) is 250 ms']);
});

test('the banner tells who you are, what is here, where it listens and what to try', () => {
  const url = 'http://127.0.0.1:8787';
  const facts = {
    version: '0.1.0',
    url,
    data: '/home/me/data',
    demoAccounts: DEMO_ACCOUNTS.map((account, index) => ({ account, uid: 1000000001 + index })),
    demoReach: 'loopback',
    instruments: { SPOT: 6, 'USDT-FUTURES': 4 },
    replayedCommands: 1204,
    readySeconds: 0.62,
    rateLimits: 'on',
  } as const;
  const text = banner(facts, plain, true);
  for (const expected of [
    'bourse 0.1.0 · node',
    'ready in 0.6 s',
    `${url}/docs`,
    'so this machine only',
    'demo-alice-secret',
    '6 SPOT · 4 USDT-FUTURES',
    '/home/me/data (1,204 commands replayed)',
    `curl '${url}/api/v3/market/tickers?category=SPOT&symbol=BTCUSDT'`,
    'new ccxt.bitget(',
  ]) {
    assert.ok(text.includes(expected), expected);
  }
  assert.ok(text.split('\n').every((line) => line.length <= 120));
  assert.match(banner(facts, plain, false), /^[\x20-\x7e\n]*$/, 'plain ASCII on a dumb terminal');
  assert.match(banner({ ...facts, demoReach: 'container' }, plain, true), /so private addresses only/);
  assert.match(banner({ ...facts, demoAccounts: [] }, plain, true), /none opened \(--no-demo\)/);
  assert.equal(listeningLine(url), 'Listening on http://127.0.0.1:8787\n');
});

test('a pretty log line keeps control characters from the terminal', () => {
  let shown = '';
  const log = new PrettyLog((text) => {
    shown += text;
  }, plain);
  log.write(JSON.stringify({ level: 'warn', time: 'x', msg: 'name \u001b[2Jis odd', path: '/a\u0007' }));
  assert.match(shown, /^ *\+[0-9.]+ {2}warn {3}name \\x1b\[2Jis odd {2}path="\/a\\u0007"\n$/);
});

test('only addresses of this machine count as loopback', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost', '::ffff:127.0.0.1']) {
    assert.equal(isLoopback(host), true, host);
  }
  for (const host of [
    '0.0.0.0',
    '::',
    '192.168.1.2',
    '128.0.0.1',
    'example.org',
    'localhost.example.org',
    '',
  ]) {
    assert.equal(isLoopback(host), false, host);
  }
  assert.equal(urlOf('::1', 80), 'http://[::1]:80');
});

test('a near word is suggested, a far one is not', () => {
  assert.equal(didYouMean('prot', ['host', 'port', 'data']), 'port');
  assert.equal(didYouMean('zebra', ['host', 'port', 'data']), undefined);
});
