/** The database of a cluster as commands use it: its address in words, one connection, refusals with an exit code. */
import type pg from 'pg';
import { type DatabaseAddress, readAddress } from '../../cluster/postgres/address.ts';
import { ClusterRefused } from '../../cluster/postgres/install.ts';
import { connectPrimary, NoPrimary, type ServerView } from '../../cluster/postgres/servers.ts';
import { CannotStart, ConfigError } from '../exit-codes.ts';

export interface Connected {
  readonly client: pg.Client;
  readonly servers: readonly ServerView[];
}

/** Throws ConfigError. */
export function clusterAddress(text: string): DatabaseAddress {
  const address = readAddress(text);
  if ('wrong' in address) throw new ConfigError(`the address of the cluster ${address.wrong}`);
  return address;
}

/** Does the work with a connection to the server that takes writes. Throws CannotStart. */
export async function withPrimary<Result>(
  address: DatabaseAddress,
  work: (connected: Connected) => Promise<Result>,
): Promise<Result> {
  let connected: Connected | undefined;
  try {
    connected = await connectPrimary(address);
    return await work(connected);
  } catch (error) {
    throw error instanceof NoPrimary || error instanceof ClusterRefused
      ? new CannotStart(error.message)
      : error;
  } finally {
    await connected?.client.end().catch(() => {});
  }
}

/** Throws CannotStart when the database has no cluster. */
export async function refuseUnlessCluster(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT to_regclass('bourse_cluster.cluster') IS NOT NULL AS there");
  if ((rows[0] as { there: boolean }).there) return;
  throw new CannotStart(
    'the database has no cluster yet: make one with "bourse cluster init" or "bourse cluster import"',
  );
}

/** All of it or nothing. */
export async function inTransaction<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** A commit waits for the standby as long as it takes; whoever types a command does not. */
const COMMIT_WITHIN_MS = 30_000;

/** Throws CannotStart when a write is not acknowledged in time. */
export async function inTime<Result>(write: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new CannotStart(
            `the server has not acknowledged a write within ${COMMIT_WITHIN_MS / 1000} s: is its standby connected?`,
          ),
        ),
      COMMIT_WITHIN_MS,
    );
  });
  try {
    return await Promise.race([write, late]);
  } finally {
    clearTimeout(timer);
    // It ends with the connection.
    write.catch(() => {});
  }
}
