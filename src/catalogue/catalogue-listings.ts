/** What the coins and instruments of a catalogue must be to each other. */

import type { CoinSpec, InstrumentSpec } from '../core/model/listing-spec.ts';
import { DOLLAR_COINS, INDEX_QUOTES } from '../core/model/listing-spec.ts';
import { parseInstrument } from '../core/model/parse-instrument.ts';
import { failCatalogue } from './catalogue-error.ts';

/** Lists everything as the exchange will: coins, then instruments in order. */
export function checkTogether(
  coins: readonly CoinSpec[],
  files: readonly { path: string; specs: readonly InstrumentSpec[] }[],
): void {
  const coinIndex = new Map(coins.map(({ coin }, index) => [coin, index]));
  const spot = new Map<string, { index: number; spec: InstrumentSpec }>();
  let index = 0;
  for (const { path, specs } of files) {
    for (const spec of specs) {
      const twin = spec.category === 'MARGIN' ? spot.get(spec.symbol) : undefined;
      if (spec.category === 'MARGIN') checkTwin(path, spec, twin?.spec);
      try {
        parseInstrument(spec, index, twin?.index ?? index, (coin) => coinIndex.get(coin));
      } catch (error) {
        failCatalogue(path, error instanceof Error ? error.message : String(error));
      }
      if (spec.category === 'SPOT') spot.set(spec.symbol, { index, spec });
      index++;
    }
  }
}

/**
 * A coin that is margin, pledged or lent needs a price that nobody on the own book can set (rules 6.1): the core would
 * count it for nothing, which is hardly what its terms are there for.
 */
export function checkIndices(
  path: string,
  coins: readonly CoinSpec[],
  specs: readonly InstrumentSpec[],
): void {
  const indices = new Set(
    specs.flatMap(({ baseCoin, quoteCoin, indexComponents }) =>
      indexComponents.length === 0 ? [] : [baseCoin + quoteCoin],
    ),
  );
  for (const { coin, ...terms } of coins) {
    const indexed = DOLLAR_COINS.has(coin) || INDEX_QUOTES.some((quote) => indices.has(coin + quote));
    const term = TERMS_BY_PRICE.find((field) => terms[field] !== undefined);
    if (!indexed && term !== undefined)
      failCatalogue(
        path,
        `${coin}: ${term} needs an index price: list ${coin}USDT or ${coin}USD with indexComponents, or leave ${term} out`,
      );
  }
}

/** Terms that hang on what the coin is worth. */
const TERMS_BY_PRICE = ['collateral', 'borrow', 'loan', 'pledge'] as const;

/** SPOT and MARGIN of one symbol share one book (rules 1.1) and so one grid. */
function checkTwin(path: string, spec: InstrumentSpec, twin: InstrumentSpec | undefined): void {
  if (twin === undefined) failCatalogue(path, `${spec.symbol}: there is no SPOT instrument of this symbol`);
  for (const field of ['baseCoin', 'quoteCoin', 'pricePrecision', 'quantityPrecision'] as const) {
    if (spec[field] !== twin[field]) {
      failCatalogue(
        path,
        `${spec.symbol}: ${field} "${spec[field]}" must be "${twin[field]}" as in SPOT: they share a book`,
      );
    }
  }
}
