/**
 * What is kept of an account's margin must be what a computation from scratch comes to: after every command for every
 * account, and for orders that are only being considered. Numbers near the edge of what is exact are part of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NIL } from '../../src/core/book/order-slab.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { computeRisk, markTicks } from '../../src/core/margin/margin.ts';
import { accountRisk, exactMargin, initialMarginWith } from '../../src/core/margin/margin-cache.ts';
import type { Command, Unstamped } from '../../src/core/model/command.ts';
import { Side } from '../../src/core/model/enums.ts';
import { Bucket } from '../../src/core/model/ledger-accounts.ts';
import { maintenanceWithFee, marginScale } from '../../src/core/model/margin-fractions.ts';
import { maintenanceOf, readTiers } from '../../src/core/model/margin-tiers.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { ceilShares, ceilValue, floorShare, floorValue } from '../../src/core/model/safe-integers.ts';
import { divCeil, divFloor, MONEY_ONE, RATE_ONE } from '../../src/core/model/units.ts';
import type { Account } from '../../src/core/state/account.ts';
import type { State } from '../../src/core/state/state.ts';
import { FuturesFlow, Rng, SET_UP } from './futures-flow.ts';
import { Seeds } from './seeds.ts';
import { account, deposit, order } from './venue.ts';

const SEEDS = new Seeds({ all: 12, first: 100 });
const COMMANDS = 500;
/** Of the futures flow: coins, and the coin-margined contract. */
const [USDT, USD, COIN] = [0, 1, 2];
const COIN_PERPETUAL = 2;

/** A futures order of the account, if it has one. */
function anyOrder({ slab, instruments }: State, account: Account, dice: Rng): number {
  let found = NIL;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    const counts =
      instruments[slab.instrument[slot]!]!.futures !== undefined && (slab.flags[slot]! & 36) === 0;
    if (counts && (found === NIL || dice.chance(0.5))) found = slot;
  }
  return found;
}

test('margin that is kept equals margin from scratch, whatever happens', () => {
  let considered = 0;
  for (const seed of SEEDS) {
    const exchange = new Exchange();
    const { state } = exchange;
    for (const command of SET_UP) exchange.apply(command);
    const flow = new FuturesFlow(seed, state);
    const dice = new Rng(seed);
    for (let n = 0; n < COMMANDS; n++) {
      const command = flow.next();
      exchange.apply(command);
      exchange.takeEvents();
      for (const account of state.accountByUid.values()) {
        // Not everybody each time: what was noted twice must come out right as well.
        if (dice.chance(0.3)) continue;
        const where = `seed ${seed}, command ${n} ${command.type}, account ${account.uid}`;
        assert.deepEqual(accountRisk(state, account), computeRisk(state, account), where);
        const instrument = state.instruments[dice.below(3)]!;
        const mark = markTicks(state, instrument);
        const intent = {
          instrument,
          side: dice.pick([Side.buy, Side.sell]),
          priceTicks: Math.max(1, mark + dice.below(mark) - (mark >> 1)),
          lots: 1 + dice.below(dice.chance(0.1) ? 1_000_000_000 : 3000),
        };
        const found = anyOrder(state, account, dice);
        const leaveOut = found !== NIL && state.slab.instrument[found] === instrument.index ? found : NIL;
        const quick = initialMarginWith(
          state,
          account,
          exactMargin(state, account),
          instrument,
          intent,
          leaveOut,
        );
        if (Number.isNaN(quick)) continue;
        considered++;
        assert.equal(BigInt(quick), computeRisk(state, account, intent, leaveOut).initial, where);
      }
    }
  }
  SEEDS.met('orders considered', considered, 10_001);
});

test('sums that pass what is exact on the way to one that is below it are right to the last unit', () => {
  const exchange = new Exchange();
  const { state } = exchange;
  for (const command of SET_UP) exchange.apply(command);
  let { now: time } = state;
  const must = (command: Unstamped<Command>) => {
    const { rejectReason } = exchange.apply({ ...command, time } as Command);
    assert.equal(rejectReason, RejectReason.none, command.type);
  };
  const edge = BigInt(Number.MAX_SAFE_INTEGER);
  const [buyer, first, accounts] = [50, 51, 12];
  must(account(buyer));
  must(deposit(buyer, COIN, 100_000n * MONEY_ONE));
  for (let uid = first; uid < first + accounts; uid++) {
    must(account(uid));
    // Odd amounts of dollars whose sum is above 2^53, and a loss that takes equity back below it.
    must(deposit(uid, USDT, (2n * edge) / 3n + BigInt(uid)));
    must(deposit(uid, USD, edge / 3n + BigInt(uid - first) * 200n * MONEY_ONE));
    const bid = order({
      uid: buyer,
      instrument: COIN_PERPETUAL,
      side: Side.buy,
      priceTicks: 1000,
      sizeLots: 30_000,
    });
    must(bid);
    must({ ...bid, uid, side: Side.sell });
  }
  let [rounded, compared] = [0, 0];
  for (let second = 1; second <= 40; second++) {
    time += 1000;
    for (const index of [0, COIN_PERPETUAL])
      must({
        type: 'componentPrice',
        index,
        component: 0,
        price: BigInt(1000 + 3 * second) * (MONEY_ONE / 10n),
        volume: 0n,
        by: '',
      });
    exchange.apply({ type: 'tick', time });
    for (const owner of state.accountByUid.values()) {
      const { equity } = computeRisk(state, owner);
      assert.deepEqual(accountRisk(state, owner), computeRisk(state, owner), `account ${owner.uid}`);
      compared++;
      const coins = [USDT, USD].map((each) => state.ledger.balanceOf(owner.index, each, Bucket.cash));
      if (coins[0]! + coins[1]! > edge && equity <= edge) rounded++;
    }
  }
  assert.ok(rounded > compared / 10, `${rounded} of ${compared} sums`);
});

test('exact numbers round as big integers do, or say that they cannot', () => {
  const dice = new Rng(7);
  const large = (): number => Math.floor(dice.next() * 2 ** (1 + dice.below(53)));
  let told = 0;
  for (let n = 0; n < 200_000; n++) {
    const amount = large();
    const price = dice.chance(0.5) ? large() : 100_000_000 + dice.below(1000) - 500;
    const up = ceilValue(amount, price);
    const down = floorValue(-amount, price);
    const product = BigInt(amount) * BigInt(price);
    if (!Number.isNaN(up)) {
      told++;
      assert.equal(BigInt(up), divCeil(product, MONEY_ONE), `${amount} x ${price}`);
    }
    if (!Number.isNaN(down))
      assert.equal(BigInt(down), divFloor(-product, MONEY_ONE), `-${amount} x ${price}`);
    const divisor = 10 ** (1 + dice.below(7));
    const m = dice.below(divisor);
    const k = dice.below(divisor);
    const other = large();
    const shares = ceilShares(amount, m, other, k, divisor);
    const exactShares = BigInt(amount) * BigInt(m) + BigInt(other) * BigInt(k);
    if (!Number.isNaN(shares)) assert.equal(BigInt(shares), divCeil(exactShares, BigInt(divisor)));
    const share = floorShare(amount, m, divisor);
    assert.equal(BigInt(share), divFloor(BigInt(amount) * BigInt(m), BigInt(divisor)));
  }
  assert.ok(told > 50_000, `only ${told} products were exact`);
});

test('maintenance by small fractions is maintenance by tiers, to the last unit', () => {
  const specs = [
    { upTo: '150000', maxLeverage: '125', mmr: '0.004' },
    { upTo: '900000', maxLeverage: '100', mmr: '0.005' },
    { upTo: '12000000', maxLeverage: '50', mmr: '0.0100001' },
    { upTo: '38000000', maxLeverage: '25', mmr: '0.015' },
    { upTo: '90000000000', maxLeverage: '20', mmr: '0.03' },
  ];
  const tiers = readTiers(specs)!;
  const takerRate = 600_000_000n;
  const scale = marginScale(tiers, takerRate, 5_000_000_000n)!;
  const dice = new Rng(11);
  for (let n = 0; n < 100_000; n++) {
    const edge = dice.pick(tiers).upTo + BigInt(dice.below(5) - 2);
    const notional = dice.chance(0.3) ? edge : BigInt(Math.floor(dice.next() * 2 ** (1 + dice.below(53))));
    if (notional > BigInt(Number.MAX_SAFE_INTEGER)) continue;
    const exact = maintenanceOf(tiers, notional) + divCeil(notional * takerRate, RATE_ONE);
    assert.equal(BigInt(maintenanceWithFee(scale, Number(notional))), exact, String(notional));
  }
});
