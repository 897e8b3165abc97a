import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { PosSide } from '../model/enums.ts';
import { Position } from '../model/position.ts';
import { MarginCache, Stale } from './margin-cache-state.ts';

const INSTRUMENT = 3;
const TICKS = 60_000;

/** Computed at versions 1 and 1, with a row for the instrument. */
function fresh(): MarginCache {
  const cache = new MarginCache();
  cache.takeStale(1, 1);
  cache.addContract(INSTRUMENT, 0);
  return cache;
}

function position(change: Partial<Position>): Position {
  return Object.assign(
    new Position(1, 0, INSTRUMENT, PosSide.none, false, 0),
    { size: 5, basis: 300n },
    change,
  );
}

const CHANGES: Readonly<Record<string, readonly [(cache: MarginCache) => void, number]>> = {
  'a position opened or closed': [(cache) => cache.positionsChanged(), Stale.positions],
  'a crossed position of a contract with a row': [
    (cache) => cache.positionChanged(position({})),
    Stale.contracts,
  ],
  'an isolated position': [(cache) => cache.positionChanged(position({ isolated: true })), Stale.positions],
  'a position of a contract without a row': [
    (cache) => cache.positionChanged(position({ instrument: INSTRUMENT + 1 })),
    Stale.positions,
  ],
  'an order of a contract with a row': [
    (cache) => cache.orderChanged(INSTRUMENT, true, TICKS, 1000),
    Stale.orderRows,
  ],
  'an order of a contract without a row': [
    (cache) => cache.orderChanged(INSTRUMENT + 1, true, TICKS, 1000),
    Stale.orders,
  ],
  'an order whose value is not exact': [
    (cache) => cache.orderChanged(INSTRUMENT, false, TICKS, Number.NaN),
    Stale.orders,
  ],
  'a setting': [(cache) => cache.settingChanged(), Stale.settings],
  'a claim': [(cache) => cache.claimsChanged(), Stale.claims],
  'sums that were dropped': [(cache) => cache.dropSums(), Stale.prices],
};

for (const [change, [make, stale]] of Object.entries(CHANGES)) {
  test(`${change}: stale once`, () => {
    const cache = fresh();
    equal(cache.takeStale(1, 1), 0);
    make(cache);
    equal(cache.takeStale(1, 1), stale);
    equal(cache.takeStale(1, 1), 0);
  });
}

test('only orders leave effective equity and maintenance margin as they were', () => {
  for (const [change, [make, stale]] of Object.entries(CHANGES)) {
    const cache = fresh();
    equal(cache.isMaintenanceCurrent(1, 1), true);
    make(cache);
    equal(cache.isMaintenanceCurrent(1, 1), stale === Stale.orderRows, change);
  }
  equal(fresh().isMaintenanceCurrent(2, 1), false);
  equal(fresh().isMaintenanceCurrent(1, 2), false);
});

test('prices and balances are stale by version, and changes add up', () => {
  const cache = fresh();
  equal(cache.takeStale(2, 1), Stale.prices);
  equal(cache.takeStale(2, 5), Stale.balances);
  cache.claimsChanged();
  cache.settingChanged();
  equal(cache.takeStale(3, 6), Stale.claims | Stale.settings | Stale.prices | Stale.balances);
});

test('a new cache has everything to compute', () => {
  const { positions, orders, settings, claims, prices, balances } = Stale;
  equal(new MarginCache().takeStale(0, 0), positions | orders | settings | claims | prices | balances);
});

test('lots and value of a contract follow its positions and orders', () => {
  const cache = fresh();
  equal(cache.lotsOf(INSTRUMENT + 1, true), undefined);
  equal(cache.valueOf(INSTRUMENT + 1), 0);
  cache.positionChanged(position({}));
  cache.positionChanged(position({ size: -2, basis: -100n }));
  equal(cache.lotsOf(INSTRUMENT, true), 5);
  equal(cache.lotsOf(INSTRUMENT, false), 2);
  cache.orderChanged(INSTRUMENT, true, TICKS, 1000);
  cache.orderChanged(INSTRUMENT, false, TICKS, 70);
  cache.orderChanged(INSTRUMENT, true, TICKS, -400);
  equal(cache.valueOf(INSTRUMENT), 670);
});

test('bounds are said to be bounds until exact values replace them', () => {
  const cache = fresh();
  cache.boundLoss(cache.find(INSTRUMENT), 7);
  cache.boundClaims(11);
  equal(cache.lossesAreBounded, true);
  equal(cache.haircutIsBounded, true);
  cache.beginContractSums();
  cache.setClaims(1, 2, 3);
  equal(cache.lossesAreBounded, false);
  equal(cache.haircutIsBounded, false);
});

test('the haircut counts in initial margin while the account is liable', () => {
  const cache = fresh();
  cache.setClaims(100, 50, 3);
  equal(cache.initial, 100);
  cache.setLiable(true);
  equal(cache.initial, 103);
});

test('rows of the ledger are new once', () => {
  const cache = fresh();
  equal(cache.ledgerRowsOpened(2), true);
  equal(cache.ledgerRowsOpened(2), false);
});
