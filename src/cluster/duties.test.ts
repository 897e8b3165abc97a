import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Duties } from './duties.ts';

test('a renewal that was asked for before a duty was taken again does not end it', async (context) => {
  let epoch = 0;
  const renewal = Promise.withResolvers<Record<string, unknown>[]>();
  const query = (text: string) => {
    if (text.includes('take_duty')) return Promise.resolve([{ epoch: ++epoch }]);
    if (text.includes('RETURNING d.name')) return renewal.promise;
    return Promise.resolve([]);
  };
  const duties = new Duties('n1', query, () => {});
  context.after(() => duties.close());
  await duties.take('upkeep');
  const beat = duties.heartbeat();
  await duties.release('upkeep');
  await duties.take('upkeep');
  // The row has the second epoch, so the first is not renewed.
  renewal.resolve([]);
  await beat;
  assert.ok(duties.holds('upkeep'));
});
