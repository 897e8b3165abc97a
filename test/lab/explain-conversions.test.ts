/** Debts that are paid with other coins, recomputed from the rule book: by force, by their owner, and from the funding wallet (rules 5.9, 6.8, 13.3, 13.6, 16.2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderKind, Side, Wallet } from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import type { Explanation } from '../../src/lab/explain/explanation.ts';
import { deposit } from '../property/venue.ts';
import { assertMargin, assertPostings } from './explain-assertions.ts';
import { assertLiquidation } from './explain-liquidation.ts';
import { coinOf, marginOf, percent } from './explain-oracle.ts';
import { BTC, ETH, MAKER, PAIR, Scene, USDT } from './explain-scene.ts';
import { afterConversion, converted, rateOf } from './explain-settlement.ts';
import { Q } from './rational.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const ANN = 1;
const COIN_CONTRACT = 1;
const ONE = 10n ** 8n;

const moments = ({ timeline }: Explanation, what: string) =>
  timeline.filter((moment) => moment.what === what);
const FORCED: ReadonlySet<OrderKind> = new Set([OrderKind.reduce, OrderKind.liquidation]);
const SOLD = 'coins sold for a debt';

/** The price falls second by second until the account is liquidated. */
function fall(scene: Scene, from: number, perSecond: number, contracts: readonly number[] = []): void {
  let dollars = from;
  for (let second = 0; second < 60; second++) {
    dollars *= perSecond;
    for (const contract of contracts) scene.quote(contract, 400_000);
    scene.price(Math.round(dollars * 10) / 10);
    const liquidated = scene.log
      .at(-1)!
      .events.some(
        (event) =>
          (event.type === 'conversion' && event.forced) ||
          (event.type === 'fill' && FORCED.has(event.fill.futures?.kind ?? OrderKind.user)) ||
          (event.type === 'transfer' && event.initiatorUid === 0),
      );
    if (liquidated) return;
  }
  assert.fail('nobody was liquidated');
}

test('coins are sold for the loss of a coin-margined position, in the order of the rule book', () => {
  const scene = new Scene({
    [ANN]: { [BTC]: ONE / 20n + 7n, [USDT]: 700n * ONE + 3n, [ETH]: 3n * ONE + 11n },
  });
  scene.leverage(ANN, COIN_CONTRACT, 50);
  scene.quote(COIN_CONTRACT, 400_000);
  scene.send(scene.limit(ANN, Side.buy, scene.mark(COIN_CONTRACT) + 3, 33_333, COIN_CONTRACT));
  fall(scene, 60_000, 0.99, [COIN_CONTRACT]);
  const explained = assertLiquidation(scene, ANN);
  const sold = moments(explained, SOLD).map(({ facts }) => facts.sold!.split(' ')[1]);
  assert.deepEqual(sold.slice(0, 2), ['USDT', 'ETH']);
});

test('a large coin-margined position is cut to a tier two below before it is closed', () => {
  const scene = new Scene({ [ANN]: { [BTC]: (ONE * 6n) / 5n + 7n } });
  scene.leverage(ANN, COIN_CONTRACT, 50);
  scene.quote(COIN_CONTRACT, 400_000);
  scene.send(scene.limit(ANN, Side.buy, scene.mark(COIN_CONTRACT) + 3, 200_000, COIN_CONTRACT));
  fall(scene, 60_000, 0.992, [COIN_CONTRACT]);
  assert.equal(moments(assertLiquidation(scene, ANN), 'position cut by tiers').length, 1);
});

/** 0.9 BTC bought with borrowed USDT; the maker has nothing else to do with the pair. */
function borrowed(coins: Readonly<Record<number, bigint>>, qty: number): Scene {
  const scene = new Scene({ [ANN]: coins });
  scene.price(60_000);
  const ticks = 6_000_000;
  const trade = (uid: number, side: Side) =>
    scene.send({
      ...scene.limit(uid, side, ticks, qty, PAIR),
      ...(uid === MAKER && { instrument: PAIR - 1 }),
    });
  assert.equal(trade(MAKER, Side.sell), RejectReason.none);
  assert.equal(trade(ANN, Side.buy), RejectReason.none);
  assert.ok(scene.log.at(-1)!.after!.coins.some(({ cash }) => cash.compare(Q.zero) < 0));
  return scene;
}

test('a margin debt is paid by force, at the level of the pair that lends it', () => {
  const scene = borrowed({ [USDT]: 20_000n * ONE, [ETH]: 2n * ONE + 5n }, 900_000);
  fall(scene, 60_000, 0.985);
  const explained = assertLiquidation(scene, ANN);
  assert.equal(explained.margin!.liquidationRatio, '96 %');
  assert.ok(moments(explained, SOLD).length > 0);
});

test('the funding wallet pays what is left, in the coin that is owed and in others', () => {
  const scene = borrowed({ [USDT]: 20_000n * ONE }, 900_000);
  for (const [coin, amount] of [
    [USDT, 321n * ONE + 9n],
    [ETH, 4n * ONE + 1n],
  ] as const)
    scene.send({ ...deposit(ANN, coin, amount), wallet: Wallet.funding } as ReturnType<typeof deposit>);
  scene.price(60_000);
  scene.price(33_000);
  const explained = assertLiquidation(scene, ANN);
  const taken = moments(explained, 'taken from the funding wallet for a debt');
  assert.deepEqual(
    taken.map(({ facts }) => facts.amount!.split(' ')[1]),
    ['USDT', 'ETH'],
  );
});

test('the lending fund pays what is owed beyond all means', () => {
  const scene = borrowed({ [USDT]: 20_000n * ONE + 1n }, 900_000);
  scene.price(60_000);
  scene.price(33_000);
  const explained = assertLiquidation(scene, ANN);
  assert.equal(moments(explained, 'the insurance fund paid').length, 1);
});

/** What an index has said, second by second, oldest first; the first value stands for the minute before it. */
class Said {
  readonly #values: Q[] = [];

  constructor(first: Q) {
    this.#values = Array.from({ length: 60 }, () => first);
  }

  add(value: Q): void {
    this.#values.push(value);
  }

  get now(): Q {
    return this.#values.at(-1)!;
  }

  get mean(): Q {
    return this.#values
      .slice(-60)
      .reduce((sum, value) => sum.plus(value), Q.zero)
      .over(Q.of('60'))
      .half(8);
  }

  get highest(): Q {
    return this.now.max(this.mean);
  }

  get lowest(): Q {
    return this.now.min(this.mean);
  }
}

const INDICES = ['BTCUSDT', 'BTCUSD', 'USDTUSD', 'ETHUSD'] as const;

/** Follows what all indices say from the commands of a scene. */
function said(scene: Scene): Record<(typeof INDICES)[number], Said> {
  const { indexByName } = scene.exchange.state;
  const names = new Map(INDICES.map((name) => [indexByName.get(name)!, name]));
  const told = new Map<string, Q>();
  const known = new Map<string, Said>();
  for (const { command } of scene.log) {
    if (command.type === 'componentPrice')
      told.set(names.get(command.index)!, new Q(command.price, 10n ** 8n));
    if (command.type !== 'tick') continue;
    for (const [name, value] of told) {
      if (!known.has(name)) known.set(name, new Said(value));
      else known.get(name)!.add(value);
    }
  }
  return Object.fromEntries(known) as ReturnType<typeof said>;
}

function repay(scene: Scene, debtCoin: number, payCoin: number) {
  scene.send({ type: 'repay', time: scene.time, uid: ANN, debtCoin, payCoin });
  return { explained: scene.explain(scene.log.length), ...scene.log.at(-1)! };
}

for (const [direction, perSecond, depeg] of [
  ['falls', 0.9985, 99_600_000n],
  ['rises', 1.0012, 100_210_000n],
] as const)
  test(`an owner repays at the worse of now and the last minute while the price ${direction}`, () => {
    const scene = borrowed({ [USDT]: 20_000n * ONE, [BTC]: 7n, [ETH]: ONE + 5n }, 400_000);
    let dollars = 60_000;
    for (let second = 0; second < 8; second++) {
      dollars *= perSecond;
      scene.tell('ETHUSD', BigInt(Math.round(dollars * 5)) * 10n ** 6n);
      if (second === 5) scene.tell('USDTUSD', depeg);
      scene.price(Math.round(dollars * 10) / 10);
    }
    const { BTCUSDT, BTCUSD, USDTUSD, ETHUSD } = said(scene);
    const owed = USDTUSD.mean.max(USDTUSD.now);
    const rates = {
      [ETH]: owed.over(ETHUSD.lowest),
      [BTC]: rateOf(owed.over(BTCUSD.lowest), 'USDT', 'BTC', new Map([['BTCUSDT', BTCUSDT.lowest]])),
    };
    // ETH is not enough for the debt, BTC is.
    for (const [coin, name] of [
      [ETH, 'ETH'],
      [BTC, 'BTC'],
    ] as const) {
      const { explained, before, after, reason } = repay(scene, USDT, coin);
      assert.equal(reason, RejectReason.none);
      assertMargin(explained.margin!, before!);
      const wanted = Q.zero.minus(coinOf(before!, 'USDT').cash);
      const made = converted(wanted, coinOf(before!, name).cash, rates[coin]!, Q.zero);
      const [moment] = moments(explained, 'coins converted');
      assert.deepEqual(moment!.facts, {
        sold: `${String(made.sold)} ${name}`,
        repaid: `${String(made.received)} USDT`,
      });
      const computed = afterConversion(before!, { debt: 'USDT', pay: name, ...made });
      assertPostings(explained, ANN, before!, computed);
      assertPostings(explained, ANN, before!, after!);
    }
    assert.equal(String(coinOf(scene.log.at(-1)!.after!, 'USDT').cash), '0');
  });

test('a repayment that is refused says at which prices', () => {
  const scene = borrowed({ [USDT]: 20_000n * ONE, [ETH]: 2n * ONE }, 400_000);
  const told = scene.time;
  scene.tell('BTCUSDT', 60_500n * ONE);
  scene.second();
  const { reason, explained } = repay(scene, USDT, BTC);
  assert.equal(reason, RejectReason.conversionPriceOld);
  const { BTCUSDT, BTCUSD, USDTUSD } = said(scene);
  const cross = BTCUSD.now.over(USDTUSD.mean);
  const { inputs } = explained.checks.find(({ verdict }) => verdict === 'refused')!;
  const apart = BTCUSDT.now.minus(cross).over(cross).times(Q.of('100'));
  assert.ok(apart.compare(Q.of('0.5')) > 0);
  assert.deepEqual(inputs, {
    now: String(scene.time),
    USDT: `${String(USDTUSD.mean)} USD, reported ${scene.log.find(({ command }) => command.type === 'componentPrice')!.command.time}, stale: no`,
    BTC: `${String(BTCUSD.now)} USD, reported ${told - 1000}, stale: no`,
    'index BTCUSDT': String(BTCUSDT.now),
    'cross BTCUSDT': String(cross.floor(8)),
    apart: `${String(apart.floor(6))} %`,
  });
});

test('an order that would borrow at the level of the warning is refused with the ratio of the account', () => {
  const scene = borrowed({ [USDT]: 20_000n * ONE }, 900_000);
  scene.price(57_600);
  const reason = scene.send(scene.limit(ANN, Side.buy, 5_760_000, 1_000, PAIR));
  assert.equal(reason, RejectReason.riskTooHigh);
  const { before } = scene.log.at(-1)!;
  const explained = scene.explain(scene.log.length);
  assertMargin(explained.margin!, before!);
  const { effective, initial, maintenance } = marginOf(before!);
  assert.ok(effective.compare(initial) >= 0 && maintenance.times(Q.of('10')).compare(effective) >= 0);
  const { inputs, bound } = explained.checks.find(({ verdict }) => verdict === 'refused')!;
  assert.equal(bound, 'a margin ratio below 10 % to borrow');
  assert.deepEqual(inputs, {
    equity: `${String(effective)} USD`,
    initial: `${String(initial)} USD`,
    maintenance: `${String(maintenance)} USD`,
    ratio: percent(maintenance, effective),
  });
});
