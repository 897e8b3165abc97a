/** The short form of the campaign: `npm run campaign -- damage` for the long one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCampaign } from './campaign.ts';
import { campaign } from './damage.campaign.ts';

test('a damaged data directory is served as it was or refused with file and remedy', async (t) => {
  const { failures, results } = await runCampaign(campaign, { seed: 15, trials: 4 });
  t.diagnostic(JSON.stringify(Object.fromEntries(results)));
  assert.deepEqual(failures, []);
});
