import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../core/model/command.ts';
import { State } from '../core/state/state.ts';
import type { CommandJournal, LogCapacity } from '../journal/command-journal.ts';
import { QUEUE_AGE_MAX_MS } from './limits.ts';
import { admit as admitBy, type Means } from './load-shedding.ts';

const ORDER = { type: 'placeOrder' } as Command;
const CANCEL = { type: 'cancelOrder' } as Command;

const state = new State();

function admit(command: Command, log: CommandJournal, memoryShort: boolean): string | undefined {
  const history = { starved: false, lag: () => 0 } as Means['history'];
  return admitBy(command, { log, history, memoryShort }, state);
}

function logWith(queueAgeMs: number, capacity: LogCapacity = 'normal'): CommandJournal {
  return { queueAgeMs: () => queueAgeMs, capacity: () => capacity } as CommandJournal;
}

test('when the oldest command has waited for the disk too long, orders are refused and cancellations taken', () => {
  assert.equal(admit(ORDER, logWith(QUEUE_AGE_MAX_MS), false), undefined);
  assert.match(admit(ORDER, logWith(QUEUE_AGE_MAX_MS + 1), false)!, /busy: the disk is behind, try again/);
  assert.equal(admit(CANCEL, logWith(QUEUE_AGE_MAX_MS + 1), false), undefined);
  assert.equal(QUEUE_AGE_MAX_MS, 2_000);
});

test('a disk that is nearly full or memory that is short lets orders leave; a full one lets nothing through', () => {
  for (const [log, memoryShort] of [
    [logWith(0, 'cancel_only'), false],
    [logWith(0), true],
  ] as const) {
    assert.match(admit(ORDER, log, memoryShort)!, /only cancellations are taken/);
    assert.equal(admit(CANCEL, log, memoryShort), undefined);
  }
  assert.match(admit(CANCEL, logWith(0, 'read_only'), false)!, /read-only until space is free/);
});
