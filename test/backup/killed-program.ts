/** `bourse ...` that is killed right before a change of a file (`end-at-write.ts`). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bourse, type Ended } from '../app/bourse-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const PRELOAD = `--import=${new URL('./end-at-write.ts', import.meta.url).href}`;

/** Resolves when it has ended, killed or not. */
export function killedAt(change: number, args: readonly string[]): Promise<Ended> {
  return bourse(args, { env: { NODE_OPTIONS: PRELOAD, KILL_AT: String(change) } });
}

/** How many changes the program makes when nobody kills it. */
export async function changesOf(args: readonly string[]): Promise<number> {
  const file = join(temporaryDirectory(), 'changes');
  const ended = await bourse(args, { env: { NODE_OPTIONS: PRELOAD, COUNT_CHANGES: file } });
  if (ended.code !== 0) throw new Error(`bourse ${args.join(' ')}: ${ended.output}`);
  return Number(readFileSync(file, 'utf8'));
}
