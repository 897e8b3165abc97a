/**
 * Two cores side by side, of two checkouts or without and with a rule: the same commands through each, in turns of a few
 * milliseconds, so that other work on the machine slows both alike. Each is in a process of its own (`pair-process.ts`). Processor
 * time, not wall time. Two figures: the median of the ratios of the pairs, and the ratio of the sums of the fastest turns, in which
 * other work is left out as far as possible.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from '../src/core/model/command.ts';
import { NEWEST_EDITION, type SecondEditionRule } from '../src/core/model/edition.ts';
import type { SideSpec, Told } from './pair-process.ts';
import { printTable, rate } from './report.ts';

const PAIRS = 20;
/** Pairs before the first that counts: both cores are compiled then. */
const WARM_UP_PAIRS = 2;
/** Commands of a turn. */
const TURN = 2000;
const PROGRAM = join(import.meta.dirname, 'pair-process.ts');
const HERE = join(import.meta.dirname, '..');

/** The core of another checkout, and that of this one. */
export async function comparePairs(
  checkout: string,
  setUp: readonly Command[],
  commands: readonly Command[],
): Promise<void> {
  const shared = await underSharedRules(checkout, setUp);
  await compare(
    { name: `the core of ${checkout}`, spec: { checkout, setUp: shared, commands } },
    { name: 'this one', spec: { checkout: HERE, setUp: shared, commands } },
  );
}

/** The same with commands as bytes of the log, each decoded and applied as a start does it. */
export async function compareReplays(
  checkout: string,
  setUp: readonly Command[],
  log: readonly Uint8Array[],
): Promise<void> {
  const shared = await underSharedRules(checkout, setUp);
  await compare(
    { name: `replay by the core of ${checkout}`, spec: { checkout, setUp: shared, commands: log } },
    { name: 'replay by this one', spec: { checkout: HERE, setUp: shared, commands: log } },
  );
}

/** With the newest edition of the rules that both checkouts know, so that both do the same work. */
async function underSharedRules(checkout: string, setUp: readonly Command[]): Promise<readonly Command[]> {
  const path = join(checkout, 'src/core/model/edition.ts');
  if (!existsSync(path)) return setUp.filter(({ type }) => type !== 'setEdition');
  const other: { NEWEST_EDITION: number } = await import(pathToFileURL(path).href);
  const edition = Math.min(NEWEST_EDITION, other.NEWEST_EDITION);
  console.log(`\nUnder edition ${edition} of the rules:`);
  return setUp.map((command) => (command.type === 'setEdition' ? { ...command, edition } : command));
}

/** The same core without and with one rule of the second edition. */
export async function compareRule(
  name: SecondEditionRule,
  setUp: readonly Command[],
  commands: readonly Command[],
): Promise<void> {
  const side = (on: boolean): SideSpec => ({ checkout: HERE, rule: { name, on }, setUp, commands });
  await compare({ name: `${name} off`, spec: side(false) }, { name: `${name} on`, spec: side(true) });
}

interface Side {
  readonly name: string;
  readonly spec: SideSpec;
}

/** Processor seconds of each turn. */
interface Pair {
  readonly before: number[];
  readonly after: number[];
}

async function compare(one: Side, other: Side): Promise<void> {
  const pairs: Pair[] = [];
  const { length } = one.spec.commands;
  const children = [one, other].map(() => fork(PROGRAM, { serialization: 'advanced' }));
  const [before, after] = [children[0]!, children[1]!];
  try {
    await ask(before, { spec: one.spec });
    await ask(after, { spec: other.spec });
    for (let n = -WARM_UP_PAIRS; n < PAIRS; n++) {
      const pair = await runPair(before, after, length);
      if (n >= 0) pairs.push(pair);
    }
  } finally {
    for (const child of children) child.kill();
  }
  print(one.name, other.name, pairs, length);
}

async function runPair(before: ChildProcess, after: ChildProcess, commands: number): Promise<Pair> {
  await ask(before, 'open');
  await ask(after, 'open');
  const pair: Pair = { before: [], after: [] };
  for (let from = 0; from < commands; from += TURN) {
    const turn = { from, to: Math.min(from + TURN, commands) };
    // Each goes first in half of the turns.
    const first = pair.before.length % 2 === 0;
    if (first) pair.before.push(await ask(before, turn));
    pair.after.push(await ask(after, turn));
    if (!first) pair.before.push(await ask(before, turn));
  }
  return pair;
}

async function ask(child: ChildProcess, told: Told): Promise<number> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error('a side of the comparison has ended');
  });
  child.send(told);
  const answer = once(child, 'message', { signal: ended.signal });
  try {
    const [seconds] = (await Promise.race([answer, exit])) as [number];
    return seconds;
  } finally {
    ended.abort();
    await Promise.allSettled([answer, exit]);
  }
}

function print(one: string, other: string, pairs: readonly Pair[], commands: number): void {
  const ratios = pairs.map(({ before, after }) => sum(after) / sum(before));
  const fastest = (side: keyof Pair) =>
    sum(pairs[0]![side].map((_, turn) => Math.min(...pairs.map((pair) => pair[side][turn]!))));
  const [before, after] = [fastest('before'), fastest('after')];
  const quartiles = `${quantile(ratios, 0.25).toFixed(3)} to ${quantile(ratios, 0.75).toFixed(3)}`;
  console.log(`\n${PAIRS} pairs of ${commands.toLocaleString('en-US')} commands, processor time:`);
  printTable(
    ['what', 'a second, fastest turns', 'ratio of time', 'median ratio of pairs', 'quartiles'],
    [
      [one, rate(commands, before), '1.000', '1.000', ''],
      [
        other,
        rate(commands, after),
        (after / before).toFixed(3),
        quantile(ratios, 0.5).toFixed(3),
        quartiles,
      ],
    ],
  );
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
