/** The first seeds of `venue.faults.ts`: a gross break of log, sequencer or recovery is found without the others. */
import { after, before, mock, test } from 'node:test';
import { trySeeds } from './tried-seeds.ts';

const SEEDS = 8;

before(() => mock.timers.enable({ apis: ['setInterval'] }));
after(() => mock.timers.reset());

test('whatever fails: nothing that was shown is lost, no money appears or goes', async (t) => {
  await trySeeds(t, SEEDS);
});
