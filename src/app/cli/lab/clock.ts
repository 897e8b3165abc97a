/** `bourse lab clock ...`: moves a manual clock with what happened, changes the clock of a running exchange. */
import type { Command } from 'commander';
import { ConfigError, ExitCode } from '../../exit-codes.ts';
import type { Paint } from '../../terminal/colour.ts';
import { count } from '../../terminal/format.ts';
import { advance } from '../clock.ts';
import type { Advanced } from '../clock-advance.ts';
import { commandGroup } from '../command-line.ts';
import { facts, operatorCommand, table, when } from '../operator-command.ts';

interface LabAdvanced extends Advanced {
  readonly commands: number;
  readonly happened: readonly {
    readonly time: number;
    readonly what: string;
    readonly account?: string;
    readonly symbol?: string;
    readonly coin?: string;
    readonly amount?: string;
  }[];
  readonly more?: Readonly<Record<string, number>>;
}

interface ClockView {
  readonly clock: string;
  readonly time: number;
  readonly next: Readonly<Record<string, number | null>>;
}

export function labClockCommand(): Command {
  return commandGroup('clock', 'Moves time, or changes the clock that runs.', [
    showCommand(),
    advanceCommand(),
    modeCommand(),
  ]);
}

function showCommand(): Command {
  const examples = ['bourse lab clock show    the time, and when funding, interest and deliveries are due'];
  return operatorCommand('show', 'Shows the clock and what is due next.', examples, async (client) => {
    const view = await client.get<ClockView>('/lab/clock');
    const due = Object.entries(view.next).map(
      ([what, time]) => [`next ${what}`, time === null ? 'none' : when(time)] as const,
    );
    const text = (paint: Paint) => facts(paint, [['clock', view.clock], ['time', when(view.time)], ...due]);
    return { json: view, text };
  });
}

function advanceCommand(): Command {
  const examples = [
    'bourse lab clock advance 8h                      everything on the way happens at its instant',
    'bourse lab clock advance 2026-06-26T08:00:00Z    up to an instant',
    'bourse lab clock advance --next funding          up to the next funding, and what everybody paid',
    'bourse lab clock advance --next candle:1H        interest, delivery, any, or the end of a candle',
  ];
  const description =
    'Moves a manual clock and shows what happened on the way. Ctrl-C stops it after the present step.';
  return operatorCommand('advance', description, examples, async (client, command) => {
    const [span] = command.args;
    const { next, step } = command.opts<{ next?: string; step?: string }>();
    if ((span === undefined) === (next === undefined))
      throw new ConfigError('give either a span or instant, or --next');
    const way = span === undefined ? { next } : /^[0-9]+-/.test(span) ? { to: span } : { by: span };
    const body = { ...way, ...(step !== undefined && { step }) };
    const answer = await advance<LabAdvanced>(client, body, '/lab/clock/advance');
    const text = (paint: Paint) => advancedText(answer, paint);
    return { json: answer, text, ...(answer.until !== undefined && { exitCode: ExitCode.failed }) };
  })
    .argument('[span]', 'how far, such as 8h or 1d12h, or until when')
    .option('--next <what>', 'funding, interest, delivery, any or candle:INTERVAL')
    .option('--step <span>', 'time from tick to tick [1s]');
}

/** An answer that was lost on the way has only what the exchange remembers of the advance. */
function advancedText(answer: LabAdvanced | Advanced, paint: Paint): string[] {
  const { from, time, until } = answer;
  const { commands, happened = [], more = {} }: Partial<LabAdvanced> = answer;
  const rows = happened.map((row) => [
    when(row.time),
    row.what,
    row.account ?? '',
    row.symbol ?? '',
    [row.amount ?? '', row.coin ?? ''].join(' ').trim(),
  ]);
  return [
    ...facts(paint, [
      ['from', when(from)],
      ['to', when(time)],
      ...(until === undefined ? [] : [['stopped', `before ${when(until)}`] as const]),
      ...(commands === undefined ? [] : [['commands', count(commands)] as const]),
    ]),
    ...table(
      paint,
      ['time', 'what', 'account', 'symbol', 'amount'],
      rows,
      [4],
      'nothing happened to anybody',
    ),
    ...Object.entries(more).map(([what, times]) => `… ${count(times)} more: ${what}`),
  ];
}

function modeCommand(): Command {
  const examples = [
    'bourse lab clock mode manual       time stands still until it is moved',
    'bourse lab clock mode scaled:60    an hour a minute, from where it is',
    "bourse lab clock mode wall         the machine's pace, from where it is",
  ];
  const description = 'Changes the clock of the running exchange; it stays so after a restart.';
  return operatorCommand('mode', description, examples, async (client, command) => {
    const [clock] = command.args;
    const answer = await client.post<{ clock: string; time: number }>('/lab/clock/mode', { clock });
    const text = (paint: Paint) =>
      facts(paint, [
        ['clock', answer.clock],
        ['time', when(answer.time)],
      ]);
    return { json: answer, text };
  }).argument('<clock>', 'wall, scaled:N or manual');
}
