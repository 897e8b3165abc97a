/** The operator's command line: every command, in groups. */
import type { Command } from 'commander';
import { BOURSE } from '../../program-name.ts';
import { accountCommand } from './account.ts';
import { addressCommand } from './address.ts';
import { auditCommand } from './audit.ts';
import { backupCommand } from './backup.ts';
import { clientCommand } from './client.ts';
import { clockCommand } from './clock.ts';
import { clusterGroup } from './cluster.ts';
import { coinCommand } from './coin.ts';
import { describedProgram, HELP_COMMAND } from './command-line.ts';
import { configCommand } from './config.ts';
import { consoleCommand } from './console.ts';
import {
  haltCommand,
  healthCommand,
  identityCommand,
  resumeCommand,
  snapshotCommand,
  trialBalanceCommand,
} from './exchange.ts';
import { exposureCommand } from './exposure.ts';
import { forceCommand } from './force.ts';
import { insuranceCommand } from './insurance.ts';
import { keyCommand } from './key.ts';
import { labCommand } from './lab.ts';
import { feesCommand, instrumentCommand } from './listings.ts';
import { loanCommand } from './loan.ts';
import { marketCommand } from './market.ts';
import { depositCommand, depositsCommand, withdrawalCommand } from './money.ts';
import { priceCommand } from './price.ts';
import { requestsCommand } from './requests.ts';
import { reservesCommand } from './reserves.ts';
import { restoreCommand } from './restore.ts';
import { skipCommand } from './skip-command.ts';
import { startCommand } from './start.ts';
import { statusCommand } from './status.ts';
import { verifyCommand } from './verify.ts';

const groups = () => ({
  'Running exchange:': [
    startCommand(),
    statusCommand(),
    healthCommand(),
    consoleCommand(),
    clientCommand(),
    trialBalanceCommand(),
    exposureCommand(),
    reservesCommand(),
    requestsCommand(),
    haltCommand(),
    resumeCommand(),
    snapshotCommand(),
    clockCommand(),
  ],
  'Accounts and money:': [
    accountCommand(),
    keyCommand(),
    depositCommand(),
    depositsCommand(),
    withdrawalCommand(),
    addressCommand(),
    loanCommand(),
    insuranceCommand(),
  ],
  'Listings:': [instrumentCommand(), coinCommand(), feesCommand(), priceCommand(), marketCommand()],
  'Trying things out:': [forceCommand(), labCommand()],
  'Data and records:': [
    auditCommand(),
    identityCommand(),
    backupCommand(),
    verifyCommand(),
    restoreCommand(),
    skipCommand(),
    configCommand(),
  ],
  'More than one machine:': [clusterGroup()],
});

/** The program does this when it is called without a command. */
export const FIRST_COMMAND = 'start';

/** Names of commands in earlier versions: they still work and name their successor. */
export const FORMER_NAMES: ReadonlyMap<string, string> = new Map([
  ['books', 'trial-balance'],
  ['set-aside', 'skip-command'],
]);

/** A new one: a command remembers what it was called with. */
export function bourseProgram(): Command {
  const program = describedProgram(
    BOURSE,
    'Starts an exchange, operates one that runs, and proves its records; alone it starts one.',
    [
      'bourse start                                             demo accounts on http://127.0.0.1:8787, state in ./data',
      'bourse status -o env                                     addresses and demo keys for a script',
      'bourse health                                            is it well?',
      'bourse console                                           operate it in a browser',
      'bourse client ccxt-js                                    a program that trades on it',
      'bourse account create alice                              open an account',
      'bourse deposit alice 10000 USDT --reference bank-17      credit money that has arrived',
      'bourse withdrawal list                                   what waits to be paid out',
      'bourse halt                                              stop taking orders',
      'bourse verify                                            prove the exchange in ./data',
      'bourse backup /backups/monday                            copy it, running or not',
      'bourse config --explain                                  each setting and where it came from',
    ],
  ).helpCommand(...HELP_COMMAND);
  for (const [heading, commands] of Object.entries(groups())) {
    for (const command of commands) program.addCommand(command.helpGroup(heading));
  }
  return program;
}
