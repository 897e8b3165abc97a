/** What goes with `--memory`, an exchange that keeps nothing beyond its process, and what does not. */
import { ConfigError } from '../exit-codes.ts';
import type { ResolvedConfig } from './resolve-config.ts';
import { type Config, flagName, type SettingName } from './settings.ts';

/** Settings of a data directory. */
export const OF_A_DIRECTORY: readonly SettingName[] = [
  'data',
  'history',
  'segmentBytes',
  'snapshotCommands',
  'snapshotMinutes',
  'acceptHistoryGap',
  'acceptIdentityGap',
];

/** Is everything that lasts in a directory of this machine? */
export function hasDirectory({ memory, cluster }: Pick<Config, 'memory' | 'cluster'>): boolean {
  return !memory && cluster === '';
}

/** Throws ConfigError, which names everything that a user has said and that does not go together. */
export function refuseWithMemory({ config, origins }: ResolvedConfig): void {
  if (!config.memory) return;
  const directory = OF_A_DIRECTORY.filter((name) => origins[name] !== 'default');
  const reasons = [
    ...(config.demo || origins.demo === 'default'
      ? []
      : ['--no-demo: an exchange of its own accounts must not lose them']),
    ...(directory.length === 0
      ? []
      : [`${directory.map((name) => said(name, origins[name])).join(', ')}: there is no data directory`]),
  ];
  if (reasons.length === 0) return;
  throw new ConfigError(
    `--memory keeps nothing when the process ends, so it does not go with ${reasons.join('; nor with ')}. ` +
      'Leave out one or the other.',
  );
}

/** The flag, and where the value came from when it was not the flag. */
export function said(name: SettingName, origin: string): string {
  const flag = flagName(name);
  return origin === `flag ${flag}` ? flag : `${flag} (${origin})`;
}

/** The directory of a command that works on one. Throws ConfigError. */
export function dataDirectory({ config, origins }: ResolvedConfig): string {
  if (config.memory && origins.data === 'default')
    throw new ConfigError(
      `this needs a data directory, and the exchange has none: it keeps everything in memory (${origins.memory}). ` +
        'Name the directory of another with --data DIR.',
    );
  return config.data;
}
