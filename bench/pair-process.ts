/**
 * One side of a comparison (`pairs.ts`): a process with the core of one checkout, which runs the turns that it is told to and
 * answers with their processor time. A process of its own, because two cores in one share the layouts of objects: a field that
 * is a big integer in one would cost the other its numbers.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { decodeCommand, decodeNextCommand } from '../src/core/codec/command-codec.ts';
import type { Exchange } from '../src/core/engine/exchange.ts';
import type { Command } from '../src/core/model/command.ts';
import type { SecondEditionRule } from '../src/core/model/edition.ts';

export interface SideSpec {
  readonly checkout: string;
  readonly rule?: { readonly name: SecondEditionRule; readonly on: boolean };
  readonly setUp: readonly Command[];
  /** Commands, or their bytes in the log, each of which is decoded and applied as a start does it. */
  readonly commands: readonly Command[] | readonly Uint8Array[];
}

/** What it is told: everything, to begin anew, or to run the commands from one place to another. */
export type Told = { readonly spec: SideSpec } | 'open' | { readonly from: number; readonly to: number };

interface Codec {
  readonly decodeCommand: typeof decodeCommand;
  readonly decodeNextCommand?: typeof decodeNextCommand;
}

let exchange: Exchange;
let apply: (n: number) => unknown = () => {};
let open: () => void = () => {};

async function prepare({ checkout, rule, setUp, commands }: SideSpec): Promise<void> {
  const load = (path: string) => import(pathToFileURL(join(checkout, path)).href);
  const core: { Exchange: new () => Exchange } = await load('src/core/engine/exchange.ts');
  open = () => {
    exchange = new core.Exchange();
    for (const command of setUp) exchange.apply(command);
    exchange.takeEvents();
    if (rule !== undefined) exchange.state.rules[rule.name] = rule.on;
    if (isLog(commands)) leaveOutEvents();
    globalThis.gc?.();
  };
  if (!isLog(commands)) {
    apply = (n) => exchange.apply(commands[n]!);
    return;
  }
  const codec: Codec = await load('src/core/codec/command-codec.ts');
  // Earlier checkouts make an object for each command.
  const decode = codec.decodeNextCommand ?? codec.decodeCommand;
  apply = (n) => exchange.apply(decode(commands[n]!));
}

function isLog(commands: SideSpec['commands']): commands is readonly Uint8Array[] {
  return commands[0] instanceof Uint8Array;
}

/** A replay of commands that the history has: a core that can leave out their events does so. */
function leaveOutEvents(): void {
  if ('suppressEvents' in exchange) exchange.suppressEvents = true;
  // The name in earlier checkouts.
  else if ('silent' in exchange) (exchange as { silent: boolean }).silent = true;
}

function processorSeconds(from: number, to: number): number {
  const start = process.cpuUsage();
  for (let n = from; n < to; n++) {
    apply(n);
    exchange.takeEvents();
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

async function answer(told: Told): Promise<number> {
  if (told === 'open') open();
  else if ('spec' in told) await prepare(told.spec);
  else return processorSeconds(told.from, told.to);
  return 0;
}

process.on('message', (told: Told) => {
  void answer(told).then((seconds) => process.send!(seconds));
});
