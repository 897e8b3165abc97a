/**
 * What an operator can do: for each action its fields, the request, the equal `bourse` command and, for a dangerous one,
 * what must be typed before it is sent. No DOM: a test gives each command to the command line and compares the requests.
 */
import { accountActions } from './actions/accounts.ts';
import type { Action, Values } from './actions/action.ts';
import { exchangeActions } from './actions/exchange.ts';
import { labActions } from './actions/lab.ts';
import { marketActions } from './actions/markets.ts';
import { moneyActions } from './actions/money.ts';

export { type Action, CATEGORIES, CONTRACTS, type Field, type Values } from './actions/action.ts';

export const ACTIONS = {
  ...exchangeActions,
  ...marketActions,
  ...accountActions,
  ...moneyActions,
  ...labActions,
} as const;

export type ActionName = keyof typeof ACTIONS;

/** As one types it in a shell. */
export function commandLine(args: readonly string[]): string {
  return ['bourse', ...args.map(quoted)].join(' ');
}

function quoted(text: string): string {
  return /^[\w./:@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What a form begins with: what the page knows, else the first choice. */
export function firstValues(action: Action, given: Values): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, first, options } of action.fields)
    values[name] = given[name] ?? first ?? options?.[0] ?? '';
  return values;
}

export function isComplete(action: Action, values: Values): boolean {
  return action.fields.every(
    ({ name, optional, json }) =>
      optional === true || (json === true ? isEntry(values[name]!) : values[name] !== ''),
  );
}

function isEntry(text: string): boolean {
  try {
    const entry: unknown = JSON.parse(text);
    return typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  } catch {
    return false;
  }
}
