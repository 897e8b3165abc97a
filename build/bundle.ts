/**
 * The program in few files: it starts from them in two thirds of the time that reading every module of `src` takes. The
 * directory has the layout of the source tree (`src/program-files.ts`).
 */
import { cpSync, globSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');

/** The programs, and the threads they start. */
export const PROGRAM: readonly string[] = [
  'src/main.ts',
  'src/bourse.ts',
  ...globSync('src/**/*-worker.ts', { cwd: ROOT }).map((file) => file.replaceAll('\\', '/')),
];

/** What is read and not imported. */
const FILES = [
  ...['catalogue', 'launch', 'launch.cjs', 'package.json', 'scenarios', 'timewarp'],
  'src/history/migrations',
  'src/history/postgres/migrations',
  'web/dist',
];

/** Parts in C++ that packages load where they are installed, and do without where not. */
const OPTIONAL = new Set(['bufferutil', 'pg-cloudflare', 'pg-native', 'utf-8-validate']);
const PACKAGE = /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

export interface BundleOptions {
  /** With the packages that the program uses, for an installation without others. */
  readonly whole?: boolean;
  readonly sourceMaps?: boolean;
}

/**
 * Each entry is found under its own name, with the ending of code that needs no compiler. Returns the directories of the
 * packages that are in it.
 */
export async function bundle(
  directory: string,
  entries: readonly string[],
  { whole = false, sourceMaps = false }: BundleOptions = {},
): Promise<readonly string[]> {
  await using modules = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), join(ROOT, file)])),
    platform: 'node',
    // Packages and modules of Node: whatever is not named by its place.
    external: (name) => (whole ? isBuiltin(name) || OPTIONAL.has(name) : !/^[./]|^[A-Za-z]:/.test(name)),
  });
  const { output } = await modules.write({
    dir: directory,
    format: 'esm',
    sourcemap: sourceMaps,
    entryFileNames: '[name].js',
    // What several entries share, `src/program-files.ts` among it, which counts on its place.
    chunkFileNames: 'src/[name]-[hash].js',
    ...(whole && { codeSplitting: { groups: [{ name: packageOf, debugName: 'packages', test: PACKAGE }] } }),
  });
  for (const file of FILES) cpSync(join(ROOT, file), join(directory, file), { recursive: true });
  const files = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  return [
    ...new Set(files.flatMap((file) => file.match(new RegExp(`^.*${PACKAGE.source}`))?.[0] ?? [])),
  ].sort();
}

function packageOf(file: string): string {
  return `package-${PACKAGE.exec(file)![1]!.replaceAll(/[@\\/]+/g, '-')}`;
}
