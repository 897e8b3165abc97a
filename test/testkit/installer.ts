/**
 * `npm init` and `npm install` of a user, without npm and the registry: this checkout is the package `bourse`, and ccxt is the
 * one that it has. That the packed file installs and runs is tested where it is made.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGES: Readonly<Record<string, string>> = { bourse: ROOT, ccxt: join(ROOT, 'node_modules/ccxt') };

/** What the folder's manifest depends on. */
export function installInto(folder: string): void {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  for (const [name, directory] of Object.entries(PACKAGES))
    symlinkSync(directory, join(folder, 'node_modules', name), 'dir');
  symlinkSync(join(ROOT, 'bourse.cjs'), join(folder, 'node_modules/.bin/bourse'));
}

/** A PATH on which `npm init -y` and `npm install --save-dev bourse ccxt` do that, with the Node of the tests. */
export function pathWithInstaller(): string {
  const directory = temporaryDirectory();
  const links = Object.entries(PACKAGES).map(([name, from]) => `ln -s '${from}' node_modules/${name}`);
  const script = `#!/bin/sh
case "$*" in
  "init -y") echo '{}' > package.json ;;
  "install --save-dev bourse ccxt") mkdir node_modules; ${links.join('; ')} ;;
  *) echo "no npm $* here" >&2; exit 1 ;;
esac
`;
  writeFileSync(join(directory, 'npm'), script, { mode: 0o755 });
  return [directory, join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
}
