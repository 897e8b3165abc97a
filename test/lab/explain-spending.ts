/** What SPOT and MARGIN orders may spend and borrow by the rule book (6.3 to 6.6, 13.5 (a)), from raw facts alone. */
import { type AccountFacts, type CoinFacts, coinOf, debtIn, isZero, marginOf } from './explain-oracle.ts';
import { Q } from './rational.ts';

/** What limits a debt in a coin. */
export interface LendingFacts {
  readonly poolLimit: Q;
  readonly userLimit: Q;
  readonly masterSubLimit: Q;
  /** Coins that the exchange holds for others, less what is on its way out. */
  readonly custody: Q;
  readonly lendShare: Q;
  /** Of all accounts. */
  readonly borrowed: Q;
  /** What open orders would borrow: of all others, and of this account. */
  readonly claimsOfOthers: Q;
  readonly claims: Q;
  readonly minBorrow: Q;
  readonly warnedAt: Q;
}

/** A limit order of the pair BTCUSDT. */
export interface Spending {
  readonly buy: boolean;
  readonly price: Q;
  readonly margin: boolean;
}

const UNIT = new Q(1n, 10n ** 8n);
const paid = ({ buy }: Spending): string => (buy ? 'USDT' : 'BTC');
const got = ({ buy }: Spending): string => (buy ? 'BTC' : 'USDT');
const isPositive = (amount: Q): boolean => amount.compare(Q.zero) > 0;

/** Pool and custody, account, party, and the tier that the leverage of the coin allows. */
export function lendableOf(facts: AccountFacts, coin: string, lending: LendingFacts): Q {
  const { cash, locked, price, debt } = coinOf(facts, coin);
  const { poolLimit, custody, lendShare, borrowed, userLimit, masterSubLimit } = lending;
  const owes = Q.zero.minus(cash.plus(locked)).max(Q.zero).plus(lending.claims);
  const tier = debt.tiers.findLast(
    ({ maxLeverage }) => new Q(BigInt(maxLeverage)).compare(debt.leverage) >= 0,
  );
  return [
    poolLimit
      .min(custody.times(lendShare).floor(8))
      .minus(borrowed)
      .minus(lending.claimsOfOthers)
      .minus(lending.claims),
    userLimit.minus(owes),
    masterSubLimit.minus(owes),
    (tier?.upTo ?? Q.zero).over(price).floor(8).minus(owes),
  ]
    .reduce((least, limit) => least.min(limit))
    .max(Q.zero);
}

/** Of a coin by the dollars that the account then has of it. */
function rateAt({ slices }: CoinFacts, usd: Q): Q {
  if (slices === undefined) return Q.of('1');
  return (slices.findLast(({ from }) => isZero(from) || usd.compare(from) > 0) ?? slices[0]!).rate;
}

/** Initial margin with an order that pays so much, of it some borrowed (rules 6.3). */
function initialWith(facts: AccountFacts, order: Spending, need: Q, borrowed: Q): Q {
  const [given, received] = [coinOf(facts, paid(order)), coinOf(facts, got(order))];
  const before = marginOf(facts);
  const owed = debtIn(facts, given.name);
  const initialOf = (debt: Q) => debt.times(given.price).ceil(8).over(given.debt.leverage).ceil(8);
  const obliged = before.contracts.length > 0 || before.debts.length > 0 || isPositive(borrowed);
  const debtMargin = initialOf(owed.plus(borrowed)).minus(initialOf(owed));
  if (!obliged) return before.initial.plus(debtMargin);
  const usd = need.times(given.price).ceil(8);
  const debt = borrowed.times(given.price).ceil(8);
  const own = usd.minus(debt).max(Q.zero);
  const worth = received.cash.plus(received.locked).max(Q.zero).times(received.price).floor(8);
  const rate = rateAt(received, worth.plus(usd));
  const [base, quote] = order.buy ? [received, given] : [given, received];
  const [fair, asked] = [base.price, order.price.times(quote.price)];
  const [gets, gives] = order.buy ? [fair, asked] : [asked, fair];
  const kept = (part: Q) =>
    (gets.compare(gives) >= 0 ? part : part.times(gets).over(gives).floor(8)).times(rate);
  const lost = own.times(rateAt(given, Q.zero)).minus(kept(own)).max(Q.zero).plus(debt).minus(kept(debt));
  return before.initial.plus(debtMargin).plus(lost.ceil(8));
}

/** May the order pay so much? */
export function maySpend(facts: AccountFacts, order: Spending, lending: LendingFacts, need: Q): boolean {
  const own = coinOf(facts, paid(order)).cash.max(Q.zero);
  const borrowed = need.minus(own).max(Q.zero);
  const { effective, initial, maintenance } = marginOf(facts);
  if (isPositive(borrowed)) {
    if (!order.margin || effective.compare(initial) < 0) return false;
    if (isPositive(maintenance) && maintenance.compare(effective.times(lending.warnedAt)) >= 0) return false;
    if (borrowed.compare(lendableOf(facts, paid(order), lending)) > 0) return false;
    if (borrowed.compare(lending.minBorrow) < 0) return false;
  }
  const after = initialWith(facts, order, need, borrowed);
  return effective.compare(after) >= 0 || after.compare(initial) <= 0;
}

/** Is it the most that the order may pay? */
export function isMost(facts: AccountFacts, order: Spending, lending: LendingFacts, amount: Q): boolean {
  return maySpend(facts, order, lending, amount) && !maySpend(facts, order, lending, amount.plus(UNIT));
}
