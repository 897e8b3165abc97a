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
  for (let at = 0; at <= run.log.length; at++) {
    let exchange = new Exchange();
    const events: Event[] = [];
    run.log.forEach((bytes, number) => {
      if (number === at) exchange = new Exchange(loadState(Uint8Array.from(saveState(exchange.state))));
      exchange.apply(decodeCommand(bytes));
      events.push(...exchange.takeEvents());
    });
    checkInvariants(exchange.state);
    assert.deepEqual(Uint8Array.from(saveState(exchange.state)), image, `snapshot before command ${at}`);
    assert.deepEqual(events, run.events, `snapshot before command ${at}`);
  }
}
