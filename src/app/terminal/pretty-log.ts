/** Log lines for people: seconds since the start, level, message, then the other fields. */
import type { Paint, Style } from './colour.ts';

const LEVEL_STYLES: Readonly<Record<string, Style>> = {
  trace: 'dim',
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};

interface LogRecord {
  readonly level: string;
  readonly msg?: string;
  readonly err?: { readonly message: string; readonly stack?: string };
  readonly [field: string]: unknown;
}

export class PrettyLog {
  readonly #write: (line: string) => void;
  readonly #paint: Paint;

  constructor(write: (line: string) => void, paint: Paint) {
    this.#write = write;
    this.#paint = paint;
  }

  write(line: string): void {
    const { level, time: _, msg = '', err, ...fields } = JSON.parse(line) as LogRecord;
    const since = `+${(performance.now() / 1000).toFixed(3)}`.padStart(9);
    const shown = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    const parts = [
      this.#paint('dim', since),
      this.#paint(LEVEL_STYLES[level] ?? 'dim', level.padEnd(5)),
      visible(msg),
    ];
    if (shown.length > 0) parts.push(this.#paint('dim', visible(shown.join(' '))));
    this.#write(`${parts.join('  ')}\n`);
    if (err !== undefined) this.#write(`${this.#paint('dim', visible(err.stack ?? err.message))}\n`);
  }
}

/** Text from outside must not move the cursor or colour the terminal. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => (character === '\n' ? '\n' : `\\x${hexOf(character)}`));
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}
