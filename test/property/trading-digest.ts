/** Prints what each kind of random trading comes to: `node [flags of the engine] trading-digest.ts SEED COMMANDS`. */
import { createHash } from 'node:crypto';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { saveState } from '../../src/core/snapshot/snapshot.ts';
import { FLOWS } from './flows.ts';

const [seed, commands] = process.argv.slice(2).map(Number);

for (const [name, { setUp, flowOf }] of Object.entries(FLOWS)) {
  const exchange = new Exchange();
  const events = createHash('sha256');
  const write = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
  const apply = (command: Parameters<Exchange['apply']>[0]) => {
    exchange.apply(command);
    events.update(JSON.stringify(exchange.takeEvents(), write));
  };
  for (const command of setUp) apply(structuredClone(command));
  const flow = flowOf(seed!, exchange.state);
  for (let n = 0; n < commands!; n++) apply(flow.next());
  const state = createHash('sha256').update(saveState(exchange.state)).digest('hex');
  console.log(`${name}: state ${state}, events ${events.digest('hex')}`);
}
