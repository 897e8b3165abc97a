/**
 * The catalogue: coins and instruments as people write them, one JSON file for the coins and one per category. It is
 * read once, when a new exchange is set up; a mistake is named by file, entry and field, and an unknown field is a
 * mistake, because it is usually a known one misspelt.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BorrowSpec, readBorrowTerms } from '../core/borrowing/borrow-terms.ts';
import { DOLLAR_COINS, INDEX_QUOTES } from '../core/futures/collateral.ts';
import type { TierSpec } from '../core/futures/margin-tiers.ts';
import { readInstrument } from '../core/instrument.ts';
import type {
  ChainSpec,
  CoinSpec,
  CollateralTier,
  FuturesSpec,
  IndexComponentSpec,
  InstrumentSpec,
  MarginSpec,
} from '../core/listing-spec.ts';
import { type LoanSpec, loanTermsProblem, type PledgeSpec } from '../core/loan/loan-terms.ts';
import { CATEGORY_NAMES, type CategoryName, INSTRUMENT_STATUS_NAMES } from '../core/terms.ts';
import { parseUnits, RATE_ONE, RATE_SCALE } from '../core/units.ts';

export interface Catalogue {
  readonly coins: readonly CoinSpec[];
  /** SPOT first: a MARGIN instrument needs its SPOT twin, and everything needs its coins. */
  readonly instruments: readonly InstrumentSpec[];
}

export class CatalogueError extends Error {
  override name = 'CatalogueError';
}

const COINS_FILE = 'coins.json';
/** How lively each instrument is: for the simulated market alone (`src/market/knobs.ts`). */
export const MARKET_FILE = 'market.json';
const INSTRUMENT_FILES = CATEGORY_NAMES.map((category) => ({
  category,
  file: `${category.toLowerCase()}.json`,
}));

/** Reads the folder; a category without a file has no instruments. */
export function loadCatalogue(folder: string): Catalogue {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const known = [COINS_FILE, ...INSTRUMENT_FILES.map(({ file }) => file), MARKET_FILE];
  for (const file of files) {
    if (!known.includes(file)) fail(join(folder, file), `is not one of ${known.join(', ')}`);
  }
  const coins = readCoins(join(folder, COINS_FILE));
  const instruments = INSTRUMENT_FILES.filter(({ file }) => files.includes(file)).map(
    ({ category, file }) => {
      const path = join(folder, file);
      return { path, specs: readInstruments(path, category) };
    },
  );
  checkTogether(coins, instruments);
  checkIndices(
    join(folder, COINS_FILE),
    coins,
    instruments.flatMap(({ specs }) => specs),
  );
  return { coins, instruments: instruments.flatMap(({ specs }) => specs) };
}

/** What is wrong with one entry that somebody wants to list on a running exchange, if anything is. */
export function coinProblem(entry: unknown): string | undefined {
  const problem = record(COIN)(entry, '')?.trim();
  return problem ?? termsProblem(entry as CoinSpec);
}

export function instrumentProblem(entry: unknown): string | undefined {
  const problem = record(INSTRUMENT)(entry, '')?.trim();
  if (problem !== undefined) return problem;
  const spec = entry as InstrumentSpec;
  return categoryProblem(spec, spec.category) ?? futuresProblem(spec) ?? weightsProblem(spec);
}

/** Says what is wrong with the value at `path`, if anything is. */
type Check = (value: unknown, path: string) => string | undefined;
/** Every field of a record: a field that the record gains must be added here before the program compiles. */
type Fields<Spec> = { readonly [Field in keyof Required<Spec>]: Check };

const text = (must: string, pattern: RegExp): Check => {
  return (value, path) =>
    typeof value === 'string' && pattern.test(value) ? undefined : `${path} ${shown(value)} must be ${must}`;
};
const name = text('a text that is not empty', /./);
const coinName = text('a coin such as "BTC"', /^[A-Z0-9]{2,16}$/);
const decimal = text('a decimal in quotes, such as "0.001"', /^(0|[1-9][0-9]*)(\.[0-9]+)?$/);
const signedDecimal = text('a decimal in quotes, such as "-0.0001"', /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/);
const decimalOrEmpty = text('a decimal in quotes, or "" for none', /^((0|[1-9][0-9]*)(\.[0-9]+)?)?$/);
const whole = text('a whole number in quotes, such as "8"', /^(0|[1-9][0-9]{0,8})$/);
const wholeOrEmpty = text('a whole number in quotes, or "" for none', /^(0|[1-9][0-9]{0,8})?$/);
const time = text('a Unix time in milliseconds, such as "1782460800000"', /^[1-9][0-9]{12}$/);
const timeOrEmpty = text('a Unix time in milliseconds, or ""', /^([1-9][0-9]{12})?$/);
const flag: Check = (value, path) =>
  typeof value === 'boolean' ? undefined : `${path} ${shown(value)} must be true or false`;

function oneOf(...allowed: readonly string[]): Check {
  return (value, path) =>
    typeof value === 'string' && allowed.includes(value)
      ? undefined
      : `${path} ${shown(value)} must be one of ${allowed.map((word) => `"${word}"`).join(', ')}`;
}

function optional(check: Check): Check {
  return (value, path) => (value === undefined ? undefined : check(value, path));
}

function record<Spec>(fields: Fields<Spec>): Check {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return `${path} must be an object`;
    const found = value as Readonly<Record<string, unknown>>;
    const inside = path === '' ? '' : `${path}.`;
    for (const field of Object.keys(found)) {
      if (!Object.hasOwn(fields, field)) return `${inside}${field} is not a known field`;
    }
    for (const [field, check] of Object.entries<Check>(fields)) {
      const problem = check(found[field], `${inside}${field}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

function listOf(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path} must be a list`;
    for (const [index, item] of value.entries()) {
      const problem = check(item, `${path}[${index}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

const CHAIN: Fields<ChainSpec> = {
  chain: name,
  needTag: flag,
  withdrawable: flag,
  rechargeable: flag,
  withdrawFee: decimal,
  depositConfirm: whole,
  withdrawConfirm: whole,
  minDepositAmount: decimal,
  minWithdrawAmount: decimal,
};

const COLLATERAL_TIER: Fields<CollateralTier> = {
  tierStartValue: decimal,
  discountRate: decimal,
  exchangeDiscount: optional(decimal),
};

const TIER: Fields<TierSpec> = { upTo: decimal, maxLeverage: whole, mmr: decimal };

const BORROW: Fields<BorrowSpec> = {
  yearRate: decimal,
  poolLimit: decimal,
  userLimit: decimal,
  masterSubLimit: decimal,
  freeLimit: decimal,
  tiers: listOf(record(TIER)),
};

const LOAN: Fields<LoanSpec> = {
  flexibleRate: decimal,
  sevenDayRate: decimal,
  thirtyDayRate: decimal,
  minUsdt: decimal,
  maxUsdt: decimal,
};

const PLEDGE: Fields<PledgeSpec> = {
  initRate: decimal,
  supRate: decimal,
  forceRate: decimal,
  minUsdt: decimal,
  maxUsdt: decimal,
};

const COIN: Fields<CoinSpec> = {
  coin: coinName,
  name,
  chains: listOf(record(CHAIN)),
  collateral: optional(listOf(record(COLLATERAL_TIER))),
  collateralCap: optional(decimal),
  loan: optional(record(LOAN)),
  pledge: optional(record(PLEDGE)),
  borrow: optional(record(BORROW)),
};

const INDEX_COMPONENT: Fields<IndexComponentSpec> = { exchange: name, spotPair: name, weight: decimal };

const FUTURES: Fields<FuturesSpec> = {
  type: oneOf('perpetual', 'delivery'),
  isRwa: oneOf('YES', 'NO'),
  isReality: oneOf('yes', 'no'),
  feeRateUpRatio: decimal,
  openCostUpRatio: decimal,
  priceMultiplier: decimal,
  quantityMultiplier: decimal,
  offTime: timeOrEmpty,
  limitOpenTime: timeOrEmpty,
  deliveryTime: timeOrEmpty,
  deliveryStartTime: timeOrEmpty,
  deliveryPeriod: oneOf('', 'this_quarter', 'next_quarter'),
  fundInterval: oneOf('', '1', '2', '4', '8'),
  minLeverage: decimal,
  maxLeverage: decimal,
  maxMarketOrderQty: decimalOrEmpty,
  minFundingRate: optional(signedDecimal),
  maxFundingRate: optional(signedDecimal),
  tiers: optional(listOf(record(TIER))),
};

const MARGIN: Fields<MarginSpec> = {
  isIsolatedBaseBorrowable: oneOf('YES', 'NO'),
  isIsolatedQuotedBorrowable: oneOf('YES', 'NO'),
  warningRiskRatio: decimal,
  liquidationRiskRatio: decimal,
  maxCrossedLeverage: decimal,
  maxIsolatedLeverage: decimal,
  userMinBorrow: decimal,
  maxLeverage: decimal,
};

const INSTRUMENT: Fields<InstrumentSpec> = {
  symbol: name,
  category: oneOf(...CATEGORY_NAMES),
  baseCoin: coinName,
  quoteCoin: coinName,
  status: oneOf(...INSTRUMENT_STATUS_NAMES),
  buyLimitPriceRatio: decimal,
  sellLimitPriceRatio: decimal,
  minOrderQty: decimalOrEmpty,
  maxOrderQty: decimalOrEmpty,
  minOrderAmount: decimalOrEmpty,
  pricePrecision: whole,
  quantityPrecision: whole,
  quotePrecision: wholeOrEmpty,
  maxSymbolOrderNum: wholeOrEmpty,
  maxProductOrderNum: wholeOrEmpty,
  maxPositionNum: wholeOrEmpty,
  maintainTime: timeOrEmpty,
  launchTime: time,
  symbolType: oneOf('crypto', 'metal', 'stock', 'commodity'),
  makerFeeRate: signedDecimal,
  takerFeeRate: signedDecimal,
  openingPrice: decimal,
  indexComponents: listOf(record(INDEX_COMPONENT)),
  areaSymbol: optional(oneOf('YES', 'NO')),
  futures: optional(record(FUTURES)),
  margin: optional(record(MARGIN)),
};

/** Parts that only some categories have, and must have. */
const PARTS: Readonly<Record<CategoryName, readonly ('futures' | 'margin')[]>> = {
  SPOT: [],
  MARGIN: ['margin'],
  'USDT-FUTURES': ['futures'],
  'COIN-FUTURES': ['futures'],
  'USDC-FUTURES': ['futures'],
};

function readCoins(path: string): CoinSpec[] {
  const coins = readEntries(path, 'coin', record(COIN)) as CoinSpec[];
  for (const spec of coins) {
    const problem = termsProblem(spec);
    if (problem !== undefined) fail(path, `${spec.coin}: ${problem}`);
  }
  return coins;
}

function readInstruments(path: string, category: CategoryName): InstrumentSpec[] {
  const specs = readEntries(path, 'symbol', record(INSTRUMENT)) as InstrumentSpec[];
  for (const spec of specs) {
    const problem = categoryProblem(spec, category) ?? futuresProblem(spec) ?? weightsProblem(spec);
    if (problem !== undefined) fail(path, `${spec.symbol}: ${problem}`);
  }
  return specs;
}

/** Terms at which the coin is lent to accounts and at the loan desk. */
function termsProblem({ borrow, loan, pledge }: CoinSpec): string | undefined {
  if (readBorrowTerms(borrow) === undefined)
    return 'borrow.tiers must rise: upTo and mmr ascending, leverage at least 1';
  return loanTermsProblem(loan, pledge);
}

/** A list of records whose `key` says which is which; none may come twice. */
function readEntries(path: string, key: string, check: Check): unknown[] {
  const entries = readJson(path);
  if (!Array.isArray(entries)) fail(path, 'must hold a list');
  const names = new Set<unknown>();
  for (const [index, entry] of entries.entries()) {
    const given = (entry as Readonly<Record<string, unknown>> | null)?.[key];
    const label = typeof given === 'string' ? given : `entry ${index + 1}`;
    const problem = check(entry, '');
    if (problem !== undefined) fail(path, `${label}: ${problem.trim()}`);
    if (names.has(given)) fail(path, `${label}: is listed twice`);
    names.add(given);
  }
  return entries;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return fail(path, error instanceof Error ? error.message : String(error));
  }
}

function categoryProblem(spec: InstrumentSpec, category: CategoryName): string | undefined {
  if (spec.category !== category)
    return `category ${shown(spec.category)} must be "${category}" in this file`;
  for (const part of ['futures', 'margin'] as const) {
    const needed = PARTS[category].includes(part);
    if (needed && spec[part] === undefined) return `${part} is missing`;
    if (!needed && spec[part] !== undefined) return `${part} has no place in ${category}`;
  }
  return undefined;
}

/** A delivery contract has its three delivery fields and no funding, a perpetual one the reverse. */
function futuresProblem({ futures }: InstrumentSpec): string | undefined {
  if (futures === undefined) return undefined;
  const delivery = futures.type === 'delivery';
  for (const field of ['deliveryTime', 'deliveryStartTime', 'deliveryPeriod'] as const) {
    if ((futures[field] !== '') !== delivery) {
      return `futures.${field} ${shown(futures[field])} does not suit the type "${futures.type}"`;
    }
  }
  if ((futures.fundInterval === '') !== delivery) {
    return `futures.fundInterval ${shown(futures.fundInterval)} does not suit the type "${futures.type}"`;
  }
  return undefined;
}

function weightsProblem({ indexComponents }: InstrumentSpec): string | undefined {
  if (indexComponents.length === 0) return undefined;
  let sum = 0n;
  for (const [index, { weight }] of indexComponents.entries()) {
    const units = parseUnits(weight, RATE_SCALE);
    if (units === undefined) return `indexComponents[${index}].weight "${weight}" has too many digits`;
    sum += units;
  }
  return sum === RATE_ONE ? undefined : 'the weights of indexComponents must add up to 1';
}

/** Lists everything as the exchange will: coins, then instruments in order. */
function checkTogether(
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
        readInstrument(spec, index, twin?.index ?? index, (coin) => coinIndex.get(coin));
      } catch (error) {
        fail(path, error instanceof Error ? error.message : String(error));
      }
      if (spec.category === 'SPOT') spot.set(spec.symbol, { index, spec });
      index++;
    }
  }
}

/**
 * A coin that is margin, pledged or lent needs a price that nobody on the own book can set (domain.md 6.1): the core would
 * count it for nothing, which is hardly what its terms are there for.
 */
function checkIndices(path: string, coins: readonly CoinSpec[], specs: readonly InstrumentSpec[]): void {
  const indices = new Set(
    specs.flatMap(({ baseCoin, quoteCoin, indexComponents }) =>
      indexComponents.length === 0 ? [] : [baseCoin + quoteCoin],
    ),
  );
  for (const { coin, ...terms } of coins) {
    const indexed = DOLLAR_COINS.has(coin) || INDEX_QUOTES.some((quote) => indices.has(coin + quote));
    const term = TERMS_BY_PRICE.find((field) => terms[field] !== undefined);
    if (!indexed && term !== undefined)
      fail(
        path,
        `${coin}: ${term} needs an index price: list ${coin}USDT or ${coin}USD with indexComponents, or leave ${term} out`,
      );
  }
}

/** Terms that hang on what the coin is worth. */
const TERMS_BY_PRICE = ['collateral', 'borrow', 'loan', 'pledge'] as const;

/** SPOT and MARGIN of one symbol share one book (domain.md 1.1) and so one grid. */
function checkTwin(path: string, spec: InstrumentSpec, twin: InstrumentSpec | undefined): void {
  if (twin === undefined) fail(path, `${spec.symbol}: there is no SPOT instrument of this symbol`);
  for (const field of ['baseCoin', 'quoteCoin', 'pricePrecision', 'quantityPrecision'] as const) {
    if (spec[field] !== twin[field]) {
      fail(
        path,
        `${spec.symbol}: ${field} "${spec[field]}" must be "${twin[field]}" as in SPOT: they share a book`,
      );
    }
  }
}

function shown(value: unknown): string {
  return value === undefined ? '(missing)' : JSON.stringify(value);
}

function fail(path: string, problem: string): never {
  throw new CatalogueError(`${path}: ${problem}`);
}
