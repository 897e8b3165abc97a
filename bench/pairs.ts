/**
 * Two checkouts side by side: the same commands through the core of each, in turns of a few milliseconds, so that other
 * work on the machine slows both alike. Processor time, not wall time. Two figures: the median of the ratios of the
 * pairs, and the ratio of the sums of the fastest turns, in which other work is left out as far as possible.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Exchange } from '../src/core/engine/exchange.ts';
import type { Command } from '../src/core/model/command.ts';
import { printTable, rate } from './report.ts';

const PAIRS = 20;
/** Pairs before the first that counts: both cores are compiled then. */
const WARM_UP_PAIRS = 2;
/** Commands of a turn. */
const TURN = 2000;

type Running = Pick<Exchange, 'apply' | 'takeEvents'>;
type Core = new () => Running;

export async function comparePairs(
  checkout: string,
  setUp: readonly Command[],
  commands: readonly Command[],
): Promise<void> {
  const path = join(checkout, 'src/core/engine/exchange.ts');
  const other: { Exchange: Core } = await import(pathToFileURL(path).href);
  const pairs: Pair[] = [];
  for (let n = -WARM_UP_PAIRS; n < PAIRS; n++) {
    const pair = runPair(other.Exchange, setUp, commands);
    if (n >= 0) pairs.push(pair);
  }
  const ratios = pairs.map(({ before, after }) => sum(after) / sum(before));
  const fastest = (side: keyof Pair) =>
    sum(pairs[0]![side].map((_, turn) => Math.min(...pairs.map((pair) => pair[side][turn]!))));
  const [before, after] = [fastest('before'), fastest('after')];
  const quartiles = `${quantile(ratios, 0.25).toFixed(3)} to ${quantile(ratios, 0.75).toFixed(3)}`;
  console.log(
    `\n${PAIRS} pairs of ${commands.length.toLocaleString('en-US')} commands, processor time; ${checkout}:`,
  );
  printTable(
    ['what', 'a second, fastest turns', 'ratio of time', 'median ratio of pairs', 'quartiles'],
    [
      ['the other checkout', rate(commands.length, before), '1.000', '1.000', ''],
      [
        'this one',
        rate(commands.length, after),
        (after / before).toFixed(3),
        quantile(ratios, 0.5).toFixed(3),
        quartiles,
      ],
    ],
  );
}

/** Processor seconds of each turn. */
interface Pair {
  readonly before: number[];
  readonly after: number[];
}

function runPair(other: Core, setUp: readonly Command[], commands: readonly Command[]): Pair {
  const [before, after] = [opened(other, setUp), opened(Exchange, setUp)];
  globalThis.gc?.();
  const pair: Pair = { before: [], after: [] };
  for (let at = 0; at < commands.length; at += TURN) {
    const turn = commands.slice(at, at + TURN);
    // Each goes first in half of the turns.
    const first = pair.before.length % 2 === 0;
    if (first) pair.before.push(processorSeconds(before, turn));
    pair.after.push(processorSeconds(after, turn));
    if (!first) pair.before.push(processorSeconds(before, turn));
  }
  return pair;
}

function opened(core: Core, setUp: readonly Command[]): Running {
  const exchange = new core();
  for (const command of setUp) exchange.apply(command);
  exchange.takeEvents();
  return exchange;
}

function processorSeconds(exchange: Running, commands: readonly Command[]): number {
  const start = process.cpuUsage();
  for (const command of commands) {
    exchange.apply(command);
    exchange.takeEvents();
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
}
