/**
 * Where the program finds its own files that it does not import. They lie in a bundle (`build/bundle.ts`) as in the source
 * tree, this module among them; only its code ends otherwise there.
 */
import { extname } from 'node:path';

const ROOT = new URL('..', import.meta.url);

/** Where threads and processes of the program begin. Tests from the sources set a bundle of them, which loads in half the time. */
export const THREADS = { root: ROOT, code: extname(import.meta.url) };

/** A file of the program, named from its root. */
export const programFile = (path: string): URL => new URL(path, ROOT);

/** The module that a thread begins with, named from `src` and without its ending. */
export const threadModule = (path: string): URL => new URL(`src/${path}${THREADS.code}`, THREADS.root);
