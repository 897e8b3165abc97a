/** The key that deposit addresses are made with. Whoever loses the file gives every account new addresses. */
import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyring, readKeyring } from '../identity/sealing.ts';

const ADDRESS_KEY_FILE = 'address.key';

/** Made at the first start. */
export function openAddressKey(dataDirectory: string): KeyObject {
  const path = join(dataDirectory, ADDRESS_KEY_FILE);
  const { keys, currentId } = existsSync(path) ? readKeyring(path) : createKeyring(path);
  return keys.get(currentId)!;
}
