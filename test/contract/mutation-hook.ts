/**
 * Loaded before the exchange by `mutate.ts` (`node --import`): one source file is read with one change, which is nowhere
 * on disk. Threads load it as well.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

interface Change {
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

const change = JSON.parse(process.env.BOURSE_MUTATION ?? 'null') as Change | null;

if (change !== null) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/${change.file}`)) return loaded;
      const source = readFileSync(fileURLToPath(url), 'utf8');
      if (!source.includes(change.find)) throw new Error(`${change.file} does not hold: ${change.find}`);
      return { ...loaded, source: source.replace(change.find, () => change.put) };
    },
  });
}
