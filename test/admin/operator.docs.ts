/** `docs/operator.md` is a script: its bash blocks are executed in order, in one shell, as written. Only npm is a stand-in. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathWithStandIn } from '../docs/npm-stand-in.ts';
import { startCommand } from '../harness/child-programs.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../..');

function bashBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```bash\n(.*?)^```$/gms)].map((match) => match[1]!);
}

test('the commands of docs/operator.md lead from an empty directory to a funded trader with an order', async () => {
  const blocks = bashBlocks(readFileSync(join(ROOT, 'docs/operator.md'), 'utf8'));
  assert.equal(blocks.length, 7);
  const script = blocks.map((block, index) => `echo "== ${index + 1}"\n${block}`).join('\n');
  const data = join(temporaryDirectory(), 'venue');
  // What the document leaves to the reader: the directory and the port.
  const env = { ...process.env, BOURSE_DATA: data, BOURSE_PORT: '0', PATH: await pathWithStandIn() };
  const shell = startCommand('bash', ['-euo', 'pipefail', '-c', script], { cwd: ROOT, env });
  const { code, stdout, stderr } = await shell.ended;
  const serverLog = existsSync(`${data}.log`) ? readFileSync(`${data}.log`, 'utf8') : '';
  assert.equal(code, 0, `${stdout}\n${stderr}\n${serverLog}`);
  const [, , listed, opened, ordered, daily, market, stopped] = stdout.split(/^== \d$/m);
  assert.match(listed!, /SPOT +BTCUSDT +online/);
  assert.match(opened!, /USDT +10000 +0 +0 +0/);
  assert.equal(JSON.parse(ordered!).code, '00000');
  assert.match(daily!, /the books agree/);
  assert.match(daily!, /^verified$/m);
  assert.match(market!, /^maker:SPOT:BTCUSDT .* yes/m);
  assert.match(market!, /^24 agents stopped$/m);
  assert.match(stopped!, /^verified$/m);
});
