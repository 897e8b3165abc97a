/** `bourse cluster init`: a new cluster in an empty database. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { placeOf } from '../../../cluster/postgres/address.ts';
import type { Durability } from '../../../cluster/postgres/durability-checks.ts';
import { BOURSE, startCall } from '../../../program-name.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { configOf } from '../command-line.ts';
import { facts, show } from '../operator-command.ts';
import { addressOf, clusterCommand, serverLine } from './command.ts';

export const DURABILITY = () =>
  new Option(
    '--cluster-durability <standby|service|single>',
    'how a committed command survives the loss of a machine',
  )
    .choices(['standby', 'service', 'single'])
    .default('standby');

export function clusterInitCommand(): Command {
  const command = clusterCommand('init', 'Makes a cluster in an empty database.', [
    'bourse cluster init postgres://bourse@db1,db2/bourse --keys ./keys',
    'bourse cluster init postgres://bourse@localhost/bourse --keys ./keys --cluster-durability single    a trial',
  ])
    .requiredOption('--keys <dir>', 'folder of the keys that all nodes share; made when it is not there')
    .addOption(DURABILITY());
  return command.action(async () => {
    process.umask(0o077);
    const { config } = await configOf(command, ['color']);
    const { initCluster } = await import('../../cluster/init.ts');
    const address = await addressOf(command);
    const { keys, clusterDurability } = command.opts<{ keys: string; clusterDurability: Durability }>();
    const folder = resolve(keys);
    const made = await initCluster(address, folder, clusterDurability);
    const text = (paint: Paint) => [
      ...facts(paint, [
        ['cluster', placeOf(address)],
        ['instance', made.instance],
        ...made.servers.map((server) => ['server', serverLine(server)] as const),
        ['durability', DURABLE[clusterDurability]],
        ['keys', keysLine(folder, made.keysMade)],
      ]),
      ...made.advice.map((each) => paint('yellow', `advice: ${each}`)),
      'Copy the keys folder to every machine that runs a node; keep it secret, and keep a copy: nothing opens API secrets without it.',
      `start a node on each machine: ${startCall(`--cluster ${placeOf(address)} --node a --keys ${keys}`)}`,
      `look at it: ${BOURSE} cluster status ${placeOf(address)}`,
    ];
    show(
      { json: { cluster: placeOf(address), keys: folder, ...made }, text },
      command,
      painter(config.color, process.stdout),
    );
  });
}

const DURABLE: Readonly<Record<Durability, string>> = {
  standby: 'a command is answered when it is on two machines',
  service: 'as the storage of the service promises',
  single: 'ONE COPY: the loss of the server loses everything; for trials',
};

function keysLine(folder: string, made: readonly string[]): string {
  return made.length === 0 ? `${folder}, as they were` : `${folder}, new: ${made.join(', ')}`;
}
