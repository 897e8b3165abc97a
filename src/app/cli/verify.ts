/** `bourse verify`: the proof as a table, or as one JSON document. */
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Damage } from '../../history/proof/damage.ts';
import { DirectoryLock } from '../../journal/directory-lock.ts';
import { liveDirectory } from '../../lab/head.ts';
import { isBackup, refuseUnfinished } from '../backup/manifest.ts';
import { dataDirectory } from '../config/memory-mode.ts';
import { LOG_DIRECTORY } from '../data/data-files.ts';
import { ConfigError, ExitCode } from '../exit-codes.ts';
import { type Paint, painter } from '../terminal/colour.ts';
import { count, counted, textTable } from '../terminal/format.ts';
import { progressBar as lineOf, type ProgressBar, type Screen } from '../terminal/progress-bar.ts';
import type { Verification } from '../verify/verification.ts';
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
      'bourse verify --repair-history       writes damaged rows of the history anew, as far as the log has them',
    ],
  )
    .argument('[dir]', 'a data directory or a backup [--data]')
    .option('--json', 'print one JSON document')
    .option('--repair-history', 'mend the history first, as far as log and checksums say how');
  return withSettings(command, ['data', 'history', 'color']).action(async () => {
    const resolved = await configOf(command);
    const { config } = resolved;
    const [named] = command.args;
    const repairHistory = command.getOptionValue('repairHistory') === true;
    const directory = named === undefined ? dataDirectory(resolved) : resolve(named);
    const result = await proof(directory, repairHistory, config.history);
    const { stdout } = process;
    const json = command.getOptionValue('json') === true;
    stdout.write(
      json ? `${JSON.stringify(result)}\n` : verificationText(result, painter(config.color, stdout)),
    );
    process.exitCode = result.ok ? ExitCode.ok : ExitCode.damaged;
  });
}

async function proof(directory: string, repairHistory: boolean, history: string): Promise<Verification> {
  const bar = progressBar(process.stderr);
  if (isBackup(directory)) {
    if (repairHistory)
      throw new ConfigError(
        `${directory} is a backup, which is never changed: restore it, then repair the copy`,
      );
    const { verifyBackup } = await import('../verify/backup-verify.ts');
    return verifyBackup(directory, bar.show).finally(bar.end);
  }
  refuseUnfinished(directory);
  const live = liveDirectory(directory);
  const { verify } = await import('../verify/verify.ts');
  const { copyBeforeMigration } = await import('../backup/migration-copies.ts');
  // Verification opens the users as a start does.
  await copyBeforeMigration(live, (text) => process.stderr.write(`bourse: ${text}\n`), history);
  // The directory itself is locked by whoever runs it, whichever branch that is on.
  const lock = live === directory ? undefined : DirectoryLock.take(join(directory, LOG_DIRECTORY));
  const proven = verify(live, { progress: bar.show, repairHistory, history });
  return proven.finally(() => {
    lock?.release();
    bar.end();
  });
}

/** Damaged rows listed in the table; the JSON document has more. */
const DAMAGES_SHOWN_MAX = 20;

/** One line for all steps. */
function progressBar(screen: Screen) {
  let bar: { readonly what: string; readonly line: ProgressBar } | undefined;
  const end = () => bar?.line.end();
  const show = (what: string, share: number) => {
    if (bar?.what !== what) {
      end();
      bar = { what, line: lineOf(what, screen) };
    }
    bar.line.show(share);
  };
  return { show, end };
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
  const repaired =
    result.repairedRows === 0
      ? []
      : [`${counted(result.repairedRows, 'row')} of the history written anew`, ''];
  const verdict = result.ok ? paint('green', 'verified') : paint('red', 'NOT VERIFIED: see above');
  return [
    `${paint('bold', result.data)}`,
    '',
    ...repaired,
    ...coloured,
    ...damageLines(result),
    ...books,
    '',
    `state after command ${count(result.lastSeq)}: ${counted(result.accounts, 'account')}, ${counted(result.openOrders, 'open order')}`,
    `state hash ${result.stateHash}`,
    verdict,
    '',
  ].join('\n');
}

function damageLines({ damages, remedy }: Verification): string[] {
  if (damages.length === 0) return [];
  const shown = damages.slice(0, DAMAGES_SHOWN_MAX).map((damage) => `  ${damageText(damage)}`);
  const more = damages.length - shown.length;
  return ['', 'history:', ...shown, ...(more > 0 ? [`  and ${count(more)} more: see --json`] : []), remedy];
}

function damageText({ table, row, problem, field, stored, expected }: Damage): string {
  const where = row === '' ? table : `${table} ${row}`;
  return field === undefined
    ? `${where}: ${problem}`
    : `${where}: ${problem}; ${field} is ${stored}, expected ${expected}`;
}
