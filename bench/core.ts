/**
 * Commands a second of the whole core: checks, locks, matching, ledger, statistics and events, drained after each
 * command as the gateway does. Baseline in the same run: the same commands through the codec only. The replay of the
 * log (decode and apply) is what a restart does.
 */

import { decodeCommand, decodeNextCommand, encodeCommand } from '../src/core/codec/command-codec.ts';
import { Exchange } from '../src/core/engine/exchange.ts';
import type { Command } from '../src/core/model/command.ts';
import type { Event } from '../src/core/model/event.ts';
import { marketFlow } from './market.ts';
import { comparePairs, compareReplays, compareRule } from './pairs.ts';
import { type Benchmark, best, printTable, rate, ratio, timed } from './report.ts';

const ACCOUNTS = 1000;
const RESTING = 1000;
const COMMANDS = 500_000;
const RUNS = 3;
/** Of the commands, for each run of a comparison with another checkout or with a rule off. */
const COMPARED = 200_000;
const SEED = 20_240_102;

function ready(setUp: readonly Command[]): Exchange {
  const exchange = new Exchange();
  for (const command of setUp) exchange.apply(command);
  exchange.takeEvents();
  return exchange;
}

/** Records side by side in one buffer, as they come from a segment of the log. */
function packed(commands: readonly Command[]): Uint8Array[] {
  const records = commands.map((command) => encodeCommand(command).slice());
  const buffer = new Uint8Array(records.reduce((sum, record) => sum + record.length, 0));
  let at = 0;
  return records.map((record) => {
    buffer.set(record, at);
    at += record.length;
    return buffer.subarray(at - record.length, at);
  });
}

function count(commands: readonly Command[], exchange: Exchange): string {
  const seen: Record<string, number> = {};
  const add = (what: string) => {
    seen[what] = (seen[what] ?? 0) + 1;
  };
  for (const command of commands) {
    exchange.apply(command);
    add(command.type === 'placeOrder' ? (command.timeInForce === 1 ? 'ioc' : 'new') : command.type);
    for (const event of exchange.takeEvents()) if (event.type === 'trade') add('trades');
  }
  return Object.entries(seen)
    .map(([what, times]) => `${what} ${((100 * times) / commands.length).toFixed(1)} %`)
    .join(', ');
}

export const core: Benchmark = {
  title: 'Core: commands a second',
  async run({ against }) {
    const { setUp, commands } = marketFlow(ACCOUNTS, RESTING, COMMANDS, SEED);
    const log = packed(commands);
    console.log(
      `${COMMANDS.toLocaleString('en-US')} commands on one spot pair, ${ACCOUNTS} accounts, about ${RESTING} resting ` +
        `orders, seed ${SEED}; best of ${RUNS}.`,
    );
    console.log(count(commands, ready(setUp)));

    let events: readonly Event[] = [];
    const codec = best(RUNS, () =>
      timed(() => {
        for (const command of commands) decodeCommand(encodeCommand(command));
      }),
    );
    const apply = best(RUNS, () => {
      const exchange = ready(setUp);
      return timed(() => {
        for (const command of commands) {
          exchange.apply(command);
          events = exchange.takeEvents();
        }
      });
    });
    const replay = best(RUNS, () => {
      const exchange = ready(setUp);
      exchange.suppressEvents = true;
      return timed(() => {
        for (const bytes of log) {
          exchange.apply(decodeNextCommand(bytes));
          events = exchange.takeEvents();
        }
      });
    });
    void events;
    printTable(
      ['what', 'a second', 'to the codec'],
      [
        ['encode and decode only (baseline)', rate(COMMANDS, codec), '1.0x'],
        ['apply, events drained', rate(COMMANDS, apply), ratio(codec, apply)],
        ['replay of the log: decode and apply', rate(COMMANDS, replay), ratio(codec, replay)],
      ],
    );
    await compareRule('restingRisk', setUp, commands.slice(0, COMPARED));
    if (against === undefined) return;
    await comparePairs(against, setUp, commands.slice(0, COMPARED));
    await compareReplays(against, setUp, log.slice(0, COMPARED));
  },
};
