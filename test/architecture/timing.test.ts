/** No test may depend on how fast the machine is: what measures time is named here with what it does with it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

const MEASURES: Readonly<Record<string, string>> = {
  'test/campaign/campaign.ts': 'how long a campaign may search',
  'test/campaign/run.ts': 'how often its state is shown',
  'test/harness/until.ts': 'a guard against a condition that never comes',
  'test/cluster/fail-over.cluster.ts': 'shown',
  'test/cluster/identity-fail-over.cluster.ts': 'shown',
  'test/cluster/identity.cluster.ts': 'answered not too early; a slow machine is only later',
  'test/cluster/postgres-node.ts': 'the clock of a node',
  'test/cluster/run.ts': 'shown',
  'test/cluster/trial/session.ts': 'when a doubtful order is looked up',
  'test/cluster/trial/trial.ts': 'acceptance, not in npm test: an order after a fault has its bound',
  'test/install/package.install.ts': 'time of a driven clock, which no machine makes slower',
  'test/lab/driven.test.ts': 'time of a driven clock, which no machine makes slower',
  'test/security/hostile/hostile-run.ts': 'a request is compared with a cheap one on the same machine',
  'test/security/hostile/raw-http.ts': 'shown',
  'test/security/hostile/slow-sender.ts': 'dropped not too early; a slow machine is only later',
  'test/crash/kill-loop.ts': 'shown',
  'test/postgres/server.ts': 'a guard against a server that does not come up',
  'test/app/bourse-process.ts': 'a guard against a start that hangs',
  'test/app/endings.faults.ts': 'a guard against a process that never ends',
  'test/admin/listener.test.ts': 'answered not too early; a slow machine is only later',
  'test/simulation/tried-seeds.ts': 'shown',
  'test/simulator/server.test.ts': 'a guard against a condition that never comes',
  'test/web/restart.web.ts': 'acceptance, not in npm test: shown with the load, judged on an idle machine',
  'test/web/speed.web.ts': 'acceptance, not in npm test: shown with the load, judged on an idle machine',
  'test/bundled-program.ts': 'bundles of older sources are cleared away',
};

const STOPWATCH = /\bperformance\.now\(|\bhrtime\b/;
/** Now against an earlier moment, as in `Date.now() - begun`; a moment of the past is a number or a product away. */
const NOW_AGAINST = /\bDate\.now\(\)\s*(?:-|[<>]=?)\s*[A-Za-z_]\w*\b(?! \*)/;
const NOW_KEPT = /\b(\w+) = Date\.now\(\)/g;

/** Does it say how long something took? */
function measures(text: string): boolean {
  if (STOPWATCH.test(text) || NOW_AGAINST.test(text)) return true;
  const kept = [...text.matchAll(NOW_KEPT)].map(([, name]) => name!);
  return kept.some((name) => new RegExp(`\\w(?:\\(\\))? - ${name}\\b`).test(text));
}

const files = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => (folder === 'test' ? name.endsWith('.ts') : /\.(?:test|contract)\.ts$/.test(name)))
    .filter((name) => !name.endsWith('architecture/timing.test.ts')),
);

test('only these tests measure time, and none is judged by having been quick', () => {
  assert.ok(files.length > 200, `${files.length} files`);
  const measuring = files.filter((name) => measures(readFileSync(join(ROOT, name), 'utf8')));
  assert.deepEqual(measuring.toSorted(), Object.keys(MEASURES).toSorted());
});

test('a difference of two times of the clock is a measurement, a moment of the past is none', () => {
  for (const text of [
    'const begun = Date.now();\nwork();\nassert.ok(Date.now() - begun < 50);',
    'const begun = Date.now();\nwork();\nconst tookMs = clock() - begun;',
    'while (Date.now() < end) work();',
  ])
    assert.ok(measures(text), text);
  for (const text of [
    'String(Date.now() - 3_600_000)',
    'Date.now() - from * DAY',
    'const now = Date.now();\nask(now - 500);',
  ])
    assert.ok(!measures(text), text);
});
