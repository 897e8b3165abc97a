/** `bourse lab explain`: why an order was refused, what a fill or a liquidation was made of, with every number. */
import type { Command } from 'commander';
import { ConfigError } from '../../exit-codes.ts';
import type { Paint } from '../../terminal/colour.ts';
import { count } from '../../terminal/format.ts';
import { operatorCommand, table, when } from '../operator-command.ts';

type Facts = Readonly<Record<string, string>>;

interface ExplanationView {
  readonly what: string;
  readonly verdict: string;
  readonly command: { readonly seq: number; readonly time: number; readonly account: string };
  readonly checks: readonly {
    readonly check: string;
    readonly rule: string;
    readonly inputs: Facts;
    readonly bound: string;
    readonly verdict: 'passed' | 'refused' | 'not reached';
  }[];
  readonly matches: readonly {
    readonly level: number;
    readonly symbol: string;
    readonly price: string;
    readonly qty: string;
    readonly value: string;
    readonly taker: string;
    readonly maker: string;
    readonly fees: readonly Facts[];
  }[];
  readonly postings: readonly {
    readonly from: string;
    readonly to: string;
    readonly coin: string;
    readonly amount: string;
  }[];
  readonly margin: {
    readonly equity: string;
    readonly effective: string;
    readonly initial: string;
    readonly maintenance: string;
    readonly ratio: string;
    readonly terms: readonly {
      readonly of: string;
      readonly what: string;
      readonly inputs: Facts;
      readonly usd: string;
    }[];
  } | null;
  readonly timeline: readonly {
    readonly time: number;
    readonly seq: number;
    readonly what: string;
    readonly facts: Facts;
    readonly rule?: string;
    readonly bound?: string;
    readonly rightWouldBe?: string;
  }[];
  readonly rightWouldBe: string;
  readonly docs: readonly string[];
}

/** Options, and the fields of the query that they are. */
const FIELDS = {
  order: 'orderId',
  clientOid: 'clientOid',
  account: 'account',
  command: 'command',
  liquidation: 'liquidation',
  fill: 'fill',
  position: 'position',
  symbol: 'symbol',
} as const;

export function explainCommand(): Command {
  const examples = [
    'bourse lab explain --client-oid my-1 --account bot       why an order was refused',
    'bourse lab explain --order 1000000000000000042           its checks, fills and what became of it',
    'bourse lab explain --command 18231                       any command, by its number',
    'bourse lab explain --liquidation bob                     the last one, second by second',
    'bourse lab explain --position bob --symbol BTCUSDT       what its margin is the sum of',
  ];
  const description = 'Explains an order, a fill, a liquidation or any command, by replaying it on a copy.';
  return operatorCommand('explain', description, examples, async (client, command) => {
    const options = command.opts<Readonly<Record<string, string | true | undefined>>>();
    const query = new URLSearchParams();
    for (const [option, field] of Object.entries(FIELDS)) {
      const given = options[option];
      if (given !== undefined) query.set(field, String(given));
    }
    if (query.size === 0) throw new ConfigError('say what to explain: --order, --client-oid, --command, …');
    if (options.others === true) query.set('others', 'shown');
    const explained = await client.get<ExplanationView>(`/lab/explain?${query.toString()}`);
    return { json: explained, text: (paint: Paint) => explanationText(explained, paint) };
  })
    .option('--order <id>', 'of an order')
    .option('--client-oid <id>', 'of an order, with --account: also of a refused one')
    .option('--account <name>', 'owner of the client id')
    .option('--command <number>', 'in the journal')
    .option('--liquidation <account>', 'the last one of an account, or the id of a forced order')
    .option('--fill <id>', 'of a fill')
    .option('--position <account>', 'holder of a position, with --symbol')
    .option('--symbol <symbol>', 'of the position')
    .option('--others', 'show other accounts by their uid');
}

const SIGNS = { passed: 'ok', refused: 'NO', 'not reached': '-' } as const;

const listed = (facts: Facts): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

function explanationText(explained: ExplanationView, paint: Paint): string[] {
  const { what, verdict, command, checks, matches, postings, margin, timeline, rightWouldBe, docs } =
    explained;
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', paint('bold', title), ...lines];
  return [
    `${paint('bold', what)}: ${verdict}`,
    paint('dim', `command ${count(command.seq)}, ${when(command.time)}, account ${command.account}`),
    ...part(
      'checks',
      checks.length === 0
        ? []
        : table(
            paint,
            ['', 'check', 'values', 'bound', 'rule'],
            checks.map((each) => [
              SIGNS[each.verdict],
              each.check,
              listed(each.inputs),
              each.bound,
              each.rule,
            ]),
          ),
    ),
    ...part('right would be', rightWouldBe === '' ? [] : [rightWouldBe]),
    ...part(
      'matches',
      matches.map(
        ({ level, symbol, price, qty, value, taker, maker, fees }) =>
          `level ${level}: ${qty} ${symbol} at ${price} = ${value}, ${taker} takes from ${maker}` +
          fees.map(({ of, fee, coin }) => `, fee of the ${of} ${fee} ${coin}`).join(''),
      ),
    ),
    ...part(
      'postings',
      postings.map(({ from, to, coin, amount }) => `${from} -> ${to}: ${amount} ${coin}`),
    ),
    ...part('margin', margin === null ? [] : marginText(margin)),
    ...part(
      'timeline',
      timeline.flatMap(({ time, seq, what: happened, facts, rule, bound, rightWouldBe: right }) => [
        `${when(time)}  ${count(seq)}  ${happened}: ${listed(facts)}`,
        ...(rule === undefined ? [] : [paint('dim', `  ${rule}: ${bound}; right would be ${right}`)]),
      ]),
    ),
    ...part('rules', docs),
  ];
}

function marginText({
  equity,
  effective,
  initial,
  maintenance,
  ratio,
  terms,
}: NonNullable<ExplanationView['margin']>): string[] {
  const sums = { equity, initial, maintenance };
  return [
    `equity ${equity}, after discounts ${effective}, initial ${initial}, maintenance ${maintenance}, ratio ${ratio}`,
    ...Object.entries(sums).flatMap(([name, sum]) => [
      `${name} ${sum} =`,
      ...terms
        .filter(({ of }) => of === name)
        .map(({ what, usd, inputs }) => `  ${usd}  ${what}: ${listed(inputs)}`),
    ]),
  ];
}
