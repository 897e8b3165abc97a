/** What package.json says of the program. */
import { readFileSync } from 'node:fs';
import { programFile } from './program-files.ts';

const manifest = JSON.parse(readFileSync(programFile('package.json'), 'utf8')) as {
  version: string;
  private?: boolean;
};
export const VERSION = manifest.version;
/** Only the manifest of the repository is private: a checkout, or a bundle of it in tests. */
export const IS_INSTALLED = manifest.private !== true;
