import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCatalogue } from '../catalogue/catalogue.ts';
import { loadParameters, parseParameters } from './parameters.ts';

const SHIPPED = fileURLToPath(new URL('../../catalogue', import.meta.url));

test('the shipped catalogue has knobs for every book and every coin that moves', () => {
  const parameters = loadParameters(SHIPPED);
  const { instruments, coins } = loadCatalogue(SHIPPED);
  const cautious = parameters.instrument({ spec: { ...instruments[0]!, symbol: 'UNKNOWN' } } as never);
  for (const spec of instruments.filter(({ category }) => category !== 'MARGIN')) {
    assert.notEqual(parameters.instrument({ spec } as never), cautious, `${spec.category} ${spec.symbol}`);
  }
  for (const { coin } of coins.filter((spec) => spec.coin !== 'USD')) {
    assert.notEqual(parameters.coin(coin), parameters.coin('UNKNOWN'), coin);
  }
});

test('the next quarter of a contract trades like the one before it', () => {
  const parameters = loadParameters(SHIPPED);
  const quarter = loadCatalogue(SHIPPED).instruments.find(({ symbol }) => symbol === 'BTCUSDZ26')!;
  const next = parameters.instrument({ spec: { ...quarter, symbol: 'BTCUSDM27' } } as never);
  assert.deepEqual(next, parameters.instrument({ spec: quarter } as never));
});

const BOOK = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  spreadBps: '1',
  maxSpreadBps: '8',
  depth: '1000',
  minDepth: '100',
  levels: '5',
  tradesPerMinute: '10',
};

test('a mistake in the knobs is named by entry and field', () => {
  const mistakes: [object, RegExp][] = [
    [{ ...BOOK, spread: '1' }, /SPOT BTCUSDT: spread is not a known field/],
    [{ ...BOOK, depth: 1000 }, /SPOT BTCUSDT: depth 1000 must be a decimal in quotes/],
    [{ ...BOOK, levels: '10' }, /levels "10" must be a decimal in quotes from 1 to 9/],
    [{ ...BOOK, levels: '2.5' }, /levels must be a whole number/],
    [{ ...BOOK, maxSpreadBps: '0.5' }, /maxSpreadBps is below spreadBps/],
    [{ ...BOOK, symbol: '' }, /instruments\[0\]: symbol must be a text/],
  ];
  for (const [entry, says] of mistakes) {
    assert.throws(() => parseParameters({ coins: [], instruments: [entry] }), says);
  }
  assert.throws(
    () => parseParameters({ coins: [{ coin: 'BTC', volatility: '0.5' }], instruments: [] }),
    /BTC: correlation \(missing\)/,
  );
  assert.throws(() => parseParameters({ coins: [] }), /instruments must be a list/);
});
