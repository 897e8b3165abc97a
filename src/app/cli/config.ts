/** `bourse config`: the effective settings, and with `--explain` the source of each. */
import type { Command } from 'commander';
import { explainSettings, type ResolvedConfig } from '../config/resolve-config.ts';
import { shownConfig } from '../config/settings.ts';
import { type Paint, painter } from '../terminal/colour.ts';
import { textTable } from '../terminal/format.ts';
import { configOf, describedCommand, withSettings } from './command-line.ts';

export function configCommand(): Command {
  const command = describedCommand('config', 'Shows the configuration that a start would use.', [
    'bourse config --explain              each value and where it came from',
    'bourse config --port 9000            what a start with this flag would use, in the form of a configuration file',
  ]).option('--explain', 'show where each value came from');
  return withSettings(command).action(async () => {
    const resolved = await configOf(command);
    const { stdout } = process;
    const explain = command.getOptionValue('explain') === true;
    const json = `${JSON.stringify(shownConfig(resolved.config), undefined, 2)}\n`;
    stdout.write(explain ? explanation(resolved, painter(resolved.config.color, stdout)) : json);
  });
}

function explanation(resolved: ResolvedConfig, paint: Paint): string {
  const head = ['setting', 'value', 'from', 'flag', 'environment'];
  const rows = explainSettings(resolved).map(({ name, value, from, flag, environment }) => [
    name,
    value,
    from,
    flag,
    environment,
  ]);
  const [first, ...lines] = textTable([head, ...rows]);
  return `${[paint('dim', first!), ...lines].join('\n')}\n`;
}
