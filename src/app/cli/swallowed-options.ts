/**
 * `npm start --port 9000`: npm 10 and 11 take options before `--` for their own and pass them on as variables only,
 * the values of most as arguments (npm 12 rejects them itself). A start without them would start another exchange
 * than the one asked for, so the error shows what to type.
 */
import type { Command, Option } from 'commander';
import { ConfigError } from '../exit-codes.ts';

/** Options that npm has too: they were meant for npm. */
const OF_NPM: ReadonlySet<string> = new Set(['color', 'help', 'version', 'json', 'yes', 'force', 'quiet']);

/** Throws when npm took an option of the command; `rest` are the arguments that are left. */
export function refuseSwallowedOptions(
  command: Command,
  rest: readonly string[],
  environment: NodeJS.ProcessEnv,
): void {
  if (environment.npm_package_name !== 'bourse') return;
  const call = { start: 'npm start', bourse: 'npm run bourse' }[environment.npm_lifecycle_event ?? ''];
  if (call === undefined) return;
  const swallowed = command.options.flatMap((option) => swallowedBy(option, environment));
  if (swallowed.length === 0) return;
  const { words, left } = rejoined(swallowed, rest);
  const names = swallowed.map(({ name }) => `--${name}`).join(', ');
  throw new ConfigError(
    `npm kept ${names} for itself: what is meant for the exchange comes after "--". ` +
      `Type: ${[call, '--', ...left, ...words].join(' ')}`,
  );
}

interface SwallowedOption {
  /** As typed, without the dashes. */
  readonly name: string;
  /** Undefined when npm left the value, if there is one, among the arguments. */
  readonly value: string | undefined;
  /** Placeholder of the value in the help, such as `<number>`. */
  readonly placeholder: string | undefined;
}

function swallowedBy(option: Option, environment: NodeJS.ProcessEnv): SwallowedOption[] {
  const long = option.long?.slice(2) ?? '';
  const positive = long.replace(/^no-/, '');
  const value = environment[`npm_config_${positive.replaceAll('-', '_')}`];
  if (value === undefined || OF_NPM.has(positive)) return [];
  const name = value === '' || value === 'false' ? `no-${positive}` : positive;
  const given = value === 'true' || value === '' || value === 'false' ? undefined : value;
  return [{ name, value: given, placeholder: /<.*>/.exec(option.flags)?.[0] }];
}

/** The options with their values, as far as it is certain which argument belongs to which. */
function rejoined(
  swallowed: readonly SwallowedOption[],
  rest: readonly string[],
): { words: string[]; left: string[] } {
  const without = swallowed.filter(
    ({ value, placeholder }) => value === undefined && placeholder !== undefined,
  );
  const sure = without.length === 1 && rest.length > 0;
  const left = sure ? rest.slice(0, -1) : without.length === 0 ? [...rest] : rest.slice(0, -without.length);
  const words = swallowed.flatMap(({ name, value, placeholder }) => {
    const shown = value ?? (placeholder === undefined ? undefined : sure ? rest.at(-1) : placeholder);
    return shown === undefined ? [`--${name}`] : [`--${name}`, shown];
  });
  return { words, left };
}
