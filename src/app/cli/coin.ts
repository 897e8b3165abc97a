/** `bourse coin ...`: what is allowed of each coin. */
import type { Command } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { commandGroup } from './command-line.ts';
import { operatorCommand, table } from './operator-command.ts';
import { suggestCoin } from './suggestions.ts';

interface CoinView {
  readonly coin: string;
  readonly houseShortUsd: string;
  readonly lendShare: string;
  readonly insuranceFloor: string;
}

export function coinCommand(): Command {
  return commandGroup('coin', 'Shows and sets what the house may lack, lend and drain of a coin.', [
    limitsCommand(),
    setCommand(),
  ]);
}

function limitsCommand(): Command {
  return operatorCommand('limits', 'Lists the limits of coins.', ['bourse coin limits'], async (client) => {
    const answer = await client.get<{ coins: CoinView[] }>('/admin/coins');
    return { json: answer, text: (paint: Paint) => coinTable(answer.coins, paint) };
  });
}

function setCommand(): Command {
  const examples = [
    'bourse coin set BTC --house-short-usd 50000     coin-margined contracts only close beyond it and the fund',
    'bourse coin set BTC --lend-share 0.25           a quarter of what is held may be lent',
    'bourse coin set USDT --insurance-floor 100000   what drains leave in each insurance fund',
  ];
  const description = 'Sets limits of a coin; what is held, owed and open already stays.';
  return operatorCommand('set', description, examples, async (client, command) => {
    const [coin] = command.args;
    const { houseShortUsd, lendShare, insuranceFloor } = command.opts();
    const body = { coin, houseShortUsd, lendShare, insuranceFloor };
    const work = client.post<{ coin: CoinView }>('/admin/coins/limits', body);
    const answer = await suggestCoin(client, coin!, work);
    return { json: answer, text: (paint: Paint) => coinTable([answer.coin], paint) };
  })
    .argument('<coin>', 'such as BTC')
    .option('--house-short-usd <dollars>', 'what the house may lack of it beyond its insurance fund')
    .option('--lend-share <fraction>', 'part of what is held that may be lent, 0 to 1')
    .option('--insurance-floor <amount>', 'what drains leave in each insurance fund');
}

function coinTable(coins: readonly CoinView[], paint: Paint): string[] {
  const head = ['coin', 'house may lack (USD)', 'lent at most', 'insurance floor'];
  const rows = coins.map((c) => [c.coin, c.houseShortUsd, c.lendShare, c.insuranceFloor]);
  return table(paint, head, rows, [1, 2, 3], 'no coins');
}
