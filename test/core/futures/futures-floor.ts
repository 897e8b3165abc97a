/** A trading floor for contracts: prices move at will, positions are read as people write them. */

import { accountRisk } from '../../../src/core/margin/margin-cache.ts';
import {
  type CategoryName,
  HOLD_MODE_NAMES,
  type HoldMode,
  OrderKind,
  OrderType,
  POS_SIDE_NAMES,
  type PosSide,
  Side,
} from '../../../src/core/model/enums.ts';
import type { Instrument } from '../../../src/core/model/instrument.ts';
import { Bucket, SystemAccount } from '../../../src/core/model/ledger-accounts.ts';
import type { CoinSpec, InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { AUTO_MARGIN_UNBOUNDED } from '../../../src/core/model/position.ts';
import { formatRate, formatUnits, MONEY_SCALE, parseUnits } from '../../../src/core/model/units.ts';
import {
  ADL_RANK_SCALE,
  adlRanks,
  type PositionView,
  PROFIT_RATE_SCALE,
  positionViews,
} from '../../../src/core/reads/position-reads.ts';
import type { Ticket } from '../dsl/ticket.ts';
import {
  lotsOf,
  money,
  moneyUnits,
  type OrderWords,
  priceText,
  qtyText,
  type RefusalName,
  refusalName,
} from '../dsl/words.ts';
import { BTCUSDT, BTCUSDT_FUTURES } from '../listings.ts';
import { TradingFloor } from '../trading-floor.ts';

/** Rules 5.5. */
export const BTC_TIERS = [
  { upTo: '150000', maxLeverage: '125', mmr: '0.004' },
  { upTo: '900000', maxLeverage: '100', mmr: '0.005' },
  { upTo: '12000000', maxLeverage: '50', mmr: '0.01' },
  { upTo: '38000000', maxLeverage: '25', mmr: '0.015' },
  { upTo: '50000000', maxLeverage: '20', mmr: '0.03' },
];

const venue = (spotPair: string) => [{ exchange: 'elsewhere', spotPair, weight: '1' }];

/** No funding, so that the mark is the index; wide bands, so that examples may trade anywhere. */
export const BTC_PERPETUAL: InstrumentSpec = {
  ...BTCUSDT_FUTURES,
  buyLimitPriceRatio: '0.9',
  sellLimitPriceRatio: '0.9',
  indexComponents: venue('BTC/USDT'),
  futures: {
    ...BTCUSDT_FUTURES.futures!,
    feeRateUpRatio: '0',
    openCostUpRatio: '0',
    minFundingRate: '0',
    maxFundingRate: '0',
    tiers: BTC_TIERS,
  },
};

/** One that pays exactly the rate of the example in rules 5.10. */
export const BTC_FUNDED: InstrumentSpec = {
  ...BTC_PERPETUAL,
  futures: { ...BTC_PERPETUAL.futures!, minFundingRate: '0.000071', maxFundingRate: '0.000071' },
};

export const BTC_COIN: InstrumentSpec = {
  ...BTC_PERPETUAL,
  symbol: 'BTCUSD',
  category: 'COIN-FUTURES',
  quoteCoin: 'USD',
  indexComponents: venue('BTC/USD'),
};

/** A spot pair whose only job is the dollar index of a coin. */
export const priced = (base: string): InstrumentSpec => ({
  ...BTCUSDT,
  symbol: `${base}USD`,
  baseCoin: base,
  quoteCoin: 'USD',
  openingPrice: '1',
  indexComponents: venue(`${base}/USD`),
});

export const FUTURES_COINS: readonly CoinSpec[] = [
  { coin: 'USDT', name: 'USDT', chains: [] },
  { coin: 'USD', name: 'USD', chains: [] },
  { coin: 'BTC', name: 'BTC', chains: [], collateral: [{ tierStartValue: '0', discountRate: '0.975' }] },
  {
    coin: 'ETH',
    name: 'ETH',
    chains: [],
    collateral: [
      { tierStartValue: '0', discountRate: '0.95' },
      { tierStartValue: '20000', discountRate: '0.9' },
    ],
  },
];

export interface MoveWords {
  readonly side: 'buy' | 'sell';
  readonly qty: string;
  readonly on?: string;
}

export class FuturesFloor extends TradingFloor {
  private moveOid = '';

  constructor(
    perpetual: InstrumentSpec = BTC_PERPETUAL,
    coins: readonly CoinSpec[] = FUTURES_COINS,
    more: readonly InstrumentSpec[] = [],
  ) {
    super([perpetual, BTC_COIN, priced('USDT'), priced('ETH'), ...more], coins);
    this.index('60000');
  }

  override instrument(symbol = 'BTCUSDT', category?: CategoryName): Instrument {
    const names: readonly CategoryName[] =
      category !== undefined ? [category] : ['USDT-FUTURES', 'COIN-FUTURES', 'SPOT', 'MARGIN'];
    for (const name of names) {
      const instrument = this.state.instrument(name, symbol);
      if (instrument !== undefined) return instrument;
    }
    throw new Error(`${symbol} is not listed`);
  }

  // Prices

  /** All other venues pay this now; a second later the exchange has seen it. */
  index(price: string, name = 'BTCUSDT'): void {
    this.tell(price, name);
    this.wait(1000);
  }

  /** Reports a component price: of a feed, or, with `by`, of the operator of that name. */
  tell(price: string, name: string, by = ''): void {
    this.carryOut({
      type: 'componentPrice',
      time: this.now,
      index: this.state.indexByName.get(name)!,
      component: 0,
      price: moneyUnits(price),
      volume: 0n,
      by,
    });
  }

  /** Moves the index and makes sure that the mark followed to the tick. */
  mark(price: string, symbol = 'BTCUSDT'): void {
    this.index(price, symbol);
    const instrument = this.instrument(symbol);
    const shown = priceText(instrument, this.state.market(instrument).futures!.markTicks);
    if (shown !== formatUnits(parseUnits(price, 8)!, 8))
      throw new Error(`the mark is ${shown}, not ${price}`);
  }

  // Orders

  marketOrder(name: string, side: 'buy' | 'sell', qty: string, words: OrderWords = {}): Ticket {
    const instrument = this.instrument(words.on, words.category);
    const code = side === 'buy' ? Side.buy : Side.sell;
    return this.place(name, code, OrderType.market, 0, lotsOf(instrument, qty), 0n, words);
  }

  /** Two orders that meet: `buyer` takes what `seller` offers. */
  deal(buyer: string, seller: string, qty: string, price: string, words: OrderWords = {}): void {
    this.sell(seller, qty, price, words);
    const bought = this.buy(buyer, qty, price, words);
    if (bought.stands !== `filled ${bought.qty}/${bought.qty}`) throw new Error(`no deal: ${bought.stands}`);
  }

  // Settings

  isolate(name: string, symbol = 'BTCUSDT'): RefusalName {
    const instrument = this.instrument(symbol).index;
    return this.settle({
      type: 'setMarginMode',
      time: this.now,
      uid: this.uid(name),
      instrument,
      isolated: true,
    });
  }

  leverage(name: string, leverage: number, symbol = 'BTCUSDT'): RefusalName {
    return this.settle({
      type: 'setLeverage',
      time: this.now,
      uid: this.uid(name),
      instrument: this.instrument(symbol).index,
      longLeverage: leverage,
      shortLeverage: leverage,
    });
  }

  holdMode(name: string, mode: (typeof HOLD_MODE_NAMES)[number]): RefusalName {
    const holdMode = HOLD_MODE_NAMES.indexOf(mode) as HoldMode;
    return this.settle({ type: 'setHoldMode', time: this.now, uid: this.uid(name), holdMode });
  }

  addMargin(
    name: string,
    amount: string,
    words: { on?: string; posSide?: 'long' | 'short' } = {},
  ): RefusalName {
    return this.settle({
      type: 'adjustMargin',
      time: this.now,
      uid: this.uid(name),
      instrument: this.instrument(words.on).index,
      posSide: POS_SIDE_NAMES.indexOf(words.posSide ?? '') as PosSide,
      amount: moneyUnits(amount),
    });
  }

  /** So much at most, 'off', or as much as there is. */
  autoMargin(name: string, room = '', words: { on?: string; posSide?: 'long' | 'short' } = {}): RefusalName {
    return this.settle({
      type: 'setAutoMargin',
      time: this.now,
      uid: this.uid(name),
      instrument: this.instrument(words.on).index,
      posSide: POS_SIDE_NAMES.indexOf(words.posSide ?? '') as PosSide,
      room: room === 'off' ? 0n : room === '' ? AUTO_MARGIN_UNBOUNDED : moneyUnits(room),
    });
  }

  /** Gives the insurance fund what an example says it has; the house lends it. */
  insure(amount: string, coin = 'USDT'): void {
    const index = this.coin(coin);
    this.arrange(({ state: { ledger } }) =>
      ledger.move(
        ledger.cell(SystemAccount.convert, index, Bucket.cash),
        ledger.cell(SystemAccount.insurance, index, Bucket.cash),
        moneyUnits(amount),
      ),
    );
  }

  insurance(coin = 'USDT'): string {
    return this.house('sys:insurance', coin);
  }

  /** The operator of a demo closes positions: all by liquidation, or those of a contract by deleveraging. */
  force(name: string, deleverage?: string): RefusalName {
    const instrument = deleverage === undefined ? -1 : this.instrument(deleverage).index;
    const uid = this.uid(name);
    return this.settle({
      type: 'forceClose',
      time: this.now,
      uid,
      deleverage: deleverage !== undefined,
      instrument,
    });
  }

  /** The operator of a demo has funding of a contract paid now. */
  forceFunding(on?: string): RefusalName {
    return this.settle({ type: 'forceFunding', time: this.now, instrument: this.instrument(on).index });
  }

  /** What is moved next carries this name. */
  named(clientOid: string): this {
    this.moveOid = clientOid;
    return this;
  }

  /** The main account hands positions over: `sell 0.4` of the giver's long, or `buy 0.4` of its short. One word each. */
  move(by: string, from: string, to: string, ...items: readonly MoveWords[]): RefusalName[] {
    const outcome = this.send({
      type: 'movePositions',
      time: this.now,
      initiatorUid: this.uid(by),
      fromUid: this.uid(from),
      toUid: this.uid(to),
      items: items.map(({ side, qty, on }) => {
        const instrument = this.instrument(on);
        return {
          instrument: instrument.index,
          side: side === 'buy' ? Side.buy : Side.sell,
          sizeLots: lotsOf(instrument, qty),
        };
      }),
      clientOid: this.moveOid,
    });
    this.moveOid = '';
    return (
      outcome.items?.map(({ rejectReason }) => refusalName(rejectReason)) ?? [
        refusalName(outcome.rejectReason),
      ]
    );
  }

  // Positions

  view(name: string, words: { on?: string; long?: boolean } = {}): PositionView | undefined {
    const { symbol, category } = this.instrument(words.on);
    const [view] = positionViews(this.state, this.uid(name), { symbol, category, long: words.long });
    return view;
  }

  /** In one line: `long 0.3 @ 60000`, with `iso` and the margin behind it when isolated; `none`. */
  position(name: string, words: { on?: string; long?: boolean } = {}): string {
    const view = this.view(name, words);
    if (view === undefined) return 'none';
    const { instrument, long, totalLots, averageTicks, isolated, balance } = view;
    const text = `${long ? 'long' : 'short'} ${qtyText(instrument, totalLots)} @ ${priceText(instrument, averageTicks)}`;
    return isolated ? `${text} iso ${money(balance)}` : text;
  }

  /** The fields of interface 2.4 that are numbers, as decimals. */
  fields(name: string, words: { on?: string; long?: boolean } = {}) {
    const view = this.view(name, words)!;
    const { instrument } = view;
    return {
      positionBalance: money(view.balance),
      available: qtyText(instrument, view.availableLots),
      frozen: qtyText(instrument, view.frozenLots),
      total: qtyText(instrument, view.totalLots),
      leverage: String(view.leverage),
      curRealisedPnl: money(view.realised),
      avgPrice: priceText(instrument, view.averageTicks),
      unrealisedPnl: money(view.unrealised),
      liquidationPrice: priceText(instrument, view.liquidationTicks),
      mmr: formatRate(view.maintenanceRate),
      profitRate: formatUnits(view.profitRate, PROFIT_RATE_SCALE),
      markPrice: priceText(instrument, view.markTicks),
      breakEvenPrice: priceText(instrument, view.breakEvenTicks),
      totalFunding: money(view.funding),
      openFeeTotal: money(view.openFee),
      closeFeeTotal: money(view.closeFee),
    };
  }

  adlRank(name: string, long?: boolean): string {
    const rank = adlRanks(this.state, this.uid(name)).find(
      (each) => long === undefined || each.long === long,
    );
    return rank === undefined ? 'none' : formatUnits(rank.rank, ADL_RANK_SCALE);
  }

  /** Dollar amounts of the account. */
  risk(name: string) {
    const { equity, effective, initial, maintenance } = accountRisk(
      this.state,
      this.state.accountByUid.get(this.uid(name))!,
    );
    return {
      equity: money(equity),
      effective: money(effective),
      initial: money(initial),
      maintenance: money(maintenance),
      available: money(effective - initial),
    };
  }

  /** Everything in the margin buckets of isolated positions and orders. */
  isolatedMargin(name: string, coin = 'USDT'): string {
    return money(this.bucket(name, coin, Bucket.isolated) + this.bucket(name, coin, Bucket.isolatedOrders));
  }

  /** Executions as `kind open|close qty @ price fee f pnl p`, oldest first. */
  executions(name: string): string[] {
    return this.fillsOf(name).map((fill) => {
      const instrument = this.state.instruments[fill.instrument]!;
      const { kind, closing, pnl } = fill.futures!;
      return (
        `${KIND_WORDS[kind]} ${closing ? 'close' : 'open'} ${qtyText(instrument, fill.sizeLots)} @ ` +
        `${priceText(instrument, fill.priceTicks)} fee ${money(fill.fee)} pnl ${money(pnl)}`
      );
    });
  }

  private settle(command: Parameters<TradingFloor['send']>[0]): RefusalName {
    return refusalName(this.send(command).rejectReason);
  }
}

const KIND_WORDS = Object.fromEntries(Object.entries(OrderKind).map(([word, kind]) => [kind, word]));

/** A floor where each of these people has so much USDT and nothing else. */
export function futuresFloor(usdt: string, ...names: string[]): FuturesFloor {
  const floor = new FuturesFloor();
  for (const name of names) floor.trader(name, { USDT: usdt });
  return floor;
}

export function units(text: string): bigint {
  return parseUnits(text, MONEY_SCALE)!;
}
