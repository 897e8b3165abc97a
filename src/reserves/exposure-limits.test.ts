import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_EXPOSURE_LIMITS, exposureLimits, readExposureLimits } from './exposure-limits.ts';

test('what is given stands over the defaults, one by one; off takes a limit away', () => {
  assert.deepEqual(readExposureLimits([]), DEFAULT_EXPOSURE_LIMITS);
  assert.deepEqual(readExposureLimits(['bad-debt=0', 'loans:BTC=250000.50', 'conversion=off']), [
    'clearing-short=100000',
    'conversion=off',
    'bad-debt=0',
    'loans:BTC=250000.5',
  ]);
  const none = readExposureLimits(['clearing-short=off', 'conversion=off', 'bad-debt=off', 'loans=off'])!;
  assert.deepEqual(exposureLimits(none), []);
  // What was read may be written into a file and is read as the same.
  const read = readExposureLimits(['insurance:USDT=1', 'conversion=off'])!;
  assert.deepEqual(readExposureLimits(read), read);
});

test('a limit is of one coin or of the sum over all, in dollars', () => {
  assert.deepEqual(exposureLimits(['bad-debt=1000', 'insurance:BTC=0.5']), [
    { figure: 'bad-debt', coin: undefined, usd: 100_000_000_000n },
    { figure: 'insurance', coin: 'BTC', usd: 50_000_000n },
  ]);
});

test('figures without a limit, unknown ones, repetitions and what is no amount are refused', () => {
  for (const entry of [
    'fees=1',
    'clearing=1',
    'debts=1',
    'toString=1',
    'bad-debt',
    'bad-debt=',
    'bad-debt=-1',
    'bad-debt=1e3',
    'bad-debt=1.123456789',
    'bad-debt=1,000',
    'bad-debt:btc=1',
    'bad-debt:=1',
    'bad-debt=1=2',
    'BAD-DEBT=1',
  ]) {
    assert.equal(readExposureLimits([entry]), undefined, entry);
  }
  assert.equal(readExposureLimits(['bad-debt=1', 'bad-debt=2']), undefined);
  assert.notEqual(readExposureLimits(['bad-debt=1', 'bad-debt:BTC=2']), undefined);
});
