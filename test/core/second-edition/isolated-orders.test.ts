/** R1 and isolated positions (rules 13.1): an order that turns one, or meets an own order, has no margin but its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moneyUnits } from '../dsl/words.ts';
import { BTC_PERPETUAL, FuturesFloor } from '../futures/futures-floor.ts';
import { fund, secondEdition } from './fund-floor.ts';

const BANDED = { ...BTC_PERPETUAL, buyLimitPriceRatio: '0.05', sellLimitPriceRatio: '0.05' };

/** fred is short 10 of bob's from 60 000; ann is his friend, with so much money and leverage on isolated positions. */
function friends(usdt: string, leverage: number): FuturesFloor {
  const floor = secondEdition(new FuturesFloor(BANDED));
  fund(floor, '10000');
  for (const name of ['bob', 'carl']) floor.trader(name, { USDT: '1000000' });
  floor.trader('fred', { USDT: '100000' });
  floor.trader('ann', { USDT: usdt });
  floor.isolate('ann');
  floor.leverage('ann', leverage);
  floor.leverage('fred', 50);
  floor.deal('bob', 'fred', '10', '60000');
  return floor;
}

/** What the family could take home. */
function family(floor: FuturesFloor): bigint {
  return ['ann', 'fred'].reduce((sum, name) => {
    const worth = moneyUnits(floor.risk(name).equity) + moneyUnits(floor.isolatedMargin(name));
    return sum + (worth > 0n ? worth : 0n);
  }, 0n);
}

test('R1 (a): an isolated order that turns a position cannot open what it has no margin for', () => {
  for (const way of ['place', 'amend', 'fok'] as const) {
    const floor = friends('14000', 50);
    const resting = way === 'amend' ? floor.sell('ann', '10.001', '62900') : undefined;
    floor.deal('ann', 'carl', '0.001', '60000');
    floor.addMargin('ann', '10');
    const before = family(floor);
    // The friend closes at the end of the band; ann's small long would be all that stands behind a short of 10.
    floor.buy('fred', '10', '57100');
    if (resting !== undefined) floor.amend('ann', resting, { price: '57100' });
    else floor.sell('ann', '10.001', '57100', way === 'fok' ? { tif: 'fok' } : {});
    assert.ok(family(floor) <= before, `${way}: ${family(floor) - before}`);
    assert.deepEqual(
      floor.executions('bob').map((fill) => fill.split(' ')[0]),
      ['user'],
      'the bystander is not deleveraged',
    );
  }
});

test('R1 (a): of two orders of one account the maker is checked behind the taker, which may release its margin', () => {
  const floor = friends('130000', 5);
  floor.buy('fred', '10', '57100');
  floor.sell('ann', '10', '57100');
  floor.leverage('ann', 50);
  const before = family(floor);
  const resting = floor.sell('ann', '10', '57100');
  floor.buy('ann', '10', '57100', { reduceOnly: true });
  assert.equal(resting.stands, 'cancelled 0/10 delegated_risk_order_cancel');
  assert.ok(family(floor) <= before);
  assert.deepEqual(
    floor.executions('bob').map((fill) => fill.split(' ')[0]),
    ['user'],
  );
});
