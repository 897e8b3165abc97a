/** `npm start` and `bourse start`: the same program under two names. */
import type { Command } from 'commander';
import { configOf, describedCommand, describedProgram, withSettings } from './command-line.ts';

const DESCRIPTION = 'Starts the exchange: one process, no account, no network needed.';

export function startProgram(name: string, examples: readonly string[]): Command {
  return starting(describedProgram(name, DESCRIPTION, examples));
}

export function startCommand(): Command {
  const examples = [
    'bourse start                              demo accounts on http://127.0.0.1:8787, state in ./data',
    'bourse start --memory                     nothing is kept when it stops',
    'bourse start --port 0 --data /tmp/b1      any free port, another state',
  ];
  return starting(describedCommand('start', DESCRIPTION, examples));
}

function starting(command: Command): Command {
  return withSettings(command).action(async () => {
    const resolved = await configOf(command);
    // Loaded only here, so that --help and wrong options respond at once.
    const { serve } = await import('../start/serve.ts');
    await serve(resolved);
  });
}
