/** Pairs as venues write them: `BTCUSDT`, `BTC-USD`, `xbtusd`, `BTC-PERPETUAL` are `BASE/QUOTE`. */

/** The longer ones first: `USDT` ends with no other, `FDUSD` with `USD`. */
const QUOTES = ['FDUSD', 'USDT', 'USDC', 'BUSD', 'TUSD', 'USD', 'EUR', 'GBP', 'BTC', 'ETH', 'BNB'] as const;
const PAIR = /^[A-Z0-9]{2,16}\/[A-Z0-9]{2,16}$/;
/** What is behind the pair of a contract. */
const SUFFIXES = /[-_](PERP|PERPETUAL|SWAP|SPOT|\d{6})$/;

/** Undefined when it is not known where the base ends. */
export function pairOf(symbol: string): string | undefined {
  const upper = symbol.trim().toUpperCase();
  if (PAIR.test(upper)) return upper;
  const bare = upper.replace(SUFFIXES, '').replace(/^XBT/, 'BTC');
  const [first, second] = bare.split(/[-_/:]/);
  if (second !== undefined && second !== '') return named(first!, second);
  const quote = QUOTES.find((each) => bare.endsWith(each) && bare.length >= each.length + 2);
  if (quote !== undefined) return named(bare.slice(0, -quote.length), quote);
  // A contract that names its coin alone is against the dollar.
  return SUFFIXES.test(upper) ? named(bare, 'USD') : undefined;
}

/** `BTCUSDT-trades-2026-01-01.csv`, `BTC_USDT-1m.json`. */
export function pairOfFile(baseName: string): string | undefined {
  const words = baseName.replace(/\.\w+$/, '').split(/[-_. ]/);
  const [first = '', second = ''] = words;
  const single = pairOf(first);
  if (single !== undefined) return single;
  const quoted = (QUOTES as readonly string[]).includes(second.toUpperCase());
  return quoted ? pairOf(`${first}/${second}`) : undefined;
}

function named(base: string, quote: string): string | undefined {
  const pair = `${base}/${quote}`;
  return PAIR.test(pair) ? pair : undefined;
}
