/** Sums beyond 2^53, where a number is no longer exact, and prices beyond those of orders. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { ANY, type Command, type Unstamped } from '../../src/core/model/command.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import { Category, Side } from '../../src/core/model/enums.ts';
import { OPEN_ORDERS_PER_PRODUCT_LINE_MAX, SIZE_LOTS_MAX } from '../../src/core/model/limits.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { MONEY_ONE } from '../../src/core/model/units.ts';
import { canonicalState } from '../../src/core/snapshot/canonical-state.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import { contract } from '../property/futures-flow.ts';
import { account, coin, deposit, OPENING_TIME, order, spotPair } from '../property/venue.ts';

/** Coins 0 and 1 are USDT and AAA, instrument 0 is what is listed. */
class Pit {
  readonly exchange = new Exchange();
  time = OPENING_TIME;

  constructor(listing: Command) {
    this.apply({ type: 'setEdition', edition: NEWEST_EDITION });
    for (const command of [coin('USDT'), coin('AAA'), listing]) this.must(command);
  }

  apply(command: Unstamped<Command>): RejectReason {
    const { rejectReason } = this.exchange.apply({ ...command, time: this.time } as Command);
    this.exchange.takeEvents();
    return rejectReason;
  }

  must(command: Unstamped<Command>): void {
    assert.equal(this.apply(command), RejectReason.none, command.type);
  }

  /** All venues pay this, and a second goes by. */
  price(price: bigint): void {
    this.must({ type: 'componentPrice', index: 0, component: 0, price, volume: 0n, by: '' });
    this.time += 1000;
    this.must({ type: 'tick' });
  }
}

test('orders of one level that have more than 2^53 lots together can be cancelled one by one', () => {
  const spec = { pricePrecision: '2', quantityPrecision: '6', quotePrecision: '8', openingPrice: '60000' };
  const pit = new Pit(spotPair('AAA', 'USDT', spec));
  const owners = Math.ceil(2 ** 53 / SIZE_LOTS_MAX / OPEN_ORDERS_PER_PRODUCT_LINE_MAX) + 1;
  const bid = order({ priceTicks: 1, sizeLots: SIZE_LOTS_MAX });
  for (let uid = 1; uid <= owners; uid++) {
    pit.must(account(uid));
    pit.must(deposit(uid, 0, BigInt(OPEN_ORDERS_PER_PRODUCT_LINE_MAX) * BigInt(SIZE_LOTS_MAX)));
    for (let n = 0; n < OPEN_ORDERS_PER_PRODUCT_LINE_MAX; n++) pit.must({ ...bid, uid });
  }
  const { state } = pit.exchange;
  checkInvariants(state);
  for (let uid = 1; uid <= owners; uid++)
    pit.must({ type: 'cancelAll', uid, category: Category.spot, instrument: ANY });
  checkInvariants(state);
  assert.equal(state.markets[0]!.book.bestTicks(Side.buy, true), 0);
});

test('funding in portions is the same after a restart at a mark of more than 2^31 ticks', () => {
  const { spec } = contract('AAA', 'USDT', 'USDT-FUTURES', '2') as Extract<
    Command,
    { type: 'listInstrument' }
  >;
  const bands = { buyLimitPriceRatio: '0.9', sellLimitPriceRatio: '0.9' };
  const precision = { pricePrecision: '8', quantityPrecision: '0' };
  const pit = new Pit({
    type: 'listInstrument',
    time: OPENING_TIME,
    spec: { ...spec, ...bands, ...precision },
  });
  pit.price(2n * MONEY_ONE);
  for (let uid = 1; uid <= 8; uid++) {
    pit.must(account(uid));
    pit.must(deposit(uid, 0, 1_000_000n * MONEY_ONE));
    const side = uid % 2 === 1 ? Side.sell : Side.buy;
    pit.must(order({ uid, side, priceTicks: 200_000_000, sizeLots: 100 }));
  }
  const { state } = pit.exchange;
  state.portion = 2;
  pit.time = OPENING_TIME + 3_600_000 - 60_000;
  for (let second = 0; second < 60; second++) pit.price(25n * MONEY_ONE);
  assert.ok(state.market(state.instruments[0]!).futures!.markTicks > 2 ** 31);
  assert.equal(pit.exchange.hasOpenWork, true, 'the hour is open');
  const restored = new Exchange(loadState(saveState(state).slice()));
  restored.state.portion = 2;
  while (pit.exchange.hasOpenWork) {
    pit.must({ type: 'tick' });
    restored.apply({ type: 'tick', time: pit.time });
    restored.takeEvents();
  }
  assert.deepEqual(canonicalState(restored.state), canonicalState(state));
});

test('a first tier of more than 2^53 ends where it ends: a value beyond by one is not within', () => {
  const listing = contract('AAA', 'USDT', 'USDT-FUTURES', '1') as Extract<
    Command,
    { type: 'listInstrument' }
  >;
  const tiers = [
    { upTo: '100000000', maxLeverage: '10', mmr: '0.004' },
    { upTo: '1000000000', maxLeverage: '5', mmr: '0.01' },
  ];
  const futures = { ...listing.spec.futures!, maxLeverage: '100', tiers };
  const precision = { pricePrecision: '0', quantityPrecision: '8', openingPrice: '1000003' };
  const pit = new Pit({ ...listing, spec: { ...listing.spec, ...precision, futures } });
  pit.price(1_000_003n * MONEY_ONE);
  pit.must(account(1));
  pit.must(deposit(1, 0, 10n ** 17n));
  pit.must(order({ uid: 1, priceTicks: 999_863, sizeLots: 5_000_000_007 }));
  // Together 10^16 + 1.
  assert.equal(
    pit.apply(order({ uid: 1, priceTicks: 995_360, sizeLots: 5_023_996_336 })),
    RejectReason.aboveTier,
  );
  pit.must(order({ uid: 1, priceTicks: 995_360, sizeLots: 5_023_996_335 }));
});
