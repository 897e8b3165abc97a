/** Settings and fields of isolated positions, recomputed from the rule book (5.2 to 5.7). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HoldMode, PosSide, Side, Source } from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { assertMargin } from './explain-assertions.ts';
import {
  abs,
  type ContractFacts,
  coinOf,
  isolatedMargin,
  keptFor,
  maintenanceOf,
  percent,
  reserveOf,
  unrealisedOf,
} from './explain-oracle.ts';
import { BTC, CATEGORIES, CONTRACTS, Scene, TERMS, USDT } from './explain-scene.ts';
import { Q } from './rational.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const ANN = 1;
const ONE = 10n ** 8n;
const BROUGHT = { [ANN]: { [USDT]: 40_000n * ONE + 1n, [BTC]: ONE + 3n } };
const unit = Q.of('1');

/** Dk of each tier: progressive maintenance as a line (rules 5.5). */
function lines({ terms }: ContractFacts) {
  let from = Q.zero;
  return terms.tiers.map(({ upTo, rate }) => {
    const deduction = from.times(rate).minus(maintenanceOf(terms, from).amount);
    const line = { from, upTo, rate, deduction };
    from = upTo;
    return line;
  });
}

/** The formulas of rules 5.7, in the tier where the price they give lies; `ceil` to the tick of a long. */
function liquidationPrice(contract: ContractFacts): string {
  const { size, basis, margin, coinMargined, terms } = contract;
  const long = size.compare(Q.zero) > 0;
  const [q, entry, t] = [abs(size), abs(basis), terms.takerFee];
  for (const { from, upTo, rate: m, deduction } of lines(contract)) {
    const linear = () =>
      margin
        .plus(deduction)
        .minus(long ? entry : Q.zero.minus(entry))
        .over(q.times(m.plus(t).minus(long ? unit : Q.zero.minus(unit))));
    const inCoin = () =>
      long
        ? entry.minus(deduction).over(margin.plus(q.times(unit.minus(m).minus(t))))
        : entry.plus(deduction).over(q.times(unit.plus(m).plus(t)).minus(margin));
    const found = coinMargined ? inCoin() : linear();
    const notional = q.times(found);
    if (notional.compare(from) < 0 || notional.compare(upTo) > 0) continue;
    return String(long ? found.ceil(1) : found.floor(1));
  }
  return 'none';
}

/** Margin of an isolated position that must stay, in the settlement coin, rounded up (rules 17.3). */
function needed(contract: ContractFacts, coinPrice: Q): Q {
  const { size, mark, leverage, coinMargined } = contract;
  const notional = abs(size).times(mark);
  const kept = notional.over(leverage).ceil(8).max(keptFor(contract, notional));
  const whole = kept.plus(Q.zero.minus(unrealisedOf(contract)).max(Q.zero));
  return coinMargined ? whole.over(coinPrice).ceil(8) : whole;
}

for (const [contract, name] of CONTRACTS.entries())
  for (const side of [Side.buy, Side.sell])
    test(`an isolated ${side === Side.buy ? 'long' : 'short'} in ${name}`, () => {
      const scene = new Scene(BROUGHT);
      scene.isolate(ANN, contract);
      scene.leverage(ANN, contract, 7);
      // The second fill puts the position into the second tier.
      for (const lots of [1_357, 25_000]) {
        scene.price(60_123.4 + lots / 1_000);
        scene.quote(contract, 400_000);
        const ticks = scene.mark(contract) + (side === Side.buy ? 3 : -3);
        assert.equal(scene.send(scene.limit(ANN, side, ticks, lots, contract)), RejectReason.none);
      }
      scene.price(side === Side.buy ? 59_987.6 : 60_612.3);
      const adjust = (amount: bigint) =>
        scene.send({
          type: 'adjustMargin',
          time: scene.time,
          uid: ANN,
          instrument: contract,
          posSide: PosSide.none,
          amount,
        });
      assert.equal(adjust(contract === 0 ? 2_000n * ONE : ONE / 10n), RejectReason.none);
      const [position] = scene.exchange.state.accountByUid.get(ANN)!.positions.values();
      assert.equal(adjust(1n - position!.iso), RejectReason.marginTooLow);
      const { before } = scene.log.at(-1)!;
      const held = before!.contracts[contract]!;
      const { settle, margin, size, mark } = held;
      const explained = scene.explain(scene.log.length);
      assertMargin(explained.margin!, before!);
      const [check] = explained.checks;
      const least = needed(held, coinOf(before!, settle).price);
      const inCoin = (amount: Q) => `${String(amount)} ${settle}`;
      assert.deepEqual(check!.inputs, {
        margin: inCoin(margin),
        change: inCoin(new Q(1n, ONE).minus(margin)),
        needed: inCoin(least),
        fundingOwed: inCoin(Q.zero),
      });
      assert.ok(margin.compare(least) > 0);
      assert.equal(check!.bound, `at most ${inCoin(margin.minus(least))} taken out`);

      const { timeline, margin: view } = scene.position(ANN, name.split(' ')[1]!);
      assertMargin(view!, before!);
      const { facts } = timeline[0]!;
      const unrealised = unrealisedOf(held);
      assert.deepEqual(
        [facts.size, facts.mark, facts.averagePrice, facts.liquidationPrice, facts.unrealised],
        [
          String(abs(size)),
          String(mark),
          String(abs(held.basis).over(abs(size)).half(1)),
          liquidationPrice(held),
          String(contract === 0 ? unrealised : unrealised.over(coinOf(before!, settle).price).floor(8)),
        ],
      );
    });

for (const [contract, name] of CONTRACTS.entries())
  test(`a larger isolated order in ${name} needs what its reserve grows by`, () => {
    const scene = new Scene(BROUGHT);
    scene.isolate(ANN, contract);
    scene.leverage(ANN, contract, 7);
    const ticks = scene.mark(contract) - 777;
    scene.send(scene.limit(ANN, Side.buy, ticks, 3_333, contract));
    const { firstOrder } = scene.exchange.state.accountByUid.get(ANN)!;
    const item = {
      orderId: scene.exchange.state.slab.id[firstOrder]!,
      clientOid: '',
      category: CATEGORIES[contract]!,
      instrument: contract,
      priceTicks: 0,
      sizeLots: 130_000,
      autoCancel: false,
      outstanding: 0,
    };
    scene.send({ type: 'amendOrders', time: scene.time, uid: ANN, source: Source.api, items: [item] });
    const { before } = scene.log.at(-1)!;
    const explained = scene.explain(scene.log.length);
    assertMargin(explained.margin!, before!);
    const order = { buy: true, price: new Q(BigInt(ticks), 10n), qty: Q.of('13') };
    const { cash, held, price } = coinOf(before!, before!.contracts[contract]!.settle);
    const needs = reserveOf(before!, { to: name, order }).minus(held);
    assert.ok(needs.compare(cash) > 0);
    const { inputs } = explained.checks.find(({ verdict }) => verdict === 'refused')!;
    const settle = contract === 0 ? 'USDT' : 'BTC';
    assert.deepEqual(
      [inputs.needs, inputs.needsWorth, inputs.cash],
      [
        `${String(needs)} ${settle}`,
        `${String(needs.times(price).ceil(8))} USD`,
        `${String(cash)} ${settle}`,
      ],
    );
  });

test('both isolated positions of a hedged contract have their ratio in each second', () => {
  const scene = new Scene(BROUGHT);
  scene.send({ type: 'setHoldMode', time: scene.time, uid: ANN, holdMode: HoldMode.hedge });
  scene.isolate(ANN, 0);
  scene.leverage(ANN, 0, 50);
  scene.quote(0, 400_000);
  const mark = scene.mark(0);
  scene.send({ ...scene.limit(ANN, Side.buy, mark + 3, 3_000), posSide: PosSide.long });
  scene.send({ ...scene.limit(ANN, Side.sell, mark - 3, 2_000), posSide: PosSide.short });
  for (const dollars of [59_500, 59_250, 59_120, 59_000]) {
    scene.quote(0, 400_000);
    scene.price(dollars);
  }
  const explained = scene.liquidation(ANN);
  const rows = explained.timeline.filter(({ facts }) => 'liquidationRatio' in facts);
  assert.ok(rows.length > 1);
  const entries = { long: mark + 3, short: mark - 3 };
  for (const { facts } of rows)
    for (const [side, lots] of [
      ['long', 3_000n],
      ['short', 2_000n],
    ] as const) {
      const sign = side === 'long' ? 1n : -1n;
      const size = new Q(sign * lots, 10_000n);
      const basis = size.times(new Q(BigInt(entries[side]), 10n));
      const { maintenance, equity } = isolatedMargin({
        name: CONTRACTS[0],
        coinMargined: false,
        settle: 'USDT',
        quote: 'USDT',
        size,
        basis,
        mark: Q.of(facts[`mark ${CONTRACTS[0]}`]!),
        leverage: Q.of('50'),
        orders: [],
        terms: TERMS,
        isolated: true,
        margin: abs(basis).over(Q.of('50')).floor(8),
        bestBid: Q.zero,
      });
      assert.equal(facts[`isolated ${CONTRACTS[0]} ${side}`], percent(maintenance, equity));
    }
});
