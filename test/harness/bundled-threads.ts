/**
 * Loaded into a test process that runs exchanges from the sources: their threads, and forks that are processes, begin from
 * the bundle of the run. Half of what a thread costs is to load its modules one by one.
 */
import { pathToFileURL } from 'node:url';
import { THREADS } from '../../src/program-files.ts';

const bundle = process.env.TEST_PROGRAM;
if (bundle !== undefined) Object.assign(THREADS, { root: pathToFileURL(`${bundle}/`), code: '.js' });
