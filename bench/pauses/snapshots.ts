/**
 * Orders that arrive 2,000 a second, whatever the exchange does, while a snapshot of a million orders is made: by a replica
 * in a thread of its own, and by the exchange itself, which stops it meanwhile. An order's delay counts from when it should
 * have been sent, so a pause of the main thread shows in every order that falls into it. On two cores it also waits for the
 * replica's thread; what the main thread itself did in a turn of its loop is timed beside it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Command } from '../../src/core/model/command.ts';
import { TimeInForce } from '../../src/core/model/enums.ts';
import { saveState } from '../../src/core/snapshot/snapshot.ts';
import { openFileJournal } from '../../src/journal/file-journal.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import { JournalLog } from '../../src/sequencer/command-log.ts';
import { ReplicaThread } from '../../src/sequencer/replica-thread.ts';
import { Sequencer } from '../../src/sequencer/sequencer.ts';
import { noHistory } from '../../test/harness/memory-journal.ts';
import { OPENING_TIME } from '../../test/property/venue.ts';
import { venueOf } from '../market.ts';
import { Random } from '../random.ts';
import { placeResting } from './orders.ts';
import { type Part, Stopwatch } from './stopwatch.ts';

const ORDERS = 1_000_000;
const ACCOUNTS = 2500;
const PER_SECOND = 2000;
const IDLE_MS = 5000;
/** Submitted between two waits for the disk. */
const PORTION = 5000;

export async function measureSnapshots(): Promise<Part> {
  const directory = mkdtempSync(join(tmpdir(), 'bourse-bench-'));
  try {
    return await measure(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(directory: string): Promise<Part> {
  const { journal } = await openFileJournal({ directory });
  const exchange = new Exchange();
  const sequencer = new Sequencer(
    exchange,
    new JournalLog(journal),
    noHistory(),
    new ManualClock(OPENING_TIME),
    0,
  );
  const random = new Random(7);
  const fill = async (commands: Iterable<Command>) => {
    let sent = 0;
    for (const command of commands) {
      const submitted = sequencer.submit(command);
      if (++sent % PORTION === 0) await submitted;
    }
    await sequencer.durable();
  };
  await fill(venueOf(ACCOUNTS));
  await fill(
    (function* () {
      for (let n = 0; n < ORDERS; n++) yield placeResting(random, 1 + (n % ACCOUNTS));
    })(),
  );
  // The replica begins with the newest snapshot, as in an exchange that has run for a while.
  await journal.saveSnapshot(sequencer.appliedSeq, saveState(exchange.state));

  const watch = new Stopwatch();
  const load = `${PER_SECOND.toLocaleString('en-US')} orders a second, ${ORDERS.toLocaleString('en-US')} resting`;
  const replica = new ReplicaThread(directory, () => true);
  const during = (kind: string, work: Promise<unknown>) => sendUntil(sequencer, watch, kind, load, work);
  await during('no snapshot', sleep(IDLE_MS));
  const target = { seq: sequencer.appliedSeq, digest: exchange.state.digest.value };
  await sequencer.durable();
  await during('snapshot by a replica', replica.save(target));
  const pausing = async () => {
    await sleep(IDLE_MS / 2);
    const seq = sequencer.appliedSeq;
    const state = saveState(exchange.state);
    await sequencer.durable();
    await journal.saveSnapshot(seq, state);
  };
  await during('snapshot by the exchange itself', pausing());
  await journal.close();
  return watch.end('A snapshot of a million orders under load');
}

/** Orders that find nobody, one every half millisecond of the schedule, until the work is done. */
async function sendUntil(
  sequencer: Sequencer,
  watch: Stopwatch,
  kind: string,
  over: string,
  work: Promise<unknown>,
): Promise<void> {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  const turns = watch.slices(`turn of the loop, ${kind}`, over, () => ended);
  const random = new Random(3);
  const start = performance.now();
  for (let sent = 0; !done; ) {
    const due = Math.floor(((performance.now() - start) * PER_SECOND) / 1000);
    for (; sent < due; sent++) {
      const resting = placeResting(random, 1 + (sent % ACCOUNTS)) as Extract<Command, { type: 'placeOrder' }>;
      sequencer.submit({ ...resting, timeInForce: TimeInForce.ioc }).catch(() => {});
      const planned = start + (sent * 1000) / PER_SECOND;
      watch.note(`delay of an order, ${kind}`, over, { start: planned, ms: performance.now() - planned });
    }
    await sleep(1);
  }
  await turns;
  await ended;
}
