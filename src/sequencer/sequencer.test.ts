import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MemoryJournal, noHistory } from '../../test/harness/memory-journal.ts';
import { coin, OPENING_TIME } from '../../test/property/venue.ts';
import { Exchange } from '../core/engine/exchange.ts';
import type { ProjectedCommand } from '../history/history.ts';
import { ManualClock } from './clock.ts';
import { JournalLog } from './command-log.ts';
import { OutcomeUnknown, Sequencer, Unavailable } from './sequencer.ts';

const TICK = { type: 'tick' } as const;

/** Commands are durable when the journal is flushed; `projected` are those that the history has got. */
function opened(exchange = new Exchange()) {
  const journal = new MemoryJournal();
  const projected: number[] = [];
  const history = Object.assign(noHistory(), {
    project: ({ seq }: ProjectedCommand) => void projected.push(seq),
  });
  const clock = new ManualClock(OPENING_TIME);
  const sequencer = new Sequencer(exchange, new JournalLog(journal), history, clock, 0);
  return { sequencer, journal, projected };
}

test('a listener that finds the exchange broken ends the announcement: nothing is announced again', async () => {
  const { sequencer, journal, projected } = opened();
  const heard: number[] = [];
  sequencer.onPublished(({ seq }) => {
    heard.push(seq);
    if (seq === 2) sequencer.fail(new Error('broken'));
  });
  const submitted = ['AAA', 'BBB', 'CCC'].map((name) => sequencer.submit(coin(name)));
  const settled = Promise.allSettled(submitted);
  journal.flush();
  const [first, second, third] = await settled;
  assert.equal(first!.status, 'fulfilled');
  assert.equal(second!.status, 'fulfilled');
  assert.ok(third!.status === 'rejected' && third!.reason instanceof OutcomeUnknown);
  assert.deepEqual(heard, [1, 2]);
  assert.deepEqual(projected, [1, 2]);
});

test('a listener that leaves in the middle of an announcement hides nothing from the next one', async () => {
  const { sequencer, journal } = opened();
  const heard: number[] = [];
  const leave = sequencer.onPublished(() => leave());
  sequencer.onPublished(({ seq }) => heard.push(seq));
  const submitted = [sequencer.submit(coin('AAA')), sequencer.submit(coin('BBB'))];
  journal.flush();
  await Promise.all(submitted);
  assert.deepEqual(heard, [1, 2]);
});

test('a wait for a point between two commands is rejected when it is never reached', async () => {
  const { sequencer } = opened();
  const atBoundary = () =>
    new Promise<void>((resolve, reject) => sequencer.atDurableBoundary(resolve, reject));
  void sequencer.submit(TICK).catch(() => {});
  const waiting = atBoundary();
  sequencer.fail(new Error('the disk has failed'));
  await assert.rejects(waiting, OutcomeUnknown);
  await assert.rejects(atBoundary(), Unavailable);
});

/** Never comes to an end with what it does in portions. */
class BusyExchange extends Exchange {
  override get hasOpenWork(): boolean {
    return true;
  }
}

test('after its end no command follows, also none that would go on with open work', async () => {
  const { sequencer, journal, projected } = opened(new BusyExchange());
  void sequencer.submit(TICK);
  const ended = sequencer.end();
  journal.flush();
  await ended;
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  assert.equal(journal.appendedSeq, 1);
  journal.flush();
  assert.deepEqual(projected, [1]);
  await assert.rejects(sequencer.submit(TICK), Unavailable);
});

test('open work of a restored state goes on without a command, one tick a turn', async () => {
  const { sequencer, journal } = opened(new BusyExchange());
  await nextTurn();
  assert.equal(journal.appendedSeq, 0, 'not before it is started');
  sequencer.resumeWork();
  sequencer.resumeWork();
  for (let ticks = 1; ticks <= 3; ticks++) {
    await nextTurn();
    assert.equal(journal.appendedSeq, ticks);
  }
  const ended = sequencer.end();
  journal.flush();
  await ended;
});

test('the end of one that has failed does not wait', async () => {
  const { sequencer } = opened();
  sequencer.submit(TICK).catch(() => {});
  sequencer.fail(new Error('the disk has failed'));
  await sequencer.end();
});
