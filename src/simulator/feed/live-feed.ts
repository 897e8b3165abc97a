/**
 * Public prices of real exchanges through ccxt, which the user must install: it is not a dependency, and no request
 * is made unless `--feed live:...` is set. Each exchange is polled for all tickers at once, every few seconds; a
 * failed poll only makes prices older.
 */
import { LIVE_SYMBOLS_MAX } from '../limits.ts';
import { SimulatorError } from '../simulator-error.ts';
import { type PartialFeed, pairNames } from './layered-feed.ts';
import { type FollowedIndex, priceUnits, type Report } from './price-feed.ts';

const POLL_MS = 2000;
const POLL_AFTER_FAILURE_MS = 15_000;

/** The used part of ccxt. */
interface Exchange {
  loadMarkets(): Promise<unknown>;
  readonly symbols: readonly string[];
  fetchTickers(symbols: readonly string[]): Promise<Readonly<Record<string, Ticker>>>;
  urls: { api?: unknown };
  close?: () => Promise<unknown>;
}

interface Ticker {
  readonly last?: number;
  readonly close?: number;
  readonly baseVolume?: number;
}

interface Quote {
  readonly price: number;
  readonly volume: number;
}

interface LiveExchange {
  readonly id: string;
  readonly exchange: Exchange;
  readonly quotes: Map<string, Quote>;
  failures: number;
}

export interface LiveOptions {
  /** `kraken,coinbase` or `id@http://...` for an exchange under another address. */
  readonly exchanges: string;
  readonly pairs: readonly string[];
  readonly report: (text: string) => void;
}

/** Resolves when every exchange was polled once. */
export async function openLiveFeed(options: LiveOptions): Promise<LiveFeed> {
  const library = await loadLibrary();
  const exchanges = await Promise.all(
    options.exchanges.split(',').map((text) => openExchange(library, text, options.pairs)),
  );
  const feed = new LiveFeed(exchanges, options);
  await feed.begin();
  return feed;
}

export class LiveFeed implements PartialFeed {
  readonly name: string;
  private readonly exchanges: readonly LiveExchange[];
  private readonly options: LiveOptions;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly lastReported = new Map<string, bigint>();
  private closed = false;

  constructor(exchanges: readonly LiveExchange[], options: LiveOptions) {
    this.exchanges = exchanges;
    this.options = options;
    this.name = `live prices of ${exchanges.map(({ id }) => id).join(', ')}`;
  }

  async begin(): Promise<void> {
    await Promise.all(this.exchanges.map((source) => this.poll(source)));
    const silent = this.exchanges.filter(({ quotes }) => quotes.size === 0);
    if (silent.length === this.exchanges.length) {
      this.close();
      throw new SimulatorError(`${this.name}: no venue answers; check the names and the network`);
    }
  }

  covers(index: FollowedIndex): boolean {
    return this.exchanges.some((source) => quoteOf(source, index) !== undefined);
  }

  /** Components are distributed over the exchanges; those that trade the pair replace those that do not. */
  reports(indices: readonly FollowedIndex[]): readonly Report[] {
    const reports: Report[] = [];
    for (const index of indices) {
      const quotes = this.exchanges
        .map((source) => quoteOf(source, index))
        .filter((quote) => quote !== undefined);
      if (quotes.length === 0) continue;
      for (const component of index.weights.keys()) {
        const { price, volume } = quotes[component % quotes.length]!;
        const units = priceUnits(price, 8);
        const key = `${index.index} ${component}`;
        if (this.lastReported.get(key) === units) continue;
        this.lastReported.set(key, units);
        reports.push({
          index: index.index,
          component,
          price: units,
          volume: BigInt(Math.round(Math.min(volume, 1e12))) * 100_000_000n,
        });
      }
    }
    return reports;
  }

  close(): void {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    for (const { exchange } of this.exchanges) exchange.close?.().catch(() => {});
  }

  private async poll(source: LiveExchange): Promise<void> {
    const { exchange, quotes, id } = source;
    try {
      const wanted = exchange.symbols.filter((symbol) => this.options.pairs.includes(symbol));
      const tickers = await exchange.fetchTickers(wanted.slice(0, LIVE_SYMBOLS_MAX));
      for (const symbol of wanted) {
        const ticker = tickers[symbol];
        const price = ticker?.last ?? ticker?.close;
        if (price !== undefined && price > 0) quotes.set(symbol, { price, volume: ticker?.baseVolume ?? 0 });
      }
      if (source.failures > 0) this.options.report(`${id} answers again`);
      source.failures = 0;
    } catch (error) {
      if (source.failures++ === 0) this.options.report(`${id} does not answer: ${(error as Error).message}`);
    }
    if (this.closed) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        void this.poll(source);
      },
      source.failures === 0 ? POLL_MS : POLL_AFTER_FAILURE_MS,
    );
    this.timers.add(timer.unref());
  }
}

function quoteOf({ quotes }: LiveExchange, index: FollowedIndex): Quote | undefined {
  for (const name of pairNames(index)) {
    const quote = quotes.get(name);
    if (quote !== undefined) return quote;
  }
  return undefined;
}

type Library = Readonly<Record<string, new (options: object) => Exchange>>;

async function loadLibrary(): Promise<Library> {
  // A variable, so that the program starts and type-checks without the package.
  const name = 'ccxt';
  try {
    return ((await import(name)) as { default: Library }).default;
  } catch {
    throw new SimulatorError(
      '--feed live needs ccxt: install it with npm install ccxt, or use --feed synthetic',
    );
  }
}

async function openExchange(library: Library, text: string, pairs: readonly string[]): Promise<LiveExchange> {
  const [id, url] = text.split('@') as [string, string | undefined];
  const Exchange = library[id];
  if (Exchange === undefined)
    throw new SimulatorError(`--feed live: ccxt knows no venue ${JSON.stringify(id)}`);
  const exchange = new Exchange({ enableRateLimit: true, options: { uta: true, defaultType: 'spot' } });
  if (url !== undefined) exchange.urls.api = readdressed(exchange.urls.api, url.replace(/\/$/, ''));
  try {
    await exchange.loadMarkets();
  } catch (error) {
    throw new SimulatorError(`${id} does not tell its markets: ${(error as Error).message}`);
  }
  if (!exchange.symbols.some((symbol) => pairs.includes(symbol))) {
    throw new SimulatorError(`${id} trades none of ${pairs.slice(0, 5).join(', ')} ...`);
  }
  return { id, exchange, quotes: new Map(), failures: 0 };
}

/** The same table of addresses with every one replaced. */
function readdressed(addresses: unknown, url: string): unknown {
  if (typeof addresses === 'string') return url;
  if (typeof addresses !== 'object' || addresses === null) return addresses;
  return Object.fromEntries(
    Object.entries(addresses).map(([name, value]) => [name, readdressed(value, url)]),
  );
}
