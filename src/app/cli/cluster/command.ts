/** What the commands of a cluster share: the address as the first argument, and how servers are shown. */
import { type Command, Option } from 'commander';
import type { DatabaseAddress } from '../../../cluster/postgres/address.ts';
import type { ServerView } from '../../../cluster/postgres/servers.ts';
import type { SettingName } from '../../config/settings.ts';
import { ConfigError } from '../../exit-codes.ts';
import { configOf, describedCommand, withSettings } from '../command-line.ts';

const ADDRESS = 'postgres://USER@HOST[:PORT][,HOST[:PORT]]/DATABASE [BOURSE_CLUSTER]';

/** A command on the database of a cluster. */
export function clusterCommand(
  name: string,
  description: string,
  examples: readonly string[],
  settings: readonly SettingName[] = [],
): Command {
  const command = describedCommand(name, description, examples)
    .argument('[address]', ADDRESS)
    .addOption(new Option('--json', 'print one JSON document').helpGroup('Output:'));
  return withSettings(command, [...settings, 'color']);
}

/** As named, or as the settings have it. Throws ConfigError. */
export async function addressOf(command: Command): Promise<DatabaseAddress> {
  const { clusterAddress } = await import('../../cluster/database.ts');
  const [named] = command.args;
  if (named !== undefined) return clusterAddress(named);
  const { config } = await configOf(command, ['cluster']);
  if (config.cluster !== '') return clusterAddress(config.cluster);
  throw new ConfigError(
    'which cluster? Name its database as postgres://USER@HOST/DATABASE, or in BOURSE_CLUSTER',
  );
}

export function serverLine({ name, state, version, reason }: ServerView): string {
  return state === 'away' ? `${name} is away: ${reason}` : `${name} is the ${state}, PostgreSQL ${version}`;
}
