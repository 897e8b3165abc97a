/** The version of the program, from package.json. */
import { readFileSync } from 'node:fs';
import { programFile } from './program-files.ts';

const manifest = JSON.parse(readFileSync(programFile('package.json'), 'utf8')) as {
  version: string;
};
export const VERSION = manifest.version;
