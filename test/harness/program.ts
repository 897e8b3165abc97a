/**
 * The program as tests start it in processes of their own: the bundle that `test/run.ts` made for the whole run, else the
 * sources.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '../..');

/**
 * A program, a host of programs, or what is loaded before one of them and changes modules of it; named from the root, as
 * a source. All are of one kind, because modules of a bundle and modules of the sources are not the same.
 */
export function programModule(source: string): string {
  const bundle = process.env.TEST_PROGRAM;
  return bundle === undefined ? join(ROOT, source) : join(bundle, source.replace(/ts$/, 'js'));
}

/** The same for `--import`. */
export const programUrl = (source: string): string => pathToFileURL(programModule(source)).href;

/**
 * With them Node tells of a failure by the line of the source. Reading the maps costs each process a sixth of its start,
 * so that `test/run.ts` asks for them when files are named, and not for the whole suite.
 */
export const SOURCE_LINES: readonly string[] =
  process.env.TEST_SOURCE_LINES === undefined ? [] : ['--enable-source-maps'];
