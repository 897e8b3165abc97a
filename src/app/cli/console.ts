/** `bourse console`: the address of the console with a code that opens it once; and the sessions that began so. */
import type { Command } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import type { OperatorClient } from './operator-client.ts';
import { operatorCommand, table, when } from './operator-command.ts';

interface Session {
  readonly id: number;
  readonly operator: string;
  readonly began: number;
  readonly expires: number;
}

export function consoleCommand(): Command {
  const examples = [
    'bourse console                       open the address that it prints within a minute',
    'bourse console --by ann              what is done there is in the audit log under this name',
    'bourse console --sessions            who is signed in',
    'bourse console --end 3               that one must sign in again',
  ];
  const description = 'Prints an address that opens the console in a browser, once.';
  return operatorCommand('console', description, examples, (client, command) => {
    const { sessions, end } = command.opts<{ sessions?: true; end?: string }>();
    if (end !== undefined) return endSession(client, end);
    return sessions === true ? listSessions(client) : issueCode(client);
  })
    .option('--sessions', 'list the consoles that are signed in')
    .option('--end <session>', 'end one of them');
}

async function issueCode(client: OperatorClient) {
  const { code, validSeconds } = await client.post<{ code: string; validSeconds: number }>(
    '/admin/session-codes',
  );
  const url = `${client.url}/#code=${code}`;
  return { json: { url, validSeconds }, text: () => [url] };
}

async function listSessions(client: OperatorClient) {
  const answer = await client.get<{ sessions: Session[] }>('/admin/sessions');
  const rows = answer.sessions.map(({ id, operator, began, expires }) => [
    String(id),
    operator,
    when(began),
    when(expires),
  ]);
  const text = (paint: Paint) => table(paint, ['session', 'operator', 'began', 'ends'], rows, [0]);
  return { json: answer, text };
}

async function endSession(client: OperatorClient, session: string) {
  const answer = await client.delete<{ id: number }>(`/admin/sessions/${encodeURIComponent(session)}`);
  return { json: answer, text: () => [`session ${answer.id} has ended`] };
}
