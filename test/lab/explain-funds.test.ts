/** Insurance funds that may not pay everything: their budgets of a close and of the hour, recomputed (rules 13.7 (b), (c), (e)). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Side } from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import type { Explanation } from '../../src/lab/explain/explanation.ts';
import { assertLiquidation } from './explain-liquidation.ts';
import { lossOwed } from './explain-loss.ts';
import { MAKER, PAIR, Scene, USDT } from './explain-scene.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const [ANN, BEN] = [1, 2];
const ONE = 10n ** 8n;

const named = ({ timeline }: Explanation, name: string) => timeline.filter(({ what }) => what === name);

/** The index jumps past bankruptcy, and the maker bids where the reach of a forced order ends. */
function jump(scene: Scene, dollars: number): void {
  const bid = Math.ceil(dollars * 10 * (1 - 0.0046)) + 1;
  scene.send({ type: 'cancelAll', time: scene.time, uid: MAKER, category: 2, instrument: 0 });
  scene.send(scene.limit(MAKER, Side.buy, bid, 400_000));
  scene.price(dollars);
}

test('closes of one contract share the budget of the hour, and each has its own', () => {
  const scene = new Scene(
    { [ANN]: { [USDT]: 2_000n * ONE }, [BEN]: { [USDT]: 4_000n * ONE } },
    { funds: 2_400n * ONE },
  );
  scene.quote(0, 400_000);
  for (const [uid, leverage] of [
    [ANN, 100],
    [BEN, 40],
  ] as const) {
    scene.isolate(uid, 0);
    scene.leverage(uid, 0, leverage);
    assert.equal(scene.send(scene.limit(uid, Side.buy, scene.mark(0) + 3, 10_000)), RejectReason.none);
  }
  jump(scene, 59_000);
  const first = assertLiquidation(scene, ANN);
  const { fund, atOnce, leftOfTheHour, leftOfTheSymbol, budget } = named(first, 'the insurance fund paid')[0]!
    .facts;
  // 20 % of the fund, 60 % and 30 % of what the operator has put in this hour.
  assert.deepEqual(
    [fund, atOnce, leftOfTheHour, leftOfTheSymbol, budget],
    ['2400 USDT', '480 USDT', '1440 USDT', '720 USDT', '480 USDT'],
  );
  assert.ok(named(first, 'deleveraged against').length > 0, 'the rest is deleveraged');
  jump(scene, 57_500);
  const second = assertLiquidation(scene, BEN);
  const later = named(second, 'the insurance fund paid')[0]!.facts;
  assert.equal(later.budget, later.leftOfTheSymbol);
  // 720 less what the first close has cost: 505.17441704 - 25.18404113 - 10.17425448 of fees - 0.01181143 that was left.
  assert.equal(later.leftOfTheSymbol, '250.19569 USDT');
});

test('the lending fund pays a fifth of itself, and the rest of the debt is left', () => {
  const scene = new Scene({ [ANN]: { [USDT]: 20_000n * ONE + 1n } }, { funds: 1_000n * ONE });
  scene.price(60_000);
  const trade = (uid: number, side: Side) =>
    scene.send({
      ...scene.limit(uid, side, 6_000_000, 900_000, PAIR),
      ...(uid === MAKER && { instrument: PAIR - 1 }),
    });
  assert.deepEqual([trade(MAKER, Side.sell), trade(ANN, Side.buy)], [RejectReason.none, RejectReason.none]);
  scene.price(60_000);
  scene.price(33_000);
  const explained = assertLiquidation(scene, ANN);
  const [paid] = named(explained, 'the insurance fund paid');
  assert.deepEqual(
    [paid!.facts.amount, paid!.facts.budget, paid!.facts.fund, paid!.rule],
    ['200 USDT', '200 USDT', '1000 USDT', 'rules 13.7'],
  );
  assert.equal(paid!.bound, 'what the account lacks over all wallets, at most 200 USDT');
  const [left] = named(explained, 'a debt is left');
  assert.equal(`-${left!.facts.owed}`, paid!.facts.balance);
  assert.equal(left!.rightWouldBe, `a deposit of ${left!.facts.owed}`);
});

for (const [funds, ofFund] of [
  [1_000n, '200'],
  [0n, '0'],
] as const)
  test(`a loss that neither the other side nor the fund can bear is owed, with ${funds} USDT in the fund`, () => {
    const scene = lossOwed(funds);
    const { timeline } = assertLiquidation(scene, ANN, BEN);
    const told = (name: string) => timeline.find(({ what }) => what === name)!;
    const against = told('deleveraged against');
    assert.equal(against.rule, 'rules 15.1');
    assert.match(
      against.bound!,
      /at 53492\.1 or 44793, .* as far as the other side can bear it, which is 48916\.8$/,
    );
    const paid = funds === 0n ? '29.35008 USDT' : '229.35008 USDT';
    assert.equal(told('the insurance fund paid').facts.amount, paid);
    // (54,000 - 48,916.8) and 29.35008 of fee, less 540 of margin; of the rest the fund pays its budget and the fee that it got.
    const amount = funds === 0n ? '4543.2 USDT' : '4343.2 USDT';
    const { facts, ...step } = told('a loss that nobody pays is owed');
    assert.deepEqual(
      [facts.amount, facts.budget, step.rule, step.bound, step.rightWouldBe],
      [
        amount,
        `${ofFund} USDT`,
        'rules 13.7',
        `what the margin and the fund lack, of which the fund pays at most ${ofFund} USDT`,
        `${amount} more of margin`,
      ],
    );
  });
