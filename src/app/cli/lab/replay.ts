/** `bourse lab replay FILE --bot "command"`: a bot, unmodified, against recorded data, as fast as the machine can. */
import { type Command, Option } from 'commander';
import type { Config, SettingName } from '../../config/settings.ts';
import { ConfigError, ExitCode } from '../../exit-codes.ts';
import type { ReplayResult } from '../../start/replay-run.ts';
import { type Paint, painter } from '../../terminal/colour.ts';
import { count } from '../../terminal/format.ts';
import { configOf, describedCommand, withSettings } from '../command-line.ts';
import { facts, show, table, when } from '../operator-command.ts';

const SETTINGS_USED: readonly SettingName[] = [
  ...([
    'depth',
    'as',
    'skipBad',
    'market',
    'seed',
    'instruments',
    'catalogue',
    'rateLimits',
    'color',
  ] as const),
];

export function labReplayCommand(): Command {
  const examples = [
    'bourse lab replay BTCUSDT-trades-2026-01-05.zip --bot "node bot.mjs" --instruments SPOT:BTCUSDT',
    'bourse lab replay BTCUSDT-1m-2026-01.csv --bot "python bot.py" --depth price --for 2d',
  ];
  const description =
    'Runs a bot against recorded data on an exchange of its own, in the time of the data; the same file, seed and bot lead to the same state.';
  const command = describedCommand('replay', description, examples)
    .argument('<file>', 'recorded data, several with commas between')
    .requiredOption('--bot <command>', 'a program of Node or Python that trades at BOURSE_URL')
    .option('--for <span>', 'how much of the recorded time [all]')
    .addOption(new Option('--json', 'print one JSON document').helpGroup('Output:'));
  return withSettings(command, SETTINGS_USED).action(async () => {
    const [file] = command.args;
    const { bot, for: span } = command.opts<{ bot: string; for?: string }>();
    if (bot.trim() === '') throw new ConfigError('--bot must be a command, such as "node bot.mjs"');
    const resolved = await configOf(command, SETTINGS_USED);
    const { runReplay } = await import('../../start/replay-run.ts');
    const result = await runReplay(resolved, { file: file!, bot, ...(span !== undefined && { span }) });
    show({ json: result, text: (paint) => resultText(result, paint) }, command, painterOf(resolved.config));
    process.exitCode = result.bot.code === 0 ? ExitCode.ok : ExitCode.failed;
  });
}

const painterOf = ({ color }: Config): Paint => painter(color, process.stdout);

function resultText(
  { from, to, realMs, speed, bot, shares, replay, accounts, stateHash }: ReplayResult,
  paint: Paint,
): string[] {
  const ended = bot.stopped ? 'stopped at the end' : `ended by itself with code ${bot.code}`;
  return [
    ...facts(paint, [
      ['from', when(from)],
      ['to', when(to)],
      ['took', `${count(Math.round(realMs))} ms, ${count(Math.round(speed))} times real time`],
      ['of it', `bot ${shares.bot} %, exchange ${shares.exchange} %, rest ${shares.rest} %`],
      ['bot', ended],
      ['recorded', `${count(replay.rows)} rows, depth ${replay.depth}`],
      ['state hash', stateHash],
    ]),
    ...table(
      paint,
      ['account', 'fills', 'value', 'fees', 'balances'],
      accounts.map(({ account, fills, value, fees, balances }) => [
        account,
        count(fills),
        value,
        fees,
        balances.map(({ coin, before, after }) => `${coin} ${before} -> ${after}`).join(', '),
      ]),
      [1, 2],
      'no account has traded',
    ),
    ...table(
      paint,
      ['book', 'recorded', 'traded', 'with users', 'distance now, most (bps)'],
      replay.books.map((book) => [
        `${book.category}:${book.symbol}`,
        String(book.recorded.volume),
        String(book.traded.volume),
        String(book.withUsers.volume),
        `${book.distanceBps}, ${book.distanceBpsMax}`,
      ]),
      [1, 2, 3],
      'no book is replayed',
    ),
  ];
}
