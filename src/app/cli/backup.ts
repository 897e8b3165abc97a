/** `bourse backup`: a copy of all data of an exchange, running or not. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { readAdminEndpoint } from '../../admin/token.ts';
import { DirectoryLock } from '../../journal/directory-lock.ts';
import { DirectoryLocked } from '../../journal/journal-errors.ts';
import { BOURSE } from '../../program-name.ts';
import type { Manifest, Moment } from '../backup/manifest.ts';
import { dataDirectory } from '../config/memory-mode.ts';
import type { Config } from '../config/settings.ts';
import { LOG_DIRECTORY } from '../data/data-files.ts';
import { CannotStart } from '../exit-codes.ts';
import { type Paint, painter } from '../terminal/colour.ts';
import { count, counted } from '../terminal/format.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { configOf, describedCommand, withSettings } from './command-line.ts';
import { OperatorClient } from './operator-client.ts';
import { facts, operatorName, show, when } from './operator-command.ts';

export function backupCommand(): Command {
  const command = describedCommand(
    'backup',
    'Copies log, snapshots, history, users, keys and audit log as of one moment, while the exchange trades.',
    [
      'bourse backup /backups/monday                        the exchange in ./data',
      'bourse backup /backups/monday --data /var/bourse     another one',
    ],
  )
    .argument('<dir>', 'a new directory; it will hold keys')
    .addOption(new Option('--json', 'print one JSON document').helpGroup('Output:'))
    .addOption(new Option('--by <name>', 'operator for the audit log [you]').helpGroup('Operator:'));
  return withSettings(command, ['data', 'history', 'color']).action(async () => {
    process.umask(0o077);
    const resolved = await configOf(command, ['data', 'history', 'color']);
    const { config } = resolved;
    const directory = resolve(command.args[0]!);
    const from = { data: dataDirectory(resolved), history: config.history };
    const manifest = await backUp(from, directory, operatorName(command));
    const text = (paint: Paint) => backupText(directory, manifest, paint);
    const json = { directory, ...manifest };
    show({ json, text }, command, painter(config.color, process.stdout));
  });
}

async function backUp(
  { data, history }: Pick<Config, 'data' | 'history'>,
  directory: string,
  operator: string,
): Promise<Manifest> {
  const { makeBackup } = await import('../backup/backup.ts');
  const { hashOf } = await import('../backup/manifest.ts');
  const lock = lockIfStopped(join(data, LOG_DIRECTORY));
  const note = lock === undefined ? readAdminEndpoint(data) : undefined;
  const client = note && new OperatorClient({ ...note, data }, operator);
  if (lock === undefined && client === undefined) process.stderr.write(NOT_AUDITED);
  const bar = progressBar(`copying ${data}`, process.stderr);
  try {
    const manifest = await makeBackup({
      data,
      directory,
      history,
      ...(client && { moment: () => client.post<Moment>('/admin/backups', { directory }) }),
      progress: bar.show,
    });
    bar.end();
    const ended = { directory, seq: manifest.moment.seq, manifest: hashOf(manifest) };
    await client?.post('/admin/backups/end', ended).catch(warnUnrecorded);
    return manifest;
  } finally {
    bar.end();
    lock?.release();
  }
}

const NOT_AUDITED =
  "bourse: the exchange runs without its operator's listener: the moment is taken from its log, and the audit log does " +
  'not tell of this backup\n';

/** Keeps an exchange from starting on files that are being copied; undefined when one runs. */
function lockIfStopped(directory: string): DirectoryLock | undefined {
  if (!existsSync(directory)) return undefined;
  try {
    return DirectoryLock.take(directory);
  } catch (error) {
    if (error instanceof DirectoryLocked) return undefined;
    throw error;
  }
}

function warnUnrecorded(error: Error): void {
  if (!(error instanceof CannotStart)) throw error;
  process.stderr.write(`bourse: the backup is whole; its end is not in the audit log: ${error.message}\n`);
}

function backupText(directory: string, { moment, files }: Manifest, paint: Paint): string[] {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return [
    ...facts(paint, [
      ['backup', directory],
      ['holds', `everything up to command ${count(moment.seq)}, ${when(moment.time)}`],
      ['state hash', moment.stateHash ?? 'not worked out'],
      ['size', `${counted(files.length, 'file')}, ${count(bytes)} bytes`],
    ]),
    'It contains API secrets and their keys: keep it where only you can read it.',
    `prove it: ${BOURSE} verify ${directory}`,
  ];
}
