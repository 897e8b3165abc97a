/**
 * Two checkouts side by side: the same commands through the core of each, in turn, so that other work on the machine
 * meets both alike. Processor time, not wall time; the median of the ratios of the pairs.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Exchange } from '../src/core/engine/exchange.ts';
import type { Command } from '../src/core/model/command.ts';
import { printTable, rate } from './report.ts';

const PAIRS = 20;
/** Pairs before the first that counts: both cores are compiled then. */
const WARM_UP_PAIRS = 2;

type Core = new () => Pick<Exchange, 'apply' | 'takeEvents'>;

export async function comparePairs(
  checkout: string,
  setUp: readonly Command[],
  commands: readonly Command[],
): Promise<void> {
  const path = join(checkout, 'src/core/engine/exchange.ts');
  const other: { Exchange: Core } = await import(pathToFileURL(path).href);
  const seconds = (core: Core) => processorSeconds(core, setUp, commands);
  const pairs: { before: number; after: number }[] = [];
  for (let n = -WARM_UP_PAIRS; n < PAIRS; n++) {
    // Each goes first in half of the pairs.
    const first = n % 2 === 0 ? seconds(other.Exchange) : Number.NaN;
    const after = seconds(Exchange);
    const before = n % 2 === 0 ? first : seconds(other.Exchange);
    if (n >= 0) pairs.push({ before, after });
  }
  const ratios = pairs.map(({ before, after }) => after / before);
  console.log(
    `\n${PAIRS} pairs of ${commands.length.toLocaleString('en-US')} commands, processor time; ${checkout}:`,
  );
  printTable(
    ['what', 'a second', 'median ratio of time', 'quartiles'],
    [
      ['the other checkout', rate(commands.length, median(pairs.map(({ before }) => before))), '1.000', ''],
      [
        'this one',
        rate(commands.length, median(pairs.map(({ after }) => after))),
        median(ratios).toFixed(3),
        `${quantile(ratios, 0.25).toFixed(3)} to ${quantile(ratios, 0.75).toFixed(3)}`,
      ],
    ],
  );
}

function processorSeconds(core: Core, setUp: readonly Command[], commands: readonly Command[]): number {
  const exchange = new core();
  for (const command of setUp) exchange.apply(command);
  exchange.takeEvents();
  globalThis.gc?.();
  const start = process.cpuUsage();
  for (const command of commands) {
    exchange.apply(command);
    exchange.takeEvents();
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
}
