/**
 * Margin, fees and ratios from the formulas of the rule book (5.5, 5.6, 6.1 to 6.3, 4.3) and from raw facts alone: balances,
 * positions, orders, prices and the terms as they were listed. It uses nothing that the core computes with.
 */
import { Q, sumOf } from './rational.ts';

export interface ContractTerms {
  readonly takerFee: Q;
  readonly makerFee: Q;
  /** `feeRateUpRatio`. */
  readonly feeReserve: Q;
  readonly tiers: readonly { readonly upTo: Q; readonly rate: Q; readonly maxLeverage: number }[];
}

export interface CoinFacts {
  readonly name: string;
  readonly balance: Q;
  readonly price: Q;
  /** Slices of dollar value and their rates; undefined for a coin that counts in full. */
  readonly slices: readonly { readonly from: Q; readonly rate: Q }[] | undefined;
}

export interface OrderFacts {
  readonly buy: boolean;
  readonly price: Q;
  readonly qty: Q;
}

/** An account in one-way mode with crossed positions in one linear contract that is settled in `settle`. */
export interface AccountFacts {
  readonly coins: readonly CoinFacts[];
  readonly settle: string;
  /** Signed. */
  readonly size: Q;
  readonly basis: Q;
  readonly mark: Q;
  readonly leverage: Q;
  readonly orders: readonly OrderFacts[];
  readonly terms: ContractTerms;
}

export interface CoinTerm {
  readonly name: string;
  readonly balance: Q;
  readonly unrealised: Q;
  readonly price: Q;
  readonly usd: Q;
  readonly counted: Q;
}

export interface Margin {
  readonly coins: readonly CoinTerm[];
  readonly equity: Q;
  readonly effective: Q;
  readonly contractInitial: Q;
  readonly parts: {
    readonly most: Q;
    readonly byLeverage: Q;
    readonly fees: Q;
    readonly loss: Q;
    readonly buys: Q;
    readonly sells: Q;
  };
  readonly contractMaintenance: Q;
  readonly tierRate: Q;
  readonly notional: Q;
  readonly initial: Q;
  readonly maintenance: Q;
}

/** A coin that nobody lends: leverage 1, five percent (rules 6.3). */
const UNLENT_RATE = Q.of('0.05');
const abs = (value: Q): Q => value.max(Q.zero.minus(value));

export function marginOf(facts: AccountFacts, added?: OrderFacts): Margin {
  const { size, basis, mark, settle, leverage, terms } = facts;
  const unrealised = size.times(mark).minus(basis);
  const coins = facts.coins
    .map(({ name, balance, price, slices }): CoinTerm => {
      const own = name === settle ? unrealised : Q.zero;
      const usd = balance.plus(own).times(price).floor(8);
      return { name, balance, unrealised: own, price, usd, counted: countedOf(usd, slices) };
    })
    .filter(({ balance, unrealised: own }) => balance.plus(own).compare(Q.zero) !== 0);
  const orders = added === undefined ? facts.orders : [...facts.orders, added];
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
  const reserve = terms.takerFee.times(Q.of('1').plus(terms.feeReserve)).ceil(12);
  const fees = held.times(terms.takerFee).plus(most.minus(held).times(reserve)).ceil(8);
  const price = facts.coins.find(({ name }) => name === settle)!.price;
  const contractInitial = byLeverage.plus(fees).plus(loss).times(price).ceil(8);
  const { amount, rate } = maintenanceOf(terms, held);
  const contractMaintenance =
    held.compare(Q.zero) === 0
      ? Q.zero
      : amount.plus(held.times(terms.takerFee).ceil(8)).times(price).ceil(8);
  const debts = coins.filter(({ balance, unrealised: own }) => balance.plus(own).compare(Q.zero) < 0);
  const owed = debts.map(({ balance, unrealised: own, price: at }) =>
    Q.zero.minus(balance.plus(own)).times(at).ceil(8),
  );
  return {
    coins,
    equity: sumOf(coins.map(({ usd }) => usd)),
    effective: sumOf(coins.map(({ counted }) => counted)),
    contractInitial,
    parts: { most, byLeverage, fees, loss, buys, sells },
    contractMaintenance,
    tierRate: rate,
    notional: held,
    initial: contractInitial.plus(sumOf(owed)),
    maintenance: contractMaintenance.plus(sumOf(owed.map((usd) => usd.times(UNLENT_RATE).ceil(8)))),
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

/** The rule of an order (rules 5.6): covered, and with a fill not near liquidation; or what it raises is nothing. */
export function isAccepted(facts: AccountFacts, order: OrderFacts): boolean {
  const [before, after] = [marginOf(facts), marginOf(facts, order)];
  const turns =
    facts.size.compare(Q.zero) > 0 === !order.buy &&
    order.qty.compare(abs(facts.size)) > 0 &&
    facts.size.compare(Q.zero) !== 0;
  if (after.initial.compare(before.initial) <= 0 && !turns) return true;
  if (after.effective.compare(after.initial) < 0) return false;
  return ratioWith(facts, order).compare(Q.of('0.9')) < 0;
}

/** Maintenance with the order filled at its price, of equity. */
export function ratioWith(facts: AccountFacts, order: OrderFacts): Q {
  const { maintenance, effective } = marginOf(facts, order);
  return maintenance.plus(maintenanceOfOrder(facts, order)).over(effective);
}

export function maintenanceOfOrder({ terms, coins, settle }: AccountFacts, { price, qty }: OrderFacts): Q {
  const value = price.times(qty);
  const usd = coins.find(({ name }) => name === settle)!.price;
  return maintenanceOf(terms, value).amount.plus(value.times(terms.takerFee).ceil(8)).times(usd).ceil(8);
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
