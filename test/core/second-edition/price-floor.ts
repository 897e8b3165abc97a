/** A trading floor under the second edition of the rules, for what prices are made of. */

import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import { tradeValue } from '../../../src/core/model/instrument.ts';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { moneyUnits, priceText, ticksOf } from '../dsl/words.ts';
import { BTC_COIN, BTC_PERPETUAL, FUTURES_COINS, FuturesFloor } from '../futures/futures-floor.ts';

const BAND = { buyLimitPriceRatio: '0.05', sellLimitPriceRatio: '0.05' } as const;

export const PERPETUAL: InstrumentSpec = { ...BTC_PERPETUAL, ...BAND };

export const DELIVERY_TIME = Date.UTC(2026, 2, 27, 8);

export const QUARTER: InstrumentSpec = {
  ...BTC_COIN,
  ...BAND,
  symbol: 'BTCUSDH26',
  futures: {
    ...BTC_COIN.futures!,
    type: 'delivery',
    fundInterval: '',
    deliveryTime: String(DELIVERY_TIME),
    deliveryStartTime: String(OPENING_BELL),
    deliveryPeriod: 'this_quarter',
  },
};

export class PriceFloor extends FuturesFloor {
  /** The second edition, some of its rules put back to the first. */
  constructor(
    perpetual: InstrumentSpec = PERPETUAL,
    without: readonly SecondEditionRule[] = [],
    more: readonly InstrumentSpec[] = [QUARTER],
    coins = FUTURES_COINS,
  ) {
    super(perpetual, coins, more);
    this.carryOut({ type: 'setEdition', time: this.now, edition: 2, by: 'test' });
    this.arrange(({ state }) => {
      for (const rule of without) state.rules[rule] = false;
    });
  }

  /** The mark of a contract. */
  markOf(on = 'BTCUSDT'): string {
    const instrument = this.instrument(on);
    return priceText(instrument, this.state.market(instrument).futures!.markTicks);
  }

  /** Seconds pass one by one, while the other venues go on telling the same price. */
  seconds(count: number, price = '60000', name = 'BTCUSDT'): void {
    for (let n = 0; n < count; n++) {
      // Venues repeat themselves; a wiggle of one unit says that they are there.
      this.tell(n % 2 === 0 ? price : `${price}.00000001`, name);
      this.wait(1000);
    }
  }

  /** Cash and isolated margin in USDT, and the position at a price of the outside world. */
  worth(name: string, price: string): bigint {
    const account = this.state.accountByUid.get(this.uid(name))!;
    const instrument = this.instrument();
    let sum = moneyUnits(this.cash(name, 'USDT')) + moneyUnits(this.isolatedMargin(name));
    for (const position of account.positions.values()) {
      const value = tradeValue(instrument, ticksOf(instrument, price), position.lots);
      if (position.instrument === instrument.index) sum += position.unrealised(value);
    }
    return sum;
  }
}
