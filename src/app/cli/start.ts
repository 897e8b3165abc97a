import type { Command } from 'commander';
import { configOf, describedProgram, withSettings } from './command-line.ts';

export function startCommand(name: string, examples: readonly string[]): Command {
  const command = describedProgram(
    name,
    'Starts the exchange: one process, no account, no network needed.',
    examples,
  );
  return withSettings(command).action(async () => {
    const resolved = await configOf(command);
    // Loaded only here, so that --help and wrong options respond at once.
    const { serve } = await import('../start/serve.ts');
    await serve(resolved);
  });
}
