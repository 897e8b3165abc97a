/**
 * The settings of the program. Each has one row below: its flag, its environment variable (`BOURSE_` and the name), its
 * place in `bourse.config.json|js|ts` (the name itself) and its default; the first of these that gives a value wins.
 */
import { fileURLToPath } from 'node:url';
import {
  readAddress as readClusterAddress,
  withoutPassword as withoutClusterPassword,
} from '../../cluster/postgres/address.ts';
import { ADDRESS_FORM, readAddress, withoutPassword } from '../../history/postgres/address.ts';
import { EXCHANGE_SEGMENT_BYTES_MIN } from '../../journal/journal-settings.ts';
import { programFile } from '../../program-files.ts';
import { DEFAULT_EXPOSURE_LIMITS, EXPOSURE_LIMITS_FORM } from '../../reserves/exposure-limits.ts';
import { CLOCK_CHOICES, readClockChoice } from '../../sequencer/clock-choice.ts';
import { MARKET_LEVELS } from '../../simulator/activity-level.ts';
import { FEED_CHOICES, readFeedChoice } from '../../simulator/feed/feed-choice.ts';
import { AS_RULE, readAs } from '../../simulator/recording/read-recording.ts';
import { REPLAY_DEPTHS } from '../../simulator/recording/recording.ts';
import type { Config } from './config.ts';
import {
  hostName,
  oneOf,
  onOff,
  type Place,
  path,
  readAddressList,
  readColour,
  readExposureLimitList,
  readHostList,
  readInstant,
  readInstrumentList,
  readOriginList,
  wholeNumber,
} from './setting-values.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type { Config };

export type SettingName = keyof Config;

export interface Setting<Value = unknown> {
  readonly group:
    | 'Server'
    | 'Operator'
    | 'World'
    | 'Market'
    | 'Laboratory'
    | 'Cluster'
    | 'Durability'
    | 'Output';
  /** As on the command line; two forms for a switch that can be turned on and off. */
  readonly flags: readonly string[];
  readonly help: string;
  readonly default: Value;
  /** The expected form, as text. */
  readonly expects: string;
  /** All values, where they are an enumeration. */
  readonly choices?: readonly string[];
  /** Its text may hold a password, so messages do not repeat it. */
  readonly secret?: boolean;
  /** Undefined when the text is not a valid value. */
  readonly read: (text: string, place: Place) => Value | undefined;
}

const SHIPPED_CATALOGUE = fileURLToPath(programFile('catalogue'));
const MIB = 1024 * 1024;

export const SETTINGS: { readonly [Name in SettingName]: Setting<Config[Name]> } = {
  host: {
    group: 'Server',
    flags: ['--host <address>'],
    help: 'address to listen on; the demo accounts allow only this machine',
    default: '127.0.0.1',
    ...hostName(),
  },
  port: {
    group: 'Server',
    flags: ['--port <number>'],
    help: 'port to listen on; 0 takes any free one',
    default: 8787,
    ...wholeNumber(0, 65_535),
  },
  trustedProxies: {
    group: 'Server',
    flags: ['--trusted-proxies <list>'],
    help: 'proxies whose X-Forwarded-For is believed: addresses or CIDR blocks, with commas between',
    default: [],
    expects: 'a list of addresses and CIDR blocks, such as 10.0.0.0/8,192.168.1.5',
    read: readAddressList,
  },
  allowedHosts: {
    group: 'Server',
    flags: ['--allowed-hosts <list>'],
    help: 'host names under which the exchange answers, with commas between; addresses, localhost and names without a dot always work',
    default: [],
    expects: 'a list of host names without scheme, port or *, such as exchange.example.com,bourse.lan',
    read: readHostList,
  },
  allowedOrigins: {
    group: 'Server',
    flags: ['--allowed-origins <list>'],
    help: 'web pages of other hosts that may open streams, with commas between',
    default: [],
    expects:
      'a list of origins (scheme, host and port, no path), such as https://charts.example.com,http://localhost:3000',
    read: readOriginList,
  },
  rateLimits: {
    group: 'Server',
    flags: ['--rate-limits <on|off>'],
    help: 'limits per address and account, as the interface has them',
    default: 'on',
    ...oneOf('on', 'off'),
  },
  errorDialect: {
    group: 'Server',
    flags: ['--error-dialect <v3|classic>'],
    help: 'family of error codes',
    default: 'v3',
    ...oneOf('v3', 'classic'),
  },
  rejectReplays: {
    group: 'Server',
    flags: ['--reject-replays'],
    help: 'take each signed POST and each login only once within the 30 s of its timestamp',
    default: false,
    ...onOff(),
  },
  operator: {
    group: 'Operator',
    flags: ['--no-operator'],
    help: "start without the operator's listener",
    default: true,
    ...onOff(),
  },
  operatorHost: {
    group: 'Operator',
    flags: ['--operator-host <address>'],
    help: "address of the operator's listener; beyond this machine it needs --operator-token-file",
    default: '127.0.0.1',
    ...hostName(),
  },
  operatorPort: {
    group: 'Operator',
    flags: ['--operator-port <number>'],
    help: "port of the operator's listener: the one after --port unless given; 0 takes any free one",
    default: 8788,
    ...wholeNumber(0, 65_535),
  },
  operatorTokenFile: {
    group: 'Operator',
    flags: ['--operator-token-file <file>'],
    help: "file of the operator's token, made when it does not exist [operator.token in the data directory]",
    default: '',
    ...path(),
  },
  exposureLimits: {
    group: 'Operator',
    flags: ['--exposure-limits <list>'],
    help: `dollars of the house's exposure beyond which readiness, metrics and bourse exposure warn, over the defaults; off for none [${DEFAULT_EXPOSURE_LIMITS.join(',')}]`,
    default: DEFAULT_EXPOSURE_LIMITS,
    expects: EXPOSURE_LIMITS_FORM,
    read: readExposureLimitList,
  },
  data: {
    group: 'World',
    flags: ['--data <dir>'],
    help: 'directory of everything the exchange remembers',
    default: 'data',
    ...path(),
  },
  history: {
    group: 'World',
    flags: ['--history <sqlite|postgres://...>'],
    help: 'where records of the past are kept: a file in the data directory, or a PostgreSQL database of its own [where they are, at first sqlite]',
    default: '',
    expects: `sqlite or ${ADDRESS_FORM}; a password belongs into PGPASSWORD or ~/.pgpass`,
    secret: true,
    read: (text) => (text === 'sqlite' || readAddress(text) !== undefined ? text : undefined),
  },
  memory: {
    group: 'World',
    flags: ['--memory'],
    help: 'keep everything in memory, for tests: all of it is gone when the process ends',
    default: false,
    ...onOff(),
  },
  clock: {
    group: 'World',
    flags: ['--clock <wall|scaled:N|manual|driven>'],
    help: "where time comes from: the machine's clock, N times as fast, only by bourse clock advance, or when every bot waits",
    default: 'wall',
    expects: CLOCK_CHOICES,
    choices: ['wall', 'manual', 'scaled:60'],
    read: readClockChoice,
  },
  clockStart: {
    group: 'World',
    flags: ['--clock-start <time>'],
    help: 'instant at which a new exchange on a scaled or manual clock begins [now]',
    default: 0,
    expects: 'an instant such as 2026-06-26T07:00:00Z or milliseconds since 1970',
    read: readInstant,
  },
  demo: {
    group: 'World',
    flags: ['--no-demo'],
    help: 'start without the demo accounts',
    default: true,
    ...onOff(),
  },
  demoReach: {
    group: 'World',
    flags: ['--demo-reach <loopback|container>'],
    help: 'who may reach demo accounts: this machine, or inside a container private addresses too',
    default: 'loopback',
    ...oneOf('loopback', 'container'),
  },
  cluster: {
    group: 'Cluster',
    flags: ['--cluster <postgres://...>'],
    help: 'run as a node of the cluster in this PostgreSQL database; several servers with commas between',
    default: '',
    expects:
      'postgres://USER@HOST[:PORT][,HOST[:PORT] ...]/DATABASE; a password belongs into PGPASSWORD or ~/.pgpass',
    secret: true,
    read: (text) => ('wrong' in readClusterAddress(text) ? undefined : text),
  },
  node: {
    group: 'Cluster',
    flags: ['--node <name>'],
    help: 'name of this node, which no other node of the cluster has',
    default: '',
    expects: 'up to 32 lower-case letters, digits and hyphens, a letter first',
    read: (text) => (/^[a-z][a-z0-9-]{0,31}$/.test(text) ? text : undefined),
  },
  keys: {
    group: 'Cluster',
    flags: ['--keys <dir>'],
    help: 'folder of the secrets that all nodes have, as bourse cluster init has made it',
    default: '',
    ...path(),
  },
  clusterDurability: {
    group: 'Cluster',
    flags: ['--cluster-durability <standby|service|single>'],
    help: 'what keeps commits when a server is lost: a synchronous standby, the storage of a service, or nothing, for trials',
    default: 'standby',
    ...oneOf('standby', 'service', 'single'),
  },
  role: {
    group: 'Cluster',
    flags: ['--role <node|scribe>'],
    help: 'a node serves clients; a scribe only writes history and snapshots',
    default: 'node',
    ...oneOf('node', 'scribe'),
  },
  inspect: {
    group: 'World',
    flags: ['--inspect <on|off>'],
    help: 'keep the last requests of each account in memory and show them to it at /inspector [on; off with --no-demo]',
    default: 'off',
    ...oneOf('on', 'off'),
  },
  lab: {
    group: 'Laboratory',
    flags: ['--lab <on|off>'],
    help: 'snapshots, reverts and forks for operators, at /lab of their listener [on; off with --no-demo]',
    default: 'off',
    ...oneOf('on', 'off'),
  },
  labSnapshots: {
    group: 'Laboratory',
    flags: ['--lab-snapshots <number>'],
    help: 'snapshots of the laboratory, at most',
    default: 64,
    ...wholeNumber(1, 10_000),
  },
  labSpace: {
    group: 'Laboratory',
    flags: ['--lab-space <MiB>'],
    help: 'space of all of them together, at most; 0 for 1024 in memory and 10240 on disk',
    default: 0,
    ...wholeNumber(0, 1_048_576),
  },
  labForks: {
    group: 'Laboratory',
    flags: ['--lab-forks <number>'],
    help: 'forks that run at a time, at most',
    default: 16,
    ...wholeNumber(0, 1000),
  },
  catalogue: {
    group: 'World',
    flags: ['--catalogue <dir>'],
    help: 'folder of coins and instruments to list',
    default: SHIPPED_CATALOGUE,
    ...path(),
  },
  instruments: {
    group: 'World',
    flags: ['--instruments <list>'],
    help: 'list only these of the catalogue, with the coins they need: symbols, in one category as SPOT:BTCUSDT, with commas between [all]',
    default: [],
    expects: 'a list of symbols, such as BTCUSDT,SPOT:ETHUSDT',
    read: readInstrumentList,
  },
  market: {
    group: 'Market',
    flags: ['--market <off|quiet|normal|wild>'],
    help: 'agents that trade on every instrument, and outside prices [normal; off with --no-demo]',
    default: 'off',
    ...oneOf(...MARKET_LEVELS),
  },
  feed: {
    group: 'Market',
    flags: ['--feed <synthetic|replay:FILE|live:IDS>'],
    help: 'where outside prices come from: generated, recorded data, or other venues through ccxt',
    default: 'synthetic',
    expects: FEED_CHOICES,
    choices: ['synthetic'],
    read: readFeedChoice,
  },
  depth: {
    group: 'Market',
    flags: ['--depth <price|tape|book>'],
    help: 'what is replayed of a file: its prices, its trades too, or its order books [price]',
    default: 'price',
    ...oneOf(...REPLAY_DEPTHS),
  },
  as: {
    group: 'Market',
    flags: ['--as <format>'],
    help: 'format of a replayed file, and its pair where it does not name it [found by its first line]',
    default: '',
    expects: AS_RULE,
    read: (text: string): string | undefined =>
      text === '' || readAs(text) !== undefined ? text : undefined,
  },
  skipBad: {
    group: 'Market',
    flags: ['--skip-bad <number>'],
    help: 'rows of a replayed file that may be wrong and are left out',
    default: 0,
    ...wholeNumber(0, 1_000_000),
  },
  seed: {
    group: 'Market',
    flags: ['--seed <number>'],
    help: 'the same seed makes the same market',
    default: 1,
    ...wholeNumber(0, 4_294_967_295),
  },
  backfill: {
    group: 'Market',
    flags: ['--backfill <days>'],
    help: 'days of candles by the minute that a first start with a market generates; 0 for none',
    default: 30,
    ...wholeNumber(0, 365),
  },
  segmentBytes: {
    group: 'Durability',
    flags: ['--segment-bytes <number>'],
    help: 'size of one file of the command log',
    default: 64 * MIB,
    expects: `a multiple of 4096 from ${EXCHANGE_SEGMENT_BYTES_MIN} to ${1024 * MIB}`,
    read: (text) => {
      const bytes = wholeNumber(EXCHANGE_SEGMENT_BYTES_MIN, 1024 * MIB).read(text);
      return bytes !== undefined && bytes % 4096 === 0 ? bytes : undefined;
    },
  },
  snapshotCommands: {
    group: 'Durability',
    flags: ['--snapshot-commands <number>'],
    help: 'commands that a start has to replay at most',
    default: 300_000,
    ...wholeNumber(1, 1_000_000_000),
  },
  snapshotMinutes: {
    group: 'Durability',
    flags: ['--snapshot-minutes <number>'],
    help: 'minutes between two snapshots, at most',
    default: 10,
    ...wholeNumber(1, 1440),
  },
  memoryLimit: {
    group: 'Durability',
    flags: ['--memory-limit <MiB>'],
    help: 'memory of the process: from 80 % of it on only cancellations are taken, at 95 % it saves and ends; 0 for what the machine has',
    default: 0,
    ...wholeNumber(0, 1_048_576),
  },
  stopNotice: {
    group: 'Durability',
    flags: ['--stop-notice <seconds>'],
    help: 'how long before a stop its notice is sent to streams (code 30033), if there are readers; 60 suits a planned restart',
    default: 0,
    ...wholeNumber(0, 600),
  },
  acceptHistoryGap: {
    group: 'Durability',
    flags: ['--accept-history-gap'],
    help: 'start although the history database lacks records that the log no longer holds',
    default: false,
    ...onOff(),
  },
  acceptIdentityGap: {
    group: 'Durability',
    flags: ['--accept-identity-gap'],
    help: 'start although users, keys or address.key are lost or older than the log',
    default: false,
    ...onOff(),
  },
  logLevel: {
    group: 'Output',
    flags: ['--log-level <level>'],
    help: LOG_LEVELS.join(', '),
    default: 'info',
    ...oneOf(...LOG_LEVELS),
  },
  logFormat: {
    group: 'Output',
    flags: ['--log-format <auto|pretty|json>'],
    help: 'form of the log on stderr; auto is pretty on a terminal',
    default: 'auto',
    ...oneOf('auto', 'pretty', 'json'),
  },
  quiet: {
    group: 'Output',
    flags: ['--quiet'],
    help: 'print only the line "Listening on ..."',
    default: false,
    ...onOff(),
  },
  readyFile: {
    group: 'Output',
    flags: ['--ready-file <file>'],
    help: 'file that tells programs addresses and keys, written when the exchange is ready and removed when it stops',
    default: '',
    ...path(),
  },
  color: {
    group: 'Output',
    flags: ['--color', '--no-color'],
    help: 'colour always or never; NO_COLOR and FORCE_COLOR count too',
    default: 'auto',
    expects: 'on, off or auto',
    read: readColour,
  },
};

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export function environmentName(name: SettingName): string {
  return `BOURSE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The flag without its placeholder, as messages name it. */
export function flagName(name: SettingName): string {
  return SETTINGS[name].flags[0]!.split(' ')[0]!;
}

/** The configuration as it may be shown. */
export function shownConfig(config: Config): Config {
  const address = readAddress(config.history);
  const history = address === undefined ? config.history : withoutPassword(address);
  return { ...config, history, cluster: withoutClusterPassword(config.cluster) };
}
