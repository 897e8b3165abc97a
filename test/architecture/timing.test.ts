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
  'test/security/hostile/hostile-run.ts': 'a request is compared with a cheap one on the same machine',
  'test/security/hostile/raw-http.ts': 'shown',
  'test/security/hostile/slow-sender.ts': 'dropped not too early; a slow machine is only later',
  'test/crash/kill-loop.ts': 'shown',
  'test/app/bourse-process.ts': 'a guard against a start that hangs',
  'test/app/endings.test.ts': 'a guard against a process that never ends',
  'test/admin/listener.test.ts': 'answered not too early; a slow machine is only later',
  'test/simulation/venue.test.ts': 'shown',
};

const files = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => (folder === 'test' ? name.endsWith('.ts') : /\.(?:test|contract)\.ts$/.test(name)))
    .filter((name) => !name.endsWith('architecture/timing.test.ts')),
);

test('only these tests measure time, and none is judged by having been quick', () => {
  assert.ok(files.length > 200, `${files.length} files`);
  const measuring = files.filter((name) =>
    /\bperformance\.now\(|\bhrtime\b/.test(readFileSync(join(ROOT, name), 'utf8')),
  );
  assert.deepEqual(measuring.toSorted(), Object.keys(MEASURES).toSorted());
});
