/**
 * `docs/testkit.md` as a reader follows it: its commands as written, its files where it says, and the blocks that follow them
 * at the end of the test. Only npm is a stand-in, which installs this checkout and its ccxt.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocksOf } from '../docs/blocks.ts';
import { startCommand } from '../harness/child-programs.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { pathWithInstaller } from './installer.ts';

/** The first line of a block that is a file. */
const FILE = /^\/\/ (\S+\.mjs)$/m;

test('docs/testkit.md leads from nothing to tests of a bot that pass, all of them', async () => {
  const directory = temporaryDirectory();
  const blocks = blocksOf('docs/testkit.md');
  const textsOf = (language: string) =>
    blocks.filter((block) => block.language === language).map(({ text }) => text);
  const programs = textsOf('js');
  const [install, run, ...others] = textsOf('sh');
  assert.deepEqual([others, programs.length + 2], [[], blocks.length], 'every block is executed');

  // What the document writes to the directory for temporary files goes with this one.
  const env = { ...process.env, PATH: pathWithInstaller(), TMPDIR: directory, NODE_TEST_CONTEXT: undefined };
  const shell = async (script: string, cwd: string) => {
    const { code, output } = await startCommand('bash', ['-euo', 'pipefail', '-c', script], { cwd, env })
      .ended;
    assert.equal(code, 0, output);
    return output;
  };
  await shell(install!, directory);
  const repository = join(directory, 'my-bot');
  const files = Map.groupBy(programs, (text) => FILE.exec(text)?.[1] ?? 'bot.test.mjs');
  for (const [file, texts] of files) writeFileSync(join(repository, file), texts.join('\n'));
  const output = await shell(run!, repository);
  const written = [...programs.join('\n').matchAll(/^test\(/gm)].length;
  assert.match(output, new RegExp(`^. pass ${written}$`, 'm'), output);
});
