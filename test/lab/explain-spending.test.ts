/** What SPOT and MARGIN orders need, have and may borrow, as a refusal tells it: recomputed from the rule book (6.3 to 6.6, 13.5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlaceOrder } from '../../src/core/model/command.ts';
import { OrderType, Side, Source, TimeInForce } from '../../src/core/model/enums.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { COIN_TERMS, USDT_TERMS } from '../core/borrowing/margin-floor.ts';
import { coinOf } from './explain-oracle.ts';
import { BTC, ETH, factsOf, MAKER, PAIR, Scene, USDT } from './explain-scene.ts';
import { isMost, type LendingFacts, lendableOf, maySpend, type Spending } from './explain-spending.ts';
import { Q } from './rational.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const ANN = 1;
const ONE = 10n ** 8n;
const SPOT = PAIR - 1;
const STEP = Q.of('0.000001');

/** `claims`: what open orders of the account would borrow. */
function lendingOf({ exchange }: Scene, coin: number, claims = Q.zero): LendingFacts {
  const { ledger } = exchange.state;
  const { poolLimit, userLimit, masterSubLimit } = coin === USDT ? USDT_TERMS : COIN_TERMS;
  const { cash, locked } = coinOf(factsOf(exchange, ANN), coin === USDT ? 'USDT' : 'BTC');
  return {
    poolLimit: Q.of(poolLimit),
    userLimit: Q.of(userLimit),
    masterSubLimit: Q.of(masterSubLimit),
    custody: new Q(-ledger.balanceOf(SystemAccount.external, coin, Bucket.cash), ONE),
    lendShare: Q.of('0.5'),
    borrowed: Q.zero.minus(cash.plus(locked)).max(Q.zero),
    claimsOfOthers: Q.zero,
    claims,
    minBorrow: Q.of('0.00000001'),
    warnedAt: Q.of('0.1'),
  };
}

interface Case {
  readonly name: string;
  readonly brings: Readonly<Record<number, bigint>>;
  readonly first?: (scene: Scene) => void;
}

const trade = (scene: Scene, side: Side, lots: number, instrument: number) => {
  const other = side === Side.buy ? Side.sell : Side.buy;
  scene.send(scene.limit(MAKER, other, 6_000_000, lots, SPOT));
  assert.equal(scene.send(scene.limit(ANN, side, 6_000_000, lots, instrument)), RejectReason.none);
};
const long = (scene: Scene): void => {
  scene.leverage(ANN, 0, 20);
  scene.quote(0, 400_000);
  assert.equal(scene.send(scene.limit(ANN, Side.buy, scene.mark(0) + 3, 12_345)), RejectReason.none);
};

const CASES: readonly Case[] = [
  { name: 'who owes nothing', brings: { [USDT]: 20_000n * ONE + 3n, [BTC]: ONE / 3n, [ETH]: 2n * ONE } },
  { name: 'with a position', brings: { [USDT]: 9_000n * ONE + 1n, [BTC]: ONE / 7n }, first: long },
  {
    name: 'who owes USDT',
    brings: { [USDT]: 20_000n * ONE + 5n, [ETH]: 3n * ONE },
    first: (scene) => trade(scene, Side.buy, 400_000, PAIR),
  },
  {
    name: 'who owes BTC and has a position',
    brings: { [USDT]: 30_000n * ONE + 7n, [ETH]: 3n * ONE },
    first: (scene) => {
      trade(scene, Side.sell, 100_000, PAIR);
      long(scene);
    },
  },
];

for (const { name, brings, first } of CASES)
  for (const margin of [false, true])
    for (const buy of [true, false])
      for (const cents of [0, 150_000])
        test(`a ${margin ? 'MARGIN' : 'SPOT'} ${buy ? 'buy' : 'sell'} of one ${name}, ${cents} away`, () => {
          const scene = new Scene({ [ANN]: brings });
          scene.price(60_000);
          first?.(scene);
          const ticks = buy ? 6_000_000 + cents : 6_000_000 - cents;
          const lots = 30_000_000;
          const side = buy ? Side.buy : Side.sell;
          const order = scene.limit(ANN, side, ticks, lots, margin ? PAIR : SPOT);
          assert.equal(scene.send(order), RejectReason.insufficientBalance);
          const { before } = scene.log.at(-1)!;
          const spending: Spending = { buy, margin, price: new Q(BigInt(ticks), 100n) };
          const [coin, text] = buy ? [USDT, 'USDT'] : [BTC, 'BTC'];
          const lending = lendingOf(scene, coin);
          const [check] = scene
            .explain(scene.log.length)
            .checks.filter(({ verdict }) => verdict === 'refused');
          const { inputs, bound, rightWouldBe, rule } = check!;
          const available = Q.of(inputs.available!.split(' ')[0]!);
          const inCoin = (amount: Q) => `${String(amount)} ${text}`;
          assert.deepEqual(inputs, {
            needs: inCoin(buy ? spending.price.times(Q.of('30')) : Q.of('30')),
            cash: inCoin(coinOf(before!, text).cash),
            ...(margin && { lendable: inCoin(lendableOf(before!, text, lending)) }),
            available: inCoin(available),
          });
          assert.ok(isMost(before!, spending, lending, available), JSON.stringify(inputs));
          assert.deepEqual([rule, bound], ['rules 1.2 number 15', `at most ${inCoin(available)}`]);
          // The largest quantity, and one step more is too much.
          const need = (qty: Q) => (buy ? qty.times(spending.price) : qty);
          const most = /a quantity of at most ([\d.]+)/.exec(rightWouldBe!)?.[1];
          if (most === undefined) {
            assert.equal(maySpend(before!, spending, lending, need(STEP)), false, rightWouldBe);
            return;
          }
          const fits = [Q.of(most), Q.of(most).plus(STEP)].map((qty) =>
            maySpend(before!, spending, lending, need(qty)),
          );
          assert.deepEqual(fits, [true, false], rightWouldBe);
        });

test('a market buy by amount that is too large says the largest amount', () => {
  const scene = new Scene({ [ANN]: { [USDT]: 20_000n * ONE + 3n } });
  scene.price(60_000);
  scene.send(scene.limit(MAKER, Side.sell, 6_000_000, 9_000_000, SPOT));
  const order: PlaceOrder = {
    ...scene.limit(ANN, Side.buy, 0, 0, SPOT),
    orderType: OrderType.market,
    timeInForce: TimeInForce.ioc,
    quoteAmount: 30_000n * ONE,
  };
  assert.equal(scene.send(order), RejectReason.insufficientBalance);
  const [check] = scene.explain(scene.log.length).checks.filter(({ verdict }) => verdict === 'refused');
  assert.deepEqual(check!.inputs, {
    needs: '30000 USDT',
    cash: '20000.00000003 USDT',
    available: '20000.00000003 USDT',
  });
  assert.equal(check!.rightWouldBe, 'an amount of at most 20000');
});

test('what an order would borrow itself does not lessen what is lent when it is modified', () => {
  const scene = new Scene({ [ANN]: { [USDT]: 20_000n * ONE } });
  scene.price(60_000);
  assert.equal(scene.send(scene.limit(ANN, Side.buy, 5_900_000, 500_000, PAIR)), RejectReason.none);
  const { slab, accountByUid } = scene.exchange.state;
  const item = {
    orderId: slab.id[accountByUid.get(ANN)!.firstOrder]!,
    clientOid: '',
    category: 1 as const,
    instrument: PAIR,
    priceTicks: 0,
    sizeLots: 30_000_000,
    autoCancel: false,
    outstanding: 0,
  };
  scene.send({ type: 'amendOrders', time: scene.time, uid: ANN, source: Source.api, items: [item] });
  const { before } = scene.log.at(-1)!;
  const [check] = scene.explain(scene.log.length).checks;
  const { lendable, needs } = check!.inputs;
  const cash = coinOf(before!, 'USDT');
  // 29 500 less 20 000 of it are its own claim; the cash that it holds returns to it.
  const free = {
    ...before!,
    coins: before!.coins.map((each) =>
      each === cash ? { ...each, cash: each.cash.plus(each.locked), locked: Q.zero } : each,
    ),
  };
  assert.deepEqual(
    [lendable, needs],
    [`${String(lendableOf(free, 'USDT', lendingOf(scene, USDT)))} USDT`, '1770000 USDT'],
  );
});
