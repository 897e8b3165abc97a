/** The history of a cluster is in its own database: the same servers, as the history names them. */

import type { PostgresAddress } from '../../history/postgres/address.ts';
import { migrate } from '../../history/postgres/schema.ts';
import { Session } from '../../history/postgres/session.ts';
import type { DatabaseAddress } from './address.ts';

export function historyAddressOf(address: DatabaseAddress): PostgresAddress {
  const { hosts, user, password, database } = address;
  const login = encodeURIComponent(user) + (password === undefined ? '' : `:${encodeURIComponent(password)}`);
  const urls = hosts.map(({ host, port }) => {
    const named = host.includes(':') ? `[${host}]` : host;
    return `postgres://${login}@${named}:${port}/${encodeURIComponent(database)}`;
  });
  const places = hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  const [url = '', ...others] = urls;
  return { url, others, place: `postgres://${user}@${places}/${database}`, user, database };
}

/** Makes or upgrades its tables, one node at a time. */
export async function prepareHistory(address: PostgresAddress, instance: string): Promise<void> {
  const session = await Session.open(address, 'bourse history');
  try {
    await session.rows("SELECT pg_advisory_lock(hashtext('bourse.history.migration'))");
    await migrate(session, address, instance);
  } finally {
    await session.end().catch(() => {});
  }
}
