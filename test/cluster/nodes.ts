/** Real nodes of one cluster, in this process or in processes of their own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { newToken } from '../../src/admin/token.ts';
import { type Overrides, resolveConfig } from '../../src/app/config/resolve-config.ts';
import { type RunningExchange, startExchange } from '../../src/app/start/start-exchange.ts';
import { KEY_FILES, keysFingerprint } from '../../src/cluster/keys.ts';
import { installCluster } from '../../src/cluster/postgres/install.ts';
import { demoAccount } from '../../src/identity/demo-accounts.ts';
import { keyFileOnDisk } from '../../src/identity/key-file.ts';
import { createKeyring } from '../../src/identity/sealing.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import type { PostgresServer } from '../postgres/server.ts';

export interface TestCluster {
  readonly url: string;
  readonly keys: string;
  readonly database: string;
}

/** An empty one in a database of its own. */
export async function newCluster(server: PostgresServer): Promise<TestCluster> {
  const database = await server.createDatabase();
  const url = server.url(database);
  const keys = temporaryDirectory();
  for (const name of KEY_FILES)
    if (name.endsWith('.key')) createKeyring(keyFileOnDisk(join(keys, name)));
    else writeFileSync(join(keys, name), `${newToken()}\n`, { mode: 0o600 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await installCluster(client, keysFingerprint(keys));
  await client.end();
  return { url, keys, database };
}

export interface TestNode extends RunningExchange {
  /** Errors after which the process would have ended. */
  readonly failures: readonly Error[];
}

/** In this process; a quiet market of one pair unless the settings say otherwise. */
export async function startNode(
  { url, keys }: TestCluster,
  name: string,
  settings: Overrides = {},
): Promise<TestNode> {
  const directory = temporaryDirectory();
  const resolved = await resolveConfig({
    flags: {
      ...{ cluster: url, node: name, keys, clusterDurability: 'single' },
      ...{ port: '0', operatorPort: '0', market: 'off', instruments: 'SPOT:BTCUSDT', rateLimits: 'off' },
      ...settings,
    },
    environment: {},
    directory,
    configFile: null,
  });
  const failures: Error[] = [];
  const level = process.env.NODE_LOG ?? 'silent';
  const running = await startExchange(resolved, pino({ level, name }), (error) => failures.push(error));
  return Object.assign(Object.create(running) as RunningExchange, { failures });
}

/** A demo account at a node. */
export function clientOf({ url }: Pick<RunningExchange, 'url'>, name: string): SignedClient {
  return new SignedClient(url, { ...demoAccount(name, '', {}), uid: 0 });
}

export const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  orderType: 'limit',
  timeInForce: 'gtc',
  qty: '0.001',
};
