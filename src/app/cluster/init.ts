/** Makes a cluster in an empty database: the server is checked, keys are made where there are none, then the tables. */

import type pg from 'pg';
import { keysFingerprint } from '../../cluster/keys.ts';
import type { DatabaseAddress } from '../../cluster/postgres/address.ts';
import { type Durability, durabilityRefusals } from '../../cluster/postgres/durability-checks.ts';
import { installCluster } from '../../cluster/postgres/install.ts';
import type { ServerView } from '../../cluster/postgres/servers.ts';
import { CannotStart } from '../exit-codes.ts';
import { type Connected, withPrimary } from './database.ts';
import { makeKeys } from './keys-folder.ts';

export interface MadeCluster {
  readonly instance: string;
  readonly servers: readonly ServerView[];
  readonly keysMade: readonly string[];
  readonly keysFingerprint: string;
  /** What would make it better; it works without. */
  readonly advice: readonly string[];
}

/** A standby that was away looks for its primary again after so long, and appends wait until then. */
const RETRIEVE_RETRY_MAX_MS = 500;

export function initCluster(
  address: DatabaseAddress,
  keys: string,
  durability: Durability,
): Promise<MadeCluster> {
  return withPrimary(address, async ({ client, servers }) => {
    await refuseServer({ client, servers }, durability);
    await refuseSecondCluster(client);
    const keysMade = makeKeys(keys);
    const fingerprint = keysFingerprint(keys);
    await installCluster(client, fingerprint);
    return {
      instance: await instanceOf(client),
      servers,
      keysMade,
      keysFingerprint: Buffer.from(fingerprint).toString('hex'),
      advice: adviceOn(servers, durability),
    };
  });
}

/** Throws CannotStart with every reason. */
export async function refuseServer({ client }: Connected, durability: Durability): Promise<void> {
  const refusals = await durabilityRefusals(client, durability);
  if (refusals.length > 0)
    throw new CannotStart(
      `the server cannot keep what a cluster promises:\n${refusals.map((each) => `  ${each}`).join('\n')}`,
    );
}

/** Before keys are made for it. */
async function refuseSecondCluster(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT to_regnamespace('bourse_cluster') IS NOT NULL AS there");
  if ((rows[0] as { there: boolean }).there)
    throw new CannotStart('the database has a cluster already: nodes join it with --cluster');
}

export async function instanceOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query('SELECT instance::text FROM bourse_cluster.cluster');
  return (rows[0] as { instance: string }).instance;
}

export function adviceOn(servers: readonly ServerView[], durability: Durability): string[] {
  const slow = servers.filter(
    ({ state, retrieveRetryMs = 0 }) => state === 'standby' && retrieveRetryMs > RETRIEVE_RETRY_MAX_MS,
  );
  const missing = durability === 'standby' && servers.length < 2;
  return [
    ...slow.map(
      ({ name, retrieveRetryMs }) =>
        `${name}: set wal_retrieve_retry_interval = 500ms (it is ${retrieveRetryMs} ms); appends wait so long after a restart`,
    ),
    ...(missing
      ? ['the address names one server: name all, so that nodes find the one that is promoted']
      : []),
    ...servers
      .filter(({ state }) => state === 'away')
      .map(({ name, reason }) => `${name} is away: ${reason}`),
  ];
}
