/**
 * Pledges in explanations (rules 7, 17.1): what of them stands behind positions that are closed by force, what is released for a
 * debt, which loans are closed, and which loans are refused. Trading with numbers worked out by hand, then odd numbers against
 * the oracle, then the question over HTTP and by the command.
 */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Command } from '../../src/core/model/command.ts';
import { Side, Wallet } from '../../src/core/model/enums.ts';
import { parseOrderId } from '../../src/core/model/order-id.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import type { Explanation, Moment } from '../../src/lab/explain/explanation.ts';
import { type Bourse, startBourse } from '../../src/testkit/index.ts';
import { command } from '../app/bourse-process.ts';
import { LoanFloor } from '../core/loan/loan-floor.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { deposit } from '../property/venue.ts';
import { assertPostings } from './explain-assertions.ts';
import { assertLiquidation } from './explain-liquidation.ts';
import { explainLog } from './explain-log.ts';
import { coinOf } from './explain-oracle.ts';
import { owedOf, pledgeNeeded, rateText } from './explain-pledges.ts';
import { BTC, ETH, factsOf, PLEDGE, Scene, USDT } from './explain-scene.ts';
import { Q } from './rational.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const EDITION = 7;
const liquidationOf = (floor: LoanFloor, name: string): Explanation =>
  explainLog(floor.log, { kind: 'liquidation', uid: floor.uid(name) });

/** Steps of a liquidation without the seconds before it, without orders and sums. */
const stepsOf = ({ timeline }: Explanation): readonly Moment[] =>
  timeline.filter(
    ({ what }) =>
      !/^margin ratio|^the last safe|^order (new|filled)|^position ended|^who paid|^warn/.test(what),
  );
const what = (moments: readonly Moment[]): string[] => moments.map((moment) => moment.what);

/**
 * Ann has 2 000 USDT and is long 1 from 60 000 against bob; ETH at 3 000 are pledged for 9 000 USDT, which have left, and 9 000.03141
 * are owed for them. Mark 50 000.
 */
function crash(pledged: string, more: (floor: LoanFloor) => void = () => {}): LoanFloor {
  const floor = new LoanFloor();
  for (const name of ['bob', 'cat']) floor.trader(name, { USDT: '100000' });
  floor.send({ type: 'setEdition', time: floor.now, edition: EDITION });
  floor.index('3000', 'ETHUSD');
  floor.trader('ann', { USDT: '2036', ETH: pledged });
  floor.leverage('ann', 100);
  const loan = floor.borrow('ann', { loan: '9000 USDT', pledge: 'ETH' });
  if (Number(pledged) > 5) floor.revise('ann', loan, 'IN', String(Number(pledged) - 5), 'ETH');
  floor.withdraw('ann', '9000', 'USDT');
  floor.deal('ann', 'bob', '1', '60000');
  more(floor);
  floor.mark('50000');
  return floor;
}

describe('17.1 as it is explained', () => {
  it('a pledge stands behind the position, pays what it can spare, and its loan is closed for the rest', () => {
    const floor = crash('5');
    const steps = stepsOf(liquidationOf(floor, 'ann'));
    assert.deepEqual(what(steps), [
      'liquidation of the account begins',
      'position closed by liquidation',
      'deleveraged against',
      'pledge of a loan released',
      'coins sold for a debt',
      'loan closed by force',
      'coins sold for a debt',
    ]);
    const [begins, closed, against, released, sold, forced, soldAgain] = steps as [
      Moment,
      Moment,
      Moment,
      Moment,
      Moment,
      Moment,
      Moment,
    ];
    // 2 000 less 10 000 against 0.4 % and 0.06 % of 50 000, and 5 % of a debt of 8 000 in a coin that nobody lends.
    assert.deepEqual(begins.facts, {
      equity: '-8000',
      maintenance: '630',
      ratio: 'above every bound',
      liquidationRatio: '100 %',
      lacks: '8630.00000001 USD',
    });
    assert.deepEqual(
      [begins.rule, begins.bound, begins.rightWouldBe],
      ['rules 6.4', 'a margin ratio below 100 %', 'at least 8630.00000001 USD more of collateral value'],
    );
    // A forced close of the loan would sell 9 000.03141 * 1.02 / 3 000 = 3.06001068 ETH; 1.93998932 at 0.95 * 3 000 are
    // 5 528.969562, with 2 000 behind the long: (60 000 - 7 528.969562) / 0.9994 -> 52 502.6. W = 50 000 * (1 - 0.0046).
    const { marginBehind, bankruptcyPrice, reach, price, fee } = closed.facts;
    assert.deepEqual(
      [marginBehind, bankruptcyPrice, reach, price, fee],
      ['7528.969562 USDT', '52502.6', '49770', '52502.6', '31.50156 USDT'],
    );
    assert.deepEqual(
      [closed.rule, closed.bound],
      ['rules 5.9', 'at least 49770; beyond 52502.6 what the fund pays, at most 0 USDT'],
    );
    assert.deepEqual(
      [against.facts.price, against.rule, against.bound],
      [
        '52502.6',
        'rules 5.11',
        'what the book does not take, at 52502.6 or 49770, whichever is better for the account',
      ],
    );
    // 5 528.90156 are owed. 9 000.03141 / (0.75 * 3 000) = 4.00001396 and a unit must stay.
    assert.deepEqual(released.facts, {
      loan: released.facts.loan,
      amount: '0.99998603 ETH',
      rateBefore: '60 %',
      rateAfter: '75 %',
      supplementRate: '75 %',
    });
    assert.deepEqual(
      [released.rule, released.bound, released.rightWouldBe],
      [
        'rules 17.1',
        'what is still owed, and a pledge rate below 75 %',
        '0.99998603 ETH more in the unified account, or as much in the funding wallet',
      ],
    );
    // 0.99998603 * 3 000 * 0.999
    assert.deepEqual(sold.facts, { sold: '0.99998603 ETH', repaid: '2996.95813191 USDT' });
    assert.deepEqual(
      [sold.rule, sold.rightWouldBe],
      ['rules 6.8', '2996.95813191 USDT more in the unified account'],
    );
    assert.deepEqual(forced.facts, {
      loan: released.facts.loan,
      pledgeRate: '75 %',
      supplementRate: '75 %',
      forceRate: '83 %',
      price: '3000',
      sold: '3.06001068 ETH',
      repaid: '9000.03141 USDT',
      fee: '180.0006282 USDT',
      // 5 - 0.99998603 - 3.06001068
      released: '0.94000329 ETH',
    });
    assert.deepEqual(
      [forced.rule, forced.bound],
      [
        'rules 17.1',
        'only what is not needed for 9000.03141 USDT of debt and 180.0006282 USDT of fee comes back',
      ],
    );
    // The rest of the debt / 3 000 / 0.999; 0.09517732 ETH are left to ann.
    assert.deepEqual(soldAgain.facts, { sold: '0.84482597 ETH', repaid: '2531.94342809 USDT' });
    assert.deepEqual([floor.cash('ann', 'USDT'), floor.cash('ann', 'ETH')], ['0', '0.09517732']);
  });

  it('a loan that can spare enough goes on', () => {
    const floor = crash('20');
    const steps = stepsOf(liquidationOf(floor, 'ann'));
    assert.deepEqual(what(steps).slice(3), ['pledge of a loan released', 'coins sold for a debt']);
    // Bankruptcy is beyond W: ann closes at 49 770 and lacks 10 230 + 29.862 - 2 000 = 8 259.862, / 3 000 / 0.999.
    const { amount, rateBefore, rateAfter } = steps[3]!.facts;
    assert.deepEqual([amount, rateBefore, rateAfter], ['2.75604338 ETH', '15 %', '17.4 %']);
    assert.deepEqual(steps[4]!.facts, { sold: '2.75604338 ETH', repaid: '8259.862 USDT' });
  });

  it('the funding wallet pays before pledges do', () => {
    const floor = crash('20', (each) => each.fund('ann', '8000', 'USDT'));
    const steps = stepsOf(liquidationOf(floor, 'ann'));
    assert.deepEqual(what(steps).slice(3), [
      'taken from the funding wallet for a debt',
      'pledge of a loan released',
      'coins sold for a debt',
    ]);
    assert.deepEqual(
      [steps[3]!.facts.amount, steps[3]!.rule, steps[3]!.bound],
      ['8000 USDT', 'rules 16.2', 'what is still owed'],
    );
    // 259.862 / 3 000 / 0.999
    assert.equal(steps[4]!.facts.amount, '0.08670738 ETH');
  });

  it('what an isolated order holds stands behind a position, and is cash when the order is cancelled', () => {
    const floor = crash('5', (each) => {
      each.isolate('ann', 'BTCUSD');
      each.index('60000', 'BTCUSD');
      each.leverage('ann', 1, 'BTCUSD');
      each.deposit('ann', '0.01', 'BTC');
      const order = each.buy('ann', '0.009', '58000', { on: 'BTCUSD', category: 'COIN-FUTURES' });
      assert.equal(order.stands, 'new 0/0.009');
      each.index('50000', 'BTCUSD');
    });
    const [begins, cancelled, sold] = stepsOf(liquidationOf(floor, 'ann')) as [Moment, Moment, Moment];
    assert.equal(begins.what, 'liquidation of the account begins');
    assert.deepEqual(
      [cancelled.what, cancelled.facts.cancelReason, cancelled.rule, cancelled.bound],
      ['order cancelled', 'burst_cancel', 'rules 5.9 number 1', 'no open order'],
    );
    // All of the 0.01 BTC, of which the order held 0.009 * (1 + 2 * 0.0006): * 50 000 * 0.999.
    assert.deepEqual(sold.facts, { sold: '0.01 BTC', repaid: '499.5 USDT' });
  });

  it('a loan that reaches its level is closed by force without a liquidation of the account', () => {
    const floor = new LoanFloor();
    floor.trader('ann', { ETH: '5' });
    floor.index('3000', 'ETHUSD');
    floor.borrow('ann', { loan: '9000 USDT', pledge: 'ETH' });
    // 9 000.03141 / (5 * 2 168) = 83.03 %
    floor.index('2168', 'ETHUSD');
    const explained = liquidationOf(floor, 'ann');
    assert.deepEqual([explained.verdict, explained.command.type], ['loan closed by force', 'tick']);
    const [moment, ...more] = explained.timeline.filter((each) => each.rule !== undefined);
    assert.deepEqual(more, []);
    const { pledgeRate, sold, released } = moment!.facts;
    // 9 180.0320382 / 2 168
    assert.deepEqual([pledgeRate, sold, released], ['83.03 %', '4.23433213 ETH', '0.76566787 ETH']);
    assert.deepEqual(
      [moment!.rule, moment!.bound, moment!.rightWouldBe],
      ['rules 7.5', 'a pledge rate below 83 %', 'more pledge, or a smaller debt, when the rate was at 75 %'],
    );
  });
});

// Against the oracle

const ANN = 1;
const ONE = 10n ** 8n;
type Coins = Readonly<Record<number, bigint>>;

/** Loans of USDT for pledges of a coin, whose money leaves at once. */
function borrowed(scene: Scene, loans: readonly (readonly [bigint, number])[]): void {
  for (const [loan, coin] of loans) {
    assert.equal(scene.borrow(ANN, { loan }, coin), RejectReason.none);
    const left = { uid: ANN, coin: USDT, amount: loan, reference: `${scene.log.length}` };
    assert.equal(scene.send({ type: 'withdraw', time: scene.time, ...left }), RejectReason.none);
  }
}

/** Ann is long against the maker and owes her loans, and the price falls through all she has. */
function falls(coins: Coins, loans: readonly (readonly [bigint, number])[], to: number): Explanation {
  const scene = new Scene({ [ANN]: coins });
  borrowed(scene, loans);
  scene.leverage(ANN, 0, 100);
  scene.quote(0, 400_000);
  const buy = scene.limit(ANN, Side.buy, scene.mark(0) + 3, 12_345);
  assert.equal(scene.send(buy), RejectReason.none);
  scene.send({ ...deposit(ANN, USDT, 12n * ONE + 5n), wallet: Wallet.funding } as Command);
  scene.quote(0, 1);
  scene.price(to);
  return assertLiquidation(scene, ANN);
}

const named = ({ timeline }: Explanation, name: string) => timeline.filter((moment) => moment.what === name);

test('several loans spare what they can, the oldest first, and are closed in the order of payments', () => {
  const explained = falls(
    { [USDT]: 3_000n * ONE + 1n, [ETH]: (ONE * 53n) / 10n + 7n, [BTC]: (ONE * 7n) / 50n + 3n },
    [
      [7_777n * ONE + 3n, ETH],
      [2_345n * ONE + 1n, ETH],
      [5_432n * ONE + 9n, BTC],
    ],
    50_500,
  );
  assert.equal(named(explained, 'taken from the funding wallet for a debt').length, 1);
  // That of BTC has been asked for more and can spare nothing.
  assert.equal(named(explained, 'notice: the pledge should be supplemented').length, 1);
  assert.equal(named(explained, 'pledge of a loan released').length, 2);
  const forced = named(explained, 'loan closed by force').map(({ facts }) => facts.released!.split(' ')[1]);
  assert.deepEqual(forced, ['BTC', 'ETH', 'ETH']);
});

test('the debt in the coin of a pledge is paid with it, and nothing is sold', () => {
  const scene = new Scene({ [ANN]: { [USDT]: 100n * ONE, [BTC]: ONE / 2n } });
  borrowed(scene, [[9_876n * ONE + 5n, BTC]]);
  scene.leverage(ANN, 1, 50);
  scene.quote(1, 400_000);
  scene.send(scene.limit(ANN, Side.buy, scene.mark(1) + 3, 30_000, 1));
  scene.quote(1, 1);
  scene.price(54_000);
  const explained = assertLiquidation(scene, ANN);
  const [released] = named(explained, 'pledge of a loan released');
  assert.match(released!.facts.amount!, / BTC$/);
});

// Loans that are asked for, changed and repaid

const priceOf = (scene: Scene, coin: string): Q =>
  coinOf(scene.log.findLast(({ after }) => after)!.after!, coin).price;
const lastExplained = (scene: Scene): Explanation => scene.explain(scene.log.length);

for (const [words, amounts, reason, bound] of [
  ['a loan too small', { loan: 99n * ONE }, RejectReason.loanTooSmall, 'loan'],
  ['a loan too large', { loan: 1_000_001n * ONE }, RejectReason.loanTooLarge, 'loan'],
  ['a loan too large for what is pledged', { pledge: 600n * ONE + 1n }, RejectReason.loanTooLarge, 'loan'],
  ['a pledge too large', { loan: 700_000n * ONE + 7n }, RejectReason.pledgeTooLarge, 'pledge'],
] as const)
  test(`${words} is refused with both amounts, their prices and the bound`, () => {
    const scene = new Scene({ [ANN]: { [ETH]: 1_000n * ONE } });
    assert.equal(scene.borrow(ANN, amounts), reason);
    const [usdt, eth] = [priceOf(scene, 'USDT'), priceOf(scene, 'ETH')];
    const rate = Q.of(PLEDGE.initRate);
    const given = (units: bigint) => new Q(units, ONE);
    // Rules 7.2: a pledge `ceil`, a loan `floor`.
    const [loan, pledge] =
      'loan' in amounts
        ? [given(amounts.loan), given(amounts.loan).times(usdt).over(rate.times(eth)).ceil(8)]
        : [given(amounts.pledge).times(eth).times(rate).over(usdt).floor(8), given(amounts.pledge)];
    const { inputs, bound: shown, rule, rightWouldBe } = lastExplained(scene).checks[0]!;
    assert.deepEqual(inputs, {
      loan: `${String(loan)} USDT`,
      pledge: `${String(pledge)} ETH`,
      initialRate: '65 %',
      loanPrice: `${String(usdt)} USD`,
      pledgePrice: `${String(eth)} USD`,
    });
    const [coin, price] = bound === 'loan' ? ['USDT', usdt] : ['ETH', eth];
    const least = Q.of(PLEDGE.minUsdt).times(usdt).over(price).ceil(8);
    const most = Q.of(PLEDGE.maxUsdt).times(usdt).over(price).floor(8);
    assert.deepEqual([rule, shown], ['rules 7.2', `${String(least)} ${coin} to ${String(most)} ${coin}`]);
    const small = reason === RejectReason.loanTooSmall;
    assert.equal(
      rightWouldBe,
      small ? `at least ${String(least)} ${coin}` : `at most ${String(most)} ${coin}`,
    );
  });

test('a loan from its beginning to its end, with a pledge that is asked back too early', () => {
  const scene = new Scene({ [ANN]: { [ETH]: 20n * ONE + 3n, [USDT]: 1_000n * ONE } });
  const loan = 9_000n * ONE + 1n;
  assert.equal(scene.borrow(ANN, { loan }), RejectReason.none);
  const begun = scene.log.at(-1)!;
  const facts = begun.after!;
  const [owed] = facts.loans;
  const id = owed!.id;
  const explained = lastExplained(scene);
  assert.deepEqual(
    explained.timeline.map((moment) => [moment.what, moment.facts]),
    [
      [
        'loan paid out',
        {
          loan: id,
          lent: '9000.00000001 USDT',
          pledged: `${String(pledgeNeeded(facts, { ...owed!, startedHours: 0n }, owed!.rates.init))} ETH`,
        },
      ],
    ],
  );
  assertPostings(explained, ANN, begun.before!, begun.after!);
  const revise = (into: boolean, amount: bigint) =>
    scene.send({
      type: 'loanRevise',
      time: scene.time,
      uid: ANN,
      loanId: parseOrderId(id)!,
      pledgeCoin: ETH,
      into,
      amount,
    });
  assert.equal(revise(true, 2n * ONE + 9n), RejectReason.none);
  const added = scene.log.at(-1)!;
  assert.deepEqual(lastExplained(scene).timeline[0]!.facts, {
    loan: id,
    amount: '2.00000009 ETH',
    rateBefore: rateText(added.before!, added.before!.loans[0]!),
    rateAfter: rateText(added.after!, added.after!.loans[0]!),
    supplementRate: '75 %',
  });
  // What the first rate does not need may be taken out, and not a unit more.
  for (let minutes = 0; minutes < 60; minutes += 5) {
    scene.time += 5 * 60_000;
    // A feed that says the same for long is dead (rules 13.6).
    scene.tell('ETHUSD', 3_000n * ONE + BigInt(minutes));
    scene.tell('USDTUSD', 99_870_000n + BigInt(minutes));
    scene.price(60_000);
  }
  const now = factsOf(scene.exchange, ANN);
  const [held] = now.loans;
  const free = held!.pledged.minus(pledgeNeeded(now, held!, held!.rates.init));
  const units = BigInt(String(free.times(new Q(ONE))));
  assert.equal(revise(false, units + 1n), RejectReason.pledgeNeeded);
  const check = lastExplained(scene).checks[0]!;
  assert.deepEqual(check.inputs, {
    asked: `${String(free.plus(new Q(1n, ONE)))} ETH`,
    debt: `${String(owedOf(held!))} USDT`,
    pledge: `${String(held!.pledged)} ETH`,
    initialRate: '65 %',
    free: `${String(free)} ETH`,
  });
  assert.deepEqual(
    [check.rule, check.bound, check.rightWouldBe],
    ['rules 7.4', `at most ${String(free)} ETH`, `at most ${String(free)} ETH`],
  );
  assert.equal(revise(false, units), RejectReason.none);
  const repay = {
    loanId: parseOrderId(id)!,
    fromPledge: false,
    all: true,
    amount: 0n,
    unlock: false,
  };
  assert.equal(scene.send({ type: 'loanRepay', time: scene.time, uid: ANN, ...repay }), RejectReason.none);
  const { before, after } = scene.log.at(-1)!;
  const ended = lastExplained(scene);
  const [last] = before!.loans;
  assert.deepEqual(
    ended.timeline.map((moment) => moment.what),
    ['loan repaid', 'loan ended'],
  );
  assert.deepEqual(ended.timeline[0]!.facts, {
    loan: id,
    interest: `${String(owedOf(last!).minus(last!.principal))} USDT`,
    principal: '9000.00000001 USDT',
    released: `${String(last!.pledged)} ETH`,
  });
  assertPostings(ended, ANN, before!, after!);
  assert.deepEqual(after!.loans, []);
});

// Over HTTP and by the command

/** ETH that nobody prices are owed for a pledge of USDT; BTC bought with borrowed money fall to 33 000. */
async function openDebt(bourse: Bourse): Promise<void> {
  const [ann, maker] = [bourse.account('ann'), bourse.account('maker')];
  const trade = async (
    symbol: string,
    side: 'buy' | 'sell',
    qty: string,
    price: string,
    category: string,
  ) => {
    const order = { symbol, orderType: 'limit', qty, price } as const;
    const other = side === 'buy' ? 'sell' : 'buy';
    await maker.place({ ...order, category: 'SPOT', side: other } as never);
    await ann.place({ ...order, category, side } as never);
  };
  const client = new SignedClient(bourse.url, { ...ann, uid: Number(ann.uid) });
  const { status, text } = await client.post('/api/v3/loan/borrow', {
    loanCoin: 'ETH',
    pledgeCoin: 'USDT',
    daily: 'FLEXIBLE',
    loanAmount: '2',
  });
  assert.equal(status, 200, text);
  await trade('ETHUSDT', 'sell', '2', '3000', 'SPOT');
  await trade('BTCUSDT', 'buy', '1', '60000', 'MARGIN');
  await bourse.fault({ do: { stale: 'ETH', seconds: 1_200 } });
  await bourse.advance('16m');
  await bourse.price('BTCUSDT', '33000');
  await bourse.advance('2s');
}

describe('a liquidation that only takes of a pledge', () => {
  it('is found by the route, by the testkit and by the command', async () => {
    const data = temporaryDirectory();
    await using bourse = await startBourse({
      data,
      instruments: ['SPOT:BTCUSDT', 'MARGIN:BTCUSDT', 'SPOT:ETHUSDT'],
      prices: { BTCUSDT: '60000', ETHUSDT: '3000' },
      accounts: { ann: { USDT: '30000' }, maker: { USDT: '1000000', BTC: '10', ETH: '10' } },
    });
    await openDebt(bourse);
    const first = await bourse.explain({ liquidation: 'ann' });
    // 30 000 less a pledge of 2 * 3 000 / 0.65 and 60 000, and 6 000 less 0.1 % for the ETH; 0.999 BTC have brought 32 934.033.
    const left = first.timeline.find((moment) => moment.what === 'a debt is left')!;
    assert.deepEqual([left.facts.owed, left.rule], ['302.73623077 USDT', 'rules 13.7']);
    assert.equal((await bourse.account('ann').balances()).USDT, '-302.73623077');
    // The price of ETH is told again: the pledge pays, and nothing else happens.
    await bourse.advance('5m');
    await bourse.price('ETHUSDT', '3000');
    await bourse.advance('2s');
    assert.equal((await bourse.account('ann').balances()).USDT, '0');
    const explained = await bourse.explain({ liquidation: 'ann' });
    assert.ok(explained.command.seq > first.command.seq);
    assert.equal(explained.verdict, 'liquidated');
    const [begins, released, ...more] = explained.timeline.filter(({ rule }) => rule !== undefined);
    assert.deepEqual([begins!.what, more], ['liquidation of the account begins', []]);
    assert.deepEqual(
      [released!.what, released!.rule, released!.facts.amount],
      ['pledge of a loan released', 'rules 17.1', '302.73623077 USDT'],
    );
    assert.deepEqual(explained.matches, []);
    const answered = await fetch(`${bourse.operatorUrl}/lab/explain?liquidation=ann`, {
      headers: { authorization: `Bearer ${bourse.operatorToken}` },
    });
    const { command: asked, timeline } = (await answered.json()) as Explanation;
    assert.deepEqual([asked.seq, timeline], [explained.command.seq, explained.timeline]);
    const { code, stdout, stderr } = await command([
      'lab',
      'explain',
      '--liquidation',
      'ann',
      '--data',
      data,
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /pledge of a loan released: .*amount 302\.73623077 USDT/);
    assert.match(stdout, /rules 17\.1: what is still owed, and a pledge rate below 75 %; right would be 302/);
    assert.match(stdout, /docs\/spec\/rules\.md: rules 17\.1/);
  });
});
