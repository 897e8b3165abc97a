/** `--instruments`: a part of the catalogue, with the coins it needs. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loadCatalogue } from '../../src/catalogue/catalogue.ts';
import { chooseInstruments } from '../../src/catalogue/choose-instruments.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { startInMemory, stopAll } from './in-process.ts';

after(stopAll);

const catalogue = () => loadCatalogue('catalogue');
const named = ({ instruments }: ReturnType<typeof catalogue>) =>
  instruments.map(({ category, symbol }) => `${category}:${symbol}`);

test('a symbol means every category that has it, with a category only that one', () => {
  assert.deepEqual(named(chooseInstruments(catalogue(), ['BTCUSDT'])).sort(), [
    'MARGIN:BTCUSDT',
    'SPOT:BTCUSDT',
    'USDT-FUTURES:BTCUSDT',
  ]);
  const spot = chooseInstruments(catalogue(), ['SPOT:ETHUSDT', 'USDT-FUTURES:BTCUSDT']);
  assert.deepEqual(named(spot), ['SPOT:ETHUSDT', 'USDT-FUTURES:BTCUSDT']);
  assert.deepEqual(spot.coins.map(({ coin }) => coin).sort(), ['BTC', 'ETH', 'USD', 'USDC', 'USDT']);
  assert.deepEqual(named(chooseInstruments(catalogue(), ['MARGIN:ETHUSDT'])), [
    'SPOT:ETHUSDT',
    'MARGIN:ETHUSDT',
  ]);
  assert.deepEqual(named(chooseInstruments(catalogue(), [])), named(catalogue()));
});

test('unknown names are all named at once, with what may be meant', async () => {
  await assert.rejects(startInMemory({ instruments: 'BTCUSDX,SPOT:NOPE,BTCUSDT' }), {
    name: 'ConfigError',
    message: /^--instruments: the catalogue has no BTCUSDX \(did you mean BTCUSD[TC]\?\), SPOT:NOPE/,
  });
  await assert.rejects(
    startInMemory({ instruments: ',' }),
    /must be a list of symbols, such as BTCUSDT,SPOT:ETHUSDT/,
  );
});

test('an exchange with a part of the catalogue runs its market', async () => {
  const exchange = await startInMemory({ instruments: 'BTCUSDT', market: 'quiet', clock: 'manual' });
  const { state } = exchange.sequencer;
  assert.deepEqual(
    state.instruments.map(({ spec }) => spec.symbol),
    ['BTCUSDT', 'BTCUSDT', 'BTCUSDT'],
  );
  assert.deepEqual(state.coins.map(({ coin }) => coin).sort(), ['BTC', 'USD', 'USDC', 'USDT']);
  assert.ok(exchange.market!.members.length > 0);
  await exchange.stop();
});

test('in a data directory nothing is unlisted, and the rest is listed by a start without it', async () => {
  const data = temporaryDirectory();
  const listed: number[] = [];
  for (const args of [['--instruments', 'BTCUSDT'], ['--instruments', 'SPOT:ETHUSDT'], []]) {
    const server = await startHosted({ data, args });
    const answer = await fetch(`${server.url}/api/v3/market/instruments?category=SPOT`);
    listed.push(((await answer.json()) as { data: unknown[] }).data.length);
    await server.stop();
  }
  const all = catalogue().instruments.filter(({ category }) => category === 'SPOT').length;
  assert.deepEqual(listed, [1, 2, all]);
});
