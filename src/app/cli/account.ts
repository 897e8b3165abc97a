/** `bourse account ...`: accounts and their rights. */
import type { Command } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { count } from '../terminal/format.ts';
import { commandGroup } from './command-line.ts';
import { facts, operatorCommand, readSwitch, table, when, yesNo } from './operator-command.ts';

interface AccountView {
  readonly uid: number;
  readonly name: string;
  readonly kind: string;
  readonly master: number | null;
  readonly frozen: boolean;
  readonly marketMaker: boolean;
  readonly note: string;
  readonly created: number;
  readonly open: boolean;
}
interface Changed {
  readonly account: AccountView;
}
interface BalanceView {
  readonly coin: string;
  readonly unified: string;
  readonly locked: string;
  readonly funding: string;
  readonly withdrawing: string;
  readonly pledged: string;
}

interface PositionView {
  readonly category: string;
  readonly symbol: string;
  readonly side: string;
  readonly marginMode: string;
  readonly size: string;
  readonly averagePrice: string;
  readonly markPrice: string;
  readonly margin: string;
  readonly unrealised: string;
  readonly fundingOwed: string;
}

const ACCOUNT = ['<account>', 'uid or name; a sub-account as main/sub'] as const;
const pathOf = (account: string) => `/admin/accounts/${encodeURIComponent(account)}`;

export function accountCommand(): Command {
  return commandGroup('account', 'Opens, lists, freezes and marks accounts.', [
    createCommand(),
    listCommand(),
    showCommand(),
    switchCommand('freeze', 'Shuts out all keys of an account and its sub-accounts.'),
    switchCommand('unfreeze', 'Lets the keys of a frozen account in again.'),
    markCommand(
      'broker',
      'Makes an account a broker, whose sub-accounts are parties of their own, or no longer one.',
      'broker',
    ),
    markCommand(
      'market-maker',
      'Lets an account place rpi orders and lead marks and funding: you answer for it. Or no longer.',
      'marketMaker',
    ),
    commissionCommand(),
    quotaCommand(),
  ]);
}

function createCommand(): Command {
  const examples = [
    'bourse account create alice',
    'bourse account create desk-1 --kind sub --master alice',
    'bourse account create acme --kind broker --note "contract 17"',
    'bourse account create quoter --market-maker --json',
  ];
  return operatorCommand('create', 'Opens an account.', examples, async (client, command) => {
    const [name] = command.args;
    const { kind, master, marketMaker, note } = command.opts();
    const answer = await client.post<Changed>('/admin/accounts', { name, kind, master, marketMaker, note });
    return shownAccount(answer);
  })
    .argument('<name>', 'name of the account')
    .option('--kind <main|sub|broker>', 'what kind of account', 'main')
    .option('--master <account>', 'uid or name of the main account of a sub-account')
    .option('--market-maker', 'may place rpi orders')
    .option('--note <text>', 'for your own memory');
}

function listCommand(): Command {
  const examples = ['bourse account list', 'bourse account list --after 1000000017 --json'];
  return operatorCommand(
    'list',
    'Lists accounts by uid, at most 1,000.',
    examples,
    async (client, command) => {
      const { after = '0', limit = '1000' } = command.opts<{ after?: string; limit?: string }>();
      const answer = await client.get<{ accounts: AccountView[] }>(
        `/admin/accounts?afterUid=${encodeURIComponent(after)}&limit=${encodeURIComponent(limit)}`,
      );
      const head = ['uid', 'name', 'kind', 'master', 'frozen', 'market maker', 'created (UTC)', 'note'];
      const rows = answer.accounts.map((account) => [
        String(account.uid),
        account.name,
        account.open ? account.kind : `${account.kind}, not open`,
        account.master === null ? '' : String(account.master),
        account.frozen ? 'FROZEN' : 'no',
        yesNo(account.marketMaker),
        when(account.created),
        account.note,
      ]);
      return { json: answer, text: (paint: Paint) => table(paint, head, rows, [], 'no accounts') };
    },
  )
    .option('--after <uid>', 'only accounts with a larger uid')
    .option('--limit <number>', 'at most so many');
}

function showCommand(): Command {
  const examples = ['bourse account show alice', 'bourse account show 1000000001 --json'];
  return operatorCommand('show', 'Shows an account and what it holds.', examples, async (client, command) => {
    const answer = await client.get<
      Changed & { balances: BalanceView[]; positions: PositionView[]; openOrders: number }
    >(pathOf(command.args[0]!));
    const head = ['coin', 'unified', 'locked', 'funding', 'withdrawing', 'pledged'];
    const rows = answer.balances.map((b) => [
      b.coin,
      b.unified,
      b.locked,
      b.funding,
      b.withdrawing,
      b.pledged,
    ]);
    return {
      json: answer,
      text: (paint: Paint) => [
        ...accountText(answer.account, paint),
        ...facts(paint, [['open orders ', count(answer.openOrders)]]),
        '',
        ...table(paint, head, rows, [1, 2, 3, 4], 'no money yet'),
        ...positionTable(answer.positions, paint),
      ],
    };
  }).argument(...ACCOUNT);
}

function positionTable(positions: readonly PositionView[], paint: Paint): string[] {
  if (positions.length === 0) return [];
  const head = ['contract', 'side', 'mode', 'size', 'price', 'mark', 'margin', 'unrealised', 'funding owed'];
  const rows = positions.map((p) => [
    `${p.category} ${p.symbol}`,
    p.side,
    p.marginMode,
    p.size,
    p.averagePrice,
    p.markPrice,
    p.margin,
    p.unrealised,
    p.fundingOwed,
  ]);
  return ['', ...table(paint, head, rows, [3, 4, 5, 6, 7, 8])];
}

function switchCommand(verb: 'freeze' | 'unfreeze', description: string): Command {
  return operatorCommand(verb, description, [`bourse account ${verb} alice`], async (client, command) =>
    shownAccount(await client.post<Changed>(`${pathOf(command.args[0]!)}/${verb}`)),
  ).argument(...ACCOUNT);
}

function markCommand(verb: string, description: string, field: string): Command {
  return operatorCommand(verb, description, [`bourse account ${verb} alice on`], async (client, command) => {
    const [account, on] = command.args;
    return shownAccount(
      await client.post<Changed>(`${pathOf(account!)}/${verb}`, { [field]: readSwitch(on!) }),
    );
  })
    .argument(...ACCOUNT)
    .argument('<on|off>', 'what it shall be');
}

function commissionCommand(): Command {
  const examples = ['bourse account commission acme 0.3      30 % of the fees of its sub-accounts'];
  const description = 'Gives a broker a share of the trading fees that its sub-accounts pay.';
  return operatorCommand('commission', description, examples, async (client, command) => {
    const [account, share] = command.args;
    const answer = await client.post<{ uid: number; share: string }>(`${pathOf(account!)}/commission`, {
      share,
    });
    const text = `${answer.uid} is paid ${answer.share} of every fee of its sub-accounts from now on`;
    return { json: answer, text: () => [text] };
  })
    .argument(...ACCOUNT)
    .argument('<share>', 'of 0 to 1, such as 0.3');
}

function quotaCommand(): Command {
  const examples = [
    'bourse account order-quota alice futures 90      90 a second beyond the standard, to share out',
    'bourse account order-quota alice futures 0',
  ];
  const description = 'Lets a main account give itself and its sub-accounts more order requests a second.';
  return operatorCommand('order-quota', description, examples, async (client, command) => {
    const [account, category, extra] = command.args;
    const answer = await client.post<{ uid: number; given: number; cap: number }>(
      `${pathOf(account!)}/order-quota`,
      { category, extra: Number(extra) },
    );
    const { uid, given, cap } = answer;
    const text = `${uid} and its sub-accounts may have ${cap} ${category} order requests a second, and have ${given}`;
    return { json: answer, text: () => [text] };
  })
    .argument(...ACCOUNT)
    .argument('<spot|futures>', 'which orders')
    .argument('<extra>', 'so many beyond the standard of 10 for each account');
}

function shownAccount(answer: Changed) {
  return { json: answer, text: (paint: Paint) => accountText(answer.account, paint) };
}

function accountText(account: AccountView, paint: Paint): string[] {
  const { uid, name, kind, master, frozen, marketMaker } = account;
  return facts(paint, [
    ['uid', String(uid)],
    ['name', name],
    ['kind', master === null ? kind : `${kind} of ${master}`],
    ['frozen', yesNo(frozen)],
    ['market maker', yesNo(marketMaker)],
  ]);
}
