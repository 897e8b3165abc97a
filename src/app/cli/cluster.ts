/** `bourse cluster ...`: an exchange of several nodes over one database. */
import type { Command } from 'commander';
import { clusterInitCommand } from './cluster/init.ts';
import { clusterStatusCommand } from './cluster/status.ts';
import { commandGroup } from './command-line.ts';

export function clusterGroup(): Command {
  return commandGroup('cluster', 'An exchange of several nodes over one PostgreSQL database.', [
    clusterInitCommand(),
    clusterStatusCommand(),
  ]);
}
