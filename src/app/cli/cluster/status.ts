/** `bourse cluster status`: engine, log, nodes, duties and snapshots of a cluster. */
import type { Command } from 'commander';
import { placeOf } from '../../../cluster/postgres/address.ts';
import type { ClusterStatus, NodeView } from '../../cluster/status.ts';
import { ExitCode } from '../../exit-codes.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { count, counted } from '../../terminal/format.ts';
import { configOf } from '../command-line.ts';
import { facts, show, table } from '../operator-command.ts';
import { addressOf, clusterCommand, serverLine } from './command.ts';

export function clusterStatusCommand(): Command {
  const command = clusterCommand('status', 'Shows nodes, lag, hashes, duties and the engine of a cluster.', [
    'bourse cluster status postgres://bourse@db1,db2/bourse',
    'bourse cluster status postgres://bourse@db1,db2/bourse --json | jq .warnings',
  ]);
  return command.action(async () => {
    const { config } = await configOf(command, ['color']);
    const { withPrimary } = await import('../../cluster/database.ts');
    const { clusterStatus } = await import('../../cluster/status.ts');
    const address = await addressOf(command);
    const status = await withPrimary(address, clusterStatus);
    const text = (paint: Paint) => statusText(placeOf(address), status, paint);
    show(
      { json: { cluster: placeOf(address), ...status }, text },
      command,
      painter(config.color, process.stdout),
    );
    if (status.diverged) process.exitCode = ExitCode.damaged;
  });
}

function statusText(place: string, status: ClusterStatus, paint: Paint): string[] {
  const { log, servers, standbys, nodes, duties, snapshots } = status;
  return [
    ...facts(paint, [
      ['cluster', place],
      ['instance', status.instance],
      ...servers.map((server) => ['server', serverLine(server)] as const),
      ...standbys.map(
        ({ name, sync, state, behindBytes }) =>
          ['standby', `${name}: ${sync}, ${state}, ${count(behindBytes)} bytes behind`] as const,
      ),
      ['copies', status.copies === 'standby' ? 'two: primary and standby' : paint('red', 'ONE COPY')],
      ['log', `${counted(log.packs, 'pack')}, ${counted(log.commands, 'command')}${age(log.lastMsAgo)}`],
      ['size', `${megabytes(log.bytes)} of log, ${megabytes(status.databaseBytes)} in all`],
    ]),
    '',
    ...table(paint, NODE_HEAD, nodes.map(nodeRow), [4, 5, 6], 'no node has joined yet'),
    '',
    ...table(
      paint,
      ['duty', 'node', 'epoch', 'until'],
      duties.map(({ name, node, epoch, leftMs }) => [
        name,
        node,
        String(epoch),
        leftMs > 0 ? `in ${leftMs} ms` : 'over',
      ]),
      [2],
      'no duty is taken',
    ),
    '',
    ...table(
      paint,
      ['snapshot', 'command', 'edition', 'size', ''],
      snapshots.map(({ pack, command, edition, bytes, whole }) => [
        `pack ${count(pack)}`,
        count(command),
        String(edition),
        megabytes(bytes),
        whole ? 'whole' : 'being written',
      ]),
      [1, 2, 3],
      'no snapshot yet',
    ),
    ...(status.warnings.length === 0 ? [] : ['']),
    ...status.warnings.map((each) => paint(status.diverged ? 'red' : 'yellow', each)),
  ];
}

const NODE_HEAD = ['node', 'role', 'address', 'version', 'rules', 'command', 'behind', 'seen', 'state'];

function nodeRow({
  name,
  role,
  url,
  version,
  editionMax,
  appliedCommand,
  behindPacks,
  seenMsAgo,
  ...node
}: NodeView): string[] {
  const hash = node.hash === null ? '-' : `${node.hash.slice(0, 12)} after pack ${count(node.hashPack!)}`;
  return [
    name,
    role,
    url,
    version,
    String(editionMax),
    count(appliedCommand),
    count(behindPacks),
    node.live ? 'now' : seenMsAgo === null ? 'left' : `${Math.round(seenMsAgo / 1000)} s ago`,
    hash,
  ];
}

function age(ms: number | null): string {
  return ms === null ? '' : `, the last ${count(Math.max(0, ms))} ms ago`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
