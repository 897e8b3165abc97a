/** The key that deposit addresses are derived with. Without it every account gets new addresses. */
import type { KeyObject } from 'node:crypto';
import type { Identity } from '../../identity/identity.ts';

export const ADDRESS_KEY_FILE = 'address.key';
const ADVICE =
  'deposit addresses of all accounts are made with it. Restore it from a backup, or start once with ' +
  '--accept-identity-gap to go on with the key that is there, or a new one: all accounts get new addresses';

/** Created at the first start. */
export function openAddressKey(identity: Identity): KeyObject {
  return identity.fileKey(ADDRESS_KEY_FILE, ADVICE);
}
