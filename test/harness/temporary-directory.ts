/** Directories of a test file, gone with its process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

process.on('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bourse-test-'));
  made.push(directory);
  return directory;
}
