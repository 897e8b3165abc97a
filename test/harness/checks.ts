/** Types, format and lint, all at the same time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const MODULES = join(import.meta.dirname, '../../node_modules');
/**
 * One checker: several would each work out the types of the libraries again, on cores that the others need. What has not
 * changed since the last run, nor anything that it imports, is not checked again.
 */
const typesOf = (project: string) => [
  'typescript/bin/tsc',
  ...['--noEmit', '--checkers', '1', '-p', project, '--incremental', '--tsBuildInfoFile'],
  join(MODULES, '.cache/types', `${project.replaceAll(/\W/g, '-')}.tsbuildinfo`),
];
const CHECKS = {
  types: typesOf('.'),
  'types of the pages': typesOf('web'),
  'types of their tests': typesOf('test/web'),
  format: ['@biomejs/biome/bin/biome', 'check'],
  lint: ['oxlint/bin/oxlint', '--type-aware', '--deny-warnings', 'src', 'test', 'bench', 'build', 'web'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * Of types and lint, which are written in Go: their memory lasts for the seconds that they run, so nothing is collected,
 * and each thread more of the lint has a checker of its own, which works out the same types again.
 */
const ENVIRONMENT = {
  ...process.env,
  GOGC: 'off',
  GOMAXPROCS: String(Math.ceil(availableParallelism() / 4)),
};

export interface Checked {
  readonly passed: boolean;
  /** What it has to say. */
  readonly report: string;
}

export interface Checks {
  /** By far the longest, of one thread. */
  readonly lint: Promise<Checked>;
  readonly others: readonly Promise<Checked>[];
}

export function startChecks(): Checks {
  const { lint, ...others } = CHECKS;
  return {
    lint: checked('lint', lint),
    others: Object.entries(others).map(([name, command]) => checked(name, command)),
  };
}

async function checked(name: string, [program, ...args]: readonly string[]): Promise<Checked> {
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
  const report = `${name}: ${code === 0 ? 'passed' : `failed with code ${code}`}\n${output}`.trimEnd();
  return { passed: code === 0, report };
}

/** Whether all have passed; what each has to say is printed when it has ended. */
export async function allPass(checks: readonly Promise<Checked>[]): Promise<boolean> {
  const printed = checks.map((check) =>
    check.then(({ passed, report }) => {
      console.log(report);
      return passed;
    }),
  );
  return (await Promise.all(printed)).every(Boolean);
}
