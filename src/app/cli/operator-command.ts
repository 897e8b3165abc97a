/** Common parts of all commands to a running exchange: endpoint, operator's name, output. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { OPERATOR_NAME } from '../../admin/audit-reference.ts';
import { defaultOperator } from '../../admin/default-operator.ts';
import type { Config, SettingName } from '../config/settings.ts';
import { ConfigError, type ExitCode } from '../exit-codes.ts';
import { type Paint, painter } from '../terminal/colour.ts';
import { textTable } from '../terminal/format.ts';
import { configOf, describedCommand, withSettings } from './command-line.ts';
import { endpointAt, endpointIn, endpointOf, OperatorClient } from './operator-client.ts';

const SETTINGS_USED: readonly SettingName[] = ['data', 'color'];
/** Here it is read: its help says so, so it is not added with the others. */
export const READY_FILE: readonly SettingName[] = ['readyFile'];

/** A result as JSON and as text, rendered only when it is printed. */
export interface Shown {
  readonly json: unknown;
  readonly text: (paint: Paint) => readonly string[];
  /** For a result that was shown and is a failure. Default: 0. */
  readonly exitCode?: ExitCode;
}

export type Work = (client: OperatorClient, command: Command) => Promise<Shown>;

/** A command that calls the running exchange; the caller adds its arguments and options. */
export function operatorCommand(
  name: string,
  description: string,
  examples: readonly string[],
  work: Work,
): Command {
  const command = describedCommand(name, description, examples)
    .addOption(new Option('--json', 'print one JSON document').helpGroup('Output:'))
    .addOption(new Option('--by <name>', 'operator for the audit log [you]').helpGroup('Operator:'))
    .addOption(
      new Option('--operator <url>', "URL of the operator's listener [as the data directory says]").helpGroup(
        'Operator:',
      ),
    )
    .addOption(new Option('--token-file <file>', 'token for that listener').helpGroup('Operator:'))
    .addOption(
      new Option('--ready-file <file>', 'as the exchange has written it: names listener and token').helpGroup(
        'Operator:',
      ),
    );
  return withSettings(command, SETTINGS_USED).action(async () => {
    const { config } = await configOf(command, [...SETTINGS_USED, ...READY_FILE]);
    const shown = await work(clientOf(command, config), command);
    show(shown, command, painter(config.color, process.stdout));
    if (shown.exitCode !== undefined) process.exitCode = shown.exitCode;
  });
}

export function show({ json, text }: Shown, command: Command, paint: Paint): void {
  const lines = command.getOptionValue('json') === true ? [JSON.stringify(json)] : text(paint);
  process.stdout.write(`${lines.join('\n')}\n`);
}

function clientOf(command: Command, { data, port, readyFile }: Config): OperatorClient {
  const { operator, tokenFile } = command.opts<{ operator?: string; tokenFile?: string }>();
  const by = operatorName(command);
  const file = tokenFile === undefined ? undefined : resolve(tokenFile);
  if (operator !== undefined) return new OperatorClient(endpointAt(operator, file), by);
  return new OperatorClient(readyFile === '' ? endpointIn(data, port) : endpointOf(readyFile), by);
}

/** The operator's name for the audit log. */
export function operatorName(command: Command): string {
  const { by = defaultOperator() } = command.opts<{ by?: string }>();
  if (OPERATOR_NAME.test(by)) return by;
  throw new ConfigError(`--by ${JSON.stringify(by)} must be 1 to 64 letters, digits and . _ @ -`);
}

/** A table with a dim head, or a line for an empty one. */
export function table(
  paint: Paint,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  rightAligned: readonly number[] = [],
  nothing = 'none',
): string[] {
  if (rows.length === 0) return [paint('dim', nothing)];
  const [first, ...lines] = textTable([head, ...rows], rightAligned);
  return [paint('dim', first!), ...lines];
}

/** Options that were given, as a query of the path. */
export function withQuery(path: string, command: Command, names: readonly string[]): string {
  const given = Object.entries(command.opts<Record<string, string>>());
  const query = new URLSearchParams(given.filter(([name]) => names.includes(name)));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Names and values, one pair a line. */
export function facts(paint: Paint, pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${value}`);
}

export function when(timeMs: number): string {
  return timeMs === 0 ? 'never' : `${new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')}`;
}

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** `on` or `off`, as the last argument of a command. */
export function readSwitch(text: string): boolean {
  if (text === 'on') return true;
  if (text === 'off') return false;
  throw new ConfigError(`${JSON.stringify(text)} must be on or off`);
}
