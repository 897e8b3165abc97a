/** A history in memory as files, for an exchange in a process of its own. */
import { replaceFile } from '../storage/durable-file.ts';
import { GeneratedFile, generatedPath } from './generated-file.ts';
import type { HistoryContents } from './history.ts';

/** With the file of the generated past beside it. */
export function writeHistoryFile(path: string, { bytes, generated }: HistoryContents): void {
  const file = new GeneratedFile(generatedPath(path));
  try {
    if (generated !== undefined) file.addBooks(generated);
    file.commit();
  } finally {
    file.close();
  }
  replaceFile(path, bytes);
}
