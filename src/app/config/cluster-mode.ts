/** What goes with `--cluster`, where the log, the history and the accounts are in a database, and what does not. */
import { ConfigError } from '../exit-codes.ts';
import { said } from './memory-mode.ts';
import type { ResolvedConfig } from './resolve-config.ts';
import { flagName, type SettingName } from './settings.ts';

/** Settings of a data directory; minutes between snapshots count for a node too. */
const OF_ONE_MACHINE: readonly SettingName[] = [
  'memory',
  'data',
  'segmentBytes',
  'snapshotCommands',
  'acceptHistoryGap',
  'acceptIdentityGap',
  'clockStart',
  'operatorTokenFile',
];
const OF_A_CLUSTER: readonly SettingName[] = ['node', 'keys', 'clusterDurability', 'role'];
const NEEDED: readonly SettingName[] = ['node', 'keys'];

/** Throws ConfigError, which names everything that does not go together, or is missing. */
export function refuseWithCluster({ config, origins }: ResolvedConfig): void {
  const given = (names: readonly SettingName[]) =>
    names.filter((name) => origins[name] !== 'default').map((name) => said(name, origins[name]));
  if (config.cluster === '') {
    const alone = given(OF_A_CLUSTER);
    if (alone.length > 0)
      throw new ConfigError(`${alone.join(', ')}: these are of a cluster, which --cluster names`);
    return;
  }
  const missing = NEEDED.filter((name) => config[name] === '').map(flagName);
  if (missing.length > 0) throw new ConfigError(`--cluster needs ${missing.join(' and ')} as well`);
  const machine = given(OF_ONE_MACHINE);
  const reasons = [
    ...(machine.length === 0 ? [] : [`${machine.join(', ')}: everything is in the database of the cluster`]),
    ...(config.history === '' ? [] : ['--history: it is in the same database']),
    ...(config.lab === 'on' && origins.lab !== 'default'
      ? ['--lab on: one node cannot turn back what all have executed']
      : []),
    ...(config.clock === 'wall' ? [] : [`--clock ${config.clock}: the database tells the time`]),
  ];
  if (reasons.length > 0)
    throw new ConfigError(
      `--cluster does not go with ${reasons.join('; nor with ')}. Leave out one or the other.`,
    );
}
