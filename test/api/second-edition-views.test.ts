/** What answers show of the second edition: intervals in force, limits of a party, contracts that only close. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fundingView, largestOfParty, largestPosition } from '../../src/api/routes/market/futures-market.ts';
import { instrumentView } from '../../src/api/routes/market/market-view.ts';
import { BTC_PERPETUAL, FuturesFloor } from '../core/futures/futures-floor.ts';
import { secondEdition } from '../core/second-edition/fund-floor.ts';
import { QUARTER } from '../core/second-edition/price-floor.ts';

const HOUR = 3_600_000;
/** Funding stays at its limit of 0.003. */
const DEAR = {
  ...BTC_PERPETUAL,
  futures: { ...BTC_PERPETUAL.futures!, minFundingRate: '0.003', maxFundingRate: '0.003' },
};

test('R8 (d): instruments and the current rate show the interval in force, a delivery contract none', () => {
  const floor = secondEdition(new FuturesFloor(DEAR, undefined, [QUARTER]));
  const { state } = floor;
  const shown = () => {
    const instrument = floor.instrument();
    const { fundInterval, status } = instrumentView(state, instrument);
    const { fundingRateInterval, nextUpdate } = fundingView(state, instrument);
    return { fundInterval, fundingRateInterval, hours: (Number(nextUpdate) - state.now) / HOUR, status };
  };
  const settle = () => {
    const { nextFunding } = state.market(floor.instrument()).futures!;
    floor.at(nextFunding - 1000);
    floor.tell('60000', 'BTCUSDT', 'ops');
    floor.at(nextFunding);
  };
  settle();
  assert.deepEqual(shown(), { fundInterval: '8', fundingRateInterval: '8', hours: 8, status: 'online' });
  for (let n = 0; n < 2; n++) settle();
  assert.deepEqual(shown(), { fundInterval: '4', fundingRateInterval: '4', hours: 4, status: 'online' });
  assert.equal(instrumentView(state, floor.instrument(QUARTER.symbol)).fundInterval, '');
  assert.equal(fundingView(state, floor.instrument()).maxFundingRate, '0.003');
});

test('R2 (c): a contract that only closes reads limit_open where its status is online', () => {
  const floor = secondEdition(new FuturesFloor());
  const contract = floor.instrument('BTCUSD');
  const status = () => instrumentView(floor.state, contract).status;
  assert.equal(status(), 'online');
  floor.arrange(({ state }) => {
    state.instrument('COIN-FUTURES', 'BTCUSD')!.closeOnly = true;
  });
  assert.equal(status(), 'limit_open');
  const index = contract.index;
  floor.send({ type: 'setInstrumentStatus', time: floor.now, instrument: index, status: 'restrictedAPI' });
  assert.equal(status(), 'restrictedAPI');
});

test('R2 (f): a contract that is paused reads limit_open where its status is online', () => {
  const floor = secondEdition(new FuturesFloor());
  const status = () => instrumentView(floor.state, floor.instrument('BTCUSD')).status;
  floor.arrange(({ state }) => {
    state.instrument('COIN-FUTURES', 'BTCUSD')!.paused = true;
  });
  assert.equal(status(), 'limit_open');
});

test('R9 (a): the largest position of a family is that of one account, of a broker each account has its own', () => {
  const floor = new FuturesFloor();
  const terms = floor.instrument().futures!;
  const family = (broker: boolean) => largestOfParty(floor.state, terms, { broker, subs: 100 });
  assert.equal(largestPosition(terms), '50000000');
  assert.deepEqual([family(false), family(true)], ['5050000000', '5050000000']);
  secondEdition(floor);
  assert.deepEqual([family(false), family(true)], ['50000000', '5050000000']);
});
