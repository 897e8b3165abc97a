/** `bourse audit ...`: actions of operators, and the proof that their record is unchanged. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { AUDIT_FILE, readAudit } from '../../admin/audit-file.ts';
import type { AuditLine } from '../../admin/audit-line.ts';
import { dataDirectory } from '../config/memory-mode.ts';
import { ConfigError, ExitCode } from '../exit-codes.ts';
import { type Paint, painter } from '../terminal/colour.ts';
import { count } from '../terminal/format.ts';
import type { AuditVerification } from '../verify/audit-verify.ts';
import { commandGroup, configOf, describedCommand, withSettings } from './command-line.ts';
import { type Shown, show, table, when } from './operator-command.ts';

const SHOWN_LINES = 50;

export function auditCommand(): Command {
  return commandGroup('audit', 'Shows and proves what operators did.', [showCommand(), verifyCommand()]);
}

function showCommand(): Command {
  const examples = ['bourse audit show', 'bourse audit show --last 500 --json'];
  return fileCommand('show', 'Shows the newest lines of the audit log.', examples, (data, command) => {
    const lines = readAudit(data).lines.slice(-readCount(String(command.getOptionValue('last'))));
    return { json: { lines }, text: (paint) => linesText(lines, paint) };
  }).option('--last <number>', 'how many lines', String(SHOWN_LINES));
}

function verifyCommand(): Command {
  const examples = ['bourse audit verify', 'bourse audit verify --data /var/bourse --json'];
  const description = 'Checks the chain of the audit log and that the command log holds what it names.';
  return fileCommand('verify', description, examples, async (data) => {
    // Loaded only here: it needs the whole exchange, which no other command does.
    const { verifyAudit } = await import('../verify/audit-verify.ts');
    const result = verifyAudit(data);
    process.exitCode = result.ok ? ExitCode.ok : ExitCode.damaged;
    return { json: result, text: (paint) => verificationText(result, paint) };
  });
}

/** Commands that read files of a data directory, whether the exchange runs or not. */
function fileCommand(
  name: string,
  description: string,
  examples: readonly string[],
  work: (data: string, command: Command) => Shown | Promise<Shown>,
): Command {
  const command = describedCommand(name, description, examples).addOption(
    new Option('--json', 'print one JSON document').helpGroup('Output:'),
  );
  return withSettings(command, ['data', 'color']).action(async () => {
    const resolved = await configOf(command, ['data', 'color']);
    const data = dataDirectory(resolved);
    if (!existsSync(join(data, AUDIT_FILE))) {
      throw new ConfigError(`--data ${data} holds no ${AUDIT_FILE}: no exchange was started there`);
    }
    show(await work(data, command), command, painter(resolved.config.color, process.stdout));
  });
}

function linesText(lines: readonly AuditLine[], paint: Paint): string[] {
  const head = ['line', 'time (UTC)', 'operator', 'action', 'outcome', 'of', 'command', 'arguments', ''];
  const rows = lines.map((line) => [
    String(line.seq),
    when(line.time),
    line.operator,
    line.action,
    line.outcome,
    line.of === undefined ? '' : String(line.of),
    line.command === null ? '' : String(line.command),
    JSON.stringify(line.arguments),
    line.detail ?? '',
  ]);
  return table(paint, head, rows, [0, 5, 6], 'no lines');
}

function verificationText(result: AuditVerification, paint: Paint): string[] {
  const { ok, lines, commands, older, head, problems } = result;
  return [
    ...problems.map((problem) => `${paint('red', 'WRONG')}  ${problem}`),
    `${count(lines)} lines; ${count(commands)} commands found in the log, ${count(older)} older than it reaches`,
    `last line ${head}`,
    ok ? paint('green', 'verified') : paint('red', 'NOT VERIFIED'),
  ];
}

function readCount(text: string): number {
  if (!/^[1-9][0-9]{0,6}$/.test(text))
    throw new ConfigError(`--last ${JSON.stringify(text)} must be a whole number`);
  return Number(text);
}
