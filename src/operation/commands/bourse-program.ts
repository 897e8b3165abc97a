/** The operator's command line: every command, in groups. */
import { accountCommand } from './account.ts';
import { addressCommand } from './address.ts';
import { auditCommand } from './audit.ts';
import { clientCommand } from './client.ts';
import { clockCommand } from './clock.ts';
import { describedProgram } from './command-line.ts';
import { configCommand } from './config.ts';
import { forceCommand } from './force.ts';
import { keyCommand } from './key.ts';
import { feesCommand, instrumentCommand } from './listings.ts';
import { loanCommand } from './loan.ts';
import { marketCommand } from './market.ts';
import { depositCommand, withdrawalCommand } from './money.ts';
import { priceCommand } from './price.ts';
import { reservesCommand } from './reserves.ts';
import { setAsideCommand } from './set-aside.ts';
import {
  booksCommand,
  haltCommand,
  healthCommand,
  identityCommand,
  resumeCommand,
  snapshotCommand,
} from './venue.ts';
import { verifyCommand } from './verify.ts';

const GROUPS = {
  'Running exchange:': [
    healthCommand(),
    clientCommand(),
    booksCommand(),
    reservesCommand(),
    haltCommand(),
    resumeCommand(),
    snapshotCommand(),
    clockCommand(),
  ],
  'Accounts and money:': [
    accountCommand(),
    keyCommand(),
    depositCommand(),
    withdrawalCommand(),
    addressCommand(),
    loanCommand(),
  ],
  'Listings:': [instrumentCommand(), feesCommand(), priceCommand(), marketCommand()],
  'Trying things out:': [forceCommand()],
  'Data and records:': [
    auditCommand(),
    identityCommand(),
    verifyCommand(),
    setAsideCommand(),
    configCommand(),
  ],
};

export const program = describedProgram(
  'bourse',
  'Runs an exchange that `npm start` has started, and proves its records.',
  [
    'npm run bourse -- health                                            is it well?',
    'npm run bourse -- client ccxt-js                                    a program that trades on it',
    'npm run bourse -- account create alice                              open an account',
    'npm run bourse -- deposit alice 10000 USDT --reference bank-17      credit money that has arrived',
    'npm run bourse -- withdrawal list                                   what waits to be paid out',
    'npm run bourse -- halt                                              stop taking orders',
    'npm run bourse -- verify                                            prove the exchange in ./data',
    'npm run bourse -- config --explain                                  each setting and where it came from',
  ],
);
for (const [heading, commands] of Object.entries(GROUPS)) {
  for (const command of commands) program.addCommand(command.helpGroup(heading));
}
