import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatabaseLink, LinkListener } from './database-link.ts';
import { openLinkedHistory } from './linked-history.ts';

test('a thread that ends before it has closed the database is a failure of the close', async () => {
  const failures: Error[] = [];
  const options = { onFailure: (error: Error) => void failures.push(error) };
  const connect = ({ received, ended }: LinkListener): DatabaseLink => {
    setImmediate(() => received({ type: 'stored', seq: 0, rows: 0, starved: false }));
    return {
      post: ({ type }) => {
        if (type === 'close') setImmediate(() => ended(new Error('the worker ended with code 1')));
      },
      end: async () => {},
      abandon: async () => {},
    };
  };
  const history = await openLinkedHistory('here', options, connect);
  await assert.rejects(history.close(), /the worker ended with code 1/);
  assert.equal(failures.length, 1);
});
