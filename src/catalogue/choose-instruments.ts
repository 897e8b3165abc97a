/** A part of a catalogue: some instruments by name, with the coins they need. */
import { DOLLAR_COINS, type InstrumentSpec } from '../core/model/listing-spec.ts';
import type { Catalogue } from './catalogue.ts';

/** Names that the catalogue does not have. */
export class UnknownInstruments extends Error {
  override readonly name = 'UnknownInstruments';
  readonly unknown: readonly string[];

  constructor(unknown: readonly string[]) {
    super(`not in the catalogue: ${unknown.join(', ')}`);
    this.unknown = unknown;
  }
}

/** Both names of an instrument: `BTCUSDT`, of every category that has it, and `SPOT:BTCUSDT`. */
export function namesOf({ category, symbol }: InstrumentSpec): readonly [string, string] {
  return [symbol, `${category}:${symbol}`];
}

/** All of it when nothing is named. Throws UnknownInstruments. */
export function chooseInstruments(catalogue: Catalogue, names: readonly string[]): Catalogue {
  if (names.length === 0) return catalogue;
  const known = new Set(catalogue.instruments.flatMap(namesOf));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new UnknownInstruments(unknown);
  const named = new Set(names);
  const chosen = catalogue.instruments.filter((spec) => namesOf(spec).some((name) => named.has(name)));
  // SPOT and MARGIN of one symbol share a book, which is the SPOT instrument's.
  const twins = new Set(chosen.filter(({ category }) => category === 'MARGIN').map(({ symbol }) => symbol));
  const instruments = catalogue.instruments.filter(
    (spec) => chosen.includes(spec) || (spec.category === 'SPOT' && twins.has(spec.symbol)),
  );
  const coins = new Set(instruments.flatMap(({ baseCoin, quoteCoin }) => [baseCoin, quoteCoin]));
  return {
    instruments,
    // Accounts are valued and lent to in dollars, whatever is traded.
    coins: catalogue.coins.filter(({ coin }) => coins.has(coin) || DOLLAR_COINS.has(coin)),
  };
}
