/** `bourse insurance ...`: the insurance funds, and debts that nobody will pay. */
import { type Command, Option } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { commandGroup } from './command-line.ts';
import { facts, operatorCommand, table } from './operator-command.ts';
import { suggestCoin } from './suggestions.ts';

interface FundView {
  readonly coin: string;
  readonly fund: string;
  readonly balance: string;
  readonly floor: string;
  readonly base: string;
  readonly paid: string;
  readonly left: string;
}

export function insuranceCommand(): Command {
  return commandGroup('insurance', 'Shows, funds and drains the insurance funds, writes debts off.', [
    showCommand(),
    moveCommand(
      'fund',
      'Brings money into an insurance fund; the same reference counts once per coin and fund.',
    ),
    moveCommand('drain', 'Takes money above the floor of the coin out of an insurance fund.'),
    writeOffCommand(),
  ]);
}

function showCommand(): Command {
  const description = 'Lists the insurance funds and what is left of the budgets of this hour.';
  return operatorCommand('show', description, ['bourse insurance show'], async (client) => {
    const answer = await client.get<{ funds: FundView[] }>('/admin/insurance');
    return { json: answer, text: (paint: Paint) => fundTable(answer.funds, paint) };
  });
}

function moveCommand(verb: 'fund' | 'drain', description: string): Command {
  const examples = [
    `bourse insurance ${verb} 250000 USDT --reference treasury-13`,
    `bourse insurance ${verb} 5 BTC --of lending --reference treasury-14`,
  ];
  return operatorCommand(verb, description, examples, async (client, command) => {
    const [amount, coin] = command.args;
    const { reference, of: fund } = command.opts();
    const body = { coin, fund, amount, reference };
    const work = client.post<{ fund: FundView }>(`/admin/insurance/${verb}`, body);
    const answer = await suggestCoin(client, coin!, work);
    return { json: answer, text: (paint: Paint) => fundTable([answer.fund], paint) };
  })
    .argument('<amount>', 'decimal, such as 1000.5')
    .argument('<coin>', 'such as USDT')
    .addOption(
      new Option('--of <fund>', 'of contracts, or of margin debts and pledge loans')
        .choices(['futures', 'lending'])
        .default('futures'),
    )
    .requiredOption('--reference <text>', 'what the movement is known by outside');
}

function writeOffCommand(): Command {
  const description = 'Writes off what an account owes and cannot pay: without positions, orders and loans.';
  const examples = ['bourse insurance write-off alice'];
  return operatorCommand('write-off', description, examples, async (client, command) => {
    const [account] = command.args;
    const answer = await client.post<{ uid: number; writtenOff: Record<string, string> }>(
      '/admin/insurance/write-off',
      { account },
    );
    const rows = Object.entries(answer.writtenOff);
    const text = (paint: Paint) => [
      ...facts(paint, [['account', String(answer.uid)]]),
      '',
      ...table(paint, ['coin', 'written off'], rows, [1]),
    ];
    return { json: answer, text };
  }).argument('<account>', 'name or uid');
}

function fundTable(funds: readonly FundView[], paint: Paint): string[] {
  const head = ['coin', 'fund', 'balance', 'floor', 'base of the hour', 'paid', 'left'];
  const rows = funds.map((f) => [f.coin, f.fund, f.balance, f.floor, f.base, f.paid, f.left]);
  return table(paint, head, rows, [2, 3, 4, 5, 6], 'the funds are empty');
}
