import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { Exchange } from '../../core/engine/exchange.ts';
import { WallClock } from '../../sequencer/clock.ts';
import { resolveConfig } from '../config/resolve-config.ts';
import { ForkStarter } from './lab-forks.ts';
import type { RunningExchange } from './start-exchange.ts';

type Dependencies = ConstructorParameters<typeof ForkStarter>[0];

const REQUEST = { port: 0, isolate: false };

/** Forks whose exchange is `stop` alone; `failing` gets what they would call when they fail. */
async function starter(stop: () => Promise<void>, failing: (fail: (error: Error) => void) => void) {
  const { state } = new Exchange();
  const sequencer = { state, appliedSeq: 0, clock: new WallClock(), generated24h: undefined };
  const running = { url: 'http://fork', operatorUrl: '', operatorToken: '', sequencer, stop };
  const resolved = await resolveConfig({ flags: {}, environment: {}, directory: '/nonexistent' });
  return new ForkStarter({
    resolved,
    logger: pino({ level: 'silent' }),
    demo: [],
    shared: { wallClock: new WallClock() },
    current: () => ({ sequencer }),
    start: async (_resolved: unknown, _logger: unknown, fail: (error: Error) => void) => {
      failing(fail);
      return running as unknown as RunningExchange;
    },
  } as unknown as Dependencies);
}

test('a fork that fails and cannot be stopped in order is gone, and nothing else ends with it', async () => {
  let fail: (error: Error) => void = () => {};
  const forks = await starter(
    () => Promise.reject(new Error('the log has failed')),
    (given) => {
      fail = given;
    },
  );
  const ended = Promise.withResolvers<void>();
  const { url } = await forks.start({ time: 0 }, REQUEST, ended.resolve);
  assert.ok(forks.runningAt(url));
  fail(new Error('the disk has failed'));
  await ended.promise;
  assert.equal(forks.runningAt(url), undefined);
});

test('a fork that fails before its start has returned is stopped then', async () => {
  let stops = 0;
  const stop = async () => void stops++;
  const forks = await starter(stop, (fail) => fail(new Error('the disk has failed')));
  const ended = Promise.withResolvers<void>();
  await forks.start({ time: 0 }, REQUEST, ended.resolve);
  await ended.promise;
  assert.equal(stops, 1);
});
