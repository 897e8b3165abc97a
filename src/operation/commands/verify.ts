/** `bourse verify`: the proof as a table for people, or as one JSON document. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isBackup, refuseUnfinished } from '../backup/manifest.ts';
import { ExitCode } from '../exit-codes.ts';
import { type Paint, painter } from '../terminal/colour.ts';
import { count, counted } from '../terminal/counting.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { textTable } from '../terminal/text-table.ts';
import type { Verification } from '../verification/verify.ts';
import { configOf, describedCommand, withSettings } from './command-line.ts';

export function verifyCommand(): Command {
  const command = describedCommand(
    'verify',
    'Replays a data directory and compares hashes, books and history.',
    [
      'bourse verify                        the exchange in ./data',
      'bourse verify --data /var/bourse     another one; it must not be running',
      'bourse verify /backups/monday        a backup: its hashes, then what it would restore to',
      'bourse verify --json                 one JSON document',
    ],
  )
    .argument('[dir]', 'a data directory or a backup [--data]')
    .option('--json', 'print one JSON document');
  return withSettings(command, ['data', 'color']).action(async () => {
    const { config } = await configOf(command);
    const [named] = command.args;
    const result = await proof(named === undefined ? config.data : resolve(named));
    const { stdout } = process;
    const json = command.getOptionValue('json') === true;
    stdout.write(
      json ? `${JSON.stringify(result)}\n` : verificationText(result, painter(config.color, stdout)),
    );
    process.exitCode = result.ok ? ExitCode.ok : ExitCode.damaged;
  });
}

async function proof(directory: string): Promise<Verification> {
  if (!isBackup(directory)) {
    refuseUnfinished(directory);
    const { verify } = await import('../verification/verify.ts');
    const { keepBeforeFormatChange } = await import('../backup/keep-before.ts');
    // It opens the databases as a start does.
    await keepBeforeFormatChange(directory, (text) => process.stderr.write(`bourse: ${text}\n`));
    return verify(directory);
  }
  const { verifyBackup } = await import('../verification/backup-verify.ts');
  const bar = progressBar(`reading ${directory}`, process.stderr);
  return verifyBackup(directory, bar.show).finally(bar.end);
}

function verificationText(result: Verification, paint: Paint): string {
  const checks = textTable(result.checks.map(({ name, ok, detail }) => [ok ? 'ok' : 'WRONG', name, detail]));
  const coloured = checks.map((line, index) => {
    const { ok } = result.checks[index]!;
    return line.replace(/^\S+/, (word) => paint(ok ? 'green' : 'red', word));
  });
  const head = ['coin', 'users', 'house and outside', 'sum'];
  const touched = result.coins.filter(({ users, system }) => users !== '0' || system !== '0');
  const rows = touched.map(({ coin, users, system, sum }) => [coin, users, system, sum]);
  const [first, ...sums] = textTable([head, ...rows], [1, 2, 3]);
  const books = touched.length === 0 ? [] : ['', paint('dim', first!), ...sums];
  const verdict = result.ok ? paint('green', 'verified') : paint('red', 'NOT VERIFIED: see above');
  return [
    `${paint('bold', result.data)}`,
    '',
    ...coloured,
    ...books,
    '',
    `state after command ${count(result.lastSeq)}: ${counted(result.accounts, 'account')}, ${counted(result.openOrders, 'open order')}`,
    `state hash ${result.stateHash}`,
    verdict,
    '',
  ].join('\n');
}
