/** `bourse loan ...`: loan pools and rates. */
import type { Command } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { commandGroup } from './command-line.ts';
import { operatorCommand, table } from './operator-command.ts';
import { suggestCoin } from './suggestions.ts';

interface PoolView {
  readonly coin: string;
  readonly free: string;
  readonly lent: string;
  readonly lost: string;
  readonly loans: number;
  readonly flexibleRate: string;
  readonly sevenDayRate: string;
  readonly thirtyDayRate: string;
}

export function loanCommand(): Command {
  return commandGroup('loan', 'Shows, funds and drains loan pools, sets loan rates.', [
    poolsCommand(),
    moveCommand('fund', 'Brings money into a loan pool; the same reference counts once per coin.'),
    moveCommand('drain', 'Takes money that is not lent out of a loan pool.'),
    rateCommand(),
  ]);
}

function poolsCommand(): Command {
  return operatorCommand('pools', 'Lists loan pools.', ['bourse loan pools'], async (client) => {
    const answer = await client.get<{ pools: PoolView[] }>('/admin/loan-pools');
    return { json: answer, text: (paint: Paint) => poolTable(answer.pools, paint) };
  });
}

function moveCommand(verb: 'fund' | 'drain', description: string): Command {
  const examples = [`bourse loan ${verb} 250000 USDT --reference treasury-12`];
  return operatorCommand(verb, description, examples, async (client, command) => {
    const [amount, coin] = command.args;
    const { reference } = command.opts();
    const work = client.post<{ pool: PoolView }>(`/admin/loan-pools/${verb}`, { coin, amount, reference });
    const answer = await suggestCoin(client, coin!, work);
    return { json: answer, text: (paint: Paint) => poolTable([answer.pool], paint) };
  })
    .argument('<amount>', 'decimal, such as 1000.5')
    .argument('<coin>', 'such as USDT')
    .requiredOption('--reference <text>', 'what the movement is known by outside');
}

function rateCommand(): Command {
  const examples = ['bourse loan rate USDT FLEXIBLE 0.041      4.1 % a year from the next hour on'];
  const description = 'Sets a yearly rate: new loans have it, flexible ones from their next hour on.';
  return operatorCommand('rate', description, examples, async (client, command) => {
    const [coin, term, yearRate] = command.args;
    const work = client.post<{ pool: PoolView }>('/admin/loan-rates', { coin, term, yearRate });
    const answer = await suggestCoin(client, coin!, work);
    return { json: answer, text: (paint: Paint) => poolTable([answer.pool], paint) };
  })
    .argument('<coin>', 'such as USDT')
    .argument('<term>', 'FLEXIBLE, SEVEN or THIRTY')
    .argument('<rate>', 'such as 0.041');
}

function poolTable(pools: readonly PoolView[], paint: Paint): string[] {
  const head = ['coin', 'free', 'lent', 'lost', 'loans', 'flexible', '7 days', '30 days'];
  const rows = pools.map((p) => [
    p.coin,
    p.free,
    p.lent,
    p.lost,
    String(p.loans),
    p.flexibleRate,
    p.sevenDayRate,
    p.thirtyDayRate,
  ]);
  return table(paint, head, rows, [1, 2, 3, 4, 5, 6, 7], 'nothing is lent here');
}
