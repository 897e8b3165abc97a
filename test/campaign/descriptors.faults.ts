/** The short form of the campaign. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCampaign } from './campaign.ts';
import { campaign } from './descriptors.campaign.ts';

const skip = process.platform === 'win32' ? 'Windows has no limit of open files' : false;

test('bursts of connections end nothing but themselves', { skip }, async (t) => {
  const { failures, counts } = await runCampaign(campaign, { seed: 1, trials: 1 });
  t.diagnostic([...counts].map(([name, count]) => `${name} ${count}`).join(', '));
  assert.deepEqual(failures, []);
});
