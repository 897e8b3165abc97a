/** How the program is called in a terminal: by its name where the package is installed, through npm in a checkout. */
import { IS_INSTALLED } from './version.ts';

/** `-s` suppresses npm's own output. */
export const BOURSE = IS_INSTALLED ? 'bourse' : 'npm run -s bourse --';

/** A start with these options. */
export function startCall(options = ''): string {
  if (IS_INSTALLED) return `bourse start ${options}`.trimEnd();
  return options === '' ? 'npm start' : `npm start -- ${options}`;
}
