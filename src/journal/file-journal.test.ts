import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { journalContract, PAYLOAD_BYTES_MAX } from '../../test/journal/journal.contract.ts';
import { Threads } from '../storage/threads.ts';
import type { CommandJournal } from './command-journal.ts';
import { openFileJournal, recoverFileJournal } from './file-journal.ts';
import { segmentNumbers, snapshotSeqs } from './file-names.ts';
import type { JournalWork } from './journal-worker.ts';
import { SharedJournalState } from './shared-journal-state.ts';

const SMALL = { segmentBytes: 256 * 1024, prepareStepBytes: 64 * 1024 };
const CHILD = new URL('../../test/journal/append-load.ts', import.meta.url).pathname;

function temporaryDirectory(context: TestContext): string {
  const parent = mkdtempSync(join(tmpdir(), 'bourse-log-'));
  context.after(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, 'data');
}

function payloadOf(seq: number): Uint8Array {
  return new TextEncoder().encode(`command ${seq} `.repeat(1 + (seq % 20)));
}

function untilDurable(journal: CommandJournal, seq: number): Promise<void> {
  return new Promise((resolve, reject) => {
    journal.onDurable((durableSeq) => {
      if (durableSeq >= seq) resolve();
    });
    journal.onFailure(reject);
  });
}

/** One thread for the journals of the contract, one after another. */
const contractThreads = new Threads();
after(() => contractThreads.close());

journalContract('file', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'bourse-log-'));
  const options = {
    directory: join(parent, 'data'),
    payloadBytesMax: PAYLOAD_BYTES_MAX,
    ...SMALL,
    threads: contractThreads,
  };
  const { journal } = await openFileJournal(options);
  return {
    journal,
    settle: async () => {
      while (journal.durableSeq < journal.appendedSeq) await new Promise((resolve) => setTimeout(resolve, 1));
    },
    found: async () => {
      await journal.close();
      const again = await openFileJournal(options);
      const records = Array.from(again.records, ({ seq, payload }) => ({ seq, payload: payload.slice() }));
      await again.journal.close();
      return { snapshot: again.snapshot, records };
    },
    remove: async () => rmSync(parent, { recursive: true, force: true }),
  };
});

test('the thread writes what is appended, through segments and restarts', async (context) => {
  const directory = temporaryDirectory(context);
  let lastSeq = 0;
  for (let start = 1; start <= 3; start += 1) {
    const { journal, records, report } = await openFileJournal({ directory, ...SMALL });
    assert.equal(report.epoch, start);
    assert.equal(report.cleanEnd, true);
    let seq = 0;
    for (const record of records) {
      seq += 1;
      assert.equal(record.seq, seq);
      assert.deepEqual(Buffer.from(record.payload), Buffer.from(payloadOf(seq)));
    }
    assert.equal(seq, lastSeq);
    for (let index = 0; index < 5000; index += 1) {
      lastSeq = journal.append(payloadOf(lastSeq + 1));
      if (index % 200 === 0) await untilDurable(journal, lastSeq);
    }
    const reported = untilDurable(journal, lastSeq);
    await journal.close();
    await reported;
    assert.equal(journal.durableSeq, lastSeq);
    assert.throws(() => journal.append(payloadOf(1)), { name: 'JournalFailed' });
  }
  assert.ok(segmentNumbers(readdirSync(directory)).length > 5);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
});

test('a snapshot waits for its records, and old segments go', async (context) => {
  const directory = temporaryDirectory(context);
  const { journal } = await openFileJournal({ directory, ...SMALL });
  const state = new Uint8Array(300_000).fill(5);
  const note = new Uint8Array(16).fill(6);
  for (let round = 1; round <= 3; round += 1) {
    for (let index = 0; index < 3000; index += 1) {
      journal.append(payloadOf(index));
      if (index % 200 === 0) await untilDurable(journal, journal.appendedSeq);
    }
    await journal.saveSnapshot(journal.appendedSeq, state, note);
  }
  await assert.rejects(journal.saveSnapshot(9001, state), RangeError);
  await journal.close();
  assert.deepEqual(snapshotSeqs(readdirSync(directory)), [6000, 9000]);
  assert.ok(segmentNumbers(readdirSync(directory))[0]! > 1);
  const again = await openFileJournal({ directory, ...SMALL });
  assert.deepEqual(again.snapshot, { seq: 9000, state, note });
  assert.deepEqual([...again.records], []);
  assert.equal(again.journal.append(payloadOf(1)), 9001);
  await again.journal.close();
});

test('a disk that goes away ends the log: one failure, no acknowledgement after it', async (context) => {
  const directory = temporaryDirectory(context);
  const { journal } = await openFileJournal({ directory, ...SMALL });
  const failed = new Promise<Error>((resolve) => journal.onFailure(resolve));
  let callsAfterFailure = 0;
  rmSync(directory, { recursive: true });
  const appending = setInterval(() => {
    if (journal.queueAgeMs() === 0)
      for (let index = 0; index < 20; index += 1) journal.append(new Uint8Array(2000));
  }, 1);
  context.after(() => clearInterval(appending));
  assert.match((await failed).message, /ENOENT/);
  clearInterval(appending);
  journal.onDurable(() => {
    callsAfterFailure += 1;
  });
  assert.throws(() => journal.append(payloadOf(1)), { name: 'JournalFailed' });
  await assert.rejects(journal.saveSnapshot(1, payloadOf(1)), { name: 'JournalFailed' });
  await journal.close();
  assert.equal(callsAfterFailure, 0);
});

test('a second process on the directory is refused and told the pid of the first', async (context) => {
  const directory = temporaryDirectory(context);
  const child = spawn(process.execPath, [CHILD, directory]);
  context.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  await assert.rejects(openFileJournal({ directory, ...SMALL }), {
    name: 'DirectoryLocked',
    pid: child.pid,
    message: new RegExp(`process ${child.pid}`),
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { journal } = await openFileJournal({ directory, ...SMALL });
  await assert.rejects(openFileJournal({ directory, ...SMALL }), {
    name: 'DirectoryLocked',
    pid: process.pid,
  });
  await journal.close();
});

test('kill -9 under load loses nothing that was acknowledged', async (context) => {
  const directory = temporaryDirectory(context);
  for (let kill = 1; kill <= 5; kill += 1) {
    const acknowledged = await loadUntilKilled(directory, 40 + 35 * kill);
    const { journal, records, report } = await openFileJournal({ directory, ...SMALL });
    assert.equal(report.cleanEnd, false);
    assert.ok(report.lastSeq >= acknowledged, `${report.lastSeq} recovered, ${acknowledged} acknowledged`);
    let seq = 0;
    for (const record of records) {
      seq += 1;
      assert.equal(record.seq, seq);
      assert.equal(Buffer.from(record.payload).toString(), `load ${seq}`);
    }
    assert.equal(seq, report.lastSeq);
    await journal.close();
  }
});

/** The highest sequence number the child has reported before it was killed. */
async function loadUntilKilled(directory: string, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, [CHILD, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  let reported = '';
  let isDoomed = false;
  const lines = () => reported.split('\n').slice(0, -1);
  child.stdout.on('data', (chunk) => {
    reported += chunk;
    if (isDoomed || lines().length < 2) return;
    isDoomed = true;
    setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  await once(child, 'close');
  assert.ok(isDoomed, 'the child acknowledged nothing');
  return Number(lines().at(-1));
}

test('journals one after another have the same thread, and each its own records', async (context) => {
  const parent = temporaryDirectory(context);
  const threads = new Threads();
  context.after(() => threads.close());
  const started: Worker[] = [];
  const note = (worker: Worker) => started.push(worker);
  process.on('worker', note);
  context.after(() => process.off('worker', note));
  for (let n = 1; n <= 3; n += 1) {
    const { journal } = await openFileJournal({ directory: join(parent, String(n)), ...SMALL, threads });
    const durable = untilDurable(journal, n);
    for (let seq = 1; seq <= n; seq += 1) journal.append(payloadOf(10 * n + seq));
    await durable;
    await journal.close();
  }
  assert.equal(started.length, 1);
  for (let n = 1; n <= 3; n += 1) {
    const { journal, records, report } = await openFileJournal({
      directory: join(parent, String(n)),
      ...SMALL,
    });
    const found = Array.from(records, ({ payload }) => payload.slice());
    await journal.close();
    assert.equal(report.cleanEnd, true);
    assert.deepEqual(
      found,
      Array.from({ length: n }, (_, k) => payloadOf(10 * n + k + 1)),
    );
  }
});

test('a journal that is left as by a kill takes its thread with it', async (context) => {
  const parent = temporaryDirectory(context);
  const threads = new Threads();
  context.after(() => threads.close());
  const { journal } = await openFileJournal({ directory: join(parent, 'a'), ...SMALL, threads });
  await journal.abandon();
  const next = await openFileJournal({ directory: join(parent, 'b'), ...SMALL, threads });
  const durable = untilDurable(next.journal, 1);
  next.journal.append(payloadOf(1));
  await durable;
  await next.journal.close();
});

test('a journal is closed in order before its thread has begun', async (context) => {
  const directory = temporaryDirectory(context);
  const { journal, started } = recoverFileJournal({ directory, ...SMALL });
  await Promise.all([journal.close(), started]);
  const again = await openFileJournal({ directory, ...SMALL });
  assert.equal(again.report.cleanEnd, true);
  await again.journal.close();
});

test('a journal that is closed before its thread was seen to run has begun in order', async (context) => {
  const thread = Object.assign(new EventEmitter(), {
    postMessage: ({ stateMemory }: JournalWork) => {
      const state = new SharedJournalState(stateMemory);
      for (const each of ['running', 'closed'] as const) state.publishState(each);
    },
    terminate: async () => 0,
  });
  const threads = new ThreadsWithFake('journal/journal-worker', thread, () => {});
  const { journal, started } = recoverFileJournal({
    directory: temporaryDirectory(context),
    threads,
    ...SMALL,
  });
  await started;
  await journal.close();
});

/** Threads of which one kind only notes what happens to it. */
class ThreadsWithFake extends Threads {
  readonly #kind: string;
  readonly #fake: Worker;
  readonly #isGivenBack: () => void;

  constructor(
    kind: string,
    fake: EventEmitter & { postMessage(work: never): void; terminate(): Promise<number> },
    isGivenBack: () => void = () => assert.fail('a thread that ends is not given back'),
  ) {
    super();
    this.#isGivenBack = isGivenBack;
    this.#kind = kind;
    this.#fake = fake as unknown as Worker;
  }

  override take(module: string): Worker {
    return module === this.#kind ? this.#fake : super.take(module);
  }

  override async give(module: string, worker: Worker): Promise<void> {
    if (worker === this.#fake) this.#isGivenBack();
    else await super.give(module, worker);
  }
}

test('a snapshot that waits for its records hears when the log is abandoned', async (context) => {
  const { journal } = await openFileJournal({ directory: temporaryDirectory(context), ...SMALL });
  journal.append(payloadOf(1));
  // The thread is told of the record at the end of this turn.
  const saved = assert.rejects(journal.saveSnapshot(1, payloadOf(1)), /abandoned/);
  await Promise.resolve().then(() => {});
  await journal.abandon();
  await saved;
});

test('the thread of a snapshot ends before the directory is given up', async (context) => {
  const posted = Promise.withResolvers<void>();
  let terminated = false;
  const writer = Object.assign(new EventEmitter(), {
    postMessage: () => posted.resolve(),
    terminate: async () => {
      terminated = true;
      writer.emit('exit', 1);
      return 1;
    },
  });
  const threads = new ThreadsWithFake('journal/snapshot-worker', writer);
  const { journal } = await openFileJournal({ directory: temporaryDirectory(context), threads, ...SMALL });
  const saved = assert.rejects(journal.saveSnapshot(0, payloadOf(1)), { name: 'JournalFailed' });
  await posted.promise;
  await journal.abandon();
  assert.ok(terminated);
  await saved;
});

test('the thread of a snapshot that is done just then is not given to others', async (context) => {
  const posted = Promise.withResolvers<void>();
  const writer = Object.assign(new EventEmitter(), {
    postMessage: () => posted.resolve(),
    // Its answer was on the way.
    terminate: async () => {
      writer.emit('message', 0);
      await new Promise((resolve) => setImmediate(resolve));
      writer.emit('exit', 1);
      return 1;
    },
  });
  const threads = new ThreadsWithFake('journal/snapshot-worker', writer);
  const { journal } = await openFileJournal({ directory: temporaryDirectory(context), threads, ...SMALL });
  const saved = journal.saveSnapshot(0, payloadOf(1));
  await posted.promise;
  await journal.abandon();
  await saved;
});

test('a log whose thread cannot begin is closed without another error', async (context) => {
  const thread = Object.assign(new EventEmitter(), {
    postMessage: ({ stateMemory }: JournalWork) => {
      new SharedJournalState(stateMemory).publishState('failed', 'EIO: i/o error');
      setImmediate(() => thread.emit('exit', 0));
    },
    terminate: async () => 0,
  });
  const directory = temporaryDirectory(context);
  const threads = new ThreadsWithFake('journal/journal-worker', thread);
  const { journal, started } = recoverFileJournal({ directory, threads, ...SMALL });
  await assert.rejects(started, /EIO/);
  await journal.close();
});
