/**
 * Attempts to take money from the venue, its insurance fund or other traders without a risk of one's own. Each fails: what
 * a thief's accounts have together afterwards is no more than before.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentSpec } from '../../../src/core/listing-spec.ts';
import { moneyUnits } from '../floor/words.ts';
import { BTC_PERPETUAL, FuturesFloor } from './futures-floor.ts';

/** A contract as the shipped catalogue has them: a band of 5 %. */
const BANDED: InstrumentSpec = { ...BTC_PERPETUAL, buyLimitPriceRatio: '0.05', sellLimitPriceRatio: '0.05' };

/** Everything that accounts own in USDT: both wallets, margins, and the profit of their positions. */
function wealth(floor: FuturesFloor, ...names: readonly string[]): number {
  return names.reduce((sum, name) => {
    const { equity } = floor.risk(name);
    const view = floor.view(name);
    const isolated = view?.isolated === true ? Number(moneyUnits(floor.fields(name).unrealisedPnl)) / 1e8 : 0;
    return (
      sum +
      Number(equity) +
      isolated +
      Number(floor.isolatedMargin(name)) +
      Number(floor.funding(name, 'USDT'))
    );
  }, 0);
}

/** A mule at 125x on one side, the thief on the other, nobody else in the book, and a move that ruins the mule. */
function ruinMule(side: 'long' | 'short', ambush: string): { gain: number; fund: number } {
  const floor = new FuturesFloor(BANDED);
  for (const name of ['mule', 'thief']) floor.trader(name, { USDT: '100000' });
  floor.insure('100000');
  floor.isolate('mule');
  floor.leverage('mule', 125);
  const before = wealth(floor, 'mule', 'thief');
  if (side === 'long') {
    floor.deal('mule', 'thief', '1', '60000');
    floor.buy('thief', '1', ambush);
    floor.index('59795');
  } else {
    floor.deal('thief', 'mule', '1', '60000');
    floor.sell('thief', '1', ambush);
    floor.index('60204');
  }
  assert.equal(floor.position('mule'), 'none');
  return { gain: wealth(floor, 'mule', 'thief') - before, fund: Number(floor.insurance()) - 100_000 };
}

test('the fund is not robbed by a position of one’s own that is liquidated into an order of one’s own', () => {
  // As far away as the band allows: the mule is deleveraged against the thief, and the fund has earned a fee.
  for (const { gain, fund } of [ruinMule('long', '56910'), ruinMule('short', '63090')]) {
    assert.ok(gain < -80, `${gain}`);
    assert.ok(fund > 35, `${fund}`);
  }
  // As far as the fund goes along, 347 from the mark, it pays 107 less a fee of 36: 0.02 % are left after all fees.
  for (const { gain, fund } of [ruinMule('long', '59448.3'), ruinMule('short', '60553.1')]) {
    assert.ok(gain < 60_000 * 0.000_25, `${gain}`);
    assert.ok(fund > -75, `${fund}`);
  }
});
