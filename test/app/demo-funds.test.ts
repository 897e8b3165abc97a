/** A demo of the second edition begins with money in both insurance funds (rules 13.7), and an audit finds it solvent. */
import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { pino } from 'pino';
import { type Config, SETTING_NAMES, SETTINGS } from '../../src/app/config/settings.ts';
import { listCatalogue, openDemo } from '../../src/app/start/bootstrap.ts';
import { openComponents } from '../../src/app/start/components.ts';
import { loadCatalogue } from '../../src/catalogue/catalogue.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import { formatMoney } from '../../src/core/model/units.ts';
import { readFund } from '../../src/core/reads/fund-reads.ts';
import { DEFAULT_EXPOSURE_LIMITS, exposureLimits } from '../../src/reserves/exposure-limits.ts';
import { exposureWarnings, HouseExposure } from '../../src/reserves/house-exposure.ts';
import { ReserveAudits } from '../../src/reserves/reserve-audit.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

test('R7 (d): a demo seeds both funds once; R5 (c): what is missing afterwards is found by the audit', async () => {
  await using open = new AsyncDisposableStack();
  const data = temporaryDirectory();
  open.defer(() => rmSync(data, { recursive: true, force: true }));
  const initial = Object.fromEntries(SETTING_NAMES.map((name) => [name, SETTINGS[name].default]));
  const config = { ...initial, data } as unknown as Config;
  const { sequencer, identity } = await openComponents(config, pino({ level: 'silent' }), open, (error) => {
    throw error;
  });
  open.defer(async () => void (await sequencer.durable()));
  await listCatalogue(sequencer, loadCatalogue(config.catalogue));
  await sequencer.submit({ type: 'setEdition', edition: 2 });
  const { state } = sequencer;
  const funds = (coin: string) =>
    (['futures', 'lending'] as const).map((fund) =>
      formatMoney(readFund(state, fund, state.coinByName.get(coin)!).balance),
    );
  for (let start = 0; start < 2; start++) {
    await openDemo(sequencer, identity, data);
    assert.deepEqual(funds('USDT'), ['1000000', '1000000']);
    assert.deepEqual(funds('BTC'), ['15', '15']);
  }

  const key = createSecretKey(randomBytes(32));
  const reserves = new ReserveAudits(sequencer, key, () => Date.now());
  const first = await reserves.run();
  assert.equal(first.solvency, 'solvent');
  const onThread = new ReserveAudits(sequencer, key, () => Date.now(), 0);
  assert.deepEqual(await onThread.run(), first, 'a thread of its own finds the same');
  await onThread.close();
  const exposure = await new HouseExposure(sequencer, exposureLimits(DEFAULT_EXPOSURE_LIMITS)).now();
  assert.deepEqual(exposureWarnings(exposure), [], 'a new demo passes none of the default limits');
  // A state made by hand: coin has left that nobody booked.
  const { ledger } = state;
  const coin = state.coinByName.get('BTC')!;
  const held = -ledger.balanceOf(SystemAccount.external, coin, Bucket.cash);
  const cells = [SystemAccount.convert, SystemAccount.external].map((account) =>
    ledger.cell(account, coin, Bucket.cash),
  ) as [number, number];
  ledger.move(...cells, held);
  const audit = await reserves.run();
  assert.equal(audit.solvency, 'insolvent');
  assert.deepEqual(
    audit.missing.map((row) => row.coin),
    ['BTC'],
  );
});
