/** The short form of the campaign. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SmallDisk } from '../harness/small-disk.ts';
import { runCampaign } from './campaign.ts';
import { campaign } from './disk-full.campaign.ts';

test('cycles of a full and a freed disk lose nothing', { skip: SmallDisk.impossible ?? false }, async (t) => {
  const { failures, counts } = await runCampaign(campaign, { seed: 1, trials: 1 });
  t.diagnostic([...counts].map(([name, count]) => `${name} ${count}`).join(', '));
  assert.deepEqual(failures, []);
});
