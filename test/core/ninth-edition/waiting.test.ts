/** What happens to others, and to the fund, while a close waits for its next part (rules 19). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import { canonicalState } from '../../../src/core/snapshot/canonical-state.ts';
import { loadState, saveState } from '../../../src/core/snapshot/snapshot.ts';
import { finishWork, nextPortion, setPortion } from '../fourth-edition/in-portions.ts';
import { BTC_PERPETUAL, FuturesFloor } from '../futures/futures-floor.ts';

const SHORTS = ['bob', 'cat', 'dan', 'eve'];

/** Ann is long 4 BTC with 28 000 USDT against four shorts, the later their name the more leverage; nobody bids. */
function bankruptFloor(edition: number, listed = BTC_PERPETUAL, hedged?: string): FuturesFloor {
  const floor = new FuturesFloor(listed);
  floor.send({ type: 'setEdition', time: floor.now, edition });
  floor.trader('ann', { USDT: '28000' });
  floor.leverage('ann', 10);
  for (const name of ['yan', 'zoe']) floor.trader(name, { USDT: '1000000' });
  for (let n = 0; n < 16; n++) floor.trader(`idle ${n}`, {});
  for (const [n, name] of SHORTS.entries()) {
    floor.trader(name, { USDT: String(100_000 - 10_000 * n) });
    if (name !== hedged) floor.deal('ann', name, '1', '60000');
    else {
      assert.equal(floor.holdMode(name, 'hedge_mode'), 'none');
      floor.sell(name, '1', '60000', { posSide: 'short' });
      floor.buy('ann', '1', '60000');
    }
  }
  return floor;
}

function untilRanked(floor: FuturesFloor): void {
  while (floor.state.rankings.some((ranking) => !ranking.isComplete)) nextPortion(floor);
}

const held = (floor: FuturesFloor) => SHORTS.filter((name) => floor.position(name) !== 'none');

test('who is net of nothing when his turn comes is behind the others, also after a restart', () => {
  for (const restarts of [false, true]) {
    const floor = bankruptFloor(9, BTC_PERPETUAL, 'dan');
    setPortion(floor, 1);
    floor.mark('53000');
    untilRanked(floor);
    nextPortion(floor);
    assert.deepEqual(held(floor), ['bob', 'cat', 'dan']);
    floor.sell('zoe', '1', '53000');
    floor.buy('dan', '1', '53000', { posSide: 'long' });
    nextPortion(floor);
    assert.deepEqual(held(floor), ['bob', 'dan'], 'dan has as much on both sides');
    floor.buy('zoe', '1', '53000');
    floor.sell('dan', '1', '53000', { posSide: 'long' });
    if (restarts) {
      floor.restart();
      setPortion(floor, 1);
    }
    nextPortion(floor);
    assert.deepEqual(held(floor), ['dan'], 'he does not come to the front again');
    finishWork(floor);
    assert.deepEqual(held(floor), []);
  }
});

test('who is deleveraged after an hour has begun gets its funding first', () => {
  const rate = '0.001';
  const futures = { ...BTC_PERPETUAL.futures!, minFundingRate: rate, maxFundingRate: rate };
  const floor = bankruptFloor(9, { ...BTC_PERPETUAL, futures });
  floor.deal('zoe', 'yan', '4', '60000');
  floor.wait(60_000);
  setPortion(floor, 1);
  floor.mark('53000');
  untilRanked(floor);
  const holders = held(floor);
  assert.ok(holders.length >= 3);
  floor.forceFunding();
  finishWork(floor);
  assert.deepEqual(held(floor), []);
  for (const name of holders) {
    const lines = floor.eventsOf('ledgerLine').filter(({ uid }) => uid === floor.uid(name));
    const paid = lines.filter(({ kind }) => kind === 'fundingIn').map(({ amount }) => amount);
    assert.deepEqual(paid, [5_300_000_000n], `${name} was short 1 BTC at the instant`);
  }
});

const ETH: typeof BTC_PERPETUAL = {
  ...BTC_PERPETUAL,
  symbol: 'ETHUSDT',
  baseCoin: 'ETH',
  openingPrice: '3000',
  indexComponents: [{ exchange: 'elsewhere', spotPair: 'ETH/USDT', weight: '1' }],
};

function twoContracts(): FuturesFloor {
  const floor = new FuturesFloor(BTC_PERPETUAL, undefined, [ETH]);
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  floor.index('3000', 'ETHUSDT');
  return floor;
}

/** Ann and amy are bankrupt; of the other side only bob could pay: what the others have won here they have lost with ETH. */
function ruinedFloor(portion: number): FuturesFloor {
  const floor = twoContracts();
  floor.trader('zoe', { USDT: '10000000' });
  for (const [name, money] of [
    ['ann', '28000'],
    ['amy', '1400'],
  ] as const) {
    floor.trader(name, { USDT: money });
    floor.leverage(name, 10);
  }
  floor.trader('bob', { USDT: '1000000' });
  floor.deal('ann', 'bob', '3.8', '60000');
  for (let n = 0; n < 40; n++) {
    const name = `ruined ${n}`;
    floor.trader(name, { USDT: '150' });
    for (const symbol of ['BTCUSDT', 'ETHUSDT']) floor.leverage(name, 10, symbol);
    floor.deal(n < 20 ? 'ann' : 'amy', name, '0.01', '60000');
    floor.sell('zoe', '0.2', '3000', { on: 'ETHUSDT' });
    floor.buy(name, '0.2', '3000', { on: 'ETHUSDT' });
  }
  setPortion(floor, portion);
  floor.tell('1500', 'ETHUSDT');
  floor.mark('53000');
  return floor;
}

test('a ranking is looked through in portions: each is asked once, and a restart at any tick goes on in the same way', () => {
  for (const portion of [2, 5]) {
    const floor = ruinedFloor(portion);
    const { state } = floor;
    // Who is asked or ranked counts 8 of the 16 looks of a unit.
    let most = 0;
    while (floor.exchange.hasOpenWork) {
      const twin = new Exchange(loadState(saveState(state).slice()));
      twin.state.portion = portion;
      nextPortion(floor);
      twin.apply({ type: 'tick', time: floor.now });
      assert.deepEqual(canonicalState(twin.state), canonicalState(state));
      most = Math.max(most, 16 * portion - state.looksLeft);
    }
    for (const name of ['ann', 'amy', 'bob']) assert.equal(floor.position(name), 'none');
    assert.ok(most < 16 * portion + 8, `${most} looks with one command`);
  }
});

test('two rankings that take longer than a second come to their end', () => {
  for (const ticks of [5, 11, 17]) {
    const floor = twoContracts();
    for (const [name, symbol] of [
      ['ann', 'BTCUSDT'],
      ['amy', 'ETHUSDT'],
    ] as const) {
      floor.trader(name, { USDT: '28000' });
      floor.leverage(name, 10, symbol);
    }
    for (let n = 0; n < 160; n++) floor.trader(`idle ${n}`, {});
    for (const name of SHORTS) {
      floor.trader(name, { USDT: '1000000' });
      floor.deal('ann', name, '1', '60000');
      floor.sell(name, '20', '3000', { on: 'ETHUSDT' });
      floor.buy('amy', '20', '3000', { on: 'ETHUSDT' });
    }
    setPortion(floor, 1);
    let seconds = 0;
    do {
      assert.ok(++seconds < 20, `${ticks} ticks a second`);
      floor.tell('2650', 'ETHUSDT');
      floor.tell('53000', 'BTCUSDT');
      floor.wait(1000);
      for (let n = 0; n < ticks && floor.exchange.hasOpenWork; n++) nextPortion(floor);
    } while (floor.exchange.hasOpenWork);
    assert.deepEqual([floor.position('ann'), floor.position('amy', { on: 'ETHUSDT' })], ['none', 'none']);
  }
});

test('what the fund has lost counts net over the parts of a close (13.7 (b))', () => {
  const counted = ([undefined, 1] as const).map((portion) => {
    const floor = new FuturesFloor();
    floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
    for (const name of ['eve', 'zoe']) floor.trader(name, { USDT: '1000000' });
    floor.insure('1000');
    floor.wait(3_600_000);
    floor.index('60000');
    floor.trader('ann', { USDT: '28000' });
    floor.leverage('ann', 10);
    floor.deal('ann', 'eve', '4', '60000');
    for (let n = 0; n < 3; n++) floor.buy('zoe', '0.2', '53000');
    if (portion !== undefined) setPortion(floor, portion);
    floor.mark('53150');
    finishWork(floor);
    assert.equal(floor.position('ann'), 'none');
    const { paid } = floor.state.fundHours.of('futures', floor.state.coinByName.get('USDT')!);
    return { fund: floor.insurance(), paid };
  });
  assert.deepEqual(counted[1], counted[0]);
  assert.equal(counted[0]!.paid, 0n, 'the fees outweigh what it paid');
});

test('so does that of an isolated position', () => {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  for (const name of ['ann', 'eve', 'zoe']) floor.trader(name, { USDT: '1000000' });
  floor.insure('100000');
  floor.wait(3_600_000);
  floor.index('60000');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.deal('ann', 'eve', '4', '60000');
  floor.addMargin('ann', '4000');
  setPortion(floor, 1);
  const paid = () => floor.state.fundHours.of('futures', floor.state.coinByName.get('USDT')!).paid;
  floor.buy('zoe', '1', '52950');
  floor.mark('53100');
  assert.equal(paid(), 5_000_000_000n);
  floor.buy('zoe', '3', '53100');
  finishWork(floor);
  assert.equal(floor.position('ann'), 'none');
  assert.equal(paid(), 0n, 'what the later parts left above bankruptcy made up for it');
});

test("a party's own orders beyond bankruptcy stay until the close gets there", () => {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  for (const name of ['eve', 'zoe']) floor.trader(name, { USDT: '1000000' });
  floor.insure('100000');
  floor.wait(3_600_000);
  floor.index('60000');
  floor.trader('ann', { USDT: '7000' });
  floor.leverage('ann', 10);
  floor.trader('sub', { USDT: '1000000' }, { master: 'ann' });
  floor.deal('ann', 'eve', '1', '60000');
  for (let n = 0; n < 4; n++) floor.buy('zoe', '0.25', '53180');
  const own = floor.buy('sub', '0.1', '52980');
  setPortion(floor, 2);
  floor.mark('53200');
  assert.equal(floor.position('ann'), 'long 0.5 @ 60000');
  assert.equal(own.stands, 'new 0/0.1');
});

test('a position that is being given up is not given up twice', () => {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  for (const name of ['eve', 'zoe']) floor.trader(name, { USDT: '1000000' });
  floor.trader('ann', { USDT: '280000' });
  floor.leverage('ann', 10);
  for (let n = 0; n < 16; n++) floor.trader(`idle ${n}`, {});
  floor.deal('ann', 'eve', '2', '60000');
  setPortion(floor, 1);
  assert.equal(floor.force('ann', 'BTCUSDT'), 'none');
  assert.equal(floor.force('ann', 'BTCUSDT'), 'accountLiquidating');
  floor.deal('ann', 'zoe', '3', '60000');
  finishWork(floor);
  assert.equal(floor.position('ann'), 'long 3 @ 60000');
});

test('whoever waits in line is begun with in turn, and a newly due account behind them', () => {
  const rate = '0.0001';
  const futures = { ...BTC_PERPETUAL.futures!, minFundingRate: rate, maxFundingRate: rate };
  const floor = new FuturesFloor({ ...BTC_PERPETUAL, futures });
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  for (const name of ['eve', 'zoe']) floor.trader(name, { USDT: '1000000' });
  const longs = ['ann', 'bob', 'cat', 'dan', 'fay'];
  for (const name of longs) {
    floor.trader(name, { USDT: '7000' });
    floor.leverage(name, 10);
    floor.deal(name, 'eve', '1', '60000');
  }
  floor.deposit('ann', '100', 'USDT');
  floor.wait(60_000);
  floor.mark('53283');
  floor.buy('zoe', '5', '53200');
  setPortion(floor, 20);
  const uids = () => [...floor.state.dueAccounts].map((index) => floor.state.accounts[index]!.uid);
  const line = (...names: string[]) => names.map((name) => floor.uid(name));
  floor.forceFunding();
  assert.deepEqual(uids(), line('cat', 'dan', 'fay'), 'one with a command, in ascending uid');
  // Ann has the smallest uid, and is due at the prices of the next second.
  floor.index('53170');
  assert.deepEqual(uids(), line('dan', 'fay', 'ann'));
  for (const rest of [['fay', 'ann'], ['ann'], []]) {
    nextPortion(floor);
    assert.deepEqual(uids(), line(...rest));
  }
  finishWork(floor);
  for (const name of longs) assert.equal(floor.position(name), 'none');
});
