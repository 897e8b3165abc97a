/** `bourse lab run`: starts the world of a scenario, runs it there, and reports what was not as expected. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { ScenarioReport } from '../../../lab/scenarios/runner.ts';
import { ActionRefused, ConfigError, ExitCode } from '../../exit-codes.ts';
import { keysInEnvironment } from '../../start/bot-environment.ts';
import type { RunningExchange } from '../../start/start-exchange.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { count } from '../../terminal/format.ts';
import { configOf, describedCommand, withSettings } from '../command-line.ts';
import { facts, show, table, when } from '../operator-command.ts';
import { writeOutput } from '../output-file.ts';
import { junit } from './junit.ts';

/** Whose keys a bot gets when the scenario has one of this name; else those of the first account. */
const BOT = 'bot';
const STOP_MS = 5000;

interface Bot {
  readonly child: ChildProcess;
  /** Undefined while it runs. */
  code: number | undefined;
}

export function runCommand(): Command {
  const command = describedCommand(
    'run',
    'Runs a scenario in a world of its own and checks what it expects.',
    [
      'bourse lab run flash-crash                                  one that is shipped',
      'bourse lab run my.yaml --bot "python bot.py" --junit out.xml  with a bot beside it',
      'bourse lab run my.yaml --dry-run                            checks the file alone',
    ],
  )
    .argument('<file>', 'YAML, JSON or a module; or the name of a shipped one')
    .addOption(
      new Option('--bot <command>', 'a program to run beside it; BOURSE_URL and keys are in its environment'),
    )
    .addOption(
      new Option(
        '--speed <n>',
        'how fast time runs beside a bot, where the clock of the world is manual [1]',
      ),
    )
    .addOption(new Option('--junit <file>', 'write the report as JUnit XML'))
    .addOption(new Option('--dry-run', 'check the file and run nothing'))
    .addOption(new Option('--json', 'print one JSON document').helpGroup('Output:'));
  return withSettings(command, ['color']).action(async () => {
    const { config } = await configOf(command, ['color']);
    const { bot, junit: file, dryRun, speed } = command.opts<Record<string, string | true | undefined>>();
    const report = await run(command.args[0]!, {
      bot: bot as string | undefined,
      speed: speedOf(speed as string | undefined),
      dryRun: dryRun === true,
    });
    if (typeof file === 'string') writeOutput('--junit', file, junit(report), writeFileSync);
    const shown = { json: report, text: (paint: Paint) => reportText(report, paint) };
    show(shown, command, painter(config.color, process.stdout));
    if (!report.ok) process.exitCode = ExitCode.unmet;
  });
}

interface RunOptions {
  readonly bot: string | undefined;
  readonly speed: number;
  readonly dryRun: boolean;
}

async function run(file: string, { bot, speed, dryRun }: RunOptions): Promise<ScenarioReport> {
  const { loadScenario, ScenarioWrong } = await import('../../../lab/scenarios/read-scenario.ts');
  const { SCENARIO_CHECK_CONTEXT, startWorld } = await import('../../start/scenario-world.ts');
  const scenario = await loadScenario(file, process.cwd(), SCENARIO_CHECK_CONTEXT).catch((error: Error) => {
    throw error instanceof ScenarioWrong ? new ConfigError(error.message) : error;
  });
  const exchange = await startWorld(scenario.world, bot === undefined ? undefined : speed);
  const beside = bot === undefined ? undefined : startBot(bot, exchange);
  try {
    const report = await post(exchange, { document: scenario, dryRun });
    return withBot(report, beside);
  } finally {
    if (beside !== undefined) await stopBot(beside);
    await exchange.stop();
  }
}

async function post({ operatorUrl, operatorToken }: RunningExchange, body: object): Promise<ScenarioReport> {
  const answer = await fetch(`${operatorUrl}/lab/scenarios`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const report = (await answer.json()) as ScenarioReport & { error?: { code: string; message: string } };
  if (report.error === undefined) return report;
  if (report.error.code === 'invalid_request') throw new ConfigError(report.error.message);
  throw new ActionRefused(report.error.code, report.error.message);
}

function startBot(command: string, { url, demoAccounts }: RunningExchange): Bot {
  const { account } = demoAccounts.find((each) => each.account.name === BOT) ?? demoAccounts[0]!;
  const child = spawn(command, {
    shell: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      BOURSE_URL: url,
      BOURSE_WS_URL: `${url.replace(/^http/, 'ws')}/v3/ws`,
      BOURSE_ACCOUNT: account.name,
      ...keysInEnvironment(account),
    },
  });
  const bot: Bot = { child, code: undefined };
  child.once('exit', (code) => {
    bot.code = code ?? ExitCode.failed;
  });
  return bot;
}

/** A bot that has ended by itself and badly is a failure of the scenario. */
function withBot(report: ScenarioReport, bot: Bot | undefined): ScenarioReport {
  if (bot?.code === undefined || bot.code === 0) return report;
  const message = `the bot ended with code ${bot.code}`;
  const steps = [...report.steps, { step: 'bot', at: '', action: 'bot', ok: false, message }];
  return { ...report, ok: false, failed: report.failed + 1, steps };
}

async function stopBot({ child, code }: Bot): Promise<void> {
  if (code !== undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(late);
}

function speedOf(text = '1'): number {
  const speed = Number(text);
  if (Number.isInteger(speed) && speed >= 1 && speed <= 100_000) return speed;
  throw new ConfigError(`--speed ${JSON.stringify(text)} must be a whole number from 1 to 100000`);
}

function reportText(report: ScenarioReport, paint: Paint): string[] {
  const { scenario, ok, failed, from, to, commands, balanced, steps, stateHash } = report;
  const bad = steps
    .filter((step) => !step.ok)
    .map(({ step, at, action, message }) => [step, at, action, message]);
  return [
    ...facts(paint, [
      ['scenario', scenario],
      ['steps', count(steps.length)],
      ['commands', count(commands)],
      ['time', `${when(from)} to ${when(to)}`],
      ['books', balanced ? 'balanced' : 'not balanced'],
      ['state hash', stateHash],
      ['result', ok ? 'as expected' : `${count(failed)} not as expected`],
    ]),
    ...(bad.length === 0 ? [] : ['', ...table(paint, ['step', 'at', 'action', 'what'], bad)]),
  ];
}
