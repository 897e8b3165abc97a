import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { RetryingWriter } from './retrying-writer.ts';

const FULL = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
const BUSY = Object.assign(new Error('database is locked'), { errcode: 5 });

/** A database of lists that refuses when it is told to. */
class Lists {
  readonly stored: number[] = [];
  open: number[] = [];
  /** Errors of the next calls. */
  writeFails: (Error | undefined)[] = [];
  commitFails: (Error | undefined)[] = [];
  rollBacks = 0;

  write(number: number): void {
    const error = this.writeFails.shift();
    if (error !== undefined) throw error;
    this.open.push(number);
  }

  commit(): void {
    const error = this.commitFails.shift();
    if (error !== undefined) throw error;
    this.stored.push(...this.open);
    this.open = [];
  }

  rollBack(): void {
    this.rollBacks += 1;
    this.open = [];
  }
}

function writerOf(lists: Lists, waitsForReaders = true) {
  const writer = new RetryingWriter(lists, temporaryDirectory(), { waitsForReaders });
  const write = (number: number) => writer.write(1, () => lists.write(number));
  return { writer, write };
}

test('rows that a full disk refuses are kept and stored when there is space', () => {
  const lists = new Lists();
  const { writer, write } = writerOf(lists);
  lists.commitFails = [FULL];
  write(1);
  assert.equal(writer.commit(), false);
  assert.deepEqual([writer.starved, writer.storedRows, lists.open], [true, 0, [1]], 'reads see them');
  write(2);
  assert.equal(writer.commit(), true);
  assert.deepEqual([writer.starved, writer.storedRows, lists.stored], [false, 2, [1, 2]]);
});

test('what cannot even be written, such as a copy of a shared file, is written later and in order', () => {
  const lists = new Lists();
  const { writer, write } = writerOf(lists);
  lists.writeFails = [FULL, FULL];
  write(1);
  assert.deepEqual([writer.starved, lists.open], [true, []]);
  write(2);
  assert.deepEqual(lists.open, [], 'not before the first');
  assert.equal(writer.commit(), true);
  assert.deepEqual(lists.stored, [1, 2]);
});

test('a commit that meets a reader keeps its transaction, and the disk does not count as full', () => {
  const lists = new Lists();
  const { writer, write } = writerOf(lists);
  lists.commitFails = [BUSY, BUSY];
  write(1);
  assert.deepEqual([writer.commit(), writer.commit()], [false, false]);
  assert.deepEqual([writer.blocked, writer.starved, lists.open, lists.rollBacks], [true, false, [1], 0]);
  assert.equal(writer.commit(), true);
  assert.deepEqual([writer.blocked, lists.stored], [false, [1]]);
});

test('a write that meets a lock is made again with the commit', () => {
  const lists = new Lists();
  const { writer, write } = writerOf(lists);
  lists.writeFails = [undefined, BUSY, BUSY];
  write(1);
  write(2);
  assert.deepEqual([writer.blocked, lists.open], [true, []]);
  assert.equal(writer.commit(), false);
  assert.equal(writer.commit(), true);
  assert.deepEqual(lists.stored, [1, 2]);
});

test('a lock is an error where no reader is waited for, and so is everything else', () => {
  const lists = new Lists();
  const { writer } = writerOf(lists, false);
  lists.commitFails = [BUSY, new Error('malformed')];
  assert.throws(() => writer.commit(), BUSY);
  assert.throws(() => writer.commit(), /malformed/);
});
