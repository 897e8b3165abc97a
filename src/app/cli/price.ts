/** `bourse price ...`: component prices, set by hand while no feed runs. */
import type { Command } from 'commander';
import type { Paint } from '../terminal/colour.ts';
import { commandGroup } from './command-line.ts';
import { operatorCommand, table, when, yesNo } from './operator-command.ts';

interface ComponentView {
  readonly exchange: string;
  readonly price: string;
  readonly source: string;
  readonly live: boolean;
}
interface IndexView {
  readonly index: string;
  readonly price: string;
  readonly stale: boolean;
  readonly thin: boolean;
  readonly reported: number | null;
  readonly components: readonly ComponentView[];
}

export function priceCommand(): Command {
  return commandGroup('price', 'Shows index prices, reports prices of the world outside.', [
    listCommand(),
    setCommand(),
  ]);
}

function listCommand(): Command {
  return operatorCommand('list', 'Lists indices.', ['bourse price list'], async (client) => {
    const answer = await client.get<{ indices: IndexView[] }>('/admin/prices');
    return { json: answer, text: (paint: Paint) => indexTable(answer.indices, paint) };
  });
}

function setCommand(): Command {
  const examples = [
    'bourse price set BTCUSDT 60000                       index and mark follow within a second',
    'bourse price set BTCUSDT 63600 --exchange venue-e    one component of the index',
  ];
  const description = 'Reports one price for every component of an index, or for one of them.';
  return operatorCommand('set', description, examples, async (client, command) => {
    const [index, price] = command.args;
    const exchange = command.getOptionValue('exchange') as string | undefined;
    const answer = await client.post<{ index: IndexView }>('/admin/prices', {
      index,
      price,
      ...(exchange !== undefined && { exchange }),
    });
    return { json: answer, text: (paint: Paint) => indexTable([answer.index], paint) };
  })
    .argument('<index>', 'base and quote coin, such as BTCUSDT')
    .argument('<price>', 'in the quote coin')
    .option('--exchange <name>', 'component that the price is of [all]');
}

function indexTable(indices: readonly IndexView[], paint: Paint): string[] {
  const rows = indices.map(({ index, price, stale, thin, reported, components }) => [
    index,
    price,
    yesNo(stale),
    yesNo(thin),
    reported === null ? '' : when(reported),
    components.map(componentText).join(', '),
  ]);
  return table(paint, ['index', 'price', 'stale', 'thin', 'reported', 'components'], rows, [1], 'no indices');
}

function componentText({ exchange, price, source, live }: ComponentView): string {
  return `${exchange} ${price}${source === 'hand' ? ' by hand' : ''}${live ? '' : ' (out)'}`;
}
