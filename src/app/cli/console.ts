/** `bourse console`: the address of the console with a code that opens it once. */
import type { Command } from 'commander';
import { operatorCommand } from './operator-command.ts';

export function consoleCommand(): Command {
  const examples = [
    'bourse console                       open the address that it prints within a minute',
    'bourse console --by ann              what is done there is in the audit log under this name',
  ];
  const description = 'Prints an address that opens the console in a browser, once.';
  return operatorCommand('console', description, examples, async (client) => {
    const { code, validSeconds } = await client.post<{ code: string; validSeconds: number }>(
      '/admin/session-codes',
    );
    const url = `${client.url}/#code=${code}`;
    return { json: { url, validSeconds }, text: () => [url] };
  });
}
