/**
 * Parameters of each simulated instrument: `catalogue/market.json`, beside the listings. Values are decimals in
 * quotes as everywhere in the catalogue; an error names entry and field. An instrument without an entry (listed later
 * by the operator, or a new quarter) gets cautious values.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MARKET_FILE } from '../catalogue/catalogue.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { LEVELS_MAX } from './limits.ts';
import { SimulatorError } from './simulator-error.ts';

export interface CoinParameters {
  /** Per year, as a fraction: 0.5 is 50 %. */
  readonly volatility: number;
  /** Share of its movement that is the common movement of all coins, from 0 to 1. */
  readonly correlation: number;
}

export interface InstrumentParameters {
  /** Spread in a quiet market, in basis points of the price. */
  readonly spreadBps: number;
  /** Upper bound of the spread, except in a storm. */
  readonly maxSpreadBps: number;
  /** Quote money of the ladder on each side, within one percent of the middle; the tail adds a quarter. */
  readonly depth: number;
  readonly minDepth: number;
  /** Orders of the market maker's ladder on each side; its tail follows behind them. */
  readonly levels: number;
  readonly tradesPerMinute: number;
}

export class MarketParameters {
  private readonly coins: ReadonlyMap<string, CoinParameters>;
  private readonly instruments: ReadonlyMap<string, InstrumentParameters>;

  constructor(
    coins: ReadonlyMap<string, CoinParameters>,
    instruments: ReadonlyMap<string, InstrumentParameters>,
  ) {
    this.coins = coins;
    this.instruments = instruments;
  }

  coin(name: string): CoinParameters {
    return this.coins.get(name) ?? UNKNOWN_COIN;
  }

  /** Volatility of one coin's price in the other: the common part cancels out. */
  pairVolatility(base: string, quote: string): number {
    const one = this.coin(base);
    const other = DOLLARS.has(quote) ? STILL : this.coin(quote);
    const shared = one.correlation * other.correlation * one.volatility * other.volatility;
    return Math.sqrt(one.volatility ** 2 + other.volatility ** 2 - 2 * shared);
  }

  instrument({ spec }: Instrument): InstrumentParameters {
    const named = this.instruments.get(`${spec.category} ${spec.symbol}`);
    if (named !== undefined) return named;
    // The next quarter of a contract trades like the one before it.
    const family = spec.futures?.type === 'delivery' ? spec.symbol.replace(/[A-Z]\d\d$/, '') : '';
    for (const [key, parameters] of this.instruments) {
      if (family !== '' && key.startsWith(`${spec.category} ${family}`) && /[A-Z]\d\d$/.test(key))
        return parameters;
    }
    return UNKNOWN_INSTRUMENT;
  }
}

/** Coins worth one dollar. */
export const DOLLARS: ReadonlySet<string> = new Set(['USD', 'USDT', 'USDC']);
const STILL: CoinParameters = { volatility: 0, correlation: 0 };
const UNKNOWN_COIN: CoinParameters = { volatility: 0.8, correlation: 0.7 };
const UNKNOWN_INSTRUMENT: InstrumentParameters = {
  spreadBps: 8,
  maxSpreadBps: 40,
  depth: 50_000,
  minDepth: 10_000,
  levels: 6,
  tradesPerMinute: 2,
};

/** Without the file every instrument gets the cautious values. */
export function loadParameters(folder: string): MarketParameters {
  const path = join(folder, MARKET_FILE);
  if (!existsSync(path)) return new MarketParameters(new Map(), new Map());
  try {
    return parseParameters(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new SimulatorError(`${path}: ${(error as Error).message}`);
  }
}

type Entry = Readonly<Record<string, unknown>>;
type Range = readonly [low: number, high: number];

const COIN_RANGES: Readonly<Record<keyof CoinParameters, Range>> = {
  volatility: [0, 10],
  correlation: [0, 1],
};
const INSTRUMENT_RANGES: Readonly<Record<keyof InstrumentParameters, Range>> = {
  spreadBps: [0.01, 1000],
  maxSpreadBps: [0.01, 5000],
  depth: [0.000001, 1e12],
  minDepth: [0, 1e12],
  levels: [1, LEVELS_MAX],
  tradesPerMinute: [0, 600],
};

export function parseParameters(content: unknown): MarketParameters {
  const { coins, instruments } = content as { coins?: unknown; instruments?: unknown };
  const coinEntries = list(coins, 'coins').map((entry, at): [string, CoinParameters] => {
    const name = textField(entry, 'coin', `coins[${at}]`);
    return [name, numbers(entry, ['coin'], COIN_RANGES, name)];
  });
  const instrumentEntries = list(instruments, 'instruments').map(
    (entry, at): [string, InstrumentParameters] => {
      const where = `instruments[${at}]`;
      const name = `${textField(entry, 'category', where)} ${textField(entry, 'symbol', where)}`;
      const parameters = numbers(entry, ['category', 'symbol'], INSTRUMENT_RANGES, name);
      if (parameters.maxSpreadBps < parameters.spreadBps)
        throw new Error(`${name}: maxSpreadBps is below spreadBps`);
      if (parameters.minDepth > parameters.depth) throw new Error(`${name}: minDepth is above depth`);
      if (!Number.isInteger(parameters.levels)) throw new Error(`${name}: levels must be a whole number`);
      return [name, parameters];
    },
  );
  return new MarketParameters(new Map(coinEntries), new Map(instrumentEntries));
}

function list(value: unknown, name: string): Entry[] {
  if (!Array.isArray(value)) throw new Error(`${name} must be a list`);
  for (const [at, entry] of value.entries()) {
    if (typeof entry !== 'object' || entry === null) throw new Error(`${name}[${at}] must be an object`);
  }
  return value as Entry[];
}

function textField(entry: Entry, field: string, where: string): string {
  const value = entry[field];
  if (typeof value !== 'string' || value === '')
    throw new Error(`${where}: ${field} must be a text that is not empty`);
  return value;
}

function numbers<Field extends string>(
  entry: Entry,
  names: readonly string[],
  ranges: Readonly<Record<Field, Range>>,
  where: string,
): Record<Field, number> {
  for (const field of Object.keys(entry)) {
    if (!names.includes(field) && !Object.hasOwn(ranges, field)) {
      throw new Error(`${where}: ${field} is not a known field`);
    }
  }
  const read = {} as Record<Field, number>;
  for (const [field, [low, high]] of Object.entries<Range>(ranges)) {
    const text = entry[field];
    const value = typeof text === 'string' && /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= low && value <= high)) {
      const shown = text === undefined ? '(missing)' : JSON.stringify(text);
      throw new Error(`${where}: ${field} ${shown} must be a decimal in quotes from ${low} to ${high}`);
    }
    read[field as Field] = value;
  }
  return read;
}
