import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DrivenClock } from '../../sequencer/clock.ts';
import { Unavailable } from '../../sequencer/sequencer.ts';
import { ClockSessions, type DrivingHost } from './sessions.ts';

test('sessions that wait while the exchange is killed are answered, and its failure goes no further', async () => {
  const clock = new DrivenClock(1000);
  const killed = async () => Promise.reject(new Unavailable('the exchange has stopped: it was killed'));
  const host = {
    traffic: () => ({ open: 0, done: 0, subscriptions: 0 }),
    pushDue: () => {},
    venue: { sequencer: { clock, durable: killed }, ticker: { advancing: false } },
  } as unknown as DrivingHost;
  const sessions = new ClockSessions(host);
  assert.deepEqual(await sessions.wait('a', 5000, false), { time: 1000, reason: 'activity' });
});
