/**
 * Margin, fees and ratios from the formulas of the rule book (4.3, 5.2, 5.5 to 5.8, 6.1 to 6.4) and from raw facts alone: balances,
 * positions, orders, prices and the terms as they were listed. It uses nothing that the core computes with.
 */
import type { LoanFacts } from './explain-pledges.ts';
import { Q, sumOf } from './rational.ts';

export interface ContractTerms {
  readonly takerFee: Q;
  readonly makerFee: Q;
  /** `feeRateUpRatio`. */
  readonly feeReserve: Q;
  readonly tiers: readonly Tier[];
}

export interface Tier {
  readonly upTo: Q;
  readonly rate: Q;
  readonly maxLeverage: number;
}

export interface CoinFacts {
  readonly name: string;
  readonly cash: Q;
  readonly locked: Q;
  /** By orders of isolated positions. */
  readonly held: Q;
  /** In the funding wallet. */
  readonly aside: Q;
  readonly price: Q;
  /** Slices of dollar value, their rates and exchange discounts; undefined for a coin that counts in full. */
  readonly slices: readonly { readonly from: Q; readonly rate: Q; readonly discount: Q }[] | undefined;
  /** Of a debt in it; tiers by its value in dollars. */
  readonly debt: { readonly leverage: Q; readonly tiers: readonly Tier[]; readonly liquidatedAt: Q };
}

export interface OrderFacts {
  readonly buy: boolean;
  readonly price: Q;
  readonly qty: Q;
}

/** A contract in one-way mode. */
export interface ContractFacts {
  readonly name: string;
  readonly coinMargined: boolean;
  readonly settle: string;
  readonly quote: string;
  /** Signed. */
  readonly size: Q;
  readonly basis: Q;
  readonly mark: Q;
  readonly leverage: Q;
  readonly orders: readonly OrderFacts[];
  readonly terms: ContractTerms;
  readonly isolated: boolean;
  /** Of an isolated position, in the settlement coin. */
  readonly margin: Q;
  readonly bestBid: Q;
}

export interface AccountFacts {
  readonly coins: readonly CoinFacts[];
  readonly contracts: readonly ContractFacts[];
  /** Oldest first. */
  readonly loans: readonly LoanFacts[];
}

/** An order that is considered, and the contract that it is for. */
export interface Added {
  readonly to: string;
  readonly order: OrderFacts;
}

export interface CoinTerm {
  readonly name: string;
  readonly balance: Q;
  readonly unrealised: Q;
  readonly price: Q;
  readonly usd: Q;
  readonly counted: Q;
}

export interface ContractMargin {
  readonly name: string;
  readonly parts: {
    readonly most: Q;
    readonly byLeverage: Q;
    readonly fees: Q;
    readonly loss: Q;
    readonly buys: Q;
    readonly sells: Q;
  };
  readonly initial: Q;
  readonly notional: Q;
  readonly tierRate: Q;
  readonly maintenance: Q;
}

export interface DebtMargin {
  readonly name: string;
  readonly owed: Q;
  readonly rate: Q;
  readonly initial: Q;
  readonly maintenance: Q;
}

export interface Margin {
  readonly coins: readonly CoinTerm[];
  readonly contracts: readonly ContractMargin[];
  readonly debts: readonly DebtMargin[];
  readonly equity: Q;
  readonly effective: Q;
  readonly initial: Q;
  readonly maintenance: Q;
}

export const abs = (value: Q): Q => value.max(negative(value));
export const negative = (value: Q): Q => Q.zero.minus(value);
export const isZero = (value: Q): boolean => value.compare(Q.zero) === 0;
const ONE = Q.of('1');

export function coinOf({ coins }: AccountFacts, name: string): CoinFacts {
  return coins.find((coin) => coin.name === name)!;
}

export function contractOf({ contracts }: AccountFacts, name: string): ContractFacts {
  return contracts.find((contract) => contract.name === name)!;
}

export const unrealisedOf = ({ size, mark, basis }: ContractFacts): Q => size.times(mark).minus(basis);

/** Rules 5.2: a profit in dollars is paid in coin, `floor`. */
function profitIn(facts: AccountFacts, coin: CoinFacts): Q {
  return sumOf(
    facts.contracts
      .filter(({ isolated, settle }) => !isolated && settle === coin.name)
      .map((contract) => inSettleCoin(contract, unrealisedOf(contract), coin.price)),
  );
}

const inSettleCoin = ({ coinMargined }: ContractFacts, amount: Q, price: Q): Q =>
  coinMargined ? amount.over(price).floor(8) : amount;

/** Rules 6.1: the balance with the profit of crossed positions. */
export function equityIn(facts: AccountFacts, name: string): Q {
  const coin = coinOf(facts, name);
  return coin.cash.plus(coin.locked).plus(profitIn(facts, coin));
}

export const debtIn = (facts: AccountFacts, name: string): Q => negative(equityIn(facts, name)).max(Q.zero);

export function marginOf(facts: AccountFacts, added?: Added): Margin {
  const coins = facts.coins
    .map((coin): CoinTerm => {
      const { name, price, slices } = coin;
      const balance = coin.cash.plus(coin.locked);
      const unrealised = profitIn(facts, coin);
      const usd = balance.plus(unrealised).times(price).floor(8);
      return { name, balance, unrealised, price, usd, counted: countedOf(usd, slices) };
    })
    .filter(({ balance, unrealised }) => !isZero(balance.plus(unrealised)));
  const contracts = facts.contracts
    .filter(({ isolated }) => !isolated)
    .map((contract) => ({
      contract,
      orders: [...contract.orders, ...(added?.to === contract.name ? [added.order] : [])],
    }))
    .filter(({ contract: { size }, orders }) => !isZero(size) || orders.length > 0)
    .map(({ contract, orders }) => contractMargin(facts, contract, orders));
  const debts = facts.coins
    .map((coin) => debtMargin(coin, debtIn(facts, coin.name)))
    .filter(({ owed }) => !isZero(owed));
  return {
    coins,
    contracts,
    debts,
    equity: sumOf(coins.map(({ usd }) => usd)),
    effective: sumOf(coins.map(({ counted }) => counted)),
    initial: sumOf([...contracts, ...debts].map(({ initial }) => initial)),
    maintenance: sumOf([...contracts, ...debts].map(({ maintenance }) => maintenance)),
  };
}

/** Rules 5.5, 5.6 and 6.3, in dollars. */
function contractMargin(
  facts: AccountFacts,
  contract: ContractFacts,
  orders: readonly OrderFacts[],
): ContractMargin {
  const { name, size, mark, leverage, terms, quote } = contract;
  const ordered = (buy: boolean) =>
    sumOf(orders.filter((order) => order.buy === buy).map(({ price, qty }) => price.times(qty)));
  const [buys, sells] = [ordered(true), ordered(false)];
  const held = abs(size).times(mark);
  const signed = size.times(mark);
  const expLong = signed.plus(buys).max(Q.zero);
  const expShort = sells.minus(signed).max(Q.zero);
  const most = held.max(expLong).max(expShort);
  const loss = sumOf(
    orders.map(({ buy, price, qty }) => (buy ? price.minus(mark) : mark.minus(price)).max(Q.zero).times(qty)),
  );
  const byLeverage = most.over(leverage).ceil(8);
  const reserve = terms.takerFee.times(ONE.plus(terms.feeReserve)).ceil(12);
  const fees = held.times(terms.takerFee).plus(most.minus(held).times(reserve)).ceil(8);
  const { price } = coinOf(facts, quote);
  return {
    name,
    parts: { most, byLeverage, fees, loss, buys, sells },
    initial: byLeverage.plus(fees).plus(loss).times(price).ceil(8),
    notional: held,
    tierRate: maintenanceOf(terms, held).rate,
    maintenance: isZero(held) ? Q.zero : keptFor(contract, held).times(price).ceil(8),
  };
}

/** The whole debt at the rate of its tier (rules 6.3). */
function debtMargin({ name, price, debt: { leverage, tiers } }: CoinFacts, owed: Q): DebtMargin {
  const usd = owed.times(price).ceil(8);
  const { rate } = tiers.find(({ upTo }) => usd.compare(upTo) <= 0) ?? tiers.at(-1)!;
  return {
    name,
    owed,
    rate,
    initial: usd.over(leverage).ceil(8),
    maintenance: usd.times(rate).ceil(8),
  };
}

function countedOf(usd: Q, slices: CoinFacts['slices']): Q {
  if (slices === undefined || usd.compare(Q.zero) < 0) return usd;
  return sumOf(
    slices.map(({ from, rate }, n) => {
      const end = slices[n + 1]?.from;
      const top = end === undefined ? usd : usd.min(end);
      return top.minus(from).max(Q.zero).times(rate).floor(8);
    }),
  );
}

/** Progressive: the part inside each tier at its rate. */
export function maintenanceOf({ tiers }: ContractTerms, notional: Q): { amount: Q; rate: Q } {
  let amount = Q.zero;
  let from = Q.zero;
  let rate = tiers[0]!.rate;
  for (const [n, tier] of tiers.entries()) {
    if (n > 0 && notional.compare(from) <= 0) break;
    const top = n === tiers.length - 1 ? notional : notional.min(tier.upTo);
    amount = amount.plus(top.minus(from).times(tier.rate));
    rate = tier.rate;
    from = tier.upTo;
  }
  return { amount: amount.ceil(8), rate };
}

/** Maintenance margin and the fee of the close, in the quote coin. */
export const keptFor = ({ terms }: ContractFacts, notional: Q): Q =>
  maintenanceOf(terms, notional).amount.plus(notional.times(terms.takerFee).ceil(8));

/** An order that turns the position opens something, whatever it raises. */
function turns({ size }: ContractFacts, { buy, qty }: OrderFacts): boolean {
  return !isZero(size) && size.compare(Q.zero) > 0 === !buy && qty.compare(abs(size)) > 0;
}

/** The rule of an order (rules 5.6): covered, and with a fill not near liquidation; or what it raises is nothing. */
export function isAccepted(facts: AccountFacts, added: Added): boolean {
  const contract = contractOf(facts, added.to);
  if (contract.isolated) return isAffordable(facts, added) && !isTooNear(facts, added);
  const [before, after] = [marginOf(facts), marginOf(facts, added)];
  if (after.initial.compare(before.initial) <= 0 && !turns(contract, added.order)) return true;
  if (after.effective.compare(after.initial) < 0) return false;
  return ratioWith(facts, added).compare(NEAR) < 0;
}

const NEAR = Q.of('0.9');

/** Maintenance with the order filled at its price, of equity. */
export function ratioWith(facts: AccountFacts, added: Added): Q {
  const { maintenance, effective } = marginOf(facts, added);
  return maintenance.plus(maintenanceOfOrder(facts, added)).over(effective);
}

export function maintenanceOfOrder(facts: AccountFacts, { to, order: { price, qty } }: Added): Q {
  const contract = contractOf(facts, to);
  return keptFor(contract, price.times(qty)).times(coinOf(facts, contract.quote).price).ceil(8);
}

// Isolated positions

export interface IsolatedMargin {
  readonly margin: Q;
  readonly unrealised: Q;
  readonly equity: Q;
  readonly maintenance: Q;
}

/** In the quote coin; margin in coin is worth the mark (rules 5.7). */
export function isolatedMargin(contract: ContractFacts): IsolatedMargin {
  const margin = contract.coinMargined ? contract.margin.times(contract.mark).floor(8) : contract.margin;
  const unrealised = unrealisedOf(contract);
  const maintenance = keptFor(contract, abs(contract.size).times(contract.mark));
  return { margin, unrealised, equity: margin.plus(unrealised), maintenance };
}

/** value * (1/L + 2t); the value of a sell at the best bid where that is higher, of coin-margined contracts the quantity. */
export function reserveOf(facts: AccountFacts, { to, order: { buy, price, qty } }: Added): Q {
  const { coinMargined, bestBid, leverage, terms } = contractOf(facts, to);
  const value = coinMargined ? qty : (buy ? price : price.max(bestBid)).times(qty);
  return value
    .over(leverage)
    .ceil(8)
    .plus(value.times(terms.takerFee).times(Q.of('2')).ceil(8));
}

/** Cash must hold it, and what is available cover it where IMR > 0. */
export function isAffordable(facts: AccountFacts, added: Added): boolean {
  const { cash, price } = coinOf(facts, contractOf(facts, added.to).settle);
  const needs = reserveOf(facts, added);
  const { effective, initial } = marginOf(facts);
  if (cash.compare(needs) < 0) return false;
  return isZero(initial) || effective.minus(initial).compare(needs.times(price).ceil(8)) >= 0;
}

/** The position with the order filled at its price; what turns it has no margin but its own (rules 13.1). */
export function filledPosition(facts: AccountFacts, { to, order }: Added): IsolatedMargin {
  const contract = contractOf(facts, to);
  const { size, mark, leverage } = contract;
  const { buy, price, qty } = order;
  const against = !isZero(size) && size.compare(Q.zero) > 0 !== buy;
  const opened = against ? qty.minus(abs(size)).max(Q.zero) : qty;
  const own = against || isZero(size) ? undefined : isolatedMargin(contract);
  const value = opened.times(price);
  const gain = (buy ? mark.minus(price) : price.minus(mark)).times(opened);
  const margin = value
    .over(leverage)
    .floor(8)
    .plus(own?.margin ?? Q.zero);
  const unrealised = gain.plus(own?.unrealised ?? Q.zero);
  const notional = opened.plus(own === undefined ? Q.zero : abs(size)).times(mark);
  return { margin, unrealised, equity: margin.plus(unrealised), maintenance: keptFor(contract, notional) };
}

export function isTooNear(facts: AccountFacts, added: Added): boolean {
  const { size } = contractOf(facts, added.to);
  const { buy, qty } = added.order;
  if (!isZero(size) && size.compare(Q.zero) > 0 !== buy && qty.compare(abs(size)) <= 0) return false;
  const { maintenance, equity } = filledPosition(facts, added);
  return maintenance.compare(equity.times(NEAR)) >= 0;
}

// Liquidation

/** The lowest level of the pairs that lend what is owed (rules 6.4). */
export function liquidationLevel({ coins }: AccountFacts): Q {
  return coins
    .filter(({ cash, locked }) => cash.plus(locked).compare(Q.zero) < 0)
    .reduce((lowest, { debt }) => lowest.min(debt.liquidatedAt), ONE);
}

export function isDue(facts: AccountFacts): boolean {
  const { maintenance, effective } = marginOf(facts);
  return !isZero(maintenance) && maintenance.compare(effective.times(liquidationLevel(facts))) >= 0;
}

/**
 * The margin behind a position that is closed by force, in the settlement coin (rules 5.8, 16.2); `pledged` is what loans would
 * give back of a coin (17.1 (a)).
 */
export function marginBehind(
  facts: AccountFacts,
  contract: ContractFacts,
  pledged: (coin: string) => Q = () => Q.zero,
): Q {
  if (contract.isolated) return contract.margin;
  const whole = {
    ...facts,
    coins: facts.coins.map((coin) => ({
      ...coin,
      cash: coin.cash.plus(coin.aside).plus(pledged(coin.name)),
    })),
  };
  const { price } = coinOf(facts, contract.quote);
  const own = unrealisedOf(contract).times(price).floor(8);
  const left = marginOf(whole).effective.minus(own).over(price).floor(8);
  return inSettleCoin(contract, left, coinOf(facts, contract.settle).price).max(Q.zero);
}

/** What closing the whole position at a price lacks of the margin behind it; below zero when some is left (rules 5.9). */
export function lackingAt(contract: ContractFacts, margin: Q, price: Q): Q {
  const { size, basis, coinMargined, terms } = contract;
  const profit = size.times(price).minus(basis);
  const [paid, charged] = coinMargined
    ? [profit.over(price).floor(8), abs(size)]
    : [profit, abs(size).times(price)];
  return charged.times(terms.takerFee).ceil(8).minus(paid).minus(margin);
}

const TICK_DECIMALS = 1;
const LEAST_TICK = Q.of('0.1');
const toTick = (price: Q, up: boolean): Q => (up ? price.ceil(TICK_DECIMALS) : price.floor(TICK_DECIMALS));

/** Where nothing is left after the fee of the close, `ceil` of a long (rules 5.8). */
export function bankruptcyPrice(contract: ContractFacts, margin: Q): Q {
  const { size, basis, coinMargined, terms } = contract;
  const [long, q, t] = [size.compare(Q.zero) > 0, abs(size), terms.takerFee];
  const entry = abs(basis);
  // A long that its margin pays for at any price.
  if (!coinMargined && long && margin.compare(entry) >= 0) return LEAST_TICK;
  if (coinMargined)
    return toTick(
      long ? entry.over(margin.plus(q.times(ONE.minus(t)))) : entry.over(q.times(ONE.plus(t)).minus(margin)),
      long,
    );
  return toTick(
    long ? entry.minus(margin).over(q.times(ONE.minus(t))) : entry.plus(margin).over(q.times(ONE.plus(t))),
    long,
  );
}

/**
 * How far a crossed counterparty can be deleveraged: the bankruptcy price with what its account has beside the profit of the
 * position; what it lacks beside is paid by that profit, as far as the mark (rules 15.1 (a)).
 */
export function bearablePrice(facts: AccountFacts, name: string): Q {
  const contract = contractOf(facts, name);
  const quote = coinOf(facts, contract.quote).price;
  const own = unrealisedOf(contract).times(quote).floor(8);
  const behind = marginOf(facts).effective.minus(own).over(quote).floor(8);
  const whole = bankruptcyPrice(contract, behind);
  if (behind.compare(Q.zero) >= 0) return whole;
  const [alone, { mark }] = [bankruptcyPrice(contract, Q.zero), contract];
  return contract.size.compare(Q.zero) > 0 ? alone.max(whole.min(mark)) : alone.min(whole.max(mark));
}

/** W: how far a forced order goes, by the maintenance rate and the fee from the mark (rules 13.7 (a)). */
export function reachOf(contract: ContractFacts): Q {
  const { size, mark, terms } = contract;
  const notional = abs(size).times(mark);
  const away = maintenanceOf(terms, notional).amount.over(notional).plus(terms.takerFee);
  return size.compare(Q.zero) > 0
    ? toTick(mark.times(ONE.minus(away)), true)
    : toTick(mark.times(ONE.plus(away)), false);
}

/** Rules 4.3 and 13.10: `trunc`, below 10^-6 `ceil`. */
export function feeOf(value: Q, rate: Q): Q {
  const exact = value.times(rate);
  return exact.compare(Q.of('0.000001')) < 0 ? exact.ceil(8) : exact.floor(8);
}

/** As it is printed: `floor` at six decimals of a percentage. */
export function percent(part: Q, whole: Q): string {
  if (whole.compare(Q.zero) <= 0) return part.compare(Q.zero) > 0 ? 'above every bound' : '0 %';
  return `${String(part.over(whole).times(Q.of('100')).floor(6))} %`;
}
