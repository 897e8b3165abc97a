/** Limits of the house's exposure as an operator gives them, and the log that tells when one is passed. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { type Overrides, resolveConfig } from '../../src/app/config/resolve-config.ts';
import { ExposureMonitor } from '../../src/app/observability/exposure-monitor.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import { exposureLimits } from '../../src/reserves/exposure-limits.ts';
import { type Exposure, HouseExposure } from '../../src/reserves/house-exposure.ts';
import { MarginFloor } from '../core/borrowing/margin-floor.ts';
import { finishWork, inPortions } from '../core/fourth-edition/in-portions.ts';
import { FuturesFloor } from '../core/futures/futures-floor.ts';
import { fund, secondEdition } from '../core/second-edition/fund-floor.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const resolve = (flags: Overrides, environment: NodeJS.ProcessEnv = {}, directory = temporaryDirectory()) =>
  resolveConfig({ flags, environment, directory });
const DEFAULTS = ['clearing-short=100000', 'conversion=1000000', 'bad-debt=1000'];

test('limits come from a flag, a variable or a file, each over the defaults', async () => {
  assert.deepEqual((await resolve({})).config.exposureLimits, DEFAULTS);
  const expected = ['clearing-short=100000', 'conversion=off', 'bad-debt=50', 'loans:BTC=7'];
  const text = 'bad-debt=50, conversion=off,loans:BTC=7';
  assert.deepEqual((await resolve({ exposureLimits: text })).config.exposureLimits, expected);
  const { config, origins } = await resolve({}, { BOURSE_EXPOSURE_LIMITS: text });
  assert.deepEqual(config.exposureLimits, expected);
  assert.equal(origins.exposureLimits, 'environment BOURSE_EXPOSURE_LIMITS');
  const directory = temporaryDirectory();
  const file = join(directory, 'bourse.config.json');
  writeFileSync(file, JSON.stringify({ exposureLimits: text.split(',') }));
  assert.deepEqual((await resolve({}, {}, directory)).config.exposureLimits, expected);
  // One layer counts, as with every setting.
  const flag = await resolve({ exposureLimits: 'bad-debt=2' }, { BOURSE_EXPOSURE_LIMITS: text }, directory);
  assert.deepEqual(flag.config.exposureLimits, [...DEFAULTS.slice(0, 2), 'bad-debt=2']);
});

test('a limit that cannot be read is refused, with what would be right', async () => {
  await assert.rejects(resolve({ exposureLimits: 'bad-dept=5' }), (error: Error) => {
    assert.match(
      error.message,
      /^--exposure-limits "bad-dept=5" must be a list of figure=dollars, .*bad-debt/,
    );
    return true;
  });
});

test('the log tells once that a limit is passed, and once that it holds again', (t) => {
  const floor = secondEdition(new MarginFloor());
  const exposure = new HouseExposure(floor, exposureLimits(['insurance:USDT=1000']));
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line).msg) });
  let ms = 0;
  t.mock.method(performance, 'now', () => ms);
  const monitor = new ExposureMonitor(exposure, logger);
  const check = () => {
    ms += 1000;
    monitor.check();
  };
  check();
  assert.deepEqual(lines, ["the house's exposure: insurance of USDT is 0 USD, below its limit of 1000"]);
  fund(floor, '999');
  check();
  assert.equal(lines.length, 1, 'another amount is no news');
  fund(floor, '1');
  check();
  check();
  assert.deepEqual(lines.slice(1), ["the house's exposure is within its limits again"]);
  monitor.stop();
});

test('the log tells when the venue is illiquid, insolvent and solvent again', async () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const floor = new MarginFloor();
  const sound = await new HouseExposure(floor, []).now();
  let now: Exposure = sound;
  const monitor = new ExposureMonitor({ kept: () => now }, logger);
  for (const solvency of ['illiquid', 'insolvent'] as const) {
    now = { ...sound, solvency, missing: [{ coin: 'BTC', solvency }] };
    monitor.check();
    monitor.check();
  }
  now = sound;
  monitor.check();
  monitor.stop();
  assert.deepEqual(lines, [
    'part of what is owed is lent out: BTC is illiquid',
    'the venue lacks money: BTC is insolvent',
    'everything that is owed is held again',
  ]);
});

test('pages that anybody may read look at accounts at most once a second; the operator always does', async (t) => {
  const floor = new MarginFloor();
  floor.trader('ann', { USDT: '100' });
  /** Money that leaves or comes back without a command. */
  const move = (from: number, to: number) =>
    floor.arrange(({ state: { ledger } }) =>
      ledger.move(ledger.cell(from, 0, Bucket.cash), ledger.cell(to, 0, Bucket.cash), 1n),
    );
  const lose = () => move(SystemAccount.convert, SystemAccount.external);
  const find = () => move(SystemAccount.external, SystemAccount.convert);
  let [ms, lookMs] = [5000, 0];
  t.mock.method(performance, 'now', () => (ms += lookMs));
  const exposure = new HouseExposure(floor, []);
  assert.equal(exposure.kept().solvency, 'solvent');
  lose();
  ms += 999;
  assert.equal(exposure.kept().solvency, 'solvent', 'kept');
  assert.equal((await exposure.now()).solvency, 'insolvent');
  find();
  assert.equal(exposure.kept().solvency, 'insolvent', 'kept');
  ms += 1000;
  assert.equal(exposure.kept().solvency, 'solvent');
  // A look that takes 0.2 s is kept for 20 s.
  lookMs = 200;
  await exposure.now();
  lookMs = 0;
  lose();
  ms += 19_999;
  assert.equal(exposure.kept().solvency, 'solvent', 'kept');
  ms += 1;
  assert.equal(exposure.kept().solvency, 'insolvent');
  find();
});

test('while a contract ends in portions the last look is kept: gains and what covers losses are in no account', async (t) => {
  const floor = inPortions(new FuturesFloor(), 1);
  floor.trader('ann', { USDT: '7000' });
  floor.trader('bob', { USDT: '100000' });
  floor.leverage('ann', 10);
  floor.deal('ann', 'bob', '1', '60000');
  let ms = 5000;
  t.mock.method(performance, 'now', () => ms);
  const exposure = new HouseExposure(floor, []);
  assert.equal((await exposure.now()).solvency, 'solvent');
  floor.arrange(({ state }) => {
    const { mark } = state.market(floor.instrument()).futures!;
    mark.price = 50_000n * 10n ** 8n;
    mark.inputs.fill(mark.price);
    state.priceVersion++;
  });
  const { index: instrument } = floor.instrument();
  floor.send({ type: 'setInstrumentStatus', time: floor.now, instrument, status: 'offline' });
  floor.at(floor.now);
  assert.ok(floor.exchange.hasOpenWork);
  // Ann owes 3 000, for which bob will get less: until then it looks as if nobody would pay it.
  ms += 1000;
  const fresh = await new HouseExposure(floor, []).now();
  assert.deepEqual(fresh.missing, [{ coin: 'USDT', solvency: 'insolvent' }]);
  assert.equal(exposure.kept().solvency, 'solvent');
  assert.equal((await exposure.now()).solvency, 'solvent');
  finishWork(floor);
  assert.equal((await exposure.now()).solvency, 'solvent');
  assert.equal(floor.cash('ann', 'USDT'), '0');
});
