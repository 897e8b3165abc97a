/**
 * Two cores side by side, of two checkouts or without and with a rule: the same commands through each, in turns of a few
 * milliseconds, so that other work on the machine slows both alike. Processor time, not wall time. Two figures: the median
 * of the ratios of the pairs, and the ratio of the sums of the fastest turns, in which other work is left out as far as
 * possible.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decodeCommand } from '../src/core/codec/command-codec.ts';
import { Exchange } from '../src/core/engine/exchange.ts';
import type { Command } from '../src/core/model/command.ts';
import type { SecondEditionRule } from '../src/core/model/edition.ts';
import { printTable, rate } from './report.ts';

const PAIRS = 20;
/** Pairs before the first that counts: both cores are compiled then. */
const WARM_UP_PAIRS = 2;
/** Commands of a turn. */
const TURN = 2000;

type Running = Pick<Exchange, 'apply' | 'takeEvents'>;
type Core = new () => Running;

/** The core of another checkout, and that of this one. */
export async function comparePairs(
  checkout: string,
  setUp: readonly Command[],
  commands: readonly Command[],
): Promise<void> {
  const { before, after } = await bothCores(checkout, setUp);
  compare(before, after, commands);
}

/** The same with commands as bytes of the log, each decoded and applied as a start does it. */
export async function compareReplays(
  checkout: string,
  setUp: readonly Command[],
  log: readonly Uint8Array[],
): Promise<void> {
  const { before, after } = await bothCores(checkout, setUp);
  const path = join(checkout, 'src/core/codec/command-codec.ts');
  const other: { decodeCommand: typeof decodeCommand } = await import(pathToFileURL(path).href);
  compare(replaying(before, other.decodeCommand), replaying(after, decodeCommand), log);
}

async function bothCores(checkout: string, setUp: readonly Command[]) {
  const path = join(checkout, 'src/core/engine/exchange.ts');
  const other: { Exchange: Core } = await import(pathToFileURL(path).href);
  const known = existsSync(join(checkout, 'src/core/model/edition.ts'));
  const shared = setUp.filter(({ type }) => known || type !== 'setEdition');
  return {
    before: { name: `the core of ${checkout}`, open: () => opened(new other.Exchange(), shared) },
    after: { name: 'this one', open: () => opened(new Exchange(), shared) },
  };
}

/** A replay of commands that the history has: a core that can leave out their events does so. */
function replaying({ name, open }: Side<Command>, decode: typeof decodeCommand): Side<Uint8Array> {
  return {
    name: `replay by ${name}`,
    open: () => {
      const exchange = open();
      if ('suppressEvents' in exchange) exchange.suppressEvents = true;
      // The name in earlier checkouts.
      else if ('silent' in exchange) (exchange as { silent: boolean }).silent = true;
      return { apply: (bytes) => exchange.apply(decode(bytes)), takeEvents: () => exchange.takeEvents() };
    },
  };
}

/** The same core without and with one rule of the second edition. */
export function compareRule(
  rule: SecondEditionRule,
  setUp: readonly Command[],
  commands: readonly Command[],
): void {
  const open = (on: boolean) => () => {
    const exchange = opened(new Exchange(), setUp);
    exchange.state.rules[rule] = on;
    return exchange;
  };
  compare({ name: `${rule} off`, open: open(false) }, { name: `${rule} on`, open: open(true) }, commands);
}

/** What takes commands, decoded or not. */
interface Taker<T> {
  apply(command: T): unknown;
  takeEvents(): unknown;
}

interface Side<T> {
  readonly name: string;
  readonly open: () => Taker<T>;
}

function compare<T>(one: Side<T>, other: Side<T>, commands: readonly T[]): void {
  const pairs: Pair[] = [];
  for (let n = -WARM_UP_PAIRS; n < PAIRS; n++) {
    const pair = runPair(one.open(), other.open(), commands);
    if (n >= 0) pairs.push(pair);
  }
  const ratios = pairs.map(({ before, after }) => sum(after) / sum(before));
  const fastest = (side: keyof Pair) =>
    sum(pairs[0]![side].map((_, turn) => Math.min(...pairs.map((pair) => pair[side][turn]!))));
  const [before, after] = [fastest('before'), fastest('after')];
  const quartiles = `${quantile(ratios, 0.25).toFixed(3)} to ${quantile(ratios, 0.75).toFixed(3)}`;
  console.log(`\n${PAIRS} pairs of ${commands.length.toLocaleString('en-US')} commands, processor time:`);
  printTable(
    ['what', 'a second, fastest turns', 'ratio of time', 'median ratio of pairs', 'quartiles'],
    [
      [one.name, rate(commands.length, before), '1.000', '1.000', ''],
      [
        other.name,
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

function runPair<T>(before: Taker<T>, after: Taker<T>, commands: readonly T[]): Pair {
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

function opened<T extends Running>(exchange: T, setUp: readonly Command[]): T {
  for (const command of setUp) exchange.apply(command);
  exchange.takeEvents();
  return exchange;
}

function processorSeconds<T>(exchange: Taker<T>, commands: readonly T[]): number {
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

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
}
