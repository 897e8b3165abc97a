/** `bourse cluster upgrade`: all nodes change to the newest edition of the rules at the same command. */
import { type Command, Option } from 'commander';
import { placeOf } from '../../../cluster/postgres/address.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { count } from '../../terminal/format.ts';
import { configOf } from '../command-line.ts';
import { facts, operatorName, show } from '../operator-command.ts';
import { addressOf, clusterCommand } from './command.ts';

export function clusterUpgradeCommand(): Command {
  const command = clusterCommand(
    'upgrade',
    'Enters the newest edition of the rules, once every node runs a program that knows it.',
    ['bourse cluster upgrade postgres://bourse@db1,db2/bourse'],
  ).addOption(new Option('--by <name>', 'operator for the log [you]').helpGroup('Operator:'));
  return command.action(async () => {
    const { config } = await configOf(command, ['color']);
    const { upgradeCluster } = await import('../../cluster/upgrade.ts');
    const address = await addressOf(command);
    const upgraded = await upgradeCluster(address, operatorName(command));
    const { before, after, command: seq, nodes } = upgraded;
    const text = (paint: Paint) =>
      seq === undefined
        ? [`edition ${before} of the rules is in force, the newest that this program knows`]
        : facts(paint, [
            ['edition', `${after}, before ${before}`],
            ['command', count(seq)],
            ['applied by', nodes.length === 0 ? 'no node runs: the next one applies it' : nodes.join(', ')],
          ]);
    const json = { cluster: placeOf(address), ...upgraded };
    show({ json, text }, command, painter(config.color, process.stdout));
  });
}
