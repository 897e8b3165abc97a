/** The steps of a liquidation, one after the other, computed from the facts of its account (rules 5.9, 6.8, 13.7, 16.2, 17.1). */
import assert from 'node:assert/strict';
import type { Moment } from '../../src/lab/explain/explanation.ts';
import { assertSame } from './explain-assertions.ts';
import { afterPayment, budgetsOf, type FundFacts } from './explain-funds.ts';
import {
  type AccountFacts,
  abs,
  bankruptcyPrice,
  bearablePrice,
  type CoinFacts,
  type ContractFacts,
  coinOf,
  contractOf,
  equityIn,
  isDue,
  isolatedMargin,
  isZero,
  lackingAt,
  liquidationLevel,
  marginBehind,
  marginOf,
  negative,
  percent,
  reachOf,
} from './explain-oracle.ts';
import { forcedLoan, givenBack, owedOf, rateText, spareOf } from './explain-pledges.ts';
import { CONTRACTS, type fundsOf } from './explain-scene.ts';
import {
  afterConversion,
  type Conversion,
  conversionsFor,
  type DirectPrices,
  debtsInOrder,
  forcedConversion,
  paymentsInOrder,
  settled,
  withCash,
  withCoin,
} from './explain-settlement.ts';
import { Q, sumOf } from './rational.ts';

export type Funds = ReturnType<typeof fundsOf>;

const BEGUN = /^liquidation of (?:the account|the isolated (?:long|short) in (\w+)) begins$/;
const CUT = 'position cut by tiers';
const CLOSED: ReadonlySet<string> = new Set(['position closed by liquidation', CUT]);

/** One forced order: what its position had behind it when it began, and what its fills have lacked so far. */
interface Close {
  readonly to: string;
  readonly orderId: string;
  readonly position: ContractFacts;
  readonly margin: Q;
  lacking: Q;
  /** The same before the last fill. */
  before: Q;
  /** What the fund is to pay next. */
  due: Q;
  /** What it leaves of the position. */
  readonly keep: Q;
  /** What the fund may lose by it and has lost so far, less what it has got; unknown when others have been closed too. */
  readonly budget: ReturnType<typeof budgetsOf> | undefined;
  outflow: Q;
}

/** The largest size whose notional is within the tier two below (rules 5.9 step 5). */
function cutTo({ size, mark, terms: { tiers } }: ContractFacts): Q {
  const notional = abs(size).times(mark);
  const tier = tiers.findIndex(({ upTo }) => notional.compare(upTo) <= 0);
  assert.ok(tier >= 2, 'positions of the first two tiers are not cut');
  return tiers[tier - 2]!.upTo.over(mark).floor(4);
}

const RELEASED = 'pledge of a loan released';
const UNIT = new Q(1n, 10n ** 8n);
const FUNDS: ReadonlyMap<string, 'futures' | 'lending'> = new Map([
  ['sys:insurance', 'futures'],
  ['sys:insurance-lending', 'lending'],
]);

function assertIncludes(shown: Moment['facts'], expected: Readonly<Record<string, string>>): void {
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, shown[name]])), expected);
}

/** The account, step by step; each moment is compared with what the rules make of the account as it is then. */
export class LiquidationWalk {
  facts: AccountFacts;
  readonly #direct: DirectPrices;
  readonly #paid = new Map<string, Q>();
  #close: Close | undefined;
  /** Conversions that are to come, once the first of them has been seen. */
  #conversions: Conversion[] | undefined;
  #crossed = false;
  /** What pledges are released for: a sale, or a debt in the same coin. */
  #releasing: { readonly coin: string; left: Q; readonly sale: Conversion | undefined } | undefined;
  readonly #funds: Record<'futures' | 'lending', Map<string, FundFacts>> | undefined;

  /** The other side of a deleveraging, where it may be unable to bear the price. */
  readonly #counterparty: AccountFacts | undefined;

  constructor(
    facts: AccountFacts,
    direct: DirectPrices,
    funds: Funds | undefined,
    counterparty?: AccountFacts,
  ) {
    this.facts = facts;
    this.#counterparty = counterparty;
    this.#direct = direct;
    const byCoin = (all: readonly FundFacts[]) => new Map(all.map((fund) => [fund.coin, fund]));
    this.#funds = funds && { futures: byCoin(funds.futures), lending: byCoin(funds.lending) };
  }

  #changeFund(which: 'futures' | 'lending', coin: string, change: (fund: FundFacts) => FundFacts): void {
    this.#funds?.[which].set(coin, change(this.#funds[which].get(coin)!));
  }

  take({ what, facts }: Moment): void {
    if (what !== 'coins sold for a debt') {
      if (this.#releasing === undefined)
        assert.deepEqual(this.#conversions ?? [], [], 'more coins were to be sold');
      this.#conversions = undefined;
    }
    if (what !== RELEASED) this.#endRelease();
    if (BEGUN.test(what)) this.#begin(BEGUN.exec(what)![1], facts);
    else if (CLOSED.has(what)) this.#fill(facts, what === CUT);
    else if (what === 'coins sold for a debt') this.#sell(facts);
    else if (what.startsWith('taken from')) this.#takeAside(facts);
    else if (what.startsWith('the insurance fund')) this.#fund(facts);
    else if (what === 'deleveraged against') this.#deleveraged(facts);
    else if (what === RELEASED) this.#release(facts);
    else if (what === 'loan closed by force') this.#closeLoan(facts);
    else if (what === 'a debt is left') this.#debtLeft(facts);
    else if (what === 'a loss that nobody pays is owed') this.#lossOwed(facts);
    else if (what.startsWith('notice: the pledge')) this.#notice(facts);
    else if (what.startsWith('who paid')) this.#payers(facts);
    else assert.match(what, /^order |^position ended|^warning/);
  }

  end(after: AccountFacts): void {
    assert.deepEqual(this.#conversions ?? [], [], 'more coins were to be sold');
    this.#endRelease();
    this.#endClose();
    if (this.#crossed && isDue(this.facts)) assert.deepEqual(this.#salesNow(), [], 'coins were left');
    assertSame(this.facts, after);
  }

  #begin(symbol: string | undefined, shown: Moment['facts']): void {
    const isolated = this.facts.contracts.find(({ name }) => name.endsWith(` ${symbol}`));
    const { equity, maintenance } =
      isolated === undefined
        ? { ...marginOf(this.facts), equity: marginOf(this.facts).effective }
        : isolatedMargin(isolated);
    const level = isolated === undefined ? liquidationLevel(this.facts) : Q.of('1');
    const lacks = maintenance.over(level).floor(8).plus(UNIT).minus(equity);
    assert.deepEqual(shown, {
      equity: String(equity),
      maintenance: String(maintenance),
      ratio: percent(maintenance, equity),
      ...(isolated === undefined && { liquidationRatio: percent(level, Q.of('1')) }),
      lacks: `${String(lacks)} ${isolated?.quote ?? 'USD'}`,
    });
    const isDueWith = (more: Q) => maintenance.compare(equity.plus(more).times(level)) >= 0;
    assert.deepEqual([isDueWith(lacks), isDueWith(lacks.minus(UNIT))], [false, true]);
    if (isolated === undefined) {
      assert.ok(isDue(this.facts), 'it was due');
      this.#crossed = true;
    } else assert.ok(maintenance.compare(equity) >= 0, 'it was due');
    // Its orders are cancelled, and what they held returns.
    this.facts = {
      ...this.facts,
      coins: this.facts.coins.map((coin) => ({ ...coin, cash: coin.cash.plus(coin.held), held: Q.zero })),
    };
  }

  #fill(shown: Moment['facts'], cut: boolean): void {
    const to = CONTRACTS.find((name) => name.endsWith(` ${shown.symbol}`))!;
    const [qty, price] = [Q.of(shown.qty!), Q.of(shown.price!)];
    const contract = contractOf(this.facts, to);
    if (this.#close === undefined && !contract.isolated)
      assert.deepEqual(this.#salesNow(), [], 'coins are sold before positions are closed');
    if (this.#close?.orderId !== shown.orderId) {
      this.#endClose();
      this.#close = {
        to,
        orderId: shown.orderId!,
        position: contract,
        margin: marginBehind(this.facts, contract, givenBack(this.facts, this.#direct)),
        budget: this.#funds && budgetsOf(this.#funds.futures.get(contract.settle)!, to),
        outflow: Q.zero,
        lacking: Q.zero,
        before: Q.zero,
        due: Q.zero,
        keep: cut ? cutTo(contract) : Q.zero,
      };
    }
    const { settle, terms } = contract;
    const buy = shown.side === 'buy';
    const outcome = settled(this.facts, { to, buy, qty, price, rate: terms.takerFee, forced: true });
    assert.deepEqual(
      [shown.value, shown.fee, shown.profit],
      [String(qty.times(price)), `${String(outcome.fee)} ${settle}`, String(outcome.profit)],
    );
    const { position, margin, budget } = this.#close!;
    const { marginBehind: behind, bankruptcyPrice: bankrupt, reach, ...limits } = shown;
    assert.deepEqual(
      [behind, bankrupt, reach],
      [`${String(margin)} ${settle}`, ...[bankruptcyPrice(position, margin), reachOf(position)].map(String)],
    );
    if (budget !== undefined) assertIncludes(limits, budget.shown);
    this.facts = outcome.facts;
    this.#pays('sys:clearing', settle, outcome.profit!);
    this.#pays('sys:insurance', settle, negative(outcome.fee));
    this.#lack(this.#close!, qty, price);
  }

  #endClose(): void {
    if (this.#close === undefined) return;
    const { to, keep, outflow } = this.#close;
    const { settle } = contractOf(this.facts, to);
    this.#changeFund('futures', settle, (fund) => afterPayment(fund, outflow, to));
    assert.equal(String(abs(contractOf(this.facts, to).size)), String(keep), 'what a forced order leaves');
  }

  /** The fund pays what the fills together lack beyond what earlier ones have lacked. */
  #lack(close: Close, qty: Q, price: Q): void {
    const { position, margin } = close;
    const known = close.lacking.max(Q.zero);
    close.before = close.lacking;
    const whole = lackingAt(position, margin, price);
    close.lacking = close.lacking.plus(whole.times(qty).over(abs(position.size)).ceil(8));
    close.due = close.lacking.max(Q.zero).minus(known).max(Q.zero);
  }

  /**
   * What the book does not take, at the bankruptcy price or W, whichever is better for the account, as far as the other side can
   * bear it; the fund pays nothing.
   */
  #deleveraged(shown: Moment['facts']): void {
    const close = this.#close!;
    const { position, margin, before, to } = close;
    const [pb, reach] = [bankruptcyPrice(position, margin), reachOf(position)];
    const long = position.size.compare(Q.zero) > 0;
    const wanted = long ? pb.max(reach) : pb.min(reach);
    const borne = this.#counterparty === undefined ? wanted : bearablePrice(this.#counterparty, to);
    assert.deepEqual(
      [shown.price, shown.side, shown.value],
      [
        String(long ? wanted.min(borne) : wanted.max(borne)),
        long ? 'buy' : 'sell',
        String(Q.of(shown.price!).times(Q.of(shown.qty!))),
      ],
    );
    close.lacking = before;
    close.due = Q.zero;
  }

  /** Either the shortfall of a fill, or what an isolated position has left or lacks at its end, or what is owed beyond all means. */
  #fund(shown: Moment['facts']): void {
    const close = this.#close;
    const ofContract = close !== undefined && contractOf(this.facts, close.to).isolated;
    if (close === undefined || (!ofContract && isZero(close.due))) {
      this.#lendingFund(shown);
      return;
    }
    const { to } = close;
    const contract = contractOf(this.facts, to);
    const { settle, isolated } = contract;
    const { due, budget } = close;
    const rest = negative(contract.margin);
    const wanted = isZero(due) ? rest : due;
    const amount = budget === undefined ? wanted : wanted.min(budget.least.minus(close.outflow).max(Q.zero));
    if (budget !== undefined && amount.compare(Q.zero) > 0) assertIncludes(shown, budget.shown);
    close.due = Q.zero;
    assert.equal(shown.amount, `${String(amount)} ${settle}`);
    if (isolated)
      this.facts = {
        ...this.facts,
        contracts: this.facts.contracts.map((each) =>
          each.name === to ? { ...each, margin: each.margin.plus(amount) } : each,
        ),
      };
    else this.facts = withCash(this.facts, settle, amount);
    this.#pays('sys:insurance', settle, amount);
    const { cash, locked, held } = coinOf(this.facts, settle);
    // The statement of the wallet shows what comes in before it goes on into the margin of the position.
    const passing = isolated ? amount.max(Q.zero) : Q.zero;
    assert.equal(shown.balance, `${String(cash.plus(locked).plus(held).plus(passing))} ${settle}`);
  }

  /** What the account lacks over all coins and wallets, as far as it is owed in this coin (rules 13.7 (c), 5.9 step 7). */
  #lendingFund(shown: Moment['facts']): void {
    const [, name] = shown.amount!.split(' ');
    const { cash, price } = coinOf(this.facts, name!);
    const worth = sumOf(this.facts.coins.map((coin) => this.#ownedIn(coin).times(coin.price).floor(8)));
    const wanted = negative(cash).min(negative(worth).over(price).ceil(8));
    const budget = this.#funds && budgetsOf(this.#funds.lending.get(name!)!);
    const amount = wanted.min(budget?.least ?? wanted);
    this.facts = withCash(this.facts, name!, amount);
    this.#pays('sys:insurance-lending', name!, amount);
    this.#changeFund('lending', name!, (fund) => afterPayment(fund, amount));
    const balance = coinOf(this.facts, name!).cash;
    const expected = { amount: `${String(amount)} ${name}`, balance: `${String(balance)} ${name}` };
    if (budget === undefined) assertIncludes(shown, expected);
    else assert.deepEqual(shown, { ...expected, ...budget.shown });
  }

  /** In every wallet and pledged, less what loans owe. */
  #ownedIn({ name, aside }: CoinFacts): Q {
    const { loans } = this.facts;
    return equityIn(this.facts, name)
      .plus(aside)
      .plus(sumOf(loans.filter(({ pledge }) => pledge === name).map(({ pledged }) => pledged)))
      .minus(sumOf(loans.filter(({ loan }) => loan === name).map(owedOf)));
  }

  /** Of each coin that is owed what loans can spare, then of others as much as is sold (rules 17.1 (c)). */
  #release(shown: Moment['facts']): void {
    const loan = this.facts.loans.find(({ id }) => id === shown.loan)!;
    const { pledge: coin } = loan;
    const inCoin = this.facts.loans.filter(({ pledge }) => pledge === coin);
    if (this.#releasing?.coin !== coin) {
      this.#endRelease();
      const spare = sumOf(inCoin.map((each) => spareOf(this.facts, each)));
      const [debt] = debtsInOrder(this.facts);
      const own = debtsInOrder(this.facts).includes(coin);
      const sale = own ? undefined : forcedConversion(this.facts, debt!, coin, spare, this.#direct);
      const left = sale?.sold ?? spare.min(negative(coinOf(this.facts, coin).cash));
      this.#releasing = { coin, left, sale };
    }
    const [oldest] = inCoin.filter((each) => !isZero(spareOf(this.facts, each)));
    assert.equal(loan.id, oldest?.id, 'the oldest loan that can spare anything');
    const amount = this.#releasing.left.min(spareOf(this.facts, loan));
    const before = rateText(this.facts, loan);
    this.#releasing.left = this.#releasing.left.minus(amount);
    const left = { ...loan, pledged: loan.pledged.minus(amount) };
    this.facts = withCash(this.facts, coin, amount);
    this.facts = { ...this.facts, loans: this.facts.loans.map((each) => (each === loan ? left : each)) };
    assert.deepEqual(shown, {
      loan: loan.id,
      amount: `${String(amount)} ${coin}`,
      rateBefore: before,
      rateAfter: rateText(this.facts, left),
      supplementRate: percent(loan.rates.supplement, Q.of('1')),
    });
    this.#conversions = this.#releasing.sale && [this.#releasing.sale];
  }

  #endRelease(): void {
    assert.equal(String(this.#releasing?.left ?? Q.zero), '0', 'more of a pledge was to be released');
    this.#releasing = undefined;
  }

  /** The pledge in a coin that is owed first, then in the order of payments, of a coin the oldest; what comes back is sold. */
  #closeLoan(shown: Moment['facts']): void {
    const { facts } = this;
    const loan = facts.loans.find(({ id }) => id === shown.loan)!;
    const debts = debtsInOrder(facts);
    assert.ok(debts.length > 0, 'something is owed');
    const next =
      facts.loans.find(({ pledge }) => debts.includes(pledge)) ??
      facts.loans.find(
        ({ pledge }) =>
          pledge === paymentsInOrder(facts).find((coin) => facts.loans.some((each) => each.pledge === coin)),
      );
    assert.equal(loan.id, next?.id, 'the loan that is closed next');
    const { sold, paid, fee, released, price } = forcedLoan(facts, loan, this.#direct);
    const [inPledge, inLoan] = [loan.pledge, loan.loan].map(
      (coin) => (amount: Q) => `${String(amount)} ${coin}`,
    );
    assert.deepEqual(shown, {
      loan: loan.id,
      pledgeRate: rateText(facts, loan),
      supplementRate: percent(loan.rates.supplement, Q.of('1')),
      forceRate: percent(loan.rates.force, Q.of('1')),
      price: String(price),
      sold: inPledge!(sold),
      repaid: inLoan!(paid),
      fee: inLoan!(fee),
      released: inPledge!(released),
    });
    this.#pays('sys:convert', loan.pledge, negative(sold));
    this.facts = withCash(
      { ...facts, loans: facts.loans.filter((each) => each !== loan) },
      loan.pledge,
      released,
    );
    this.#conversions = [...conversionsFor(this.facts, this.#direct, () => false)];
  }

  /** What an isolated position lacks at its end beyond the budgets is taken from cash (rules 13.7). */
  #lossOwed(shown: Moment['facts']): void {
    const { to, budget } = this.#close!;
    const { margin, settle } = contractOf(this.facts, to);
    const amount = negative(margin);
    this.facts = withCash(this.facts, settle, margin);
    this.facts = {
      ...this.facts,
      contracts: this.facts.contracts.map((each) => (each.name === to ? { ...each, margin: Q.zero } : each)),
    };
    const { cash, locked, held } = coinOf(this.facts, settle);
    const balance = cash.plus(locked).plus(held);
    const expected = { amount: `${String(amount)} ${settle}`, balance: `${String(balance)} ${settle}` };
    assertIncludes(shown, { ...expected, ...budget?.shown });
    if (budget !== undefined)
      assert.equal(
        String(budget.least.minus(this.#close!.outflow).max(Q.zero)),
        '0',
        'the budget is used up',
      );
  }

  #notice(shown: Moment['facts']): void {
    const loan = this.facts.loans.find(({ id }) => id === shown.loan)!;
    assert.deepEqual(shown, {
      loan: loan.id,
      pledgeRate: rateText(this.facts, loan),
      supplementRate: percent(loan.rates.supplement, Q.of('1')),
    });
  }

  #debtLeft(shown: Moment['facts']): void {
    const owed = this.facts.coins
      .filter(({ cash }) => cash.compare(Q.zero) < 0)
      .map(({ name, cash }) => `${String(negative(cash))} ${name}`);
    assert.deepEqual(shown, { owed: owed.join(' and ') });
  }

  #salesNow(): Conversion[] {
    return [...conversionsFor(this.facts, this.#direct, (facts) => !isDue(facts))];
  }

  #sell(shown: Moment['facts']): void {
    this.#conversions ??= this.#salesNow();
    const conversion = this.#conversions.shift();
    assert.ok(conversion !== undefined, `nothing was to be sold: ${JSON.stringify(shown)}`);
    const { debt, pay, sold, received } = conversion;
    assert.deepEqual(shown, { sold: `${String(sold)} ${pay}`, repaid: `${String(received)} ${debt}` });
    this.facts = afterConversion(this.facts, conversion);
    this.#pays('sys:convert', pay, negative(sold));
    this.#pays('sys:convert', debt, received);
  }

  /** First what is owed of the coin itself, then as much as is sold for another debt (rules 16.2). */
  #takeAside(shown: Moment['facts']): void {
    const [, name] = shown.amount!.split(' ');
    const { aside } = coinOf(this.facts, name!);
    const own = debtsInOrder(this.facts).includes(name!);
    const [debt] = debtsInOrder(this.facts);
    const sale = forcedConversion(this.facts, debt!, name!, aside, this.#direct);
    const amount = own ? aside.min(negative(coinOf(this.facts, name!).cash)) : sale.sold;
    assert.equal(shown.amount, `${String(amount)} ${name}`);
    this.facts = withCoin(this.facts, name!, (coin) => ({
      ...coin,
      cash: coin.cash.plus(amount),
      aside: coin.aside.minus(amount),
    }));
    if (!own) this.#conversions = [sale];
  }

  #pays(name: string, coin: string, amount: Q): void {
    if (isZero(amount)) return;
    const fund = FUNDS.get(name);
    if (fund !== undefined)
      this.#changeFund(fund, coin, (each) => ({ ...each, balance: each.balance.minus(amount) }));
    if (fund === 'futures' && this.#close !== undefined)
      this.#close.outflow = this.#close.outflow.plus(amount);
    const key = `${name} ${coin}`;
    this.#paid.set(key, (this.#paid.get(key) ?? Q.zero).plus(amount));
  }

  #payers(shown: Moment['facts']): void {
    const paid = Object.fromEntries([...this.#paid].map(([name, amount]) => [name, String(amount)]));
    assert.deepEqual(shown, paid);
  }
}
