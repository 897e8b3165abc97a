/**
 * What each kind of random trading comes to, a line for each. As a program it prints them:
 * `node [flags of the engine] trading-digest.ts SEED COMMANDS`.
 */
import { createHash } from 'node:crypto';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { saveState } from '../../src/core/snapshot/snapshot.ts';
import { FLOWS } from './flows.ts';

export function tradingDigest(seed: number, commands: number): string {
  return Object.entries(FLOWS)
    .map(([name, flow]) => `${name}: ${digestOf(flow, seed, commands)}\n`)
    .join('');
}

function digestOf({ setUp, flowOf }: (typeof FLOWS)[string], seed: number, commands: number): string {
  const exchange = new Exchange();
  const events = createHash('sha256');
  const write = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
  const apply = (command: Parameters<Exchange['apply']>[0]) => {
    exchange.apply(command);
    events.update(JSON.stringify(exchange.takeEvents(), write));
  };
  for (const command of setUp) apply(structuredClone(command));
  const flow = flowOf(seed, exchange.state);
  for (let n = 0; n < commands; n++) apply(flow.next());
  const state = createHash('sha256').update(saveState(exchange.state)).digest('hex');
  return `state ${state}, events ${events.digest('hex')}`;
}

if (import.meta.main) {
  const [seed, commands] = process.argv.slice(2).map(Number);
  process.stdout.write(tradingDigest(seed!, commands!));
}
