/**
 * The settings of the program. Each has one row below: its flag, its environment variable (`BOURSE_` and the name), its
 * place in `bourse.config.json|js|ts` (the name itself) and its default; the first of these that gives a value wins.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileIpList } from './identity/ip-list.ts';
import { FEED_CHOICES, type FeedChoice, readFeedChoice } from './market/feed/feed-choice.ts';
import { MARKET_LEVELS, type MarketLevel } from './market/levels.ts';
import { ConfigError } from './operation/exit-codes.ts';
import type { ColourChoice } from './operation/terminal/colour.ts';
import { didYouMean } from './operation/terminal/did-you-mean.ts';
import { CLOCK_CHOICES, type ClockChoice, readClockChoice } from './venue/clock-choice.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly trustedProxies: readonly string[];
  /** Web pages of other hosts that may open streams. */
  readonly allowedOrigins: readonly string[];
  readonly rateLimits: 'on' | 'off';
  readonly errorDialect: 'v3' | 'classic';
  /** Is there a door for operators? */
  readonly operator: boolean;
  readonly operatorHost: string;
  /** 0 takes any free port. */
  readonly operatorPort: number;
  /** Empty for the file in the data directory. */
  readonly operatorTokenFile: string;
  readonly data: string;
  readonly clock: ClockChoice;
  /** Where the time of a new exchange begins; 0 for now. */
  readonly clockStart: number;
  readonly demo: boolean;
  readonly catalogue: string;
  readonly market: MarketLevel;
  readonly feed: FeedChoice;
  readonly seed: number;
  /** Days of generated minutes before a first start; 0 = no past. */
  readonly backfill: number;
  readonly segmentBytes: number;
  readonly snapshotCommands: number;
  readonly snapshotMinutes: number;
  readonly acceptHistoryGap: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: 'auto' | 'pretty' | 'json';
  readonly quiet: boolean;
  readonly color: ColourChoice;
}
export type SettingName = keyof Config;

/** What a configuration file holds: any of the settings, by name. */
export type ConfigFile = Partial<Config> & { readonly $schema?: string };

/** Gives an editor the types in `bourse.config.ts`. */
export function defineConfig(config: ConfigFile): ConfigFile {
  return config;
}

export interface Setting<Value = unknown> {
  readonly group: 'Server' | 'Operator' | 'World' | 'Market' | 'Durability' | 'Output';
  /** As the command line writes it; two forms for a switch that can be turned both ways. */
  readonly flags: readonly string[];
  readonly help: string;
  readonly initial: Value;
  /** What a value must be, in words. */
  readonly expects: string;
  /** All values there are, where they are words. */
  readonly words?: readonly string[];
  /** Undefined when the text is not such a value. */
  readonly read: (text: string, place: Place) => Value | undefined;
}

/** Where a value was written: paths are relative to that. */
interface Place {
  readonly directory: string;
}

const SHIPPED_CATALOGUE = fileURLToPath(new URL('../catalogue', import.meta.url));
const MIB = 1024 * 1024;
/** The year 2100: times stay far below every sum made with them. */
const INSTANT_END = Date.UTC(2100);
const ON = ['true', 'on', 'yes', '1', 'always'];
const OFF = ['false', 'off', 'no', '0', 'never'];

export const SETTINGS: { readonly [Name in SettingName]: Setting<Config[Name]> } = {
  host: {
    group: 'Server',
    flags: ['--host <address>'],
    help: 'address to listen on; the demo accounts allow only this machine',
    initial: '127.0.0.1',
    ...hostName(),
  },
  port: {
    group: 'Server',
    flags: ['--port <number>'],
    help: 'port to listen on; 0 takes any free one',
    initial: 8787,
    ...wholeNumber(0, 65_535),
  },
  trustedProxies: {
    group: 'Server',
    flags: ['--trusted-proxies <list>'],
    help: 'proxies whose X-Forwarded-For is believed: addresses or CIDR blocks, with commas between',
    initial: [],
    expects: 'a list of addresses and CIDR blocks, such as 10.0.0.0/8,192.168.1.5',
    read: readAddressList,
  },
  allowedOrigins: {
    group: 'Server',
    flags: ['--allowed-origins <list>'],
    help: 'web pages of other hosts that may open streams, with commas between',
    initial: [],
    expects: 'a list of origins, such as https://desk.example.com,http://localhost:3000',
    read: readOriginList,
  },
  rateLimits: {
    group: 'Server',
    flags: ['--rate-limits <on|off>'],
    help: 'limits per address and account, as the interface has them',
    initial: 'on',
    ...oneOf('on', 'off'),
  },
  errorDialect: {
    group: 'Server',
    flags: ['--error-dialect <v3|classic>'],
    help: 'family of error codes',
    initial: 'v3',
    ...oneOf('v3', 'classic'),
  },
  operator: {
    group: 'Operator',
    flags: ['--no-operator'],
    help: "start without the operator's door",
    initial: true,
    ...onOff(),
  },
  operatorHost: {
    group: 'Operator',
    flags: ['--operator-host <address>'],
    help: "address of the operator's door; beyond this machine it needs --operator-token-file",
    initial: '127.0.0.1',
    ...hostName(),
  },
  operatorPort: {
    group: 'Operator',
    flags: ['--operator-port <number>'],
    help: "port of the operator's door: the one after --port unless given; 0 takes any free one",
    initial: 8788,
    ...wholeNumber(0, 65_535),
  },
  operatorTokenFile: {
    group: 'Operator',
    flags: ['--operator-token-file <file>'],
    help: "file of the operator's token, made when it does not exist [operator.token in the data directory]",
    initial: '',
    ...path(),
  },
  data: {
    group: 'World',
    flags: ['--data <dir>'],
    help: 'directory of everything the exchange remembers',
    initial: 'data',
    ...path(),
  },
  clock: {
    group: 'World',
    flags: ['--clock <wall|scaled:N|manual>'],
    help: "where time comes from: the machine's clock, N times as fast, or only by bourse clock advance",
    initial: 'wall',
    expects: CLOCK_CHOICES,
    words: ['wall', 'manual', 'scaled:60'],
    read: readClockChoice,
  },
  clockStart: {
    group: 'World',
    flags: ['--clock-start <time>'],
    help: 'instant at which a new exchange on a scaled or manual clock begins [now]',
    initial: 0,
    expects: 'an instant such as 2026-06-26T07:00:00Z or milliseconds since 1970',
    read: readInstant,
  },
  demo: {
    group: 'World',
    flags: ['--no-demo'],
    help: 'start without the demo accounts',
    initial: true,
    ...onOff(),
  },
  catalogue: {
    group: 'World',
    flags: ['--catalogue <dir>'],
    help: 'folder of coins and instruments to list',
    initial: SHIPPED_CATALOGUE,
    ...path(),
  },
  market: {
    group: 'Market',
    flags: ['--market <off|quiet|normal|wild>'],
    help: 'agents that trade on every instrument, and prices of the outside [normal; off with --no-demo]',
    initial: 'off',
    ...oneOf(...MARKET_LEVELS),
  },
  feed: {
    group: 'Market',
    flags: ['--feed <synthetic|replay:FILE|live:IDS>'],
    help: 'where prices of the outside come from: made up, a CSV file, or other venues through ccxt',
    initial: 'synthetic',
    expects: FEED_CHOICES,
    words: ['synthetic'],
    read: readFeedChoice,
  },
  seed: {
    group: 'Market',
    flags: ['--seed <number>'],
    help: 'the same seed makes the same market',
    initial: 1,
    ...wholeNumber(0, 4_294_967_295),
  },
  backfill: {
    group: 'Market',
    flags: ['--backfill <days>'],
    help: 'days of past that a first start with a market makes up, by the minute; 0 for none',
    initial: 30,
    ...wholeNumber(0, 365),
  },
  segmentBytes: {
    group: 'Durability',
    flags: ['--segment-bytes <number>'],
    help: 'size of one file of the command log',
    initial: 64 * MIB,
    expects: 'a multiple of 4096 from 16384 to 1073741824',
    read: (text) => {
      const bytes = wholeNumber(16_384, 1024 * MIB).read(text);
      return bytes !== undefined && bytes % 4096 === 0 ? bytes : undefined;
    },
  },
  snapshotCommands: {
    group: 'Durability',
    flags: ['--snapshot-commands <number>'],
    help: 'commands between two snapshots, at most',
    initial: 1_000_000,
    ...wholeNumber(1, 1_000_000_000),
  },
  snapshotMinutes: {
    group: 'Durability',
    flags: ['--snapshot-minutes <number>'],
    help: 'minutes between two snapshots, at most',
    initial: 10,
    ...wholeNumber(1, 1440),
  },
  acceptHistoryGap: {
    group: 'Durability',
    flags: ['--accept-history-gap'],
    help: 'start although the history database lacks records that the log no longer holds',
    initial: false,
    ...onOff(),
  },
  logLevel: {
    group: 'Output',
    flags: ['--log-level <level>'],
    help: LOG_LEVELS.join(', '),
    initial: 'info',
    ...oneOf(...LOG_LEVELS),
  },
  logFormat: {
    group: 'Output',
    flags: ['--log-format <auto|pretty|json>'],
    help: 'form of the log on stderr; auto is pretty on a terminal',
    initial: 'auto',
    ...oneOf('auto', 'pretty', 'json'),
  },
  quiet: {
    group: 'Output',
    flags: ['--quiet'],
    help: 'print only the line "Listening on ..."',
    initial: false,
    ...onOff(),
  },
  color: {
    group: 'Output',
    flags: ['--color', '--no-color'],
    help: 'colour always or never; NO_COLOR and FORCE_COLOR count too',
    initial: 'auto',
    expects: 'on, off or auto',
    read: readColour,
  },
};

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export function environmentName(name: SettingName): string {
  return `BOURSE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The flag without what follows it, as messages name it. */
export function flagName(name: SettingName): string {
  return SETTINGS[name].flags[0]!.split(' ')[0]!;
}

function oneOf<const Word extends string>(...words: readonly Word[]) {
  return {
    expects: `one of ${words.join(', ')}`,
    words,
    read: (text: string): Word | undefined => words.find((word) => word === text),
  };
}

function onOff() {
  return {
    expects: 'on or off',
    read: (text: string): boolean | undefined => {
      if (ON.includes(text.toLowerCase())) return true;
      return OFF.includes(text.toLowerCase()) ? false : undefined;
    },
  };
}

function wholeNumber(min: number, max: number) {
  return {
    expects: `a whole number from ${min} to ${max}`,
    read: (text: string): number | undefined => {
      const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

function hostName() {
  return {
    expects: 'an address or a host name',
    read: (text: string): string | undefined => (/^[\w.:%-]+$/.test(text) ? text : undefined),
  };
}

function path() {
  return {
    expects: 'a path',
    read: (text: string, { directory }: Place): string | undefined =>
      text === '' ? undefined : isAbsolute(text) ? text : resolve(directory, text),
  };
}

function readInstant(text: string): number | undefined {
  const ms = /^[0-9]{1,13}$/.test(text) ? Number(text) : Date.parse(text);
  return ms >= 0 && ms < INSTANT_END ? ms : undefined;
}

function readColour(text: string): ColourChoice | undefined {
  if (text === 'auto') return 'auto';
  const on = onOff().read(text);
  if (on === undefined) return undefined;
  return on ? 'always' : 'never';
}

function readAddressList(text: string): readonly string[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return 'malformed' in compileIpList(entries) ? undefined : entries;
}

function readOriginList(text: string): readonly string[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  return entries.every((entry) => /^https?:\/\/[\w.:[\]-]+$/.test(entry)) ? entries : undefined;
}

/** Texts by setting, as one layer gives them. */
export type Given = { readonly [Name in SettingName]?: string };

export interface Surroundings {
  readonly flags: Given;
  readonly environment: NodeJS.ProcessEnv;
  readonly directory: string;
  /** The file named by `--config`. */
  readonly configFile?: string | undefined;
}

export interface ResolvedConfig {
  readonly config: Config;
  /** Where each value came from, in words. */
  readonly origins: { readonly [Name in SettingName]: string };
}

interface Layer extends Place {
  readonly given: Given;
  /** How messages name a value of this layer. */
  readonly nameOf: (name: SettingName) => string;
  readonly origin: (name: SettingName) => string;
}

export async function resolveConfig(surroundings: Surroundings): Promise<ResolvedConfig> {
  const { directory, environment } = surroundings;
  const named = surroundings.configFile ?? environment.BOURSE_CONFIG;
  const file = named === undefined || named === '' ? findFile(directory) : resolve(directory, named);
  const layers: Layer[] = [
    { given: surroundings.flags, directory, nameOf: flagName, origin: (name) => `flag ${flagName(name)}` },
    {
      given: givenByEnvironment(environment),
      directory,
      nameOf: environmentName,
      origin: (name) => `environment ${environmentName(name)}`,
    },
  ];
  if (file !== undefined) layers.push(await fileLayer(file, directory));

  const values: Partial<Record<SettingName, unknown>> = {};
  const origins: Partial<Record<SettingName, string>> = {};
  for (const name of SETTING_NAMES) {
    const layer = layers.find(({ given }) => given[name] !== undefined);
    values[name] = layer === undefined ? initial(name, directory, values) : valueIn(layer, name);
    origins[name] = layer?.origin(name) ?? 'default';
  }
  return { config: values as unknown as Config, origins: origins as ResolvedConfig['origins'] };
}

function initial(
  name: SettingName,
  directory: string,
  { port, demo }: Partial<Record<SettingName, unknown>>,
): unknown {
  if (name === 'data') return resolve(directory, SETTINGS.data.initial);
  if (name === 'operatorPort') return portBeside(Number(port));
  // Somebody who tries the exchange out wants somebody to trade with; a venue of one's own brings its own traders.
  if (name === 'market' && demo === true) return 'normal';
  return SETTINGS[name].initial;
}

/** Exchanges on one machine have ports of their own, and so have their operators. */
function portBeside(port: number): number {
  if (port === 0) return 0;
  return port < 65_535 ? port + 1 : port - 1;
}

function valueIn(layer: Layer, name: SettingName): unknown {
  const text = layer.given[name]!;
  const setting: Setting = SETTINGS[name];
  const value = setting.read(text, layer);
  if (value !== undefined) return value;
  const suggestion = didYouMean(text, setting.words ?? []);
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  throw new ConfigError(`${layer.nameOf(name)} ${JSON.stringify(text)} must be ${setting.expects}.${hint}`);
}

/** A variable that is set to nothing counts as not set. */
function givenByEnvironment(environment: NodeJS.ProcessEnv): Given {
  const given: Partial<Record<SettingName, string>> = {};
  for (const name of SETTING_NAMES) {
    const text = environment[environmentName(name)];
    if (text !== undefined && text !== '') given[name] = text;
  }
  return given;
}

const FILE_NAMES = ['bourse.config.json', 'bourse.config.js', 'bourse.config.ts'];

function findFile(directory: string): string | undefined {
  const found = FILE_NAMES.filter((name) => existsSync(join(directory, name)));
  if (found.length > 1) {
    throw new ConfigError(
      `${found.join(' and ')} both exist in ${directory}: keep one, or name it with --config`,
    );
  }
  return found[0] === undefined ? undefined : join(directory, found[0]);
}

async function fileLayer(file: string, directory: string): Promise<Layer> {
  const shown = relative(directory, file).startsWith('..') ? file : relative(directory, file);
  return {
    given: givenByFile(await readConfigFile(file, shown), shown),
    directory: dirname(file),
    nameOf: (name) => `${shown}: ${name}`,
    origin: () => `file ${shown}`,
  };
}

async function readConfigFile(file: string, shown: string): Promise<unknown> {
  try {
    if (file.endsWith('.json')) return JSON.parse(await readFile(file, 'utf8'));
    return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  } catch (error) {
    throw new ConfigError(`${shown} cannot be read: ${(error as Error).message}`);
  }
}

function givenByFile(content: unknown, shown: string): Given {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(`${shown} must hold an object of settings, such as {"port": 9000}`);
  }
  const given: Partial<Record<SettingName, string>> = {};
  for (const [key, value] of Object.entries(content)) {
    if (key === '$schema') continue;
    if (!Object.hasOwn(SETTINGS, key)) {
      const suggestion = didYouMean(key, SETTING_NAMES);
      const hint =
        suggestion === undefined ? `known are ${SETTING_NAMES.join(', ')}` : `did you mean "${suggestion}"?`;
      throw new ConfigError(`${shown}: unknown setting "${key}"; ${hint}`);
    }
    // A list is written with commas on the other layers.
    given[key as SettingName] = Array.isArray(value) ? value.join(',') : String(value);
  }
  return given;
}
