/** Resolves the settings: flags before the environment before the file before the defaults. */
import { resolve } from 'node:path';
import { ConfigError } from '../exit-codes.ts';
import { didYouMean } from '../terminal/did-you-mean.ts';
import { fileLayer, findFile } from './config-file.ts';
import type { Place } from './setting-values.ts';
import {
  type Config,
  environmentName,
  flagName,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  shownConfig,
} from './settings.ts';

/** Texts by setting, as one layer gives them. */
export type Overrides = { readonly [Name in SettingName]?: string };

/** One source of settings: the flags, the environment, a file. */
export interface Layer extends Place {
  readonly overrides: Overrides;
  /** How messages name a value of this layer. */
  readonly nameOf: (name: SettingName) => string;
  readonly origin: (name: SettingName) => string;
}

export interface ConfigSources {
  readonly flags: Overrides;
  readonly environment: NodeJS.ProcessEnv;
  readonly directory: string;
  /** The file given by `--config`; null reads none. */
  readonly configFile?: string | null | undefined;
}

export interface ResolvedConfig {
  readonly config: Config;
  /** The source of each value, as text. */
  readonly origins: { readonly [Name in SettingName]: string };
}

export async function resolveConfig(sources: ConfigSources): Promise<ResolvedConfig> {
  const { directory, environment } = sources;
  const named = sources.configFile ?? environment.BOURSE_CONFIG;
  const file = named === undefined || named === '' ? findFile(directory) : named && resolve(directory, named);
  const layers: Layer[] = [
    { overrides: sources.flags, directory, nameOf: flagName, origin: (name) => `flag ${flagName(name)}` },
    {
      overrides: environmentOverrides(environment),
      directory,
      nameOf: environmentName,
      origin: (name) => `environment ${environmentName(name)}`,
    },
  ];
  if (file !== undefined && file !== null) layers.push(await fileLayer(file, directory));

  const values: Partial<Record<SettingName, unknown>> = {};
  const origins: Partial<Record<SettingName, string>> = {};
  for (const name of SETTING_NAMES) {
    const layer = layers.find(({ overrides }) => overrides[name] !== undefined);
    values[name] = layer === undefined ? defaultOf(name, directory, values) : valueIn(layer, name);
    origins[name] = layer?.origin(name) ?? 'default';
  }
  return { config: values as unknown as Config, origins: origins as ResolvedConfig['origins'] };
}

/** Each setting as text, and where its value came from. */
export function explainSettings({ config: given, origins }: ResolvedConfig) {
  const config = shownConfig(given);
  return SETTING_NAMES.map((name) => ({
    name,
    value: JSON.stringify(config[name]),
    from: origins[name],
    flag: flagName(name),
    environment: environmentName(name),
  }));
}

function defaultOf(
  name: SettingName,
  directory: string,
  { port, demo, cluster }: Partial<Record<SettingName, unknown>>,
): unknown {
  if (name === 'data') return resolve(directory, SETTINGS.data.default);
  if (name === 'operatorPort') return portBeside(Number(port));
  // A demo needs counterparties; an exchange without demo accounts brings its own traders.
  if (name === 'market' && demo === true) return 'normal';
  // A demo is for trying bots, whose requests are worth seeing. An exchange with real users keeps no copy of their requests.
  if (name === 'inspect' && demo === true) return 'on';
  // A demo may be reverted at any time. An exchange with real users keeps what has happened.
  if (name === 'lab' && demo === true && cluster === '') return 'on';
  return SETTINGS[name].default;
}

/** Exchanges on one machine have different ports, and so have their operator listeners. */
function portBeside(port: number): number {
  if (port === 0) return 0;
  return port < 65_535 ? port + 1 : port - 1;
}

function valueIn(layer: Layer, name: SettingName): unknown {
  const text = layer.overrides[name]!;
  const setting: Setting = SETTINGS[name];
  const value = setting.read(text, layer);
  if (value !== undefined) return value;
  const suggestion = didYouMean(text, setting.choices ?? []);
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  const given = setting.secret === true ? '' : ` ${JSON.stringify(text)}`;
  throw new ConfigError(`${layer.nameOf(name)}${given} must be ${setting.expects}.${hint}`);
}

/** An empty variable counts as unset. */
function environmentOverrides(environment: NodeJS.ProcessEnv): Overrides {
  const overrides: Partial<Record<SettingName, string>> = {};
  for (const name of SETTING_NAMES) {
    const text = environment[environmentName(name)];
    if (text !== undefined && text !== '') overrides[name] = text;
  }
  return overrides;
}
