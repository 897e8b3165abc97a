/** The core over a restart: a snapshot before any command and the rest of the log come to where no restart came. */
import assert from 'node:assert/strict';
import { decodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import type { Event } from '../../src/core/model/event.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';

interface Run {
  readonly log: readonly Uint8Array[];
  readonly events: readonly Event[];
  image(): Uint8Array;
}

export function assertRestartAnywhere(run: Run): void {
  const image = run.image();
  const commands = run.log.map(decodeCommand);
  const unbroken = new Exchange();
  let told = 0;
  for (let at = 0; at <= commands.length; at++) {
    const where = `snapshot before command ${at}`;
    const exchange = new Exchange(loadState(Uint8Array.from(saveState(unbroken.state))));
    const after: Event[] = [];
    for (const command of commands.slice(at)) {
      exchange.apply(command);
      after.push(...exchange.takeEvents());
    }
    checkInvariants(exchange.state);
    assert.ok(Buffer.compare(saveState(exchange.state), image) === 0, where);
    assert.deepEqual(after, run.events.slice(told), where);
    if (at === commands.length) break;
    unbroken.apply(commands[at]!);
    const events = unbroken.takeEvents();
    assert.deepEqual(events, run.events.slice(told, told + events.length), `command ${at}`);
    told += events.length;
  }
}
