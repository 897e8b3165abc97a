/** Margin of isolated positions: what must stay is rounded up (rules 17.3), and what a close beyond its share costs (4.2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PosSide } from '../../../src/core/model/enums.ts';
import { Position } from '../../../src/core/model/position.ts';
import { FuturesFloor } from '../futures/futures-floor.ts';

const COIN = { on: 'BTCUSD', category: 'COIN-FUTURES' } as const;

function coinFloor(edition: number): FuturesFloor {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition });
  floor.index('60000', 'BTCUSD');
  for (const name of ['ann', 'bob']) floor.trader(name, { BTC: '10' });
  floor.isolate('ann', 'BTCUSD');
  floor.leverage('ann', 7, 'BTCUSD');
  floor.deal('ann', 'bob', '1', '60000', COIN);
  return floor;
}

test('17.3: the example: of a coin-margined position of 1 at 7x a seventh must stay, rounded up', () => {
  const taken = (edition: number, amount: string) => {
    const floor = coinFloor(edition);
    assert.equal(floor.addMargin('ann', '1', { on: 'BTCUSD' }), 'none');
    assert.equal(floor.fields('ann', { on: 'BTCUSD' }).positionBalance, '1.14285714');
    return floor.addMargin('ann', `-${amount}`, { on: 'BTCUSD' });
  };
  assert.equal(taken(6, '1'), 'none');
  assert.equal(taken(7, '1'), 'marginTooLow');
  assert.equal(taken(7, '0.99999999'), 'none');
});

/** Ann is long 2 from 60 000 with a margin of 12 000, and sells 1 of them at a price. */
function sold(price: string): FuturesFloor {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 7 });
  floor.trader('ann', { USDT: '20072' });
  floor.trader('bob', { USDT: '1000000' });
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.deal('ann', 'bob', '2', '60000');
  assert.equal(floor.cash('ann', 'USDT'), '8000');
  floor.buy('bob', '1', price);
  floor.sell('ann', '1', price);
  return floor;
}

test('4.2: a close releases its share of the margin and its result', () => {
  const floor = sold('57000');
  // 8 000 + 6 000 - 3 000 - 34.2
  assert.equal(floor.cash('ann', 'USDT'), '10965.8');
  assert.equal(floor.fields('ann').positionBalance, '6000');
});

test('4.2: at the bankruptcy price a close costs its share and its fee, and nobody closes beyond it', () => {
  // (120 000 - 12 000) / 2 / 0.9994 = 54 032.42
  const last = sold('54032.5');
  // 6 000 - 5 967.5 - 32.4195
  assert.equal(last.cash('ann', 'USDT'), '8000.0805');
  assert.equal(last.fields('ann').positionBalance, '6000');
  const beyond = sold('54032.4');
  assert.equal(beyond.cash('ann', 'USDT'), '8000');
  assert.equal(beyond.position('ann'), 'long 2 @ 60000 iso 12000');
});

test('4.2: a loss beyond the share, which only older orders could have, costs the margin of the rest, then cash', () => {
  const released = (pnl: bigint) => {
    const position = new Position(1, 0, 0, PosSide.none, true, 0);
    position.open(true, 2, 120_000n);
    position.iso = 12_000n;
    const { margin } = position.close(1, 60_000n + pnl);
    return { margin: BigInt(margin), ...position.release(BigInt(margin), pnl), left: position.iso };
  };
  assert.deepEqual(released(-5000n), { margin: 6000n, freed: 1000n, missing: 0n, left: 6000n });
  assert.deepEqual(released(-9000n), { margin: 6000n, freed: 0n, missing: 0n, left: 3000n });
  assert.deepEqual(released(-13_000n), { margin: 6000n, freed: 0n, missing: 1000n, left: 0n });
});
