/** Options of a test as settings and accounts of an exchange; every mistake is named at once. */

import type { Overrides } from '../app/config/resolve-config.ts';
import type { SettingName } from '../app/config/settings.ts';
import { SETTINGS } from '../app/config/settings.ts';
import { type Catalogue, loadCatalogue } from '../catalogue/catalogue.ts';
import { chooseInstruments, UnknownInstruments } from '../catalogue/choose-instruments.ts';
import { MONEY_SCALE, parseUnits } from '../core/model/units.ts';
import { DEMO_ACCOUNTS, type DemoAccount, demoAccount } from '../identity/demo-accounts.ts';
import type { BourseOptions } from './interface.ts';

const START = '2026-01-01T00:00:00Z';
const ACCOUNTS_MAX = 100;
const ACCOUNT_NAME = /^[a-z][a-z0-9-]{0,31}$/;
const NAMES: ReadonlySet<string> = new Set<keyof BourseOptions>([
  'accounts',
  'instruments',
  'market',
  'prices',
  'seed',
  'clock',
  'start',
  'data',
  'from',
  'rateLimits',
  'port',
]);

/** An exchange that goes on from another has them from there. */
const GIVEN_BY_ORIGIN = ['accounts', 'instruments', 'prices', 'start'] as const;

export interface Plan {
  readonly settings: Overrides;
  readonly accounts: readonly DemoAccount[];
  readonly prices: Readonly<Record<string, string>>;
  readonly hasMarket: boolean;
  readonly isManual: boolean;
}

/** Types of options, which a test in JavaScript may get wrong, and what would be right. */
const SHAPES: { readonly [Name in keyof BourseOptions]: readonly [(value: unknown) => boolean, string] } = {
  accounts: [
    (value) => isRecord(value) && Object.values(value as object).every(isRecord),
    "an object such as { bot: { USDT: '1000' } }",
  ],
  instruments: [
    (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
    "a list such as ['BTCUSDT']",
  ],
  prices: [isRecord, "an object such as { BTCUSDT: '60000' }"],
  start: [(value) => value instanceof Date || typeof value === 'string', 'a Date or text'],
  data: [(value) => typeof value === 'string' && !/^$|\0/.test(value), 'the name of a directory'],
  from: [
    (value) => isRecord(value) || (typeof value === 'string' && !/^$|\0/.test(value)),
    'a snapshot or the file of a capsule',
  ],
};

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The options that have their type; the others are mistakes. */
function shapely(given: BourseOptions, mistakes: string[]): BourseOptions {
  if (!isRecord(given))
    throw new TypeError(`startBourse: options must be an object, not ${JSON.stringify(given)}`);
  const wrong = Object.entries(SHAPES).filter(
    ([name, [fits]]) =>
      given[name as keyof BourseOptions] !== undefined && !fits(given[name as keyof BourseOptions]),
  );
  for (const [name, [, right]] of wrong) mistakes.push(`${name}: must be ${right}`);
  const names = new Set(wrong.map(([name]) => name));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)));
}

/** Throws a TypeError that names all mistakes. */
export function planOf(given: BourseOptions = {}): Plan {
  const mistakes: string[] = [];
  const options = shapely(given, mistakes);
  for (const name of options.from === undefined ? [] : GIVEN_BY_ORIGIN)
    if (options[name] !== undefined)
      mistakes.push(`${name}: comes from where it goes on from; leave one out`);
  for (const name of Object.keys(options))
    if (!NAMES.has(name))
      mistakes.push(`${name}: there is no such option; there are ${[...NAMES].join(', ')}`);
  const settings = settingsOf(options, mistakes);
  const catalogue = catalogueOf(options.instruments ?? [], mistakes);
  const accounts = accountsOf(options.accounts, catalogue, mistakes);
  const hasMarket = (options.market ?? 'off') !== 'off';
  const prices = pricesOf(options.prices ?? {}, hasMarket, mistakes);
  const isManual = isMoved(options.clock);
  if (!isManual && options.start !== undefined)
    mistakes.push('start: only a manual or driven clock begins at a chosen time');
  if (mistakes.length > 0) throw new TypeError(`startBourse: ${mistakes.join('; ')}`);
  return { settings, accounts, prices, hasMarket, isManual };
}

function settingsOf(options: BourseOptions, mistakes: string[]): Overrides {
  const {
    instruments = [],
    market = 'off',
    seed = 1,
    clock = 'manual',
    data,
    rateLimits = true,
    port = 0,
  } = options;
  const isManual = isMoved(clock);
  const texts: { [Name in SettingName]?: readonly [option: string, text: string] } = {
    port: ['port', String(port)],
    operatorPort: ['port', '0'],
    market: ['market', market],
    seed: ['seed', String(seed)],
    clock: ['clock', clock],
    rateLimits: [
      'rateLimits',
      rateLimits === true ? 'on' : rateLimits === false ? 'off' : String(rateLimits),
    ],
    backfill: ['market', '0'],
    logLevel: ['market', 'warn'],
    ...(isManual && { clockStart: ['start', instantOf(options.start ?? START)] as const }),
    ...(instruments.length > 0 && { instruments: ['instruments', instruments.join(',')] as const }),
    ...(data === undefined ? { memory: ['data', 'on'] as const } : { data: ['data', data] as const }),
  };
  const settings: Partial<Record<SettingName, string>> = {};
  for (const [name, [option, text]] of Object.entries(texts) as [SettingName, readonly [string, string]][]) {
    settings[name] = text;
    if (SETTINGS[name].read(text, { directory: process.cwd() }) === undefined)
      mistakes.push(`${option}: ${JSON.stringify(text)} must be ${SETTINGS[name].expects}`);
  }
  return settings;
}

/** Does time stand still until it is moved? */
function isMoved(clock: BourseOptions['clock'] = 'manual'): boolean {
  return clock === 'manual' || clock === 'driven';
}

function instantOf(start: Date | string): string {
  return start instanceof Date ? String(start.getTime()) : start;
}

function catalogueOf(instruments: readonly string[], mistakes: string[]): Catalogue {
  const catalogue = loadCatalogue(SETTINGS.catalogue.default);
  try {
    return chooseInstruments(catalogue, instruments);
  } catch (error) {
    if (!(error instanceof UnknownInstruments)) throw error;
    mistakes.push(`instruments: the catalogue has no ${error.unknown.join(', ')}`);
    return catalogue;
  }
}

function accountsOf(
  wanted: BourseOptions['accounts'],
  { coins }: Catalogue,
  mistakes: string[],
): readonly DemoAccount[] {
  if (wanted === undefined) return DEMO_ACCOUNTS;
  const listed = new Set(coins.map(({ coin }) => coin));
  const entries = Object.entries(wanted);
  if (entries.length === 0 || entries.length > ACCOUNTS_MAX)
    mistakes.push(`accounts: give 1 to ${ACCOUNTS_MAX} of them`);
  for (const [name, funding] of entries) {
    if (!ACCOUNT_NAME.test(name))
      mistakes.push(
        `accounts: ${JSON.stringify(name)} must be small letters, digits and hyphens, at most 32`,
      );
    for (const [coin, amount] of Object.entries(funding)) {
      if (!listed.has(coin)) mistakes.push(`accounts.${name}: there is no coin ${JSON.stringify(coin)}`);
      if (!isAmount(amount))
        mistakes.push(
          `accounts.${name}.${coin}: ${JSON.stringify(amount)} must be a decimal text such as '1000.5'`,
        );
    }
  }
  return entries.map(([name, funding]) => demoAccount(name, 'test', funding));
}

function pricesOf(
  prices: Readonly<Record<string, string>>,
  hasMarket: boolean,
  mistakes: string[],
): Readonly<Record<string, string>> {
  if (hasMarket && Object.keys(prices).length > 0)
    mistakes.push('prices: a market has its own; leave out one or the other');
  for (const [index, price] of Object.entries(prices))
    if (!isAmount(price))
      mistakes.push(`prices.${index}: ${JSON.stringify(price)} must be a decimal text such as '60000'`);
  return prices;
}

function isAmount(text: unknown): boolean {
  return typeof text === 'string' && (parseUnits(text, MONEY_SCALE) ?? 0n) > 0n;
}
