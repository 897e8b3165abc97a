import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdminError } from '../admin/admin-error.ts';
import { Branches } from './branches.ts';
import { Forks } from './forks.ts';
import type { Fork, Host, LabVenue } from './host.ts';
import type { SnapshotFacts } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';

test('a fork that ends before its start is answered is not counted', async () => {
  const dropped: number[] = [];
  const snapshots = {
    spaceRefusal: () => undefined,
    begin: async () => ({ time: 0 }),
    dropBranch: (branch: number) => dropped.push(branch),
  } as unknown as Snapshots;
  const host: Pick<Host<LabVenue>, 'fork'> = {
    fork: async (_start, _request, ended) => {
      ended();
      return { url: 'http://fork', close: async () => {} } as unknown as Fork;
    },
  };
  const forks = new Forks(host, snapshots, new Branches([], 0), 1);
  const facts = { name: 'start', branch: 0, seq: 0, bytes: 0 } as unknown as SnapshotFacts;
  const answer = await forks.start(facts, 'start', { port: 0, isolate: false }, 0);
  assert.ok(answer instanceof AdminError);
  assert.deepEqual(forks.all(), []);
  assert.equal(forks.limitRefusal, undefined);
  assert.ok(dropped.includes(1));
});
