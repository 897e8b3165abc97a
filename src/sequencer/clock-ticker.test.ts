import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { noHistory } from '../../test/harness/memory-journal.ts';
import { account, OPENING_TIME } from '../../test/property/venue.ts';
import { Exchange } from '../core/engine/exchange.ts';
import { openMemoryJournal } from '../journal/memory-journal.ts';
import { ManualClock } from './clock.ts';
import { ClockTicker } from './clock-ticker.ts';
import { JournalLog } from './command-log.ts';
import { CROWD_MIN } from './limits.ts';
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

/** With a countdown of five seconds for each of so many accounts, on the machine's clock as the mocked timers move it. */
function crowded(context: TestContext, report: (error: Error) => void = assert.ifError) {
  context.mock.timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'], now: OPENING_TIME });
  const log = new JournalLog(openMemoryJournal().journal);
  const exchange = new Exchange();
  const clock = { now: () => Date.now() };
  const sequencer = new Sequencer(exchange, log, noHistory(), clock, 0);
  const ticker = new ClockTicker(sequencer, report);
  context.after(() => ticker.stop());
  for (let uid = 1; uid <= CROWD_MIN; uid++) {
    exchange.apply({ ...account(uid), time: OPENING_TIME });
    exchange.apply({ type: 'countdownCancel', time: OPENING_TIME, uid, seconds: 5 });
  }
  const ticks: number[] = [];
  const submit = sequencer.submit.bind(sequencer);
  sequencer.submit = (command) => {
    ticks.push(clock.now() - OPENING_TIME);
    return submit(command);
  };
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      context.mock.timers.tick(10);
      await nextTurn();
    }
  };
  ticker.start();
  return { sequencer, ticker, ticks, pass };
}

test('a second in which much is due gets ticks in between, a calm one does not', async (context) => {
  const { sequencer, ticks, pass } = crowded(context);
  await pass(4000);
  assert.deepEqual(ticks, [1000, 2000, 3000, 4000]);
  ticks.length = 0;
  await pass(2500);
  const between = Array.from({ length: 49 }, (_, n) => 4020 + 20 * n);
  assert.deepEqual(ticks, [...between, 5000, 6000]);
  await sequencer.durable();
  assert.equal(sequencer.state.countdowns.size, 0);
});

test('of the ticks in between a refused one is the last, until the next second', async (context) => {
  const { sequencer, ticks, pass } = crowded(context, () => {});
  await pass(4000);
  ticks.length = 0;
  sequencer.admissionFilter = () => 'no space';
  await pass(1990);
  assert.deepEqual(ticks, [4020, 5000, 5020]);
});

test('a ticker that was stopped in such a second ticks no more', async (context) => {
  const { ticker, ticks, pass } = crowded(context);
  await pass(4100);
  ticks.length = 0;
  ticker.stop();
  await pass(2000);
  assert.deepEqual(ticks, []);
});
