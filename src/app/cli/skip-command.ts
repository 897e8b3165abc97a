/** `bourse skip-command`: lets the exchange start without a command that it cannot apply. */
import { type Command, Option } from 'commander';
import { dataDirectory } from '../config/memory-mode.ts';
import { ConfigError } from '../exit-codes.ts';
import { painter } from '../terminal/colour.ts';
import { configOf, describedCommand, withSettings } from './command-line.ts';
import { facts, operatorName, show } from './operator-command.ts';

export function skipCommand(): Command {
  const command = describedCommand(
    'skip-command',
    'Skips the command that the exchange cannot apply; the exchange must not be running.',
    [
      'bourse skip-command 40213                        the number that the refused start printed',
      'bourse skip-command 40213 --data /var/bourse     the exchange in another directory',
    ],
  )
    .argument('<number>', 'sequence number of the command')
    .addOption(new Option('--json', 'print one JSON document').helpGroup('Output:'))
    .addOption(new Option('--by <name>', 'operator for the audit log [you]').helpGroup('Operator:'));
  return withSettings(command, ['data', 'history', 'color']).action(async () => {
    const resolved = await configOf(command);
    const { config } = resolved;
    const data = dataDirectory(resolved);
    const [text] = command.args;
    if (!/^[1-9][0-9]{0,14}$/.test(text!))
      throw new ConfigError(`${JSON.stringify(text)} must be the number of a command`);
    const { skipLoggedCommand } = await import('../start/skip-command.ts');
    const done = await skipLoggedCommand({ ...config, data }, Number(text), operatorName(command));
    const contents = JSON.stringify(done.command, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const shown = {
      json: { ...done, command: JSON.parse(contents) },
      text: (paint: ReturnType<typeof painter>) => [
        ...facts(paint, [
          ['skipped', `command ${done.seq}: ${contents}`],
          ['failed with', done.reason],
          ['recorded as', `command ${done.recordedAs}, and in the audit log`],
        ]),
        'The next start goes on without it. Keep a copy of the data directory: it shows the defect.',
      ],
    };
    show(shown, command, painter(config.color, process.stdout));
  });
}
