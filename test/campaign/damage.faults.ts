/** The short form of the campaign: `npm run campaign -- damage` for the long one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCampaign } from './campaign.ts';
import { campaign, judgeRefusal } from './damage.campaign.ts';

test('a damaged data directory is served as it was or refused with file and remedy', async (t) => {
  const { failures, results } = await runCampaign(campaign, { seed: 15, trials: 4 });
  t.diagnostic(JSON.stringify(Object.fromEntries(results)));
  assert.deepEqual(failures, []);
});

test('a refusal counts only with exit code 4, a file and a remedy', () => {
  const clear = 'identity.key is damaged. Restore it from a backup';
  assert.equal(judgeRefusal(4, clear, 'refused with').failure, undefined);
  for (const code of [0, 1, 2, 3])
    assert.ok(judgeRefusal(code, clear, 'refused with').failure, `code ${code}`);
  for (const message of ['a file is damaged. Restore it from a backup', 'identity.key is damaged'])
    assert.ok(judgeRefusal(4, message, 'refused with').failure, message);
});
