/** The short form of the campaign: `npm run campaign -- kill` for the long one. `KILLS` and `KILL_SEED` change it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programUrl } from '../harness/program.ts';
import { KillLoop } from './kill-loop.ts';

const KILLS = Number(process.env.KILLS ?? 3);
const SEED = Number(process.env.KILL_SEED ?? Date.now());

test('kill -9 under load: nothing acknowledged is lost, nothing happens twice', async (t) => {
  t.diagnostic(await new KillLoop({ kills: KILLS, seed: SEED }).run());
});

test('the loop has teeth: a server that answers too early is found out', async (t) => {
  const env = { NODE_OPTIONS: `--import=${programUrl('test/crash/early-answers.ts')}` };
  const loop = new KillLoop({ kills: 30, seed: SEED, env, stopsFirst: false });
  await assert.rejects(loop.run(), (error: Error) => {
    t.diagnostic(`found after ${loop.restarts} kills: ${error.message}`);
    return /LOST/.test(error.message);
  });
});
