/** `bourse cluster export`: a cluster as the data directory of one machine. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { placeOf } from '../../../cluster/postgres/address.ts';
import { BOURSE, startCall } from '../../../program-name.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { count, counted } from '../../terminal/format.ts';
import { configOf } from '../command-line.ts';
import { facts, show, when } from '../operator-command.ts';
import { addressOf, clusterCommand } from './command.ts';

export function clusterExportCommand(): Command {
  const command = clusterCommand(
    'export',
    'Copies a cluster into a data directory, which can be verified, kept, or started alone.',
    ['bourse cluster export postgres://bourse@db1,db2/bourse --data ./copy --keys ./keys'],
  )
    .requiredOption('--data <dir>', 'a new directory')
    .requiredOption('--keys <dir>', 'the keys of the cluster');
  return command.action(async () => {
    process.umask(0o077);
    const { config } = await configOf(command, ['color']);
    const { exportExchange } = await import('../../cluster/export.ts');
    const address = await addressOf(command);
    const given = command.opts<{ keys: string; data: string }>();
    const [data, keys] = [resolve(given.data), resolve(given.keys)];
    const report = (text: string) => process.stderr.write(`${text}\n`);
    const made = await exportExchange({ address, data, keys, report });
    const text = (paint: Paint) => [
      ...facts(paint, [
        ['exported', data],
        ['from', placeOf(address)],
        ['holds', `everything up to command ${count(made.lastSeq)}, ${when(made.time)}`],
        ['accounts', count(made.accounts)],
        ['audit log', counted(made.auditLines, 'line')],
        ['state hash', made.stateHash],
      ]),
      'It contains API secrets and their keys: keep it where only you can read it.',
      `prove it: ${BOURSE} verify --data ${data}`,
      `start it alone, when the cluster has ended: ${startCall(`--data ${data}`)}`,
    ];
    const json = { cluster: placeOf(address), data, ...made };
    show({ json, text }, command, painter(config.color, process.stdout));
  });
}
