/** `bourse lab capsule ...`: sessions as files. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Capsule } from '../../../lab/capsule/capsule.ts';
import type { Manifest } from '../../../lab/capsule/manifest.ts';
import { resolveConfig } from '../../config/resolve-config.ts';
import type { SettingName } from '../../config/settings.ts';
import { ConfigError, ExitCode } from '../../exit-codes.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { count, counted } from '../../terminal/format.ts';
import { commandGroup, configOf, describedCommand, withSettings } from '../command-line.ts';
import { facts, operatorCommand, show, when } from '../operator-command.ts';
import { writeOutput } from '../output-file.ts';

const SERVE_SETTINGS: readonly SettingName[] = ['port', 'clock', 'market', 'readyFile', 'color'];

export function capsuleGroup(): Command {
  return commandGroup('capsule', 'Writes a session to a file, shows such a file, has the session again.', [
    exportCommand(),
    showCommand(),
    replayCommand(),
  ]);
}

function exportCommand(): Command {
  const examples = [
    'bourse lab capsule export --since 10m --out bug.capsule            the last ten minutes of its time',
    'bourse lab capsule export --from before-crash --out bug.capsule    since a snapshot',
    'bourse lab capsule export --anonymise --out bug.capsule            as far back as it is known, without names',
  ];
  const description = 'Writes the session of the running exchange to a file; no keys or secrets are in it.';
  return operatorCommand('export', description, examples, async (client, command) => {
    const { since, from, anonymise, out } = command.opts<Record<string, string | true | undefined>>();
    if (typeof out !== 'string') throw new ConfigError('--out FILE says where to write it');
    const file = await client.download('/lab/capsule', {
      ...(since !== undefined && { since }),
      ...(from !== undefined && { from }),
      ...(anonymise === true && { anonymise }),
    });
    const { unpackCapsule } = await import('../../../lab/capsule/capsule.ts');
    const { manifest } = unpackCapsule(file);
    const path = writeOutput('--out', out, file);
    const json = { file: path, bytes: file.length, ...manifest };
    return { json, text: (paint: Paint) => manifestFacts(path, file.length, manifest, paint) };
  })
    .option('--since <span>', 'from so long ago, of its own time, such as 10m')
    .option('--from <snapshot>', 'from a snapshot that it has come from')
    .option('--anonymise', 'with other numbers of accounts and without names')
    .option('--out <file>', 'to write');
}

function showCommand(): Command {
  const examples = ['bourse lab capsule show bug.capsule    what is in it'];
  const command = describedCommand('show', 'Shows what a capsule holds, without replaying it.', examples)
    .argument('<file>', 'a capsule')
    .addOption(new Option('--json', 'print one JSON document').helpGroup('Output:'));
  return withSettings(command, ['color']).action(async () => {
    const { config } = await configOf(command, ['color']);
    const path = resolve(command.args[0]!);
    const { readCapsule } = await import('../../start/capsule-file.ts');
    const { capsule, bytes } = readCapsule(path);
    const { manifest } = capsule;
    const text = (paint: Paint) => manifestFacts(path, bytes, manifest, paint);
    show({ json: { file: path, bytes, ...manifest }, text }, command, painter(config.color, process.stdout));
  });
}

function replayCommand(): Command {
  const examples = [
    'bourse lab capsule replay bug.capsule                      ends with 0 when it comes out as it did',
    'bourse lab capsule replay bug.capsule --until 4711         no further than that command',
    'bourse lab capsule replay bug.capsule --serve --port 0     an exchange that stands still where it ends',
  ];
  const command = describedCommand(
    'replay',
    'Has the session of a capsule again; no exchange need run.',
    examples,
  )
    .argument('<file>', 'a capsule')
    .option('--until <seq>', 'stop behind this command')
    .option('--serve', 'then serve the exchange, in memory, on this machine alone')
    .addOption(new Option('--json', 'print one JSON document').helpGroup('Output:'));
  return withSettings(command, SERVE_SETTINGS).action(async () => {
    const path = resolve(command.args[0]!);
    const { until, serve } = command.opts<{ until?: string; serve?: true }>();
    const { readCapsule } = await import('../../start/capsule-file.ts');
    const { capsule } = readCapsule(path);
    const last = until === undefined ? undefined : commandNumber(until);
    await (serve === true
      ? serveCapsule(command, capsule, last)
      : replayAndTell(command, path, capsule, last));
  });
}

async function replayAndTell(
  command: Command,
  path: string,
  capsule: Capsule,
  until: number | undefined,
): Promise<void> {
  const { config } = await configOf(command, SERVE_SETTINGS);
  const { replayCapsule } = await import('../../../lab/capsule/replay-capsule.ts');
  const { differenceText } = await import('../../start/capsule-branch.ts');
  const replayed = await replayCapsule(capsule, { until });
  const { seq, time, stateHash, same, differs, otherwise } = replayed;
  const json = { file: path, seq, time, stateHash, same, differs: differs ?? null, otherwise };
  const text = (paint: Paint) => [
    ...facts(paint, [
      ['command', count(seq)],
      ['time', when(time)],
      ['state hash', stateHash],
    ]),
    ...otherwise,
    same ? paint('green', 'it comes out as it did') : paint('red', differenceText(replayed)),
  ];
  show({ json, text }, command, painter(config.color, process.stdout));
  process.exitCode = same ? ExitCode.ok : ExitCode.damaged;
}

/** The clock stands and nobody trades, unless the capsule says otherwise. */
async function serveCapsule(command: Command, capsule: Capsule, until: number | undefined): Promise<void> {
  const flags: Partial<Record<SettingName, string>> = {
    ...{ memory: 'on', operatorPort: '0', backfill: '0', clock: 'manual', market: 'off' },
    seed: String(capsule.manifest.seed),
  };
  for (const name of SERVE_SETTINGS)
    if (command.getOptionValueSource(name) === 'cli') flags[name] = String(command.getOptionValue(name));
  const resolved = await resolveConfig({
    flags,
    environment: {},
    directory: process.cwd(),
    configFile: null,
  });
  const { capsuleBranch } = await import('../../start/capsule-branch.ts');
  const { serve } = await import('../../start/serve.ts');
  const { branch, accounts } = await capsuleBranch(capsule, until);
  await serve(resolved, { branch, demo: accounts });
}

function commandNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ConfigError(`--until ${JSON.stringify(text)} must be the number of a command`);
}

function manifestFacts(path: string, bytes: number, manifest: Manifest, paint: Paint): string[] {
  const { first, last, program, formats, clock, seed, settings, accounts } = manifest;
  return facts(paint, [
    ['capsule', path],
    ['bytes', count(bytes)],
    ['made by', `version ${program}, state of format ${formats.state}, edition ${formats.edition}`],
    ['from', first.seq === 0 ? 'the first command' : `command ${count(first.seq)}, ${when(first.time)}`],
    ['to', `command ${count(last.seq)}, ${when(last.time)}`],
    ['holds', `${counted(manifest.commands, 'command')}, ${counted(manifest.requests, 'request')}`],
    ['accounts', `${count(accounts.length)}${manifest.anonymised ? ', without names' : ''}`],
    ['clock', clock],
    ['market', `${String(settings.market)}, seed ${seed}`],
    ['state hash', last.stateHash],
  ]);
}
