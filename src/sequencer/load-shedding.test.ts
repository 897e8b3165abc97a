import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../core/model/command.ts';
import { State } from '../core/state/state.ts';
import type { JournalCapacity } from '../journal/command-journal.ts';
import { QUEUE_AGE_MAX_MS } from './limits.ts';
import { shedReason as admitBy, type Resources } from './load-shedding.ts';

const ORDER = { type: 'placeOrder' } as Command;
const CANCEL = { type: 'cancelOrder' } as Command;

const state = new State();

function shedReason(command: Command, log: Resources['log'], memoryShort: boolean): string | undefined {
  const history = { starved: false, lag: () => 0 } as Resources['history'];
  return admitBy(command, { log, history, memoryShort }, state);
}

function logWith(queueAgeMs: number, capacity: JournalCapacity = 'normal'): Resources['log'] {
  return { queueAgeMs: () => queueAgeMs, capacity: () => capacity };
}

test('when the oldest command has waited for the disk too long, orders are refused and cancellations taken', () => {
  assert.equal(shedReason(ORDER, logWith(QUEUE_AGE_MAX_MS), false), undefined);
  assert.match(
    shedReason(ORDER, logWith(QUEUE_AGE_MAX_MS + 1), false)!,
    /busy: the disk is behind, try again/,
  );
  assert.equal(shedReason(CANCEL, logWith(QUEUE_AGE_MAX_MS + 1), false), undefined);
  assert.equal(QUEUE_AGE_MAX_MS, 2_000);
});

test('a disk that is nearly full or memory that is short lets orders leave; a full one lets nothing through', () => {
  for (const [order, memoryShort] of [
    [logWith(0, 'cancel_only'), false],
    [logWith(0), true],
  ] as const) {
    assert.match(shedReason(ORDER, order, memoryShort)!, /only cancellations are taken/);
    assert.equal(shedReason(CANCEL, order, memoryShort), undefined);
  }
  assert.match(shedReason(CANCEL, logWith(0, 'read_only'), false)!, /read-only until space is free/);
});
