/** The schema in PostgreSQL and its migrations. A migration, once released, is never edited: a change is a new file. */
import { readFileSync } from 'node:fs';
import { programFile } from '../../program-files.ts';
import type { PostgresAddress } from './address.ts';
import { refused } from './refusal.ts';
import { SCHEMA, type Session } from './session.ts';

const MIGRATIONS = ['01-first-tables.sql'] as const;
export const POSTGRES_SCHEMA_VERSION = MIGRATIONS.length;

/** Which exchange, and how far its history is. */
export interface Meta {
  readonly version: number;
  readonly instance: string;
  readonly lastSeq: number;
  readonly completeSince: number;
  readonly revision: number;
}

/** Undefined where there is no history yet. */
export async function readMeta(session: Session, address: PostgresAddress): Promise<Meta | undefined> {
  const [found] = await session.rows(
    `SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid AND relname = 'meta'),
            (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid)
     FROM pg_namespace n WHERE nspname = $1`,
    [SCHEMA],
  );
  const [ours, all] = (found ?? [0, 0]) as [number, number];
  if (ours === 0 && all > 0)
    throw refused(
      address,
      `its schema "${SCHEMA}" holds other tables: give the exchange a database of its own`,
    );
  if (ours === 0) return undefined;
  const [row] = await session.rows(
    'SELECT schema_version, instance, last_seq, complete_since, revision FROM meta',
  );
  if (row === undefined)
    throw refused(address, 'its table meta is empty: restore the database from a backup');
  const [version, instance, lastSeq, completeSince, revision] = row as [
    number,
    string,
    number,
    number,
    number,
  ];
  return { version, instance, lastSeq, completeSince, revision };
}

/** Creates the tables for an exchange, or brings them to the newest version, in one transaction. */
export async function migrate(session: Session, address: PostgresAddress, instance: string): Promise<Meta> {
  const found = await readMeta(session, address);
  if (found !== undefined) checkMeta(found, address, instance);
  if (found?.version !== POSTGRES_SCHEMA_VERSION) {
    const due = MIGRATIONS.slice(found?.version ?? 0).map((name) =>
      readFileSync(programFile(`src/history/postgres/migrations/${name}`), 'utf8'),
    );
    const version =
      found === undefined
        ? `INSERT INTO meta (schema_version, instance) VALUES (${POSTGRES_SCHEMA_VERSION}, '${instance}')`
        : `UPDATE meta SET schema_version = ${POSTGRES_SCHEMA_VERSION}`;
    const schema = await session.rows('SELECT 1 FROM pg_namespace WHERE nspname = $1', [SCHEMA]);
    const made = schema.length === 0 ? [`CREATE SCHEMA ${SCHEMA}`] : [];
    // As one text it is one transaction.
    await session.run([...made, ...due, version].join(';\n'));
  }
  const meta = await readMeta(session, address);
  return meta!;
}

export function checkMeta(meta: Meta, address: PostgresAddress, instance: string): void {
  if (meta.version > POSTGRES_SCHEMA_VERSION)
    throw refused(
      address,
      `it has schema version ${meta.version}, this program knows up to ${POSTGRES_SCHEMA_VERSION}: start the newer program`,
    );
  if (meta.instance !== instance)
    throw refused(
      address,
      `it holds the history of another exchange (${meta.instance}, this one is ${instance}): give each a database of its own`,
    );
}
