/** `bourse market ...`: the market simulator. */
import type { Command } from 'commander';
import { ConfigError } from '../exit-codes.ts';
import { count, counted } from '../terminal/format.ts';
import { commandGroup } from './command-line.ts';
import { facts, operatorCommand, table, yesNo } from './operator-command.ts';

interface MarketView {
  readonly level: string;
  readonly seed: number;
  readonly feed: string;
  readonly books: number;
  readonly commands: number;
  readonly refused: number;
  readonly agents: readonly {
    readonly name: string;
    readonly uid: number;
    readonly running: boolean;
    readonly openOrders: number;
  }[];
}

export function marketCommand(): Command {
  return commandGroup('market', 'Shows the market simulator, disturbs it until the next restart.', [
    showCommand(),
    shockCommand(),
    widenCommand(),
    runningCommand('stop', 'Stops an agent, or all of a kind, and takes its orders out of the books.'),
    runningCommand('start', 'Lets a stopped agent, or all of a kind, go on.'),
  ]);
}

function showCommand(): Command {
  const examples = ['bourse market show', 'bourse market show --json | jq .agents'];
  return operatorCommand('show', 'Lists what plays.', examples, async (client) => {
    const market = await client.get<MarketView>('/admin/market');
    const rows = market.agents.map(({ name, uid, running, openOrders }) => [
      name,
      String(uid),
      yesNo(running),
      count(openOrders),
    ]);
    return {
      json: market,
      text: (paint) => [
        ...facts(paint, [
          ['market', market.level],
          ['feed', market.feed],
          ['books', count(market.books)],
          ['commands', `${count(market.commands)}, ${count(market.refused)} refused`],
        ]),
        '',
        ...table(paint, ['agent', 'uid', 'running', 'open orders'], rows, [3]),
      ],
    };
  });
}

function shockCommand(): Command {
  const examples = [
    'bourse market shock BTC -10                 falls by 10 % at once',
    'bourse market shock ETH 25 --seconds 600    rises by 25 % within ten minutes',
  ];
  const description = 'Moves what the world outside pays for a coin.';
  const shock = operatorCommand('shock', description, examples, async (client, command) => {
    const [coin, percent] = command.args;
    const body = { coin, percent: readNumber(percent!), ...secondsOf(command) };
    const answer = await client.post<{ coin: string; percent: number; seconds: number }>(
      '/admin/market/shock',
      body,
    );
    const within = answer.seconds === 0 ? 'at once' : `within ${counted(answer.seconds, 'second')}`;
    return { json: answer, text: () => [`${answer.coin} moves by ${answer.percent} % ${within}`] };
  });
  return shock
    .argument('<coin>', 'such as BTC')
    .argument('<percent>', 'how far, such as -10')
    .option('--seconds <number>', 'how long it takes [0]')
    .allowUnknownOption();
}

function widenCommand(): Command {
  const examples = ['bourse market widen BTCUSDT 5 --category USDT-FUTURES --seconds 120'];
  const description = 'Multiplies the spread that the makers of an instrument quote.';
  return operatorCommand('widen', description, examples, async (client, command) => {
    const [symbol, factor] = command.args;
    const { category } = command.opts<{ category: string }>();
    const body = { category, symbol, factor: readNumber(factor!), ...secondsOf(command) };
    const answer = await client.post<{ symbol: string; factor: number; seconds: number }>(
      '/admin/market/spread',
      body,
    );
    const text = `the spread of ${answer.symbol} is ${answer.factor} times as wide for ${counted(answer.seconds, 'second')}`;
    return { json: answer, text: () => [text] };
  })
    .argument('<symbol>', 'such as BTCUSDT')
    .argument('<factor>', 'such as 5; 1 ends it')
    .option('--category <name>', 'category of the instrument', 'SPOT')
    .option('--seconds <number>', 'for how long [300]');
}

function runningCommand(verb: 'stop' | 'start', description: string): Command {
  const examples = [`bourse market ${verb} maker:SPOT:BTCUSDT`, `bourse market ${verb} retail`];
  return operatorCommand(verb, description, examples, async (client, command) => {
    const answer = await client.post<{ agents: number; running: boolean }>(`/admin/market/${verb}`, {
      agent: command.args[0],
    });
    const now = answer.running ? 'running' : 'stopped';
    return { json: answer, text: () => [`${counted(answer.agents, 'agent')} ${now}`] };
  }).argument('<agent>', 'a name as market show prints it, or a kind');
}

function secondsOf(command: Command): { seconds?: number } {
  const seconds = command.getOptionValue('seconds') as string | undefined;
  return seconds === undefined ? {} : { seconds: readNumber(seconds) };
}

function readNumber(text: string): number {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new ConfigError(`${JSON.stringify(text)} must be a number`);
}
