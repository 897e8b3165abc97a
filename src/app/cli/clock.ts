/** `bourse clock ...`: the exchange's time, and the advance of a manual clock. */
import type { Command } from 'commander';
import { ExitCode } from '../exit-codes.ts';
import type { Paint } from '../terminal/colour.ts';
import { count } from '../terminal/format.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { type Advanced, followAdvance } from './clock-advance.ts';
import { commandGroup } from './command-line.ts';
import type { OperatorClient } from './operator-client.ts';
import { facts, operatorCommand, when } from './operator-command.ts';

interface ClockView {
  readonly clock: 'wall' | 'scaled' | 'manual';
  readonly factor: number;
  readonly time: number;
}

export function clockCommand(): Command {
  return commandGroup('clock', "Shows the exchange's time, moves a manual clock.", [
    showCommand(),
    advanceCommand(),
  ]);
}

function showCommand(): Command {
  return operatorCommand(
    'show',
    'Shows which clock runs and its time.',
    ['bourse clock show'],
    async (client) => {
      const view = await client.get<ClockView>('/admin/clock');
      const speed = view.clock === 'scaled' ? `, ${count(view.factor)} times as fast` : '';
      const text = (paint: Paint) =>
        facts(paint, [
          ['clock', `${view.clock}${speed}`],
          ['time', when(view.time)],
        ]);
      return { json: view, text };
    },
  );
}

function advanceCommand(): Command {
  const examples = [
    'bourse clock advance 8h                      funding, candles, expiries happen at their instants',
    'bourse clock advance 30d --step 1m           a tick a minute instead of one a second',
    'bourse clock advance 2026-06-26T08:00:00Z    up to an instant',
  ];
  const description =
    'Moves a manual clock; returns when everything on the way has happened. Ctrl-C stops it after the present step.';
  return operatorCommand('advance', description, examples, async (client, command) => {
    const [span] = command.args;
    const step = command.getOptionValue('step') as string | undefined;
    const way = /^[0-9]+-/.test(span!) ? { to: span } : { by: span };
    const answer = await advance(client, { ...way, ...(step !== undefined && { step }) });
    if (answer.until !== undefined) process.exitCode = ExitCode.failed;
    const happened = Object.entries(answer.events).map(([type, times]) => `${count(times)} ${type}`);
    const text = (paint: Paint) =>
      facts(paint, [
        ['from', when(answer.from)],
        ['to', when(answer.time)],
        ...(answer.until === undefined ? [] : [['stopped', `before ${when(answer.until)}`] as const]),
        ['happened', happened.join(', ') || 'nothing'],
      ]);
    return { json: answer, text };
  })
    .argument('<span>', 'how far, such as 8h or 1d12h, or until when')
    .option('--step <span>', 'time from tick to tick [1s]');
}

/** The first Ctrl-C halts the clock and prints where it is; the second leaves the advance running. */
export async function advance<Answer extends Advanced = Advanced>(
  client: OperatorClient,
  body: object,
  path?: string,
): Promise<Answer | Advanced> {
  let interrupts = 0;
  const interrupt = () => {
    interrupts += 1;
    if (interrupts > 1) process.exit(ExitCode.interrupted);
    process.stderr.write('\nstopping the clock after its present step\n');
  };
  process.on('SIGINT', interrupt);
  const bar = progressBar('on the way', process.stderr);
  try {
    return await followAdvance<Answer>(client, body, { show: bar.show, halted: () => interrupts > 0 }, path);
  } finally {
    bar.end();
    process.off('SIGINT', interrupt);
  }
}
