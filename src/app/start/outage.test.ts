import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts';
import { HistoryStarved } from '../../history/history.ts';
import type { Front } from '../../http/front.ts';
import { ExchangeClock, ManualClock } from '../../sequencer/clock.ts';
import type { Config } from '../config/settings.ts';
import { goDown } from './outage.ts';
import type { Venue } from './venue.ts';

test('an outage without space for a last snapshot closes the exchange all the same', async () => {
  const data = temporaryDirectory();
  let closed = false;
  const venue = {
    components: { clock: new ExchangeClock(new ManualClock(1000)) },
    api: { close: async () => {} },
    sequencer: { durable: () => undefined, stopWith: () => {} },
    scheduler: { finalSnapshot: () => Promise.reject(new HistoryStarved('no space')) },
    close: async () => {
      closed = true;
    },
  } as unknown as Venue;
  const front = { close: async () => {} } as unknown as Front;
  const begins = await goDown(venue, front, 'clean', { memory: false, data } as Config);
  assert.ok(closed);
  assert.equal(begins.directory, data);
});
