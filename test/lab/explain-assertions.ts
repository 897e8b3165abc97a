/** Explanations against the oracle: the margin of an account, the checks of an order, what fills are charged. */
import assert from 'node:assert/strict';
import type { MarginView } from '../../src/core/explain/margin-terms.ts';
import type { Check } from '../../src/core/explain/rejections.ts';
import type { Explanation } from '../../src/lab/explain/explanation.ts';
import {
  type AccountFacts,
  type Added,
  abs,
  type ContractFacts,
  coinOf,
  contractOf,
  filledPosition,
  isAccepted,
  isAffordable,
  isolatedMargin,
  isTooNear,
  isZero,
  liquidationLevel,
  maintenanceOfOrder,
  marginOf,
  percent,
  ratioWith,
  reserveOf,
} from './explain-oracle.ts';
import { STEP } from './explain-scene.ts';
import { closes, settled } from './explain-settlement.ts';
import { Q, sumOf } from './rational.ts';

const ratioText = (maintenance: Q, of: Q): string => (isZero(maintenance) ? '0 %' : percent(maintenance, of));

const texts = (facts: Readonly<Record<string, Q>>): Record<string, string> =>
  Object.fromEntries(Object.entries(facts).map(([name, amount]) => [name, String(amount)]));

/** With the order that is considered, where there is one. */
export function assertMargin(shown: MarginView, facts: AccountFacts, added?: Added): void {
  const oracle = marginOf(facts, added);
  const { equity, effective, initial, maintenance } = oracle;
  assert.deepEqual(
    [shown.equity, shown.effective, shown.initial, shown.maintenance],
    [equity, effective, initial, maintenance].map(String),
  );
  assert.equal(shown.ratio, ratioText(maintenance, effective));
  assert.equal(shown.liquidationRatio, percent(liquidationLevel(facts), Q.of('1')));
  const expected = [
    ...oracle.coins.map(({ name, usd, balance, unrealised, price, counted }) => [
      'equity',
      name,
      String(usd),
      texts({ balance, unrealised, price, counted }),
    ]),
    ...oracle.debts.flatMap(({ name, owed, rate, ...debt }) => {
      const { price, debt: terms } = coinOf(facts, name);
      const { leverage } = terms;
      const inputs = texts({ owed, toBorrow: Q.zero, price, leverage });
      return [
        ['initial', `debt of ${name}`, String(debt.initial), inputs],
        ['maintenance', `debt of ${name}`, String(debt.maintenance), texts({ owed, price, rate })],
      ];
    }),
    ...oracle.contracts.flatMap((contract) => contractTerms(facts, contract)),
  ];
  const key = ([of, what]: readonly unknown[]) => `${String(of)} ${String(what)}`;
  const sorted = (terms: readonly (readonly unknown[])[]) =>
    [...terms].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  assert.deepEqual(
    sorted(shown.terms.map(({ of, what, usd, inputs }) => [of, what, usd, inputs])),
    sorted(expected),
  );
  assert.deepEqual(
    shown.isolated.map((position) => ({ ...position })),
    facts.contracts.filter(({ isolated, size }) => isolated && !isZero(size)).map(isolatedView),
  );
}

function contractTerms(
  facts: AccountFacts,
  { name, parts, initial, maintenance, notional, tierRate }: ReturnType<typeof marginOf>['contracts'][number],
) {
  const { size, mark, leverage, quote, terms } = contractOf(facts, name);
  const { price } = coinOf(facts, quote);
  const inputs = texts({
    long: size.max(Q.zero),
    short: Q.zero.minus(size).max(Q.zero),
    mark,
    buyOrders: parts.buys,
    sellOrders: parts.sells,
    largestSide: parts.most,
    leverage,
    byLeverage: parts.byLeverage,
    fees: parts.fees,
    lossIfFilled: parts.loss,
    price,
  });
  const kept = texts({ size: abs(size), mark, notional, tierRate, closingFeeRate: terms.takerFee, price });
  return [
    ['initial', name, String(initial), inputs],
    ...(isZero(size) ? [] : [['maintenance', name, String(maintenance), kept]]),
  ];
}

function isolatedView(contract: ContractFacts) {
  const [category, symbol] = contract.name.split(' ');
  const { size, mark } = contract;
  const { margin, unrealised, equity, maintenance } = isolatedMargin(contract);
  return {
    symbol,
    category,
    side: size.compare(Q.zero) > 0 ? 'long' : 'short',
    inputs: texts({ size: abs(size), mark, margin, unrealised }),
    ...texts({ equity, maintenance }),
    ratio: percent(maintenance, equity),
  };
}

const usd = (amount: Q): string => `${String(amount)} USD`;

/** The two checks of an order that opens, refused or passed, and what is advised instead. */
export function assertChecks(explained: Explanation, facts: AccountFacts, added: Added): void {
  const { isolated } = contractOf(facts, added.to);
  assertMargin(explained.margin!, facts, isolated ? undefined : added);
  const [covered, far] = ['equity covers the initial margin', 'a fill leaves the account far enough'].map(
    (words) => explained.checks.find(({ check }) => check.startsWith(words))!,
  );
  assertCovered(covered!, facts, added);
  if (far!.verdict !== 'not reached') assertFar(far!, facts, added);
  const refused = [covered!, far!].find(({ verdict }) => verdict === 'refused');
  if (refused !== undefined) assertAdvice(refused.rightWouldBe!, facts, added);
  assert.equal(refused === undefined, isAccepted(facts, added));
}

function assertCovered({ inputs, verdict }: Check, facts: AccountFacts, added: Added): void {
  const { leverage, isolated, settle } = contractOf(facts, added.to);
  const { price, qty } = added.order;
  const before = marginOf(facts);
  const free = before.effective.minus(before.initial);
  const shared = {
    ...texts({ qty, price, value: price.times(qty), leverage }),
    equity: usd(before.effective),
    initialBefore: usd(before.initial),
    free: usd(free),
  };
  if (!isolated) {
    const initialWith = usd(marginOf(facts, added).initial);
    const available = verdict === 'refused' ? { available: usd(free.max(Q.zero)) } : {};
    assert.deepEqual(inputs, { ...shared, initialWith, ...available });
    return;
  }
  const coin = coinOf(facts, settle);
  const needs = reserveOf(facts, added);
  assert.deepEqual(inputs, {
    ...shared,
    needs: `${String(needs)} ${settle}`,
    needsWorth: usd(needs.times(coin.price).ceil(8)),
    cash: `${String(coin.cash)} ${settle}`,
  });
  assert.equal(verdict === 'passed', isAffordable(facts, added));
}

function assertFar({ inputs, verdict }: Check, facts: AccountFacts, added: Added): void {
  const { isolated, quote } = contractOf(facts, added.to);
  if (isolated) {
    const { margin, unrealised, maintenance, equity } = filledPosition(facts, added);
    const of = (amount: Q) => `${String(amount)} ${quote}`;
    assert.deepEqual(inputs, {
      marginWith: of(margin),
      unrealisedWith: of(unrealised),
      maintenanceWith: of(maintenance),
      ratioWith: percent(maintenance, equity),
    });
    assert.equal(verdict === 'refused', isTooNear(facts, added));
    return;
  }
  const after = marginOf(facts, added);
  const more = maintenanceOfOrder(facts, added);
  assert.deepEqual(inputs, {
    equity: usd(after.effective),
    maintenance: usd(after.maintenance),
    maintenanceOfTheOrder: usd(more),
    ratioWith: percent(after.maintenance.plus(more), after.effective),
  });
  if (verdict === 'refused') assert.ok(ratioWith(facts, added).compare(Q.of('0.9')) >= 0);
}

/** The largest quantity, and the lowest leverage that would do. */
function assertAdvice(advice: string, facts: AccountFacts, added: Added): void {
  const fits = (qty: Q) => isAccepted(facts, { ...added, order: { ...added.order, qty } });
  const most = /a quantity of at most ([\d.]+)/.exec(advice)?.[1];
  if (most === undefined) assert.equal(fits(STEP), false, advice);
  else {
    assert.equal(fits(Q.of(most)), true, advice);
    assert.equal(fits(Q.of(most).plus(STEP)), false, advice);
  }
  const sufficient = /leverage (\d+)/.exec(advice)?.[1];
  if (sufficient === undefined) return;
  const passes = (leverage: bigint) => isAccepted(atLeverage(facts, added.to, new Q(leverage)), added);
  assert.equal(passes(BigInt(sufficient)), true, advice);
  for (let lower = contractOf(facts, added.to).leverage.n + 1n; lower < BigInt(sufficient); lower++)
    assert.equal(passes(lower), false, `${advice}, not ${lower}`);
}

function atLeverage(facts: AccountFacts, name: string, leverage: Q): AccountFacts {
  const contracts = facts.contracts.map((each) => (each.name === name ? { ...each, leverage } : each));
  return { ...facts, contracts };
}

/** Values, fees and profits of an account's fills, and what they leave of its money. Returns how many there were. */
export function assertFills(
  explained: Explanation,
  uid: number,
  before: AccountFacts,
  after: AccountFacts,
): number {
  const own = explained.matches.filter(({ taker, maker }) => [taker, maker].includes(String(uid)));
  let facts = before;
  for (const match of own) {
    const to = `${match.category} ${match.symbol}`;
    const price = Q.of(match.price);
    assert.equal(match.value, String(price.times(Q.of(match.qty))));
    const taking = match.taker === String(uid);
    const buy = (match.side === 'buy') === taking;
    let left = Q.of(match.qty);
    for (const part of match.fees.filter(({ of }) => of === (taking ? 'taker' : 'maker'))) {
      const contract = contractOf(facts, to);
      const closing = closes(contract, buy);
      const qty = closing ? left.min(abs(contract.size)) : left;
      const { takerFee, makerFee } = contract.terms;
      const rate = taking ? takerFee : makerFee;
      const outcome = settled(facts, { to, buy, qty, price, rate, forced: false });
      assert.deepEqual(
        [part.fee, part.coin, part.profit],
        [String(outcome.fee), contract.settle, outcome.profit && String(outcome.profit)],
        JSON.stringify(match),
      );
      facts = outcome.facts;
      left = left.minus(qty);
    }
    assert.equal(left.compare(Q.zero), 0, 'every part of a fill has its fee');
  }
  assertSame(facts, after);
  assertPostings(explained, uid, before, after);
  return own.length;
}

/** Money by coin, with what orders of isolated positions hold, and positions with their margin. */
export function assertSame(computed: AccountFacts, found: AccountFacts): void {
  const view = ({ coins, contracts, loans }: AccountFacts) => ({
    ...Object.fromEntries(
      [...coins]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, cash, held, aside }) => [name, [cash.plus(held), aside].map(String)]),
    ),
    ...Object.fromEntries(
      contracts.map(({ name, size, basis, margin }) => [name, [size, basis, margin].map(String)]),
    ),
    ...Object.fromEntries(
      loans.map(({ id, principal, pledged }) => [`loan ${id}`, [principal, pledged].map(String)]),
    ),
  });
  assert.deepEqual(view(computed), view(found));
}

/** Postings lead from each bucket of the account before to the same after it. */
export function assertPostings(
  { postings }: Explanation,
  uid: number,
  before: AccountFacts,
  after: AccountFacts,
): void {
  const isolatedIn = ({ contracts }: AccountFacts, coin: string) =>
    sumOf(contracts.filter(({ settle }) => settle === coin).map(({ margin }) => margin));
  for (const { name } of before.coins) {
    const buckets = {
      cash: (facts: AccountFacts) => coinOf(facts, name).cash,
      isolatedOrders: (facts: AccountFacts) => coinOf(facts, name).held,
      funding: (facts: AccountFacts) => coinOf(facts, name).aside,
      isolated: (facts: AccountFacts) => isolatedIn(facts, name),
      pledge: ({ loans }: AccountFacts) =>
        sumOf(loans.filter(({ pledge }) => pledge === name).map(({ pledged }) => pledged)),
    };
    for (const [bucket, of] of Object.entries(buckets)) {
      const cell = `${uid} ${bucket}`;
      let balance = of(before);
      for (const { from, to, coin, amount, fromBalance, toBalance } of postings) {
        if (coin !== name || (from !== cell && to !== cell)) continue;
        balance = from === cell ? balance.minus(Q.of(amount)) : balance.plus(Q.of(amount));
        assert.equal(from === cell ? fromBalance : toBalance, String(balance), `${cell} ${coin}`);
      }
      assert.equal(String(balance), String(of(after)), `${cell} ${name}`);
    }
  }
}
