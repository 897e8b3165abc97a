/** Users and keys put into a data directory before the server opens it. */
import { randomBytes } from 'node:crypto';
import type { LocalIdentity, Permission, PermType } from '../../../src/identity/identity.ts';
import { openIdentity } from '../../../src/identity/sqlite-identity.ts';
import type { DemoKeys } from '../../harness/server.ts';

/** Stored with each hash, so that the server checks these at the same low cost. */
const QUICK_SCRYPT = { N: 1024, r: 8, p: 1 };

export async function withIdentity(
  data: string,
  fill: (identity: LocalIdentity) => Promise<void>,
): Promise<void> {
  const identity = openIdentity(data, { scryptCost: QUICK_SCRYPT });
  try {
    await fill(identity);
  } finally {
    await identity.close();
  }
}

/** A demo name gets the demo account's money at the first start. */
export function openUser(identity: LocalIdentity, name: string): number {
  const created = identity.createUser({ name, nowMs: Date.now() });
  if (!created.ok) throw new Error(created.message);
  return created.value.uid;
}

export interface Rights {
  readonly permType: PermType;
  readonly permissions: readonly Permission[];
  readonly ipList?: readonly string[];
}

/** A key whose secret and passphrase occur nowhere else, so that a leak can be found by searching for them. */
export async function installKey(identity: LocalIdentity, uid: number, rights: Rights): Promise<DemoKeys> {
  const mark = randomBytes(8).toString('hex');
  const keys = { apiKey: `key-${mark}`, secretKey: `secret-${mark}`, passphrase: `passphrase-${mark}` };
  const installed = identity.installKey({
    ...keys,
    ...rights,
    uid,
    label: mark,
    demo: false,
    nowMs: Date.now(),
  });
  if (!installed.ok) throw new Error(installed.message);
  await installed.value.stored;
  return { name: mark, uid, ...keys };
}
