/**
 * Index prices of an exchange without a market. A price of the operator counts for 15 minutes (rules 13.6), so those that
 * a test has set are reported again while it moves the clock.
 */
import { EVERY_COMPONENT } from '../core/model/command.ts';
import { formatMoney, MONEY_SCALE, parseUnits } from '../core/model/units.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import { followedIndices } from '../simulator/feed/price-feed.ts';
import type { Operator } from './operator.ts';

const DECIMALS = 8;
/** Reported by hand, and not by a feed, whose prices are old after a minute. */
const BY_HAND = 'testkit';

export class HeldPrices {
  readonly #sequencer: () => Sequencer;
  readonly #operator: Operator;
  readonly #prices = new Map<string, string>();
  /** Indices by their base coin. */
  readonly #ofCoin: ReadonlyMap<string, readonly string[]>;

  /** Those of the catalogue hold until others are set. The sequencer is another one after a revert. */
  constructor(sequencer: () => Sequencer, operator: Operator) {
    this.#sequencer = sequencer;
    this.#operator = operator;
    const indices = followedIndices(sequencer().state);
    for (const { name, price } of indices) this.#prices.set(name, String(price));
    this.#ofCoin = new Map(
      [...Map.groupBy(indices, ({ base }) => base)].map(([coin, each]) => [
        coin,
        each.map(({ name }) => name),
      ]),
    );
  }

  /** The prices that are held now. */
  all(): ReadonlyMap<string, string> {
    return new Map(this.#prices);
  }

  /** Holds these prices from now on; the exchange has them already. */
  restore(prices: ReadonlyMap<string, string>): void {
    for (const [index, price] of prices) this.#prices.set(index, price);
  }

  get names(): readonly string[] {
    return [...this.#prices.keys()];
  }

  get coins(): readonly string[] {
    return [...this.#ofCoin.keys()];
  }

  async set(index: string, price: string): Promise<void> {
    await this.#operator.post('/admin/prices', { index, price });
    this.#prices.set(index, price);
  }

  /** Known to `reportAll` from now on. */
  hold(index: string, price: string): void {
    this.#prices.set(index, price);
  }

  /** The command of the operator's call: fifty calls would be a fifth of a start. */
  async reportAll(): Promise<void> {
    const { indexByName } = this.#sequencer().state;
    for (const name of this.#prices.keys()) {
      const index = indexByName.get(name)!;
      const price = parseUnits(this.#present(name), MONEY_SCALE)!;
      const said = { index, component: EVERY_COMPONENT, price, volume: 0n, by: BY_HAND };
      const command = { type: 'componentPrice', ...said } as const;
      const sequencer = this.#sequencer();
      // A fault holds it back.
      if (sequencer.admissionFilter?.(command) !== undefined) continue;
      // A log that is behind would refuse it.
      await sequencer.durable();
      await sequencer.submit(command);
    }
  }

  /** The price that the exchange has by hand; others than the test may have set it. */
  #present(name: string): string {
    const { indexByName, indices } = this.#sequencer().state;
    const byHand = indices[indexByName.get(name)!]!.components.find(
      ({ byOperator, price }) => byOperator && price !== 0n,
    );
    return byHand === undefined ? this.#prices.get(name)! : formatMoney(byHand.price);
  }

  /** Multiplies the prices of a coin; false when it has none. */
  async move(coin: string, factor: number): Promise<boolean> {
    const indices = this.#ofCoin.get(coin);
    if (indices === undefined) return false;
    for (const index of indices) await this.set(index, scaled(this.#present(index), factor));
    return true;
  }
}

/** Prices of a test are given and moved, not booked: a floating-point product rounded to the digits of a price is enough. */
function scaled(price: string, factor: number): string {
  const product = Number(price) * factor;
  return product.toFixed(DECIMALS).replace(/\.?0+$/, '');
}
