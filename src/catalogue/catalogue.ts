/**
 * The catalogue: coins and instruments as people write them, one JSON file for the coins and one per category. Every
 * start reads it and lists what the exchange does not have yet; what is listed stays as it is. A mistake is named by
 * file, entry and field, and an unknown field is a mistake, because it is usually a known one misspelt.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CATEGORY_NAMES } from '../core/model/enums.ts';
import type { CoinSpec, InstrumentSpec } from '../core/model/listing-spec.ts';
import { failCatalogue } from './catalogue-error.ts';
import { checkIndices, checkTogether } from './catalogue-listings.ts';
import { coinProblem, instrumentProblem } from './entry-check.ts';
import { digestOf, SHIPPED_DIGEST } from './shipped-digest.ts';

export interface Catalogue {
  readonly coins: readonly CoinSpec[];
  /** SPOT first: a MARGIN instrument needs its SPOT twin, and everything needs its coins. */
  readonly instruments: readonly InstrumentSpec[];
}

const COINS_FILE = 'coins.json';
/** How lively each instrument is: for the simulated market alone (`src/simulator/parameters.ts`). */
export const MARKET_FILE = 'market.json';
const INSTRUMENT_FILES = CATEGORY_NAMES.map((category) => ({
  category,
  file: `${category.toLowerCase()}.json`,
}));

/** The last one, by what its files were: many exchanges of one process read the same. */
let checked: { readonly stamp: string; readonly catalogue: Catalogue } | undefined;

/** Reads the folder; a category without a file has no instruments. What it returns is frozen. */
export function loadCatalogue(folder: string): Catalogue {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const stamp = JSON.stringify([folder, files.map((file) => stampOf(join(folder, file)))]);
  if (checked?.stamp !== stamp) checked = { stamp, catalogue: frozen(readCatalogue(folder, files)) };
  return checked.catalogue;
}

/** Deeply: exchanges of one process share the catalogue, and none may change it for the others. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

/** Another one when the file was written since. */
function stampOf(path: string): readonly unknown[] {
  const { ino, size, mtimeMs, ctimeMs } = statSync(path);
  return [path, ino, size, mtimeMs, ctimeMs];
}

function readCatalogue(folder: string, files: readonly string[]): Catalogue {
  const known = [COINS_FILE, ...INSTRUMENT_FILES.map(({ file }) => file), MARKET_FILE];
  for (const file of files) {
    if (!known.includes(file)) failCatalogue(join(folder, file), `is not one of ${known.join(', ')}`);
  }
  const listed = INSTRUMENT_FILES.filter(({ file }) => files.includes(file));
  const texts = new Map(
    [COINS_FILE, ...listed.map(({ file }) => file)].map((file) => [file, read(folder, file)]),
  );
  const isShipped = digestOf(texts) === SHIPPED_DIGEST;
  const entriesOf = <Spec>(file: string, key: keyof Spec & string, problemOf: Check) =>
    isShipped
      ? (JSON.parse(texts.get(file)!) as Spec[])
      : readEntries<Spec>(join(folder, file), texts.get(file)!, key, problemOf);
  const coinsFile = join(folder, COINS_FILE);
  const coins = entriesOf<CoinSpec>(COINS_FILE, 'coin', coinProblem);
  const instruments = listed.map(({ category, file }) => {
    const problemOf = (entry: unknown) => instrumentProblem(entry, category);
    return { path: join(folder, file), specs: entriesOf<InstrumentSpec>(file, 'symbol', problemOf) };
  });
  const specs = instruments.flatMap((file) => file.specs);
  if (!isShipped) {
    checkTogether(coins, instruments);
    checkIndices(coinsFile, coins, specs);
  }
  return { coins, instruments: specs };
}

type Check = (entry: unknown) => string | undefined;

/** A list of records whose `key` says which is which; none may come twice. */
function readEntries<Spec>(path: string, text: string, key: keyof Spec & string, problemOf: Check): Spec[] {
  const entries = inCatalogue(path, () => JSON.parse(text));
  if (!Array.isArray(entries)) failCatalogue(path, 'must hold a list');
  const names = new Set<unknown>();
  for (const [index, entry] of entries.entries()) {
    const given = (entry as Readonly<Record<string, unknown>> | null)?.[key];
    const label = typeof given === 'string' ? given : `entry ${index + 1}`;
    const problem = problemOf(entry);
    if (problem !== undefined) failCatalogue(path, `${label}: ${problem}`);
    if (names.has(given)) failCatalogue(path, `${label}: is listed twice`);
    names.add(given);
  }
  return entries as Spec[];
}

function read(folder: string, file: string): string {
  const path = join(folder, file);
  return inCatalogue(path, () => readFileSync(path, 'utf8'));
}

function inCatalogue<Value>(path: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    return failCatalogue(path, error instanceof Error ? error.message : String(error));
  }
}
