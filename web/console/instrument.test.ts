import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { calendarOf, spreadOf } from './instrument.ts';

const NONE = { launchTime: null, limitOpenTime: null, offTime: null, deliveryTime: null, nextFunding: null };
const NOON = Date.UTC(2026, 5, 26, 12);

test('a spread is told in hundredths of a percent, and only where there are both sides', () => {
  equal(spreadOf({ bid: '59994', ask: '60000' }), '1.00 bp');
  equal(spreadOf({ bid: '', ask: '60000' }), '–');
});

test('of a calendar the next entry counts, not one that has passed', () => {
  equal(calendarOf(NONE, NOON), '–');
  equal(
    calendarOf({ ...NONE, launchTime: NOON - 1, nextFunding: NOON + 4 * 3_600_000 }, NOON),
    'funding 06-26 16:00',
  );
  equal(
    calendarOf({ ...NONE, nextFunding: NOON + 4 * 3_600_000, offTime: NOON + 3_600_000 }, NOON),
    'goes offline 06-26 13:00',
  );
});
