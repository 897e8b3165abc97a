/** Files that the user has asked a command to write. */
import { resolve } from 'node:path';
import { replaceFile } from '../../storage/durable-file.ts';
import { ConfigError } from '../exit-codes.ts';

/** Returns its absolute path. Throws ConfigError where no file can be written. */
export function writeOutput(
  option: string,
  file: string,
  contents: string | Uint8Array,
  write: (path: string, contents: string | Uint8Array) => void = replaceFile,
): string {
  const path = resolve(file);
  try {
    write(path, contents);
  } catch (error) {
    throw new ConfigError(`${option} ${path} cannot be written: ${(error as Error).message}`);
  }
  return path;
}
