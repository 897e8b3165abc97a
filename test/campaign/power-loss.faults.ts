/** The short form of the campaign: `npm run campaign -- power-loss` for the long one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCampaign } from './campaign.ts';
import { campaign, powerLossObstacle } from './power-loss.campaign.ts';

test('a power loss under load loses nothing that was acknowledged', {
  skip: powerLossObstacle() ?? false,
}, async (t) => {
  const { failures, counts } = await runCampaign(campaign, { seed: 15, trials: 2 });
  t.diagnostic(JSON.stringify(Object.fromEntries(counts)));
  assert.deepEqual(failures, []);
});
