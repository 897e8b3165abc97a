import assert from 'node:assert/strict';
import { test } from 'node:test';
import { campaign } from './backup.campaign.ts';
import { runCampaign } from './campaign.ts';

/** Known and not mended yet; `bourse verify` notices such a copy, and the documents say to prove each backup. */
const todo = 'now and then a copy made while a snapshot is taken lacks a part of the log';

test('backups under load, killed and restored, hold every order acknowledged before them', {
  todo,
}, async (t) => {
  const { failures, counts, results } = await runCampaign(campaign, { seed: 7, trials: 1 });
  t.diagnostic(JSON.stringify({ ...Object.fromEntries(results), ...Object.fromEntries(counts) }));
  assert.deepEqual(failures, []);
});
