/** What a server must promise before an exchange trusts it with its commands; each refusal says what would be right. */
import type pg from 'pg';

/** How a committed pack survives the loss of a machine: on a standby, by the storage of a service, or not at all. */
export type Durability = 'standby' | 'service' | 'single';

const VERSION_LEAST = 160_000;
const SYNCHRONOUS: ReadonlySet<string> = new Set(['on', 'remote_apply']);

interface Facts {
  readonly version: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly synchronousStandbys: number;
  readonly samePid: boolean;
}

interface DurabilityCheck {
  readonly holds: (facts: Facts, durability: Durability) => boolean;
  readonly refusal: (facts: Facts) => string;
}

const setting = (name: string, wanted: string): DurabilityCheck => ({
  holds: ({ settings }) => settings[name] === wanted,
  refusal: ({ settings }) =>
    `${name} is ${settings[name]}: set ${name} = ${wanted}, else a crash of the server loses commands`,
});

const unlimited = (name: string): DurabilityCheck => ({
  holds: ({ settings }) => settings[name] === undefined || settings[name] === '0',
  refusal: ({ settings }) =>
    `${name} is ${settings[name]} ms for this role: ALTER ROLE ... SET ${name} = 0, because an append waits for the standby as long as it takes`,
});

const CHECKS: readonly DurabilityCheck[] = [
  {
    holds: ({ version }) => version >= VERSION_LEAST,
    refusal: ({ version }) =>
      `the server is PostgreSQL ${Math.floor(version / 10_000)}: 16 or newer is needed`,
  },
  setting('fsync', 'on'),
  setting('full_page_writes', 'on'),
  {
    holds: ({ settings }) => SYNCHRONOUS.has(settings.synchronous_commit ?? ''),
    refusal: ({ settings }) =>
      `synchronous_commit is ${settings.synchronous_commit}: set it to on or remote_apply, else a commit is answered before it is safe`,
  },
  {
    holds: ({ settings }, durability) =>
      durability !== 'standby' || settings.synchronous_standby_names !== '',
    refusal: () =>
      'synchronous_standby_names is empty: name a standby, or say --cluster-durability service where the storage replicates itself, single for a trial',
  },
  {
    holds: ({ synchronousStandbys }, durability) => durability !== 'standby' || synchronousStandbys > 0,
    refusal: () =>
      'no synchronous standby is connected: start it (and GRANT pg_monitor to this role, which must see it), or say --cluster-durability single for a trial',
  },
  unlimited('statement_timeout'),
  unlimited('transaction_timeout'),
  unlimited('idle_session_timeout'),
  {
    holds: ({ samePid }) => samePid,
    refusal: () => 'a pooler gives each statement another session: connect to the server itself',
  },
];

/** Every reason why the server is not trusted; none when it is. */
export async function durabilityRefusals(client: pg.Client, durability: Durability): Promise<string[]> {
  const facts = await factsOf(client);
  return CHECKS.filter(({ holds }) => !holds(facts, durability)).map(({ refusal }) => refusal(facts));
}

async function factsOf(client: pg.Client): Promise<Facts> {
  const pid = async () =>
    ((await client.query('SELECT pg_backend_pid() AS pid')).rows[0] as { pid: number }).pid;
  const first = await pid();
  const { rows } = await client.query(
    `SELECT name, setting FROM pg_settings WHERE name IN ('server_version_num', 'fsync', 'full_page_writes',
      'synchronous_commit', 'synchronous_standby_names', 'statement_timeout', 'transaction_timeout', 'idle_session_timeout')`,
  );
  const settings = Object.fromEntries(
    (rows as { name: string; setting: string }[]).map(({ name, setting: value }) => [name, value]),
  );
  const { rows: standbys } = await client.query(
    "SELECT count(*)::int AS count FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum') AND state = 'streaming'",
  );
  return {
    version: Number(settings.server_version_num),
    settings,
    synchronousStandbys: (standbys[0] as { count: number }).count,
    samePid: (await pid()) === first,
  };
}
