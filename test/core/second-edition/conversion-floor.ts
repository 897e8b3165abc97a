/** A trading floor with borrowed coins and the desk that takes one for another. */

import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import type { CoinSpec, InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { lent, MARGIN, PAIRS, TERMS } from '../borrowing/margin-floor.ts';
import { moneyUnits, type RefusalName, refusalName } from '../dsl/words.ts';
import { FUTURES_COINS, priced } from '../futures/futures-floor.ts';
import { PERPETUAL, PriceFloor } from './price-floor.ts';

const USDC = { coin: 'USDC', name: 'USDC', chains: [] };
const USDC_IN_USDT: InstrumentSpec = {
  ...priced('USDC'),
  symbol: 'USDCUSDT',
  quoteCoin: 'USDT',
  indexComponents: [{ exchange: 'elsewhere', spotPair: 'USDC/USDT', weight: '1' }],
};
const BORROWED = [PAIRS[0]!, PAIRS[4]!, USDC_IN_USDT];

interface DeskWords {
  readonly perpetual?: InstrumentSpec;
  readonly more?: readonly InstrumentSpec[];
  readonly coins?: readonly CoinSpec[];
}

export class ConversionFloor extends PriceFloor {
  constructor(without: readonly SecondEditionRule[] = [], words: DeskWords = {}) {
    const { perpetual = PERPETUAL, more = [], coins = [] } = words;
    super(perpetual, without, [...BORROWED, ...more], lent([...FUTURES_COINS, USDC, ...coins], TERMS));
  }

  /** BTC in dollars and in USDT, told together; a second later the exchange has seen it. */
  btc(inDollars: string, inTether = inDollars): void {
    this.tell(inDollars, 'BTCUSD');
    this.tell(inTether, 'BTCUSDT');
    this.wait(1000);
  }

  /** `ann` has 200 000 USDT and owes one BTC that she sold to `bob` for 60 000. */
  withDebt(): this {
    this.trader('ann', { USDT: '200000' });
    this.trader('bob', { USDT: '1000000', BTC: '100' });
    this.btc('60000');
    this.buy('bob', '1', '60000', { category: 'SPOT' });
    const sold = this.sell('ann', '1', '60000', MARGIN);
    if (sold.stands !== 'filled 1/1') throw new Error(sold.stands);
    return this;
  }

  repay(name: string, debt: string, payment: string): RefusalName {
    const [debtCoin, payCoin] = [this.coin(debt), this.coin(payment)];
    return refusalName(
      this.send({ type: 'repay', time: this.now, uid: this.uid(name), debtCoin, payCoin }).rejectReason,
    );
  }

  coinLeverage(name: string, leverage: number, coin: string): void {
    const chosen = { uid: this.uid(name), coin: this.coin(coin), leverage };
    this.carryOut({ type: 'setCoinLeverage', time: this.now, ...chosen });
  }

  /** By hand, which holds for a quarter of an hour. */
  say(price: string, name: string): void {
    this.tell(price, name, 'ops');
  }

  usd(coin: string): string {
    return (Number(this.state.coinPrices[this.coin(coin)]!) / 1e8).toFixed(8);
  }

  indexOf(name: string) {
    return this.state.indices[this.state.indexByName.get(name)!]!;
  }

  /** USDT and BTC of an account, at what BTC costs outside. */
  worthOf(name: string, btcPrice: string): bigint {
    const btc = (moneyUnits(this.cash(name, 'BTC')) * moneyUnits(btcPrice)) / 100_000_000n;
    return moneyUnits(this.cash(name, 'USDT')) + btc;
  }
}

/** A pair whose only job is an index. */
const indexed = (base: string, quote: string): InstrumentSpec => ({
  ...priced(base),
  symbol: base + quote,
  quoteCoin: quote,
  indexComponents: [{ exchange: 'elsewhere', spotPair: `${base}/${quote}`, weight: '1' }],
});

/** More coins have a price in dollars and in stablecoins. */
export class VotesFloor extends ConversionFloor {
  constructor() {
    const pairs = [
      indexed('ETH', 'USDT'),
      indexed('XAU', 'USD'),
      indexed('XAU', 'USDT'),
      indexed('BTC', 'USDC'),
      indexed('USDC', 'USD'),
    ];
    super([], { more: pairs, coins: [{ coin: 'XAU', name: 'XAU', chains: [] }] });
  }
}
