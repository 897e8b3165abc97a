/** `bourse lab ...`: snapshots of a running exchange, the way back to them, forks, and what differs. */
import type { Command } from 'commander';
import { ConfigError } from '../exit-codes.ts';
import type { Paint } from '../terminal/colour.ts';
import { count } from '../terminal/format.ts';
import { commandGroup } from './command-line.ts';
import { capsuleGroup } from './lab/capsule.ts';
import { labClockCommand } from './lab/clock.ts';
import { explainCommand } from './lab/explain.ts';
import { faultGroup } from './lab/faults.ts';
import { refereeCommand } from './lab/referee.ts';
import { labReplayCommand } from './lab/replay.ts';
import { runCommand } from './lab/run.ts';
import { facts, operatorCommand, table, when } from './operator-command.ts';

interface SavedView {
  readonly name: string;
  readonly seq: number;
  readonly time: number;
  readonly stateHash: string;
  readonly bytes: number;
  readonly ms: number;
}

interface SnapshotView extends Omit<SavedView, 'ms'> {
  readonly parent: string | null;
  readonly branch: number;
  readonly note: string;
}

interface RevertedView extends Omit<SavedView, 'bytes'> {
  readonly dropped: { readonly commands: number; readonly orders: number };
}

interface ForkView {
  readonly id: string;
  readonly from: string;
  readonly url: string;
  readonly operatorUrl: string;
  readonly token: string;
  readonly pid: number;
  readonly seq: number;
  readonly time: number;
  readonly stateHash: string;
  readonly ms: number;
}

interface PartView {
  readonly count: number;
  readonly rows: readonly {
    readonly account?: string;
    readonly uid?: number;
    readonly what: string;
    readonly from: string | null;
    readonly to: string | null;
  }[];
}

const PARTS = ['accounts', 'orders', 'positions', 'prices'] as const;
type DiffView = Readonly<Record<(typeof PARTS)[number], PartView>>;

export function labCommand(): Command {
  return commandGroup(
    'lab',
    'Snapshots, forks, the clock, faults, scenarios, explanations, capsules, the referee.',
    [
      snapshotGroup(),
      revertCommand(),
      forkCommand(),
      diffCommand(),
      labClockCommand(),
      labReplayCommand(),
      faultGroup(),
      runCommand(),
      explainCommand(),
      capsuleGroup(),
      refereeCommand(),
    ],
  );
}

function snapshotGroup(): Command {
  return commandGroup('snapshot', 'Saves, lists and deletes snapshots.', [
    saveCommand(),
    listCommand(),
    deleteCommand(),
  ]);
}

function saveCommand(): Command {
  const examples = [
    'bourse lab snapshot save before-crash                state, history, keys and time as they are now',
    'bourse lab snapshot save before-crash --note "bug 7"',
  ];
  return operatorCommand(
    'save',
    'Takes a snapshot of the running exchange.',
    examples,
    async (client, command) => {
      const [name] = command.args;
      const note = command.getOptionValue('note') as string | undefined;
      const body = { ...(name !== undefined && { name }), ...(note !== undefined && { note }) };
      const saved = await client.post<SavedView>('/lab/snapshots', body);
      return { json: saved, text: (paint: Paint) => savedFacts(saved, paint) };
    },
  )
    .argument('[name]', 'small letters, digits and . _ - [snapshot-N]')
    .option('--note <text>', 'for the list');
}

function listCommand(): Command {
  const examples = ['bourse lab snapshot list    the newest first'];
  return operatorCommand('list', 'Lists the snapshots.', examples, async (client) => {
    const { snapshots } = await client.get<{ snapshots: readonly SnapshotView[] }>('/lab/snapshots');
    const text = (paint: Paint) =>
      table(
        paint,
        ['name', 'parent', 'branch', 'command', 'time', 'bytes', 'note'],
        snapshots.map(({ name, parent, branch, seq, time, bytes, note }) => [
          name,
          parent ?? '-',
          String(branch),
          count(seq),
          when(time),
          count(bytes),
          note,
        ]),
        [2, 3, 5],
        'no snapshots',
      );
    return { json: snapshots, text };
  });
}

function deleteCommand(): Command {
  const examples = ['bourse lab snapshot delete before-crash    branches that began with it go on'];
  return operatorCommand('delete', 'Deletes a snapshot.', examples, async (client, command) => {
    const [name] = command.args;
    const answer = await client.delete<{ deleted: string }>(`/lab/snapshots/${encodeURIComponent(name!)}`);
    return { json: answer, text: () => [`${answer.deleted} is deleted`] };
  }).argument('<name>', 'of the snapshot');
}

function revertCommand(): Command {
  const examples = [
    'bourse lab revert before-crash                   sockets are closed with 1012',
    'bourse lab revert before-crash --keep-sockets    they stay, and what they follow begins anew',
  ];
  const description = 'Goes back to a snapshot; the branch that is left stays and is listed.';
  return operatorCommand('revert', description, examples, async (client, command) => {
    const [to] = command.args;
    const keepSockets = command.getOptionValue('keepSockets') === true;
    const answer = await client.post<RevertedView>('/lab/revert', {
      to,
      ...(keepSockets && { keepSockets }),
    });
    const { dropped } = answer;
    const text = (paint: Paint) =>
      facts(paint, [
        ['at', answer.name],
        ['command', count(answer.seq)],
        ['time', when(answer.time)],
        ['state hash', answer.stateHash],
        ['left behind', `${count(dropped.commands)} commands, ${count(dropped.orders)} open orders`],
        ['took', `${answer.ms} ms`],
      ]);
    return { json: answer, text };
  })
    .argument('<name>', 'of the snapshot')
    .option('--keep-sockets', 'leave the sockets of clients open');
}

function forkCommand(): Command {
  const examples = [
    'bourse lab fork                             a second exchange that goes on from now',
    'bourse lab fork before-crash --isolate      from a snapshot, in a process of its own',
    'bourse lab fork --list                      those that run',
    'bourse lab fork --end fork-1                ends one',
  ];
  const description = 'Starts a second exchange from a snapshot; it ends with the first.';
  return operatorCommand('fork', description, examples, async (client, command) => {
    const [from] = command.args;
    const { port, clock, market, isolate, list, end } =
      command.opts<Record<string, string | true | undefined>>();
    if (list === true) {
      const { forks } = await client.get<{ forks: readonly ForkView[] }>('/lab/forks');
      const rows = forks.map((fork) => [fork.id, fork.from, fork.url, fork.operatorUrl, String(fork.pid)]);
      const head = ['fork', 'from', 'address', "operator's", 'process'];
      return { json: forks, text: (paint: Paint) => table(paint, head, rows, [], 'no forks') };
    }
    if (end !== undefined) {
      const answer = await client.delete<{ ended: string }>(`/lab/forks/${encodeURIComponent(String(end))}`);
      return { json: answer, text: () => [`${answer.ended} has ended`] };
    }
    const fork = await client.post<ForkView>('/lab/forks', {
      ...(from !== undefined && { from }),
      ...(port !== undefined && { port: portNumber(String(port)) }),
      ...(clock !== undefined && { clock }),
      ...(market !== undefined && { market }),
      ...(isolate === true && { isolate }),
    });
    return { json: fork, text: (paint: Paint) => forkFacts(fork, paint) };
  })
    .argument('[name]', 'of the snapshot [now]')
    .option('--port <number>', 'to listen on [any free one]')
    .option('--clock <wall|scaled:N|manual>', 'its clock [as here]')
    .option('--market <off|quiet|normal|wild>', 'its market [as here]')
    .option('--isolate', 'in a process of its own')
    .option('--list', 'list the forks that run')
    .option('--end <fork>', 'end one');
}

function diffCommand(): Command {
  const examples = [
    'bourse lab diff before-crash          against the present',
    'bourse lab diff before-crash after    two snapshots',
  ];
  const description = 'Shows what accounts own, open orders, positions and prices that differ.';
  return operatorCommand('diff', description, examples, async (client, command) => {
    const [from, to] = command.args;
    const query = new URLSearchParams({ from: from!, ...(to !== undefined && { to }) });
    const diff = await client.get<DiffView>(`/lab/diff?${query.toString()}`);
    return { json: diff, text: (paint: Paint) => diffText(diff, paint) };
  })
    .argument('<from>', 'a snapshot')
    .argument('[to]', 'another one [now]');
}

function savedFacts({ name, seq, time, stateHash, bytes, ms }: SavedView, paint: Paint): string[] {
  return facts(paint, [
    ['name', name],
    ['command', count(seq)],
    ['time', when(time)],
    ['state hash', stateHash],
    ['bytes', count(bytes)],
    ['took', `${ms} ms`],
  ]);
}

function forkFacts(
  { id, from, url, operatorUrl, token, pid, seq, stateHash, ms }: ForkView,
  paint: Paint,
): string[] {
  return facts(paint, [
    ['fork', id],
    ['from', from],
    ['address', url],
    ["operator's", operatorUrl],
    ['token', token],
    ['process', String(pid)],
    ['command', count(seq)],
    ['state hash', stateHash],
    ['took', `${ms} ms`],
  ]);
}

function diffText(diff: DiffView, paint: Paint): string[] {
  return PARTS.flatMap((part) => {
    const { count: differ, rows } = diff[part];
    const shown = rows.map(({ account = '', what, from, to }) => [account, what, from ?? '-', to ?? '-']);
    const more = differ > rows.length ? [`… ${count(differ - rows.length)} more`] : [];
    return [
      paint('bold', `${part}: ${count(differ)} differ`),
      ...(differ === 0 ? [] : table(paint, ['account', 'what', 'from', 'to'], shown)),
      ...more,
    ];
  });
}

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ConfigError(`--port ${JSON.stringify(text)} must be a whole number from 0 to 65535`);
}
