import ccxt from 'ccxt';

/**
 * A grid: between each two neighbouring prices it buys at the lower and sells at the upper, again and again. It remembers
 * nothing. The client id of an order says where it belongs, `grid-CELL-NUMBER`: even numbers buy, odd ones sell. So a bot that
 * is started again goes on where the last one stopped, and an order whose answer was lost is found or refused as a duplicate.
 */
export class GridBot {
  #exchange;
  #market;
  #prices;
  #amount;
  #log;

  /** `prices` rise; there is one cell less than prices. */
  constructor(exchange, { market, prices, amount, log = console.log }) {
    this.#exchange = exchange;
    this.#market = market;
    this.#prices = prices;
    this.#amount = amount;
    this.#log = log;
  }

  /** Looks at every cell once and places what is missing. Nothing that the exchange says or does not say ends the bot. */
  async step() {
    try {
      const last = await this.#lastOrders();
      for (let cell = 0; cell < this.#prices.length - 1; cell++) await this.#serve(cell, last.get(cell));
    } catch (error) {
      if (!(error instanceof ccxt.BaseError)) throw error;
      this.#log(`waits: ${error.message}`);
    }
  }

  async #serve(cell, last) {
    if (last?.status === 'open') return;
    const number = last === undefined ? 0 : last.number + (last.status === 'closed' ? 1 : 2);
    const buys = number % 2 === 0;
    const price = this.#prices[buys ? cell : cell + 1];
    const side = buys ? 'buy' : 'sell';
    try {
      const clientOrderId = `grid-${cell}-${number}`;
      await this.#exchange.createOrder(this.#market, 'limit', side, this.#amount, price, { clientOrderId });
    } catch (error) {
      // The cell has its turn again at the next step; the others have theirs now.
      if (!(error instanceof ccxt.ExchangeError)) throw error;
      this.#log(`${side} at ${price} was refused: ${error.message}`);
    }
  }

  /** Of each cell the order with the highest number: it is open, or it has just ended, so the newest ones are enough. */
  async #lastOrders() {
    const ended = await this.#exchange.fetchCanceledAndClosedOrders(this.#market, undefined, 100);
    const open = await this.#exchange.fetchOpenOrders(this.#market);
    const last = new Map();
    for (const { clientOrderId, status } of [...ended, ...open]) {
      const [, cell, number] = (/^grid-(\d+)-(\d+)$/.exec(clientOrderId) ?? []).map(Number);
      if (cell !== undefined && number >= (last.get(cell)?.number ?? 0)) last.set(cell, { number, status });
    }
    return last;
  }
}
