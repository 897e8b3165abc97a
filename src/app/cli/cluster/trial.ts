/** `bourse cluster trial`: a cluster on this machine, to see it work and to see it lose a server. */
import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import { placeOf } from '../../../cluster/postgres/address.ts';
import { DEMO_ACCOUNTS } from '../../../identity/demo-accounts.ts';
import { BOURSE } from '../../../program-name.ts';
import type { FailOver, Trial } from '../../cluster/trial/trial.ts';
import { ExitCode } from '../../exit-codes.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { count } from '../../terminal/format.ts';
import { configOf, describedCommand, withSettings } from '../command-line.ts';
import { facts, table } from '../operator-command.ts';

export function clusterTrialCommand(): Command {
  const command = describedCommand(
    'trial',
    'Three nodes and two PostgreSQL servers on this machine, until Ctrl-C; nothing of it stays.',
    [
      'bourse cluster trial                    f and Enter kills the primary server, q and Enter ends',
      'bourse cluster trial --show-failover    kills the primary under orders once, reports, and ends',
    ],
  ).addOption(
    new Option('--show-failover', 'kill the primary under orders, promote the standby, report and end'),
  );
  return withSettings(command, ['market', 'color']).action(async () => {
    process.umask(0o022);
    const { config } = await configOf(command, ['market', 'color']);
    const paint = painter(config.color, process.stdout);
    const report = (text: string) => process.stdout.write(`${text}\n`);
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
    const { Trial: trials } = await import('../../cluster/trial/trial.ts');
    let trial: Trial;
    try {
      const program = [process.execPath, ...process.execArgv, process.argv[1]!];
      trial = await trials.start({ program, report, nodeArgs: ['--market', config.market] }, stop.signal);
    } catch (error) {
      if (stop.signal.aborted) return;
      throw error;
    }
    try {
      for (const line of trialText(trial, paint)) report(line);
      if (command.getOptionValue('showFailover') === true) await showFailOver(trial, paint, report);
      else await follow(trial, paint, report, stop.signal);
    } finally {
      report('the trial ends: nodes, servers and their files go');
      await trial.end();
    }
  });
}

function trialText(trial: Trial, paint: Paint): string[] {
  const { address, nodes, primary, keys } = trial;
  return [
    '',
    ...facts(paint, [
      ['cluster', placeOf(address)],
      ['primary', primary],
      ['keys', keys],
      ['status', `${BOURSE} cluster status ${placeOf(address)}`],
    ]),
    '',
    ...table(
      paint,
      ['node', 'address', "operator's"],
      nodes.map(({ name, url, operatorUrl }) => [name, url, operatorUrl]),
    ),
    '',
    ...table(
      paint,
      ['account', 'apiKey', 'secretKey', 'passphrase'],
      DEMO_ACCOUNTS.map(({ name, apiKey, secretKey, passphrase }) => [name, apiKey, secretKey, passphrase]),
    ),
    '',
  ];
}

async function showFailOver(trial: Trial, paint: Paint, report: (text: string) => void): Promise<void> {
  const failOver = await trial.failOver();
  for (const line of failOverText(failOver, paint)) report(line);
  if (failOver.orders.lost > 0) process.exitCode = ExitCode.unmet;
}

function failOverText({ promotedMs, answeredMs, orders }: FailOver, paint: Paint): string[] {
  return facts(paint, [
    ['promoted after', `${count(promotedMs)} ms`],
    ['answered after', `${count(answeredMs)} ms`],
    [
      'orders',
      `${count(orders.sent)} sent, ${count(orders.acknowledged)} acknowledged, ${count(orders.unanswered)} not`,
    ],
    ['longest gap', `${count(orders.longestGapMs)} ms`],
    [
      'lost',
      orders.lost === 0
        ? paint('green', '0: every node that runs has every acknowledged order')
        : paint('red', count(orders.lost)),
    ],
  ]);
}

/** Lines of the terminal, or of a program that has its standard input. */
async function follow(
  trial: Trial,
  paint: Paint,
  report: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  report('f and Enter: kill the primary server under orders. q and Enter, or Ctrl-C: end.');
  const ended = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  const lines = createInterface({ input: process.stdin });
  let isBusy = false;
  const quit = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      const word = line.trim();
      if (word === 'q') resolve();
      else if (word !== 'f') report(`${JSON.stringify(word)} is neither f nor q`);
      else if (isBusy) report('the last fail-over is not over yet');
      else {
        isBusy = true;
        showFailOver(trial, paint, report)
          .catch((error: Error) => report(`the fail-over failed: ${error.message}`))
          .finally(() => {
            isBusy = false;
          });
      }
    });
  });
  // A standard input that ends is that of a program in the background.
  const alive = setInterval(() => {}, 60_000);
  await Promise.race([ended, quit]);
  clearInterval(alive);
  lines.close();
  process.stdin.unref?.();
}
