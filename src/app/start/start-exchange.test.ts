import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { resolveConfig } from '../config/resolve-config.ts';
import { startExchange } from './start-exchange.ts';

test('an exchange that has failed closes what it has opened when it is stopped', async () => {
  const resolved = await resolveConfig({
    flags: { memory: 'on', port: '0', operatorPort: '0', market: 'off', backfill: '0' },
    environment: {},
    directory: '/nonexistent',
  });
  const failures: Error[] = [];
  const exchange = await startExchange(resolved, pino({ level: 'silent' }), (error) => {
    failures.push(error);
  });
  const { history } = exchange.sequencer;
  exchange.sequencer.fail(new Error('the disk has failed'));
  await exchange.stop();
  assert.equal(failures.length, 1);
  await assert.rejects(history.flush(), /history is closed/);
});
