/** The command line: options from the table of settings, messages and exit codes as users expect them. */
import { Command, CommanderError, type HelpConfiguration, Option } from 'commander';
import { BOURSE } from '../../program-name.ts';
import { VERSION } from '../../version.ts';
import { type ResolvedConfig, resolveConfig } from '../config/resolve-config.ts';
import { environmentName, SETTING_NAMES, SETTINGS, type SettingName } from '../config/settings.ts';
import { ExitCode } from '../exit-codes.ts';
import { endWithReader } from '../output.ts';
import { refuse } from '../terminal/refusal.ts';
import { refuseSwallowedOptions } from './swallowed-options.ts';

const EXIT_CODES = `
Exit codes:
  0 ok · 1 failed · 2 wrong use or configuration · 3 cannot start (port, lock, permission)
  4 data damaged or hash mismatch · 5 a demand was not met · 130 second Ctrl-C`;

export const HELP_COMMAND = ['help [command]', 'show the help of a command'] as const;
const OWN_OPTIONS = 'Options:';
const HELP: HelpConfiguration = {
  /** Options of a command come before those that all commands share. */
  groupItems: (_all, shown, groupOf) => {
    const groups = Map.groupBy(shown, groupOf);
    const own = groups.get(OWN_OPTIONS);
    return own === undefined ? groups : new Map([[OWN_OPTIONS, own], ...groups]);
  },
  optionDescription: ({ description, defaultValue }) =>
    typeof defaultValue === 'string' ? `${description} [${defaultValue}]` : description,
  argumentDescription: ({ description }) => description,
};
const EXAMPLES = new WeakMap<Command, readonly string[]>();

/** A command with examples before everything else. */
export function describedCommand(name: string, description: string, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  ${example.replace(/^bourse(?= )/, BOURSE)}`);
  const command = new Command(name)
    .description(description)
    .addHelpText('before', `Examples:\n${lines.join('\n')}\n`)
    .helpOption('-h, --help', 'show this help')
    .configureHelp(HELP)
    .allowExcessArguments(false)
    .showHelpAfterError('(add --help for all options)');
  EXAMPLES.set(command, examples);
  return command;
}

/** Several verbs under one noun; the help of the noun shows the first example of each verb. */
export function commandGroup(name: string, description: string, verbs: readonly Command[]): Command {
  const examples = verbs.map((verb) => EXAMPLES.get(verb)![0]!.replace(/ {2,}.*/, ''));
  const group = describedCommand(name, description, examples).helpCommand(...HELP_COMMAND);
  for (const verb of verbs) group.addCommand(verb);
  return group;
}

/** The program itself: a described command with version and exit codes. */
export function describedProgram(name: string, description: string, examples: readonly string[]): Command {
  return describedCommand(name, description, examples)
    .version(VERSION, '--version', 'show the version')
    .addHelpText('after', EXIT_CODES);
}

/** Adds the flags of all settings, or of those named. */
export function withSettings(command: Command, names: readonly SettingName[] = SETTING_NAMES): Command {
  for (const name of names) {
    const { group, flags, help, default: initial } = SETTINGS[name];
    const explained = help.endsWith(']');
    const unsaid = explained || Array.isArray(initial) || typeof initial === 'boolean' || initial === '';
    const shown = unsaid ? '' : ` [${String(initial)}]`;
    for (const flag of flags) {
      const text = flag === flags[0] ? `${help}${shown} (${environmentName(name)})` : '';
      command.addOption(new Option(flag, text).helpGroup(`${group}:`));
    }
  }
  const file = 'configuration file [bourse.config.json, .js or .ts here] (BOURSE_CONFIG)';
  return command.addOption(new Option('--config <file>', file).helpGroup('World:'));
}

/** The configuration from flags of the command, environment and file. */
export function configOf(
  command: Command,
  names: readonly SettingName[] = SETTING_NAMES,
): Promise<ResolvedConfig> {
  const overrides: Partial<Record<SettingName, string>> = {};
  for (const name of names) {
    if (command.getOptionValueSource(name) === 'cli') overrides[name] = String(command.getOptionValue(name));
  }
  return resolveConfig({
    flags: overrides,
    environment: process.env,
    directory: process.cwd(),
    configFile: command.getOptionValue('config') as string | undefined,
  });
}

/** How words that name no command of today are understood. */
export interface Understanding {
  readonly formerNames: ReadonlyMap<string, string>;
  /** The one that is meant when none is named. */
  readonly firstCommand: string;
}

/** Runs the program; a failure is printed to stderr and ends the process with its code. */
export async function runProgram(program: Command, understanding?: Understanding): Promise<void> {
  overrideExit(program);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader);
  try {
    const typed = process.argv.slice(2);
    const words = understanding === undefined ? typed : presentWords(typed, understanding);
    refuseSwallowedOptions(calledBy(words, program), words, process.env);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? ExitCode.ok : ExitCode.usage);
    refuse(error);
  }
}

const OF_THE_PROGRAM: ReadonlySet<string> = new Set(['-h', '--help', '--version']);

/**
 * The words with a former name of a command replaced by its present one, and with a command where only options are. The note
 * goes to stderr, so that --json stays JSON.
 */
function presentWords(
  words: readonly string[],
  { formerNames, firstCommand }: Understanding,
): readonly string[] {
  const [former, ...rest] = words;
  if (former === undefined || (former.startsWith('-') && !OF_THE_PROGRAM.has(former)))
    return [firstCommand, ...words];
  const present = formerNames.get(former);
  if (present === undefined) return words;
  process.stderr.write(`bourse: the command ${former} is now called ${present}\n`);
  return [present, ...rest];
}

/** The innermost command that the words name. */
function calledBy([word, ...rest]: readonly string[], command: Command): Command {
  const inner = command.commands.find((each) => each.name() === word);
  return inner === undefined ? command : calledBy(rest, inner);
}

function overrideExit(command: Command): void {
  command.exitOverride();
  for (const inner of command.commands) overrideExit(inner);
}
