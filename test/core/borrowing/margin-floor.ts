/** A trading floor where coins are lent: spot, margin and futures of the same people, on the terms of rules 6.7. */

import { NIL } from '../../../src/core/book/order-slab.ts';
import { interestOf } from '../../../src/core/borrowing/interest.ts';
import { orderClaims } from '../../../src/core/margin/debts.ts';
import type { BorrowSpec } from '../../../src/core/model/borrow-terms.ts';
import type { CommandResult } from '../../../src/core/model/command-result.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { CoinSpec, InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import type { Account } from '../../../src/core/state/account.ts';
import { money, type OrderWords, type RefusalName, refusalName } from '../dsl/words.ts';
import { FUTURES_COINS, FuturesFloor } from '../futures/futures-floor.ts';
import { BTCUSDT, BTCUSDT_MARGIN } from '../listings.ts';

export const MARGIN: OrderWords = { category: 'MARGIN' };
export const SPOT: OrderWords = { category: 'SPOT' };

export const USDT_TERMS: BorrowSpec = {
  yearRate: '0.0876',
  poolLimit: '1000000',
  userLimit: '500000',
  masterSubLimit: '600000',
  freeLimit: '1000',
  tiers: [
    { upTo: '200000', maxLeverage: '5', mmr: '0.04' },
    { upTo: '2000000', maxLeverage: '3', mmr: '0.06' },
  ],
};

export const COIN_TERMS: BorrowSpec = {
  ...USDT_TERMS,
  poolLimit: '100',
  userLimit: '50',
  masterSubLimit: '60',
  freeLimit: '0',
};

const wide = { buyLimitPriceRatio: '0.9', sellLimitPriceRatio: '0.9' };
const spot = (base: string, quote: string): InstrumentSpec => ({
  ...BTCUSDT,
  ...wide,
  symbol: base + quote,
  baseCoin: base,
  quoteCoin: quote,
});
export const margin = (base: string, quote: string): InstrumentSpec => ({
  ...spot(base, quote),
  category: 'MARGIN',
  margin: BTCUSDT_MARGIN.margin!,
});

export const PAIRS: readonly InstrumentSpec[] = [
  spot('BTC', 'USDT'),
  { ...spot('ETH', 'USDT'), openingPrice: '3000' },
  {
    ...spot('ETH', 'BTC'),
    openingPrice: '0.05',
    pricePrecision: '4',
    quantityPrecision: '4',
    minOrderAmount: '',
  },
  { ...spot('XAU', 'USDT'), openingPrice: '100' },
  margin('BTC', 'USDT'),
  { ...margin('ETH', 'USDT'), openingPrice: '3000' },
];

export function lent(coins: readonly CoinSpec[], terms: Readonly<Record<string, BorrowSpec>>): CoinSpec[] {
  return coins.map((spec) => ({
    ...spec,
    ...(terms[spec.coin] !== undefined && { borrow: terms[spec.coin] }),
  }));
}

export const TERMS = { USDT: USDT_TERMS, BTC: COIN_TERMS, ETH: COIN_TERMS };

/** BTC 60 000, ETH 3 000, a dollar a USDT, unless an example says otherwise. */
export class MarginFloor extends FuturesFloor {
  constructor(
    terms: Readonly<Record<string, BorrowSpec>> = TERMS,
    pairs: readonly InstrumentSpec[] = PAIRS,
    more: Readonly<Record<string, Partial<CoinSpec>>> = {},
  ) {
    const coins = [...FUTURES_COINS, { coin: 'XAU', name: 'XAU', chains: [] }].map((spec) => ({
      ...spec,
      ...more[spec.coin],
    }));
    super(undefined, lent(coins, terms), pairs);
    this.index('1', 'USDTUSD');
    this.index('60000', 'BTCUSD');
    this.index('3000', 'ETHUSD');
  }

  account(name: string): Account {
    return this.state.accountByUid.get(this.uid(name))!;
  }

  coinLeverage(name: string, leverage: number, coin = 'USDT'): RefusalName {
    const command = {
      type: 'setCoinLeverage',
      time: this.now,
      uid: this.uid(name),
      coin: this.coin(coin),
      leverage,
    } as const;
    return refusalName(this.send(command).rejectReason);
  }

  repay(name: string, debt: string, payment: string): CommandResult {
    return this.send({
      type: 'repay',
      time: this.now,
      uid: this.uid(name),
      debtCoin: this.coin(debt),
      payCoin: this.coin(payment),
    });
  }

  /** Debt, interest-free part and interest of the next hour. */
  nextHour(name: string, coin = 'USDT') {
    const { debt, free, interest } = interestOf(this.state, this.account(name), this.coin(coin));
    return { debt: money(debt), free: money(free), interest: money(interest) };
  }

  /** Dollars that open spot and margin orders take of the margin. */
  haircut(name: string): string {
    return money(orderClaims(this.state, this.account(name), undefined, NIL).haircut);
  }

  owed(coin: string): string {
    return money(this.state.ledger.totalDebt(this.coin(coin)));
  }

  reserved(coin: string): string {
    return money(this.state.lending[this.coin(coin)]!.reserved);
  }

  /** Conversions as `qty coin for qty coin`, oldest first. */
  conversions(name: string): string[] {
    const uid = this.uid(name);
    const coinName = (coin: number) => this.state.coins[coin]!.coin;
    return this.events
      .filter((event): event is Extract<Event, { type: 'conversion' }> => event.type === 'conversion')
      .filter((event) => event.uid === uid)
      .map(
        ({ fromAmount, fromCoin, toAmount, toCoin, forced }) =>
          `${forced ? 'forced ' : ''}${money(fromAmount)} ${coinName(fromCoin)} for ${money(toAmount)} ${coinName(toCoin)}`,
      );
  }

  /** A market of strangers with plenty on both sides at a price. */
  stocked(price = '60000', on = 'BTCUSDT'): this {
    this.trader('market', { USDT: '100000000', BTC: '10000', ETH: '100000', XAU: '100000' });
    this.sell('market', '100', price, { ...SPOT, on });
    return this;
  }
}

/** The worked account of rules 6.7: ann owes 6 000 USDT, of which 2 000 are an unrealised loss. */
export function workedAccount(): MarginFloor {
  const floor = new MarginFloor();
  floor.index('0.9995', 'USDTUSD');
  floor.trader('ann', { BTC: '0.5', ETH: '10' });
  floor.trader('bob', { USDT: '1000000' });
  floor.setFees('ann', '0', '0');
  floor.deal('ann', 'bob', '1', '64000');
  floor.deal('bob', 'ann', '1', '60000');
  floor.deal('ann', 'bob', '2', '61000');
  floor.mark('60000');
  return floor;
}
