/** Users, keys and the audit log between a data directory and the database of a cluster. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { linesOfLeftBranches } from '../../admin/audit-branches.ts';
import { AUDIT_FILE, AUDIT_HEAD_FILE, formatHead, readAudit } from '../../admin/audit-file.ts';
import type { AuditLine } from '../../admin/audit-line.ts';
import type { DatabaseAddress } from '../../cluster/postgres/address.ts';
import { importIdentity, openClusterIdentity } from '../../cluster/postgres/cluster-identity.ts';
import { markToBytes } from '../../identity/identity-mark.ts';
import { openIdentity } from '../../identity/sqlite-identity.ts';
import { createFile } from '../../storage/durable-file.ts';
import { ADDRESS_KEY_FILE } from '../start/address-key.ts';

/** Throws IdentityDamaged. */
export async function writeIdentityOf(client: pg.Client, live: string): Promise<void> {
  const identity = openIdentity(live);
  try {
    await importIdentity(client, identity.image().database);
  } finally {
    await identity.close();
  }
}

/** The store of the cluster as it is now, and its mark as the note of a snapshot. */
export async function readIdentityContents(
  address: DatabaseAddress,
  keys: string,
): Promise<{ readonly contents: Uint8Array; readonly note: Uint8Array }> {
  let failure: Error | undefined;
  const { identity } = await openClusterIdentity({
    address,
    // No node has this name: nobody waits for it.
    node: '',
    keysDirectory: keys,
    keyFiles: [ADDRESS_KEY_FILE],
    onFailure: (error) => {
      failure = error;
    },
  });
  try {
    if (failure !== undefined) throw failure;
    return { contents: identity.image().database, note: markToBytes(identity.mark) };
  } finally {
    await identity.close();
  }
}

/** Returns how many lines. Throws AuditDamaged. */
export async function writeAuditOf(client: pg.Client, data: string): Promise<number> {
  const { lines } = readAudit(data);
  const texts = lines.length === 0 ? [] : readFileSync(join(data, AUDIT_FILE), 'utf8').split('\n');
  for (const [n, { seq }] of lines.entries())
    await client.query('INSERT INTO bourse_cluster.audit (no, line) VALUES ($1, $2)', [seq, texts[n]]);
  return lines.length;
}

/** The lines up to the first that names a later command; returns how many. */
export async function writeAuditFiles(
  client: pg.Client,
  directory: string,
  lastSeq: number,
): Promise<number> {
  const { rows } = await client.query('SELECT line FROM bourse_cluster.audit ORDER BY no');
  const texts = (rows as { line: string }[]).map(({ line }) => line.trimEnd());
  const lines = texts.map((text) => JSON.parse(text) as AuditLine);
  const left = linesOfLeftBranches(lines);
  const later = lines.findIndex(({ command }, n) => n >= left && command !== null && command > lastSeq);
  const kept = later === -1 ? lines.length : later;
  const last = lines[kept - 1];
  if (last === undefined) return 0;
  createFile(join(directory, AUDIT_FILE), `${texts.slice(0, kept).join('\n')}\n`);
  createFile(join(directory, AUDIT_HEAD_FILE), formatHead(last));
  // Checked as a start checks it.
  return readAudit(directory).lines.length;
}
