/** `bourse clock ...`: the exchange's time, and how a manual one moves. */
import type { Command } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { count } from '../terminal/counting.ts';
import { commandGroup } from './command-line.ts';
import { facts, operatorCommand, when } from './operator-command.ts';

interface ClockView {
  readonly clock: 'wall' | 'scaled' | 'manual';
  readonly factor: number;
  readonly time: number;
}
interface Advanced {
  readonly from: number;
  readonly time: number;
  readonly events: Readonly<Record<string, number>>;
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
  const description = 'Moves a manual clock; returns when everything on the way has happened.';
  return operatorCommand('advance', description, examples, async (client, command) => {
    const [span] = command.args;
    const step = command.getOptionValue('step') as string | undefined;
    const way = /^[0-9]+-/.test(span!) ? { to: span } : { by: span };
    const answer = await client.post<Advanced>('/admin/clock/advance', {
      ...way,
      ...(step !== undefined && { step }),
    });
    const happened = Object.entries(answer.events).map(([type, times]) => `${count(times)} ${type}`);
    const text = (paint: Paint) =>
      facts(paint, [
        ['from', when(answer.from)],
        ['to', when(answer.time)],
        ['happened', happened.join(', ') || 'nothing'],
      ]);
    return { json: answer, text };
  })
    .argument('<span>', 'how far, such as 8h or 1d12h, or until when')
    .option('--step <span>', 'time from tick to tick [1s]');
}
