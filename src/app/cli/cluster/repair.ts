/** `bourse cluster repair`: what the log still has when the database has lost a part of it, and the way on. */
import { type Command, Option } from 'commander';
import { placeOf } from '../../../cluster/postgres/address.ts';
import type { Repaired } from '../../cluster/repair.ts';
import { ExitCode } from '../../exit-codes.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { count, counted } from '../../terminal/format.ts';
import { configOf } from '../command-line.ts';
import { facts, show, table } from '../operator-command.ts';
import { addressOf, clusterCommand } from './command.ts';

export function clusterRepairCommand(): Command {
  const command = clusterCommand(
    'repair',
    'Checks the log of a cluster whose nodes have stopped because packs are lost, puts back those that nodes have kept, or lets nodes start without them.',
    [
      'bourse cluster repair postgres://bourse@db1,db2/bourse                  looks, and changes nothing',
      'bourse cluster repair postgres://bourse@db1,db2/bourse --put-back       puts lost packs back that nodes have kept',
      'bourse cluster repair postgres://bourse@db1,db2/bourse --accept-loss    nodes may start from what is left',
    ],
  )
    .addOption(
      new Option(
        '--put-back',
        'put lost packs back that nodes have kept; every node must be stopped',
      ).conflicts('acceptLoss'),
    )
    .addOption(new Option('--accept-loss', 'give up what the database has lost; every node must be stopped'));
  return command.action(async () => {
    const { config } = await configOf(command, ['color']);
    const { repairCluster } = await import('../../cluster/repair.ts');
    const address = await addressOf(command);
    const isGiven = (option: string) => command.getOptionValue(option) === true;
    const act = isGiven('putBack') ? 'put back' : isGiven('acceptLoss') ? 'accept loss' : 'look';
    const found = await repairCluster(address, act);
    const text = (paint: Paint) => repairText(found, paint);
    show(
      { json: { cluster: placeOf(address), ...found }, text },
      command,
      painter(config.color, process.stdout),
    );
    if (found.accepted === undefined && isDamaged(found)) process.exitCode = ExitCode.damaged;
  });
}

const isDamaged = ({ broken, ahead, beside }: Repaired) =>
  broken !== undefined || ahead.length > 0 || beside.missing.length > 0;

function repairText(found: Repaired, paint: Paint): string[] {
  const { firstPack, lastPack, lastCommand, broken, snapshots, ahead, lostPacks, historyCommand } = found;
  return [
    ...facts(paint, [
      [
        'log',
        lastPack === 0
          ? 'no pack yet'
          : `packs ${count(firstPack)} to ${count(lastPack)}, up to command ${count(lastCommand)}`,
      ],
      [
        'chain',
        broken === undefined ? paint('green', 'every pack follows the one before it') : paint('red', broken),
      ],
      ['history', `up to command ${count(historyCommand)}`],
      ...(found.beside.kept === 0 ? [] : [['kept', besideText(found)] as const]),
    ]),
    '',
    ...table(
      paint,
      ['snapshot', ''],
      snapshots.map(({ pack, fits, reason }) => [`pack ${count(pack)}`, fits ? 'fits the log' : reason!]),
      [],
      'no snapshot',
    ),
    ...(ahead.length === 0
      ? []
      : [
          '',
          ...table(
            paint,
            ['node', 'applied', 'command'],
            ahead.map(({ name, appliedPack, appliedCommand }) => [
              name,
              `pack ${count(appliedPack)}`,
              count(appliedCommand),
            ]),
          ),
        ]),
    '',
    ...wayOn(found, counted(lostPacks, 'pack')),
  ];
}

function besideText({ beside: { kept, missing } }: Repaired): string {
  const all = `${counted(kept, 'pack')} beside the log`;
  return missing.length === 0
    ? `${all}; the log needs none of them`
    : `${all}; the log lacks ${spanOf(missing)}`;
}

function spanOf(numbers: readonly number[]): string {
  const [first, last] = [numbers[0]!, numbers.at(-1)!];
  const isRow = last - first === numbers.length - 1 && numbers.length > 1;
  return isRow ? `packs ${count(first)} to ${count(last)}` : counted(numbers.length, 'pack');
}

function wayOn({ putBack, accepted, broken, ahead, live, beside }: Repaired, lost: string): string[] {
  if (putBack !== undefined && broken === undefined && ahead.length === 0)
    return [
      `put back: ${spanOf(putBack.missing)}. Start the nodes.`,
      ...(putBack.replaced.length === 0
        ? []
        : [
            `${spanOf(putBack.replaced)} of the log were in their place and are kept beside it (bourse_cluster.kept_pack): what they`,
            'did is not done. Clients must ask for the orders whose answers they had.',
          ]),
    ];
  if (accepted === undefined && beside.missing.length > 0)
    return [
      `Nodes have kept ${spanOf(beside.missing)}, which the log lacks.`,
      ...(beside.replaced.length === 0
        ? []
        : [
            `The log has ${spanOf(beside.replaced)} in their place, of a shorter chain: they would be kept beside it.`,
          ]),
      `1. stop every node${live.length === 0 ? '' : ` (${live.map(({ name }) => name).join(', ')} runs)`};`,
      '2. run this command with --put-back;',
      '3. start the nodes.',
    ];
  if (accepted !== undefined)
    return [
      `accepted: ${counted(accepted.snapshots.length, 'snapshot')} kept aside, ${counted(accepted.nodes.length, 'row')} of nodes removed. Start the nodes.`,
      'Clients must ask for the orders whose answers they had: those in the lost packs do not exist.',
    ];
  if (broken !== undefined)
    return [
      'The log is damaged in its middle. Restore the database from a backup of its own, or an export with "cluster import".',
    ];
  if (ahead.length === 0) return ['Nothing is lost, as far as the nodes have reported.'];
  return [
    `The database has lost at least ${lost} that nodes had executed, and no node could keep them.`,
    'If a server still has them, stop the nodes and make it the primary. Else:',
    `1. stop every node${live.length === 0 ? '' : ` (${live.map(({ name }) => name).join(', ')} runs)`};`,
    '2. run this command with --accept-loss;',
    '3. start the nodes: they begin with a snapshot and the packs that are left.',
  ];
}
