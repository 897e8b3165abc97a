/** An explained liquidation against the oracle: the seconds before it, each step, and who paid (rules 5.9, 6.8, 13.7, 16.2). */
import assert from 'node:assert/strict';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Explanation, Moment } from '../../src/lab/explain/explanation.ts';
import { assertMargin, assertPostings, assertSame } from './explain-assertions.ts';
import {
  type AccountFacts,
  abs,
  bankruptcyPrice,
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
import { CONTRACTS, factsOf, type Scene } from './explain-scene.ts';
import {
  afterConversion,
  type Conversion,
  conversionsFor,
  type DirectPrices,
  debtsInOrder,
  forcedConversion,
  settled,
  withCash,
  withCoin,
} from './explain-settlement.ts';
import { Q, sumOf } from './rational.ts';

export function assertLiquidation(scene: Scene, uid: number): Explanation {
  const explained = scene.liquidation(uid);
  const { seq } = explained.command;
  const seconds = explained.timeline.filter(({ what }) => /^margin ratio|^the last safe second/.test(what));
  const wanted = new Set(seconds.map(({ seq: at }) => at));
  const replay = new Exchange();
  const rows = new Map<number, AccountFacts>();
  for (const [n, { command }] of scene.log.slice(0, seq).entries()) {
    replay.apply(command, n + 1);
    replay.takeEvents();
    if (n + 1 < seq && (wanted.has(n + 1) || n + 2 === seq)) rows.set(n + 1, factsOf(replay, uid));
  }
  for (const second of seconds) assertSecond(second, rows.get(second.seq)!);
  const after = factsOf(replay, uid);
  const before = atPricesOf(after, rows.get(seq - 1)!);
  assertMargin(explained.margin!, before);
  const steps = explained.timeline.slice(seconds.length);
  const walk = new Walk(before, directPrices(replay));
  for (const step of steps) walk.take(step);
  walk.end(after);
  assertPostings(explained, uid, before, after);
  return explained;
}

/** What the account had before, at the marks and coin prices of the instant. */
function atPricesOf(prices: AccountFacts, facts: AccountFacts): AccountFacts {
  return {
    coins: facts.coins.map((coin) => ({ ...coin, price: coinOf(prices, coin.name).price })),
    contracts: facts.contracts.map((each) => ({ ...each, mark: contractOf(prices, each.name).mark })),
  };
}

/** The index of the pair BTCUSDT prices conversions between the two. */
function directPrices({ state }: Exchange): DirectPrices {
  const { price } = state.indices[state.indexByName.get('BTCUSDT')!]!;
  return new Map([['BTCUSDT', new Q(price, 10n ** 8n)]]);
}

function assertSecond({ facts: shown }: Moment, facts: AccountFacts): void {
  const { effective, maintenance } = marginOf(facts);
  const held = facts.contracts.filter(({ size }) => !isZero(size));
  const sideOf = (size: Q) => (size.compare(Q.zero) > 0 ? 'long' : 'short');
  assert.deepEqual(shown, {
    ...Object.fromEntries(held.map(({ name, mark }) => [`mark ${name}`, String(mark)])),
    equity: String(effective),
    maintenance: String(maintenance),
    ratio: isZero(maintenance) ? '0 %' : percent(maintenance, effective),
    liquidationRatio: percent(liquidationLevel(facts), Q.of('1')),
    ...Object.fromEntries(
      held
        .filter(({ isolated }) => isolated)
        .map((contract) => {
          const own = isolatedMargin(contract);
          return [`isolated ${contract.name} ${sideOf(contract.size)}`, percent(own.maintenance, own.equity)];
        }),
    ),
  });
}

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
}

/** The largest size whose notional is within the tier two below (rules 5.9 step 5). */
function cutTo({ size, mark, terms: { tiers } }: ContractFacts): Q {
  const notional = abs(size).times(mark);
  const tier = tiers.findIndex(({ upTo }) => notional.compare(upTo) <= 0);
  assert.ok(tier >= 2, 'positions of the first two tiers are not cut');
  return tiers[tier - 2]!.upTo.over(mark).floor(4);
}

/** The account step by step. */
class Walk {
  facts: AccountFacts;
  readonly #direct: DirectPrices;
  readonly #paid = new Map<string, Q>();
  #close: Close | undefined;
  /** Conversions that are to come, once the first of them has been seen. */
  #conversions: Conversion[] | undefined;
  #crossed = false;

  constructor(facts: AccountFacts, direct: DirectPrices) {
    this.facts = facts;
    this.#direct = direct;
  }

  take({ what, facts }: Moment): void {
    if (what !== 'coins sold for a debt') {
      assert.deepEqual(this.#conversions ?? [], [], 'more coins were to be sold');
      this.#conversions = undefined;
    }
    if (BEGUN.test(what)) this.#begin(BEGUN.exec(what)![1], facts);
    else if (CLOSED.has(what)) this.#fill(facts, what === CUT);
    else if (what === 'coins sold for a debt') this.#sell(facts);
    else if (what.startsWith('taken from')) this.#takeAside(facts);
    else if (what.startsWith('the insurance fund')) this.#fund(facts);
    else if (what === 'deleveraged against') this.#deleveraged(facts);
    else if (what.startsWith('who paid')) this.#payers(facts);
    else assert.match(what, /^order |^position ended|^warning/);
  }

  end(after: AccountFacts): void {
    assert.deepEqual(this.#conversions ?? [], [], 'more coins were to be sold');
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
    assert.deepEqual(shown, {
      equity: String(equity),
      maintenance: String(maintenance),
      ratio: percent(maintenance, equity),
    });
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
        margin: marginBehind(this.facts, contract),
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
    this.facts = outcome.facts;
    this.#pays('sys:clearing', settle, outcome.profit!);
    this.#pays('sys:insurance', settle, negative(outcome.fee));
    this.#lack(this.#close!, qty, price);
  }

  #endClose(): void {
    if (this.#close === undefined) return;
    const { to, keep } = this.#close;
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

  /** What the book does not take, at the bankruptcy price or W, whichever is better for the account; the fund pays nothing. */
  #deleveraged(shown: Moment['facts']): void {
    const close = this.#close!;
    const { position, margin, before } = close;
    const [pb, reach] = [bankruptcyPrice(position, margin), reachOf(position)];
    const long = position.size.compare(Q.zero) > 0;
    assert.deepEqual(
      [shown.price, shown.side, shown.value],
      [
        String(long ? pb.max(reach) : pb.min(reach)),
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
    const { due } = close;
    const rest = negative(contract.margin);
    const amount = isZero(due) ? rest : due;
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
    const worth = sumOf(
      this.facts.coins.map((coin) =>
        equityIn(this.facts, coin.name).plus(coin.aside).times(coin.price).floor(8),
      ),
    );
    const amount = negative(cash).min(negative(worth).over(price).ceil(8));
    this.facts = withCash(this.facts, name!, amount);
    this.#pays('sys:insurance-lending', name!, amount);
    const balance = coinOf(this.facts, name!).cash;
    assert.deepEqual(shown, { amount: `${String(amount)} ${name}`, balance: `${String(balance)} ${name}` });
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
    const key = `${name} ${coin}`;
    this.#paid.set(key, (this.#paid.get(key) ?? Q.zero).plus(amount));
  }

  #payers(shown: Moment['facts']): void {
    const paid = Object.fromEntries([...this.#paid].map(([name, amount]) => [name, String(amount)]));
    assert.deepEqual(shown, paid);
  }
}
