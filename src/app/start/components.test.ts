import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { OutcomeUnknown, Unavailable } from '../../sequencer/sequencer.ts';
import { resolveConfig } from '../config/resolve-config.ts';
import { openComponents } from './components.ts';

test('when the history fails, commands that are not announced yet have no known outcome, and none is taken', async () => {
  const { config } = await resolveConfig({
    flags: { memory: 'on', lab: 'off' },
    environment: {},
    directory: '/nonexistent',
  });
  const open = new AsyncDisposableStack();
  const failures: Error[] = [];
  const { sequencer, history } = await openComponents(config, pino({ level: 'silent' }), open, (error) => {
    failures.push(error);
  });
  // With nothing before it, it is handled in the turn in which the command becomes durable, and before it.
  await history.flush();
  history.addGenerated(undefined as never);
  await assert.rejects(sequencer.submit({ type: 'tick' }), OutcomeUnknown);
  await assert.rejects(sequencer.submit({ type: 'tick' }), Unavailable);
  assert.equal(failures.length, 1);
  await open.disposeAsync();
});
