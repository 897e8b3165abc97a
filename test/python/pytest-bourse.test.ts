/** `python/pytest-bourse`: its tests, its example and its README, where Python has what they need. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocksOf, ROOT } from '../docs/blocks.ts';
import { startCommand } from '../harness/child-programs.ts';
import { programModule } from '../harness/program.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const PACKAGE = 'python/pytest-bourse';
const python = process.env.PYTHON ?? 'python3';
const folder = join(ROOT, PACKAGE);

const run = (...args: readonly string[]) =>
  startCommand(python, args, {
    cwd: folder,
    env: {
      ...process.env,
      BOURSE_COMMAND: `'${process.execPath}' '${programModule('src/bourse.ts')}'`,
      // As if it were installed, and without a trace in the tree.
      PYTHONPATH: join(folder, 'src'),
      PYTEST_PLUGINS: 'pytest_bourse.plugin',
      PYTHONDONTWRITEBYTECODE: '1',
    },
  }).ended;

/** What is missing, if something is. */
async function missing(...modules: readonly string[]): Promise<string | undefined> {
  const version = 'import sys; sys.exit("Python 3.10 or later" if sys.version_info < (3, 10) else 0)';
  const { code, output } = await run('-c', version);
  if (code !== 0) return `there is no Python 3.10 or later here (${python}): ${output.trim()}`;
  for (const module of modules)
    if ((await run('-c', `import ${module}`)).code !== 0)
      return `${python} has no ${module}: pip install ${module}`;
  return undefined;
}

async function passes(...files: readonly string[]): Promise<void> {
  const { code, output } = await run('-m', 'pytest', '-p', 'no:cacheprovider', '-q', ...files);
  assert.equal(code, 0, output);
  assert.match(output, /^\d+ passed in /m);
}

test('the tests of pytest-bourse pass', async (context) => {
  const lack = await missing('pytest');
  if (lack !== undefined) context.skip(lack);
  else await passes('tests');
});

test('so do its example and the test of its README, with ccxt', async (context) => {
  const lack = await missing('pytest', 'ccxt');
  if (lack !== undefined) return context.skip(lack);
  const [block, ...others] = blocksOf(`${PACKAGE}/README.md`).filter(({ language }) => language === 'python');
  assert.deepEqual(others, []);
  const readme = join(temporaryDirectory(), 'test_readme.py');
  writeFileSync(readme, block!.text);
  await passes('examples', readme);
});
