/** `bourse instrument ...` and `bourse fees ...`: listed instruments and their fees. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CATEGORY_NAMES, INSTRUMENT_STATUS_NAMES } from '../../core/model/enums.ts';
import { ConfigError } from '../exit-codes.ts';
import type { Paint } from '../terminal/colour.ts';
import { didYouMean } from '../terminal/did-you-mean.ts';
import { count } from '../terminal/format.ts';
import { commandGroup } from './command-line.ts';
import type { OperatorClient } from './operator-client.ts';
import { facts, operatorCommand, table } from './operator-command.ts';
import { suggestInstrument } from './suggestions.ts';

interface InstrumentView {
  readonly category: string;
  readonly symbol: string;
  readonly status: string;
  readonly closeOnly: boolean;
  readonly paused: boolean;
  readonly fundInterval: string;
  readonly baseCoin: string;
  readonly quoteCoin: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  readonly openOrders: number;
}
interface Changed {
  readonly instrument: InstrumentView;
}

const CATEGORY_FLAG = '--category <name>';
const CATEGORY_HELP = `one of ${CATEGORY_NAMES.join(', ')}`;

export function instrumentCommand(): Command {
  return commandGroup('instrument', 'Lists instruments, changes their status, adds new ones.', [
    listCommand(),
    statusCommand(),
    addCommand(),
  ]);
}

function listCommand(): Command {
  const examples = ['bourse instrument list', 'bourse instrument list --category SPOT --json'];
  return operatorCommand('list', 'Lists instruments.', examples, async (client, command) => {
    const { category } = command.opts<{ category?: string }>();
    const query =
      category === undefined ? '' : `?category=${encodeURIComponent(known(category, CATEGORY_NAMES))}`;
    const answer = await client.get<{ instruments: InstrumentView[] }>(`/admin/instruments${query}`);
    return { json: answer, text: (paint: Paint) => instrumentTable(answer.instruments, paint) };
  }).option(CATEGORY_FLAG, CATEGORY_HELP);
}

function statusCommand(): Command {
  const examples = [
    'bourse instrument status BTCUSDT limit_open        no new buys, sells go on',
    'bourse instrument status BTCUSDT offline           cancels every order of it',
    'bourse instrument status BTCUSDT online --category MARGIN',
  ];
  const description = `Changes the status of an instrument: ${INSTRUMENT_STATUS_NAMES.join(', ')}.`;
  return operatorCommand('status', description, examples, async (client, command) => {
    const [symbol, status] = command.args;
    const category = known(String(command.getOptionValue('category')), CATEGORY_NAMES);
    const body = { category, symbol, status: known(status!, INSTRUMENT_STATUS_NAMES) };
    const changed = client.post<Changed>('/admin/instruments/status', body);
    const answer = await suggestInstrument(client, category, symbol!, changed);
    return { json: answer, text: (paint: Paint) => instrumentTable([answer.instrument], paint) };
  })
    .argument('<symbol>', 'such as BTCUSDT')
    .argument('<status>', 'its new status')
    .option(CATEGORY_FLAG, CATEGORY_HELP, 'SPOT');
}

function addCommand(): Command {
  const examples = [
    'bourse instrument add new-pair.json',
    'bourse instrument add new-coin.json',
    `bourse instrument add '{"coin": "DOGE", "name": "Dogecoin", "chains": []}'`,
  ];
  const description =
    'Lists coins and instruments from a JSON file: one entry of the catalogue, or a list of them.';
  return operatorCommand('add', description, examples, async (client, command) => {
    const added: string[] = [];
    for (const spec of readEntries(command.args[0]!)) added.push(await add(client, spec));
    return { json: { added }, text: () => added.map((name) => `listed ${name}`) };
  }).argument('<file>', 'in the form of the files in catalogue/; or the entry itself, as JSON');
}

/** An entry with a symbol is an instrument, one without is a coin. */
async function add(client: OperatorClient, spec: object): Promise<string> {
  if (!('symbol' in spec)) return (await client.post<{ coin: string }>('/admin/coins', { spec })).coin;
  const { instrument } = await client.post<Changed>('/admin/instruments', { spec });
  return `${instrument.category} ${instrument.symbol}`;
}

function readEntries(given: string): object[] {
  const isEntry = /^\s*[{[]/.test(given);
  const file = isEntry ? 'the entry' : given;
  try {
    const content: unknown = JSON.parse(isEntry ? given : readFileSync(file, 'utf8'));
    const entries: unknown[] = Array.isArray(content) ? content : [content];
    if (entries.every((entry) => typeof entry === 'object' && entry !== null)) return entries;
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`);
  }
  throw new ConfigError(`${file} must hold an object or a list of objects`);
}

export function feesCommand(): Command {
  const examples = ['bourse fees set alice BTCUSDT --maker -0.0001 --taker 0.0004'];
  const description = 'Sets what an account pays on an instrument from its next fill on.';
  const set = operatorCommand('set', description, examples, async (client, command) => {
    const [account, symbol] = command.args;
    const { maker, taker, category } = command.opts<Record<string, string>>();
    const body = { account, symbol, category: known(category!, CATEGORY_NAMES), maker, taker };
    const answer = await suggestInstrument(
      client,
      body.category,
      symbol!,
      client.post<{ uid: number; maker: string; taker: string }>('/admin/fees', body),
    );
    const text = (paint: Paint) =>
      facts(paint, [
        ['account', String(answer.uid)],
        ['instrument', `${body.category} ${symbol}`],
        ['maker', answer.maker],
        ['taker', answer.taker],
      ]);
    return { json: answer, text };
  })
    .argument('<account>', 'uid or name; a sub-account as main/sub')
    .argument('<symbol>', 'such as BTCUSDT')
    .requiredOption('--maker <rate>', 'such as 0.0002; negative is a rebate')
    .requiredOption('--taker <rate>', 'such as 0.0005')
    .option(CATEGORY_FLAG, CATEGORY_HELP, 'SPOT');
  return commandGroup('fees', 'Sets fees per account and instrument.', [set]);
}

function instrumentTable(instruments: readonly InstrumentView[], paint: Paint): string[] {
  const head = ['category', 'symbol', 'status', 'funding', 'base', 'quote', 'maker', 'taker', 'open orders'];
  const rows = instruments.map((i) => [
    i.category,
    i.symbol,
    statusText(i),
    i.fundInterval === '' ? '' : `${i.fundInterval} h`,
    i.baseCoin,
    i.quoteCoin,
    i.makerFeeRate,
    i.takerFeeRate,
    count(i.openOrders),
  ]);
  return table(paint, head, rows, [6, 7, 8], 'no instruments');
}

function known<Choice extends string>(word: string, words: readonly Choice[]): Choice {
  const found = words.find((candidate) => candidate === word);
  if (found !== undefined) return found;
  const meant = didYouMean(word, words);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new ConfigError(`${JSON.stringify(word)} must be one of ${words.join(', ')}.${hint}`);
}

function statusText({ status, closeOnly, paused }: InstrumentView): string {
  if (paused) return `${status} (paused: the index is missing)`;
  return closeOnly ? `${status} (only closes)` : status;
}
