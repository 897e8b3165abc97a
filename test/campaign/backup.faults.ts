import assert from 'node:assert/strict';
import { test } from 'node:test';
import { campaign } from './backup.campaign.ts';
import { runCampaign } from './campaign.ts';

test('backups under load, killed and restored, hold every order acknowledged before them', async (t) => {
  const { failures, counts, results } = await runCampaign(campaign, { seed: 7, trials: 1 });
  t.diagnostic(JSON.stringify({ ...Object.fromEntries(results), ...Object.fromEntries(counts) }));
  assert.deepEqual(failures, []);
});
