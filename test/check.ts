/** `npm run check`: types, format and lint at the same time; what each has to say is printed when it has ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const MODULES = join(import.meta.dirname, '../node_modules');
/**
 * One checker: several would each work out the types of the libraries again, on cores that the others need. What has not
 * changed since the last run, nor anything that it imports, is not checked again.
 */
const typesOf = (project: string) => [
  'typescript/bin/tsc',
  ...['--noEmit', '--checkers', '1', '-p', project, '--incremental', '--tsBuildInfoFile'],
  join(MODULES, '.cache/types', `${project.replaceAll(/\W/g, '-')}.tsbuildinfo`),
];
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  types: typesOf('.'),
  'types of the pages': typesOf('web'),
  'types of their tests': typesOf('test/web'),
  format: ['@biomejs/biome/bin/biome', 'check'],
  lint: ['oxlint/bin/oxlint', '--type-aware', '--deny-warnings', 'src', 'test', 'bench', 'build', 'web'],
};

/**
 * Of types and lint, which are written in Go: their memory lasts for the seconds that they run, so nothing is collected,
 * and each thread more of the lint has a checker of its own, which works out the same types again.
 */
const ENVIRONMENT = {
  ...process.env,
  GOGC: 'off',
  GOMAXPROCS: String(Math.ceil(availableParallelism() / 4)),
};

async function passes(name: string, [program, ...args]: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [join(MODULES, program!), ...args], {
    cwd: join(MODULES, '..'),
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  console.log(`${name}: ${code === 0 ? 'passed' : `failed with code ${code}`}\n${output}`.trimEnd());
  return code === 0;
}

const results = await Promise.all(Object.entries(CHECKS).map(([name, command]) => passes(name, command)));
process.exitCode = results.every(Boolean) ? 0 : 1;
