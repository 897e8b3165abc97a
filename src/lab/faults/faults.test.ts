import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import { ExchangeFaults, type ExchangeFaultsOptions } from './exchange-faults.ts';
import { type FaultFacts, Faults, type FaultsOptions } from './faults.ts';

const halting = (id: string): FaultFacts => ({
  id,
  when: { times: 1 },
  do: { halt: true },
  created: 0,
  due: 0,
  active: false,
  problem: null,
  seen: 0,
  hits: 0,
});

test('faults of a branch that is left while one of them acts do not act on the next', async () => {
  const halted = Promise.withResolvers<undefined>();
  let halts = 0;
  const exchange = {
    tick: () => {},
    withhold: () => {},
    slowDisk: () => {},
    halt: () => {
      halts += 1;
      return halted.promise;
    },
  } as unknown as ExchangeFaults;
  const faults = new Faults({ exchange, seed: 1 } as unknown as FaultsOptions);
  faults.restore({ last: 2, faults: [halting('fault-1'), halting('fault-2')] });
  const ticked = faults.tick(1000);
  faults.restore();
  halted.resolve(undefined);
  await ticked;
  assert.equal(halts, 1);
});

test('what a fault submits goes to the exchange that it began on, also when that is left meanwhile', async () => {
  const submitted: string[] = [];
  const sequencerOf = (name: string, durable: () => void): Sequencer =>
    ({
      durable: async () => durable(),
      submit: async () => {
        submitted.push(name);
        return { rejectReason: 0 };
      },
    }) as unknown as Sequencer;
  const next = sequencerOf('next', () => {});
  let current = sequencerOf('left', () => {
    current = next;
  });
  const faults = new ExchangeFaults({ sequencer: () => current } as unknown as ExchangeFaultsOptions);
  await faults.halt(true);
  assert.deepEqual(submitted, ['left']);
});
