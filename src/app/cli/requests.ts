/** `bourse requests`: the last requests of all accounts, or of one. */
import type { Command } from 'commander';
import { operatorCommand, table, when, withQuery } from './operator-command.ts';

interface RequestView {
  readonly ts: number;
  readonly kind: 'http' | 'ws';
  readonly uid: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string;
  readonly msg: string;
  readonly ms: number;
  readonly about: string;
  readonly refused: boolean;
  readonly commands: readonly number[];
}

/** The first and the last of several. */
function span(commands: readonly number[]): string {
  const [first, last] = [commands[0], commands.at(-1)];
  return first === undefined ? '' : first === last ? String(first) : `${first} to ${last}`;
}

export function requestsCommand(): Command {
  const description = 'Shows the last requests and socket frames of accounts, while --inspect is on.';
  const examples = [
    'bourse requests',
    'bourse requests --account alice --code 25202 --limit 20',
    'bourse requests --path place-order --json',
  ];
  return operatorCommand('requests', description, examples, async (client, command) => {
    const path = withQuery('/admin/requests', command, ['account', 'code', 'path', 'after', 'limit']);
    const answer = await client.get<{ requests: RequestView[] }>(path);
    const rows = answer.requests.map((request) => {
      const { ts, kind, uid, method, path, status, code, ms, commands, msg, about, refused } = request;
      return [
        when(ts),
        uid,
        kind === 'ws' ? `ws ${method}` : method,
        path,
        [status === 0 ? '' : status, code].join(' ').trim(),
        ms === 0 ? '' : ms.toFixed(1),
        span(commands),
        refused && msg !== '' ? msg : about,
      ];
    });
    return {
      json: answer,
      text: (paint) =>
        rows.length === 0
          ? ['no such requests']
          : table(paint, ['time', 'account', 'method', 'path', 'answer', 'ms', 'command', 'about'], rows),
    };
  })
    .option('--account <account>', 'uid or name; a sub-account as main/sub')
    .option('--code <code>', 'of the answer, such as 25202')
    .option('--path <text>', 'a part of the path')
    .option('--after <id>', 'only those behind this entry, the oldest first')
    .option('--limit <number>', 'at most so many, 1 to 1000; otherwise 100');
}
