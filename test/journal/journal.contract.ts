/** What every journal behind `CommandJournal` does, whatever it keeps its records in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandJournal, LoggedRecord, Snapshot } from '../../src/journal/command-journal.ts';
import { payloadOf, snapshotState } from '../simulation/log-model.ts';

export const PAYLOAD_BYTES_MAX = 4 * 1024;

export interface Found {
  readonly snapshot: Snapshot | undefined;
  readonly records: readonly LoggedRecord[];
}

/** One journal, empty at first, for payloads of at most PAYLOAD_BYTES_MAX. */
export interface JournalUnderTest<Journal extends CommandJournal> {
  readonly journal: Journal;
  /** Resolves when all that was appended is durable. */
  settle(): Promise<void>;
  /** What a replay would begin with; the journal is closed then. */
  found(): Promise<Found>;
  remove(): Promise<void>;
}

export function journalContract<Journal extends CommandJournal>(
  adapter: string,
  create: () => Promise<JournalUnderTest<Journal>>,
): void {
  const contract = (name: string, run: (opened: JournalUnderTest<Journal>) => Promise<void>): void => {
    void test(`${adapter}: ${name}`, async () => {
      const opened = await create();
      try {
        await run(opened);
      } finally {
        await opened.journal.close();
        await opened.remove();
      }
    });
  };

  contract('records are numbered from 1 and come back in order with their payloads', async (opened) => {
    const { journal } = opened;
    for (let n = 1; n <= 300; n++) {
      assert.equal(journal.append(payloadOf(n)), n);
      if (n % 50 === 0) await opened.settle();
    }
    const { records } = await opened.found();
    assert.deepEqual(
      records.map(plain),
      Array.from({ length: 300 }, (_, n) => plain({ seq: n + 1, payload: payloadOf(n + 1) })),
    );
  });

  contract(
    'an empty command and one of the greatest length are kept, a longer one is refused',
    async (opened) => {
      const { journal } = opened;
      journal.append(new Uint8Array(0));
      journal.append(payloadOf(3, PAYLOAD_BYTES_MAX));
      assert.throws(() => journal.append(new Uint8Array(PAYLOAD_BYTES_MAX + 1)), RangeError);
      assert.throws(
        () => journal.appendAll([payloadOf(1), new Uint8Array(PAYLOAD_BYTES_MAX + 1)]),
        RangeError,
      );
      assert.equal(journal.appendedSeq, 2);
      await opened.settle();
      const { records } = await opened.found();
      assert.deepEqual(
        records.map(({ payload }) => payload.length),
        [0, PAYLOAD_BYTES_MAX],
      );
    },
  );

  contract('the payload is copied: the caller may reuse its buffer', async (opened) => {
    const buffer = new Uint8Array(8).fill(1);
    opened.journal.append(buffer);
    buffer.fill(2);
    await opened.settle();
    const { records } = await opened.found();
    assert.deepEqual(records.map(plain), [plain({ seq: 1, payload: new Uint8Array(8).fill(1) })]);
  });

  contract('records that belong together stay neighbours; the number is that of the last', async (opened) => {
    const { journal } = opened;
    assert.equal(journal.appendAll([payloadOf(1), payloadOf(2), payloadOf(3)]), 3);
    assert.equal(journal.append(payloadOf(4)), 4);
    await opened.settle();
    const { records } = await opened.found();
    assert.deepEqual(
      records.map(plain),
      [1, 2, 3, 4].map((seq) => plain({ seq, payload: payloadOf(seq) })),
    );
  });

  contract('nothing is durable in the call that appends it', async (opened) => {
    const { journal } = opened;
    const told: number[] = [];
    journal.onDurable(() => assert.fail('the second listener replaces the first'));
    journal.onDurable((seq) => told.push(seq));
    for (let n = 0; n < 20; n++) journal.append(payloadOf(n));
    assert.deepEqual([journal.appendedSeq, journal.durableSeq], [20, 0]);
    assert.ok(journal.queueAgeMs() >= 0);
    await opened.settle();
    assert.deepEqual([told.at(-1), journal.durableSeq, journal.queueAgeMs()], [20, 20, 0]);
  });

  contract(
    'durable sequence numbers are told in order, and never ahead of what was appended',
    async (opened) => {
      const { journal } = opened;
      let told = 0;
      journal.onDurable((seq) => {
        assert.ok(seq > told && seq <= journal.appendedSeq && seq === journal.durableSeq);
        told = seq;
      });
      for (let round = 0; round < 100; round++) {
        for (let n = 0; n < 5; n++) journal.append(payloadOf(n));
        if (round % 3 === 0) await opened.settle();
      }
      await journal.close();
      assert.equal(told, 500);
      assert.equal(journal.queueAgeMs(), 0);
    },
  );

  contract('a replay begins with the newest snapshot, its note and the records after it', async (opened) => {
    const { journal } = opened;
    const note = new Uint8Array(16).fill(6);
    for (let round = 1; round <= 4; round++) {
      for (let n = 1; n <= 20; n++) journal.append(payloadOf(n));
      await journal.saveSnapshot(journal.appendedSeq, snapshotState(journal.appendedSeq), note);
      assert.equal(journal.durableSeq, journal.appendedSeq);
    }
    journal.append(payloadOf(81));
    await opened.settle();
    const { snapshot, records } = await opened.found();
    assert.deepEqual(snapshot, { seq: 80, state: snapshotState(80), note });
    assert.deepEqual(records.map(plain), [plain({ seq: 81, payload: payloadOf(81) })]);
  });

  contract('a snapshot of what was never appended is refused', async (opened) => {
    opened.journal.append(payloadOf(1));
    await assert.rejects(opened.journal.saveSnapshot(2, snapshotState(2)), RangeError);
  });

  contract('a closed journal refuses every record and snapshot, and may be closed again', async (opened) => {
    const { journal } = opened;
    journal.append(payloadOf(1));
    await journal.close();
    assert.equal(journal.durableSeq, 1);
    assert.throws(() => journal.append(payloadOf(2)), { name: 'JournalFailed' });
    assert.throws(() => journal.appendAll([payloadOf(2)]), { name: 'JournalFailed' });
    await assert.rejects(journal.saveSnapshot(1, snapshotState(1)), { name: 'JournalFailed' });
    await journal.close();
  });
}

function plain({ seq, payload }: LoggedRecord): string {
  return `${seq} ${Buffer.from(payload).toString('hex')}`;
}
