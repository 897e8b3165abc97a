/** `bourse address ...`: address books of withdrawals. */
import type { Command } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { commandGroup } from './command-line.ts';
import { operatorCommand, readSwitch, table, when } from './operator-command.ts';

interface EntryView {
  readonly id: number;
  readonly type: string;
  readonly coin: string;
  readonly chain: string;
  readonly address: string;
  readonly memo: string;
  readonly label: string;
  readonly created: number;
}
interface Entered {
  readonly uid: number;
  readonly entry: EntryView;
}

const ACCOUNT = ['<account>', 'uid or name; a sub-account uses the book of its main account'] as const;
const pathOf = (account: string) => `/admin/accounts/${encodeURIComponent(account)}`;

export function addressCommand(): Command {
  return commandGroup('address', 'Keeps the address books of withdrawals.', [
    addCommand(),
    listCommand(),
    removeCommand(),
    lockCommand(),
  ]);
}

function addCommand(): Command {
  const examples = [
    'bourse address add alice TFcWfiw5p5... --coin USDT --chain TRC20 --label "cold wallet"',
    'bourse address add alice TFcWfiw5p5... --chain TRC20      for every coin of the network',
    'bourse address add alice 1000000002 --internal            another account here',
  ];
  return operatorCommand('add', 'Enters an address.', examples, async (client, command) => {
    const [account, address] = command.args;
    const { coin, chain, memo, label, internal } = command.opts();
    const body = { address, coin, chain, memo, label, internal };
    return shown('entered', await client.post<Entered>(`${pathOf(account!)}/addresses`, body));
  })
    .argument(...ACCOUNT)
    .argument('<address>', 'as the network writes it, or the uid of an account')
    .option('--coin <name>', 'only for this coin')
    .option('--chain <name>', 'network')
    .option('--memo <text>', 'where the network needs one')
    .option('--label <text>', 'for your own memory')
    .option('--internal', 'the address is an account of this venue');
}

function listCommand(): Command {
  const examples = ['bourse address list alice'];
  return operatorCommand('list', 'Shows an address book.', examples, async (client, command) => {
    const answer = await client.get<{ uid: number; locked: boolean; entries: EntryView[] }>(
      `${pathOf(command.args[0]!)}/addresses`,
    );
    const head = ['id', 'type', 'coin', 'chain', 'address', 'memo', 'label', 'entered (UTC)'];
    const rows = answer.entries.map((e) => [
      String(e.id),
      e.type,
      e.coin,
      e.chain,
      e.address,
      e.memo,
      e.label,
      when(e.created),
    ]);
    const lock = answer.locked ? 'locked: withdrawals go nowhere else' : 'not locked';
    return { json: answer, text: (paint: Paint) => [...table(paint, head, rows, [0], 'no addresses'), lock] };
  }).argument(...ACCOUNT);
}

function removeCommand(): Command {
  const examples = ['bourse address remove alice 17'];
  return operatorCommand('remove', 'Strikes an address out.', examples, async (client, command) => {
    const [account, id] = command.args;
    const path = `${pathOf(account!)}/addresses/${encodeURIComponent(id!)}`;
    return shown('struck out', await client.delete<Entered>(path));
  })
    .argument(...ACCOUNT)
    .argument('<id>', 'as the list shows it');
}

function lockCommand(): Command {
  const examples = ['bourse address lock alice on'];
  const description = 'Lets withdrawals go only to addresses of the book, or anywhere.';
  return operatorCommand('lock', description, examples, async (client, command) => {
    const [account, on] = command.args;
    const body = { locked: readSwitch(on!) };
    const answer = await client.post<{ uid: number; locked: boolean }>(
      `${pathOf(account!)}/address-lock`,
      body,
    );
    const text = `withdrawals of ${answer.uid} go ${answer.locked ? 'only to its address book' : 'anywhere'}`;
    return { json: answer, text: () => [text] };
  })
    .argument(...ACCOUNT)
    .argument('<on|off>', 'what it shall be');
}

function shown(what: string, answer: Entered) {
  const { uid, entry } = answer;
  const where = [entry.coin, entry.chain].filter((word) => word !== '').join(' over ');
  const text = `${what} ${entry.address}${where === '' ? '' : ` (${where})`} of ${uid}, number ${entry.id}`;
  return { json: answer, text: () => [text] };
}
