/** `bourse deposit`, `bourse deposits` and `bourse withdrawal ...`: deposits and withdrawals. */
import type { Command } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { commandGroup } from './command-line.ts';
import { facts, operatorCommand, table, when, withQuery } from './operator-command.ts';
import { suggestCoin } from './suggestions.ts';

interface Deposited {
  readonly id: string;
  readonly uid: number;
  readonly coin: string;
  readonly amount: string;
  readonly wallet: string;
  readonly reference: string;
}
interface PastDeposit extends Omit<Deposited, 'wallet'> {
  readonly from: string;
  readonly chain: string;
  readonly created: number;
}
interface WithdrawalView {
  readonly id: string;
  readonly uid: number;
  readonly coin: string;
  readonly amount: string;
  readonly fee: string;
  readonly toPay: string;
  readonly chain: string;
  readonly address: string;
  readonly tag: string;
  readonly created: number;
}

export function depositCommand(): Command {
  const examples = [
    'bourse deposit alice 10000 USDT --reference 0x3fe1...      where alice wants it, else the unified account',
    'bourse deposit alice 0.5 BTC --reference bank-17 --wallet funding',
  ];
  const description = 'Credits money that has arrived; the same reference counts once per account and coin.';
  return operatorCommand('deposit', description, examples, async (client, command) => {
    const [account, amount, coin] = command.args;
    const { reference, wallet, chain, address } = command.opts();
    const body = { account, amount, coin, reference, wallet, chain, address };
    const answer = await suggestCoin(client, coin!, client.post<Deposited>('/admin/deposits', body));
    const text = `credited ${answer.amount} ${answer.coin} to ${answer.uid} (${answer.wallet}), deposit ${answer.id}`;
    return { json: answer, text: () => [text] };
  })
    .argument('<account>', 'uid or name; a sub-account as main/sub')
    .argument('<amount>', 'decimal, such as 1000.5')
    .argument('<coin>', 'such as USDT')
    .requiredOption('--reference <text>', 'what the deposit is known by outside: a transaction id')
    .option('--wallet <unified|funding>', 'where it goes, whatever the owner has chosen')
    .option('--chain <name>', 'network it came over')
    .option('--address <text>', 'address it came to');
}

export function depositsCommand(): Command {
  const examples = ['bourse deposits', 'bourse deposits --account alice --limit 20'];
  return operatorCommand(
    'deposits',
    'Lists past deposits, newest first.',
    examples,
    async (client, command) => {
      const path = withQuery('/admin/deposits', command, ['account', 'before', 'limit']);
      const answer = await client.get<{ deposits: PastDeposit[] }>(path);
      const head = ['id', 'uid', 'coin', 'amount', 'reference', 'from', 'chain', 'arrived (UTC)'];
      const rows = answer.deposits.map(({ id, uid, coin, amount, reference, from, chain, created }) => [
        id,
        String(uid),
        coin,
        amount,
        reference,
        from,
        chain,
        when(created),
      ]);
      return { json: answer, text: (paint: Paint) => table(paint, head, rows, [3], 'no such deposits') };
    },
  )
    .option('--account <account>', 'uid or name; a sub-account as main/sub')
    .option('--before <id>', 'only those before this deposit')
    .option('--limit <number>', 'at most so many, 1 to 1000; otherwise 100');
}

export function withdrawalCommand(): Command {
  return commandGroup('withdrawal', 'Lists, settles and refuses withdrawals.', [
    listCommand(),
    endCommand('settle', 'Notes that a withdrawal was paid out.', '--tx <id>', 'transaction id', 'txId'),
    endCommand('refuse', 'Gives the money of a withdrawal back.', '--reason <text>', 'why', 'reason'),
  ]);
}

function listCommand(): Command {
  return operatorCommand(
    'list',
    'Lists pending withdrawals, oldest first.',
    ['bourse withdrawal list'],
    async (client) => {
      const answer = await client.get<{ withdrawals: WithdrawalView[] }>('/admin/withdrawals');
      const head = ['id', 'uid', 'coin', 'amount', 'fee', 'to pay', 'chain', 'address', 'tag', 'asked (UTC)'];
      const rows = answer.withdrawals.map((w) => [
        w.id,
        String(w.uid),
        w.coin,
        w.amount,
        w.fee,
        w.toPay,
        w.chain,
        w.address,
        w.tag,
        when(w.created),
      ]);
      return {
        json: answer,
        text: (paint: Paint) => table(paint, head, rows, [3, 4, 5], 'nothing is pending'),
      };
    },
  );
}

function endCommand(
  verb: 'settle' | 'refuse',
  description: string,
  flag: string,
  what: string,
  field: string,
): Command {
  const given = flag.replace(/<.*>/, verb === 'settle' ? '0x3fe1...' : '"address is on a list"');
  const example = [`bourse withdrawal ${verb} 1000000000000000042 ${given}`];
  return operatorCommand(verb, description, example, async (client, command) => {
    const [id] = command.args;
    const { tx, reason } = command.opts();
    const answer = await client.post<{ withdrawal: WithdrawalView; outcome: string }>(
      `/admin/withdrawals/${encodeURIComponent(id!)}/${verb}`,
      { [field]: tx ?? reason },
    );
    const { withdrawal, outcome } = answer;
    const text = (paint: Paint) =>
      facts(paint, [
        ['withdrawal', withdrawal.id],
        ['outcome', outcome],
        ['account', String(withdrawal.uid)],
        [
          outcome === 'settled' ? 'paid out' : 'given back',
          outcome === 'settled'
            ? `${withdrawal.toPay} ${withdrawal.coin}`
            : `${withdrawal.amount} ${withdrawal.coin}`,
        ],
      ]);
    return { json: answer, text };
  })
    .argument('<id>', 'as the list shows it')
    .requiredOption(flag, what);
}
