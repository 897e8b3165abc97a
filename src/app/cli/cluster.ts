/** `bourse cluster ...`: an exchange of several nodes over one database. */
import type { Command } from 'commander';
import { clusterExportCommand } from './cluster/export.ts';
import { clusterImportCommand } from './cluster/import.ts';
import { clusterInitCommand } from './cluster/init.ts';
import { clusterRepairCommand } from './cluster/repair.ts';
import { clusterStatusCommand } from './cluster/status.ts';
import { clusterTrialCommand } from './cluster/trial.ts';
import { clusterUpgradeCommand } from './cluster/upgrade.ts';
import { commandGroup } from './command-line.ts';

export function clusterGroup(): Command {
  return commandGroup('cluster', 'An exchange of several nodes over one PostgreSQL database.', [
    clusterTrialCommand(),
    clusterInitCommand(),
    clusterStatusCommand(),
    clusterImportCommand(),
    clusterExportCommand(),
    clusterUpgradeCommand(),
    clusterRepairCommand(),
  ]);
}
