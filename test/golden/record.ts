/**
 * Records the commands of random trading and of a simulated market, with what they come to: `node launch.cjs test/golden/record.ts`.
 * To be run again only when the rules change; a change of structure must leave recordings and results as they are.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { FLOWS, type Flow } from '../property/flows.ts';
import { Rig } from '../simulator/rig.ts';
import { readRecording, writeRecording } from './recording.ts';
import { Replay, type Replayed } from './replay.ts';

const SEED = 20_261_116;
const COMMANDS = 4000;
const MARKET_MS = 240_000;

const RECORDINGS: Readonly<Record<string, () => Uint8Array[] | Promise<Uint8Array[]>>> = {
  strategies: () => trade(FLOWS.strategies!),
  margin: () => trade(FLOWS['margin to the last']!),
  loans: () => trade(FLOWS.loans!),
  market: simulate,
};

const results: Record<string, Replayed> = {};
for (const [name, record] of Object.entries(RECORDINGS)) {
  const path = join(import.meta.dirname, `${name}.commands.gz`);
  writeRecording(path, await record());
  const replay = new Replay();
  for (const command of readRecording(path)) replay.apply(command);
  results[name] = replay.result();
  console.log(name, results[name]);
}
writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);

function trade({ setUp, flowOf }: Flow): Uint8Array[] {
  const exchange = new Exchange();
  const encoded: Uint8Array[] = [];
  const apply = (command: Parameters<Exchange['apply']>[0]) => {
    encoded.push(encodeCommand(command).slice());
    exchange.apply(command);
    exchange.takeEvents();
  };
  for (const command of setUp) apply(structuredClone(command));
  const flow = flowOf(SEED, exchange.state);
  for (let n = 0; n < COMMANDS; n++) apply(flow.next());
  return encoded;
}

/** All commands that reach the log while agents trade the shipped catalogue. */
async function simulate(): Promise<Uint8Array[]> {
  const encoded: Uint8Array[] = [];
  const onAppend = (payload: Uint8Array) => encoded.push(payload.slice());
  const rig = await new Rig({ seed: SEED, level: 'wild', onAppend }).open();
  rig.run(MARKET_MS);
  return encoded;
}
