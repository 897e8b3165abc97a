/** Proves users, API keys and key files, and that they belong to the exchange. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { State } from '../../core/state/state.ts';
import type { Mark } from '../../identity/identity-mark.ts';
import { IDENTITY_FILE, openIdentity } from '../../identity/sqlite-identity.ts';
import { DataDamaged } from '../exit-codes.ts';
import { openAddressKey } from '../start/address-key.ts';
import { refuseLostUsers } from '../start/orphan-accounts.ts';
import { counted } from '../terminal/format.ts';

/** Returns a summary as text. Throws DataDamaged, IdentityDamaged. */
export async function proveIdentity(data: string, state: State, logged: Mark | undefined): Promise<string> {
  const users = [...state.accountByUid.values()].filter(({ house }) => !house).length;
  if (!existsSync(join(data, IDENTITY_FILE))) {
    if (users === 0) return 'no users yet';
    throw new DataDamaged(`${IDENTITY_FILE} is missing; ${counted(users, 'account')} would have no user`);
  }
  const identity = openIdentity(data);
  try {
    refuseLostUsers(state, identity);
    if (logged !== undefined) identity.proveNewest(logged);
    openAddressKey(identity);
  } finally {
    await identity.close();
  }
  return `${counted(users, 'account')} with their users and keys`;
}
