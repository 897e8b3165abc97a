/** `bourse cluster import`: an exchange of one machine becomes a cluster. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { placeOf } from '../../../cluster/postgres/address.ts';
import type { Durability } from '../../../cluster/postgres/durability-checks.ts';
import { startCall } from '../../../program-name.ts';
import { dataDirectory } from '../../config/memory-mode.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { count, counted } from '../../terminal/format.ts';
import { configOf } from '../command-line.ts';
import { facts, show, when } from '../operator-command.ts';
import { addressOf, clusterCommand } from './command.ts';
import { DURABILITY } from './init.ts';

export function clusterImportCommand(): Command {
  const command = clusterCommand(
    'import',
    'Moves a stopped exchange of one machine into a cluster: state, history, users, keys, audit log.',
    ['bourse cluster import postgres://bourse@db1,db2/bourse --data ./data --keys ./keys'],
    ['data'],
  )
    .requiredOption('--keys <dir>', 'a new folder for the keys that all nodes share')
    .addOption(DURABILITY());
  return command.action(async () => {
    process.umask(0o077);
    const resolved = await configOf(command, ['data', 'color']);
    const data = dataDirectory(resolved);
    const { importExchange } = await import('../../cluster/import.ts');
    const address = await addressOf(command);
    const { keys, clusterDurability } = command.opts<{ keys: string; clusterDurability: Durability }>();
    const report = (text: string) => process.stderr.write(`${text}\n`);
    const durability = clusterDurability;
    const made = await importExchange({ address, data, keys: resolve(keys), durability, report });
    const ahead = made.time - Date.now();
    const text = (paint: Paint) => [
      ...facts(paint, [
        ['cluster', placeOf(address)],
        ['from', data],
        ['holds', `everything up to command ${count(made.lastSeq)}, ${when(made.time)}`],
        ['accounts', count(made.accounts)],
        ['audit log', counted(made.auditLines, 'line')],
        ['hash before', made.hashBefore],
        ['hash after', made.hashAfter],
        ['keys', resolve(keys)],
      ]),
      ...(ahead > 5_000
        ? [
            paint(
              'yellow',
              `the exchange's time is ${count(Math.round(ahead / 1000))} s ahead of the clock and stands still until then`,
            ),
          ]
        : []),
      `${data} is as it was. Do not start it again: the cluster goes on with its accounts and numbers.`,
      `start a node on each machine: ${startCall(`--cluster ${placeOf(address)} --node a --keys ${keys}`)}`,
    ];
    const json = { cluster: placeOf(address), data, keys: resolve(keys), ...made };
    show({ json, text }, command, painter(resolved.config.color, process.stdout));
  });
}
