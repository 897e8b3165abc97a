/**
 * The program in few files: it starts from them in two thirds of the time that reading every module of `src` takes. The
 * directory has the layout of the source tree (`src/program-files.ts`); packages stay outside.
 */
import { cpSync, globSync } from 'node:fs';
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
const FILES = ['catalogue', 'launch', 'launch.cjs', 'package.json', 'src/history/migrations', 'web/dist'];

/** Each entry is found under its own name, with the ending of code that needs no compiler. */
export async function bundle(directory: string, entries: readonly string[]): Promise<void> {
  await using modules = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), join(ROOT, file)])),
    platform: 'node',
    // Packages and modules of Node: whatever is not named by its place.
    external: (name) => !/^[./]|^[A-Za-z]:/.test(name),
  });
  await modules.write({
    dir: directory,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    // What several entries share, `src/program-files.ts` among it, which counts on its place.
    chunkFileNames: 'src/[name]-[hash].js',
  });
  for (const file of FILES) cpSync(join(ROOT, file), join(directory, file), { recursive: true });
}
