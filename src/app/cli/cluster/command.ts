/** What the commands of a cluster share: the address as the first argument, and how servers are shown. */
import { type Command, Option } from 'commander';
import type { ServerView } from '../../../cluster/postgres/servers.ts';
import { describedCommand, withSettings } from '../command-line.ts';

export const ADDRESS = 'postgres://USER@HOST[:PORT][,HOST[:PORT]]/DATABASE';

export function clusterCommand(name: string, description: string, examples: readonly string[]): Command {
  const command = describedCommand(name, description, examples)
    .argument('<address>', ADDRESS)
    .addOption(new Option('--json', 'print one JSON document').helpGroup('Output:'));
  return withSettings(command, ['color']);
}

export function serverLine({ name, state, version, reason }: ServerView): string {
  return state === 'away' ? `${name} is away: ${reason}` : `${name} is the ${state}, PostgreSQL ${version}`;
}
