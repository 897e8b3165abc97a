import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { noHistory } from '../../test/harness/memory-journal.ts';
import { OPENING_TIME } from '../../test/property/venue.ts';
import { Exchange } from '../core/engine/exchange.ts';
import { openMemoryJournal } from '../journal/memory-journal.ts';
import { ManualClock } from './clock.ts';
import { ClockTicker } from './clock-ticker.ts';
import { JournalLog } from './command-log.ts';
import { Sequencer } from './sequencer.ts';

function opened() {
  const clock = new ManualClock(OPENING_TIME);
  const log = new JournalLog(openMemoryJournal().journal);
  const sequencer = new Sequencer(new Exchange(), log, noHistory(), clock, 0);
  return { clock, sequencer, ticker: new ClockTicker(sequencer, assert.ifError) };
}

test('a tick that is refused while listeners of the one before take their time is no unhandled rejection', async (context) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.prependListener('unhandledRejection', note);
  context.after(() => process.off('unhandledRejection', note));
  const { clock, sequencer, ticker } = opened();
  sequencer.admissionFilter = () => 'no space';
  ticker.onTick(async () => {
    await nextTurn();
  });
  await ticker.advance(clock, OPENING_TIME + 2000, 1000);
  await nextTurn();
  assert.deepEqual(unhandled, []);
});

test('what ends a listener ends no other, however often it is called', async () => {
  const { clock, ticker } = opened();
  const heard: string[] = [];
  const end = ticker.onTick(async () => {
    heard.push('first');
    await nextTurn();
    end();
    end();
  });
  ticker.onTick(() => void heard.push('second'));
  await ticker.advance(clock, OPENING_TIME + 1000, 1000);
  assert.deepEqual(heard, ['first', 'second']);
});
