/** What fills and conversions do to an account by the rule book (4.2 to 4.5, 5.2, 5.9, 6.8, 13.2 (e), 13.3), from raw facts alone. */
import {
  type AccountFacts,
  abs,
  type CoinFacts,
  type ContractFacts,
  coinOf,
  contractOf,
  debtIn,
  equityIn,
  feeOf,
  isZero,
  negative,
} from './explain-oracle.ts';
import { Q } from './rational.ts';

/** A fill that only opens or only closes. */
export interface Part {
  readonly to: string;
  readonly buy: boolean;
  readonly qty: Q;
  readonly price: Q;
  readonly rate: Q;
  /** A forced close is paid at its own price and keeps its result in the margin of an isolated position. */
  readonly forced: boolean;
}

export interface Settled {
  readonly facts: AccountFacts;
  readonly fee: Q;
  /** Of what closes, in the settlement coin. */
  readonly profit: Q | undefined;
}

export function withCash(facts: AccountFacts, name: string, change: Q): AccountFacts {
  return withCoin(facts, name, (coin) => ({ ...coin, cash: coin.cash.plus(change) }));
}

export function withCoin(
  facts: AccountFacts,
  name: string,
  change: (coin: CoinFacts) => CoinFacts,
): AccountFacts {
  return { ...facts, coins: facts.coins.map((coin) => (coin.name === name ? change(coin) : coin)) };
}

function withContract(facts: AccountFacts, changed: ContractFacts): AccountFacts {
  return {
    ...facts,
    contracts: facts.contracts.map((each) => (each.name === changed.name ? changed : each)),
  };
}

/** Is it against the position? A fill that turns one is two: what closes comes first. */
export function closes({ size }: ContractFacts, buy: boolean): boolean {
  return !isZero(size) && size.compare(Q.zero) > 0 !== buy;
}

/** Money that orders of isolated positions hold counts as cash here: how it returns is the order's business. */
export function settled(facts: AccountFacts, part: Part): Settled {
  const contract = contractOf(facts, part.to);
  const { qty, price, rate } = part;
  const fee = feeOf(contract.coinMargined ? qty : qty.times(price), rate);
  return closes(contract, part.buy)
    ? settledClose(facts, contract, part, fee)
    : settledOpen(facts, contract, part, fee);
}

function settledOpen(facts: AccountFacts, contract: ContractFacts, part: Part, fee: Q): Settled {
  const { buy, qty, price } = part;
  const value = qty.times(price);
  const initial = value.over(contract.leverage).floor(8);
  const margin = !contract.isolated ? Q.zero : contract.coinMargined ? initial.over(price).floor(8) : initial;
  const opened = withContract(facts, {
    ...contract,
    size: buy ? contract.size.plus(qty) : contract.size.minus(qty),
    basis: buy ? contract.basis.plus(value) : contract.basis.minus(value),
    margin: contract.margin.plus(margin),
  });
  const change = negative(margin.plus(fee));
  return { facts: withCash(opened, contract.settle, change), fee, profit: undefined };
}

function settledClose(facts: AccountFacts, contract: ContractFacts, part: Part, fee: Q): Settled {
  const { buy, qty, price, forced } = part;
  const { size, basis, margin, isolated } = contract;
  const share = (amount: Q) => amount.times(qty).over(abs(size)).floor(8);
  const released = share(abs(basis));
  const value = qty.times(price);
  const profit = paidProfit(contract, buy ? released.minus(value) : value.minus(released), price, forced);
  const freed = isolated && !forced ? share(margin) : Q.zero;
  const outcome = profit.minus(forced ? fee : Q.zero);
  const closed = withContract(facts, {
    ...contract,
    size: buy ? size.plus(qty) : size.minus(qty),
    basis: basis.compare(Q.zero) > 0 ? basis.minus(released) : basis.plus(released),
    margin: !isolated ? Q.zero : forced ? margin.plus(outcome) : margin.minus(freed),
  });
  if (isolated && forced) return { facts: closed, fee, profit };
  if (freed.plus(profit).compare(Q.zero) < 0 && isolated)
    throw new Error('a close beyond bankruptcy is not modelled');
  return { facts: withCash(closed, contract.settle, freed.plus(profit).minus(fee)), fee, profit };
}

/** Dollars of coin-margined contracts are paid in coin; to users a profit not below the mark, a loss not above it. */
function paidProfit({ coinMargined, mark }: ContractFacts, profit: Q, price: Q, forced: boolean): Q {
  if (!coinMargined) return profit;
  const at = forced ? price : profit.compare(Q.zero) > 0 ? price.max(mark) : price.min(mark);
  return profit.over(at).floor(8);
}

// Conversions

/** Prices of pairs that have an index of their own, by name. */
export type DirectPrices = ReadonlyMap<string, Q>;

export interface Conversion {
  readonly debt: string;
  readonly pay: string;
  readonly sold: Q;
  readonly received: Q;
}

const KEPT = Q.of('0.999');

/** Payment coins for one of the debt: the worse for the account of cross and direct index. */
export function rateOf(cross: Q, debt: string, pay: string, direct: DirectPrices): Q {
  const [ofDebt, ofPay] = [direct.get(debt + pay), direct.get(pay + debt)];
  if (ofDebt !== undefined) return cross.max(ofDebt);
  return ofPay === undefined ? cross : cross.max(Q.of('1').over(ofPay));
}

/** Sold `ceil`, received `floor`; what is wanted, or what the payment coin is enough for. */
export function converted(wanted: Q, available: Q, rate: Q, discount: Q): { sold: Q; received: Q } {
  const kept = Q.of('1').minus(discount).times(KEPT);
  const sold = wanted.times(rate).over(kept).ceil(8);
  if (sold.compare(available) <= 0) return { sold, received: wanted };
  return { sold: available, received: available.times(kept).over(rate).floor(8) };
}

export function forcedConversion(
  facts: AccountFacts,
  debt: string,
  pay: string,
  available: Q,
  direct: DirectPrices,
): Conversion {
  const [owed, paying] = [coinOf(facts, debt), coinOf(facts, pay)];
  const wanted = debtIn(facts, debt);
  const usd = wanted.times(owed.price).floor(8);
  const tier = paying.slices?.findLast(({ from }) => isZero(from) || usd.compare(from) > 0);
  const rate = rateOf(owed.price.over(paying.price), debt, pay, direct);
  return { debt, pay, ...converted(wanted, available, rate, tier?.discount ?? Q.zero) };
}

/** Positive cash, less the loss of positions in the same coin. */
const payable = (facts: AccountFacts, name: string): Q =>
  coinOf(facts, name).cash.min(equityIn(facts, name)).max(Q.zero);

export function afterConversion(
  facts: AccountFacts,
  { debt, pay, sold, received }: Conversion,
): AccountFacts {
  return withCash(withCash(facts, pay, negative(sold)), debt, received);
}

const FIRST = ['USDT', 'USDC'];

/** Debts by dollars, largest first. */
export function debtsInOrder(facts: AccountFacts): readonly string[] {
  return facts.coins
    .map(({ name, price }) => ({ name, usd: debtIn(facts, name).times(price) }))
    .filter(({ usd }) => !isZero(usd))
    .sort((a, b) => b.usd.compare(a.usd) || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/** USDT, USDC, then by collateral rate, then by name. */
export function paymentsInOrder(facts: AccountFacts): readonly string[] {
  const place = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const rate = ({ slices }: CoinFacts) => slices?.[0]?.rate ?? Q.of('1');
  return [...facts.coins]
    .filter((coin) => !isZero(rate(coin)))
    .sort((a, b) => place(a.name) - place(b.name) || rate(b).compare(rate(a)) || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/** All coins that are sold for debts (rules 6.8), until `enough`. */
export function conversionsFor(
  before: AccountFacts,
  direct: DirectPrices,
  enough: (facts: AccountFacts) => boolean,
): readonly Conversion[] {
  const made: Conversion[] = [];
  let facts = before;
  for (const debt of debtsInOrder(before))
    for (const pay of paymentsInOrder(facts)) {
      if (enough(facts)) return made;
      const available = payable(facts, pay);
      if (isZero(debtIn(facts, debt)) || isZero(available)) continue;
      const conversion = forcedConversion(facts, debt, pay, available, direct);
      if (isZero(conversion.received)) continue;
      made.push(conversion);
      facts = afterConversion(facts, conversion);
    }
  return made;
}
