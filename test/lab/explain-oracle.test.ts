/**
 * Every number of an explanation, recomputed in exact fractions from raw facts and the formulas of the rule book: orders that were
 * refused for margin or risk, fills with their fees and postings, liquidations second by second and step by step, of crossed and
 * isolated positions in linear and coin-margined contracts (rules 4.3, 5.2, 5.5 to 5.9, 6.1 to 6.4, 6.8).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Side } from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { assertChecks, assertFills } from './explain-assertions.ts';
import { assertLiquidation } from './explain-liquidation.ts';
import { marginOf } from './explain-oracle.ts';
import { BTC, CATEGORIES, CONTRACTS, MAKER, price, Rng, Scene, size, USDT } from './explain-scene.ts';
import { Q } from './rational.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const [ANN, BEN] = [1, 2];
const COIN_CONTRACT = 1;

interface Flow {
  readonly seed: number;
  readonly steps: number;
  /** Number of the contract. */
  readonly contract: number;
  readonly isolated: boolean;
  readonly falling: boolean;
}

/** Two accounts that buy and sell more than they can bear while the price moves. */
function flow({ seed, steps, contract, isolated, falling }: Flow): Scene {
  const rng = new Rng(seed * 7919);
  const coin = contract === COIN_CONTRACT;
  const brings = () => {
    const own = BigInt(rng.range(1_000, 9_000)) * 10n ** 8n + 123n;
    const bitcoin = BigInt(rng.range(1, 40)) * 10n ** 6n + 7n;
    return coin
      ? { [BTC]: bitcoin, ...(falling ? {} : { [USDT]: own / 4n }) }
      : { [USDT]: own, ...(falling ? {} : { [BTC]: bitcoin }) };
  };
  const scene = new Scene({ [ANN]: brings(), [BEN]: brings() });
  for (const uid of [ANN, BEN]) {
    if (isolated) scene.isolate(uid, contract);
    scene.leverage(uid, contract, falling ? rng.range(60, 100) : rng.range(5, 40));
  }
  let dollars = 60_000;
  const [large, small] = coin && !isolated ? [30_000, 2_000] : [60_000, 4_000];
  for (let step = 0; step < steps; step++) {
    dollars = Math.round(dollars * (1 + rng.range(falling ? -9 : -6, 6) / 1000) * 10) / 10;
    scene.price(dollars);
    scene.quote(contract, 40_000);
    for (const uid of [ANN, BEN]) {
      const side = rng.range(0, falling ? 3 : 1) === 0 ? Side.sell : Side.buy;
      const away = rng.range(0, 3) === 0 ? 4_000 : 60;
      const ticks = scene.mark(contract) + rng.range(-away, away);
      const lots = rng.range(1, rng.range(0, 2) === 0 ? large : small);
      scene.send(scene.limit(uid, side, ticks, lots, contract));
    }
    if (rng.range(0, 5) === 0)
      scene.send({
        type: 'cancelAll',
        time: scene.time,
        uid: ANN,
        category: CATEGORIES[contract]!,
        instrument: contract,
      });
  }
  return scene;
}

const REFUSED: ReadonlySet<RejectReason> = new Set([
  RejectReason.insufficientMargin,
  RejectReason.riskTooHigh,
]);

/** Refusals of a run that are explained: replays cost more than they bring. */
const REFUSALS_MAX = 15;

/** Explains the orders of a run that were filled or refused for money. */
function assertOrders(scene: Scene): { refusals: number; near: number; fills: number; advice: number } {
  const seen = { refusals: 0, near: 0, fills: 0, advice: 0 };
  for (const [n, { command, events, before, after, reason }] of scene.log.entries()) {
    if (command.type !== 'placeOrder' || command.uid === MAKER) continue;
    const { side, priceTicks, sizeLots, instrument, uid } = command;
    const forced = events.some((event) => event.type === 'fill' && event.fill.futures!.kind !== 0);
    const filled = events.some((event) => event.type === 'fill' && event.fill.uid === uid);
    const refused = REFUSED.has(reason);
    if (refused ? seen.refusals === REFUSALS_MAX : reason !== RejectReason.none || forced || !filled)
      continue;
    if (marginOf(before!).equity.compare(Q.zero) <= 0) continue;
    const explained = scene.explain(n + 1);
    const order = { buy: side === Side.buy, price: price(priceTicks), qty: size(sizeLots) };
    assertChecks(explained, before!, { to: CONTRACTS[instrument]!, order });
    if (refused) seen.refusals++;
    if (reason === RejectReason.riskTooHigh) seen.near++;
    if (/quantity/.test(explained.rightWouldBe)) seen.advice++;
    if (filled) seen.fills += assertFills(explained, uid, before!, after!);
  }
  return seen;
}

function liquidatedIn(scene: Scene): readonly number[] {
  const uids = scene.log.flatMap(({ events }) =>
    events.flatMap((event) =>
      event.type === 'fill' && event.fill.futures?.kind === 3 ? [event.fill.uid] : [],
    ),
  );
  return [...new Set(uids)].filter((uid) => uid !== MAKER);
}

const NAMED = [
  { name: 'crossed, linear', contract: 0, isolated: false },
  { name: 'isolated, linear', contract: 0, isolated: true },
  { name: 'crossed, coin-margined', contract: 1, isolated: false },
  { name: 'isolated, coin-margined', contract: 1, isolated: true },
] as const;

for (const { name, contract, isolated } of NAMED)
  test(`every number that is printed is that of the formulas: ${name}`, () => {
    const total = { refusals: 0, near: 0, fills: 0, advice: 0, liquidations: 0 };
    for (const seed of [1, 2]) {
      const falling = seed % 2 === 0;
      const scene = flow({ seed, steps: 40, contract, isolated, falling });
      const seen = assertOrders(scene);
      for (const [key, count] of Object.entries(seen)) total[key as keyof typeof seen] += count;
      for (const uid of liquidatedIn(scene)) {
        assertLiquidation(scene, uid);
        total.liquidations++;
      }
    }
    const { refusals, fills, advice, liquidations } = total;
    assert.ok(refusals > 15 && fills > 20 && advice > 5 && liquidations > 0, JSON.stringify(total));
  });

for (const contract of [0, 1])
  test(`an order that would be filled near liquidation: contract ${CONTRACTS[contract]}`, () => {
    const scene = new Scene({
      [ANN]: { [USDT]: 6_000n * 10n ** 8n, [BTC]: 10n ** 7n },
      [BEN]: { [USDT]: 6_000n * 10n ** 8n, [BTC]: 10n ** 7n },
    });
    scene.isolate(ANN, contract);
    for (const uid of [ANN, BEN]) scene.leverage(uid, contract, 100);
    scene.price(60_123.4);
    scene.quote(contract, 400_000);
    const mark = scene.mark(contract);
    const near: number[] = [];
    const place = (uid: number, side: Side, ticks: number, lots: number) => {
      const reason = scene.send(scene.limit(uid, side, ticks, lots, contract));
      if (reason === RejectReason.riskTooHigh) near.push(uid);
      return reason;
    };
    // Isolated: one percent of margin, of which the price takes more than half; alone, beside a position, and turning it.
    place(ANN, Side.buy, mark + 3_300, 500);
    place(ANN, Side.buy, mark + 3, 2_000);
    place(ANN, Side.buy, mark + 5_300, 3_000);
    place(ANN, Side.sell, mark - 3_300, 3_333);
    // Crossed: what turns a large position needs little more initial margin, and three times the maintenance margin.
    const full = contract === 0 ? 120_000 : 100_000;
    place(BEN, Side.buy, mark + 3, full);
    place(BEN, Side.sell, mark, full * 2);
    assert.deepEqual(near, [ANN, ANN, ANN, BEN]);
    assert.equal(assertOrders(scene).near, near.length);
  });
