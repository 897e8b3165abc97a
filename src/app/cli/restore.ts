/** `bourse restore`: makes a data directory from a backup. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { BOURSE, startCall } from '../../program-name.ts';
import { dataDirectory } from '../config/memory-mode.ts';
import { type Paint, painter } from '../terminal/colour.ts';
import { count, counted } from '../terminal/format.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { configOf, describedCommand, withSettings } from './command-line.ts';
import { facts, show, when } from './operator-command.ts';

export function restoreCommand(): Command {
  const command = describedCommand(
    'restore',
    'Makes a data directory from a backup; it never overwrites one that exists.',
    ['bourse restore /backups/monday --data /var/bourse-restored'],
  )
    .argument('<dir>', 'a backup, as bourse backup has made it')
    .addOption(new Option('--json', 'print one JSON document').helpGroup('Output:'));
  return withSettings(command, ['data', 'color']).action(async () => {
    process.umask(0o077);
    const resolved = await configOf(command, ['data', 'color']);
    const { config } = resolved;
    const data = dataDirectory(resolved);
    const directory = resolve(command.args[0]!);
    const { restoreBackup } = await import('../backup/restore.ts');
    const bar = progressBar(`restoring ${data}`, process.stderr);
    const manifest = await restoreBackup(directory, data, bar.show).finally(bar.end);
    const { moment, files } = manifest;
    const text = (paint: Paint) => [
      ...facts(paint, [
        ['restored', data],
        ['from', directory],
        ['holds', `everything up to command ${count(moment.seq)}, ${when(moment.time)}`],
        ['state hash', moment.stateHash ?? 'not worked out'],
        ['checked', `${counted(files.length, 'file')} against the hashes of the backup`],
      ]),
      `prove it: ${BOURSE} verify --data ${data}`,
      `start it: ${startCall(`--data ${data}`)}`,
    ];
    show({ json: { data, ...manifest }, text }, command, painter(config.color, process.stdout));
  });
}
