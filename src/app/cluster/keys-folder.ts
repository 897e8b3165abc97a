/** The keys folder of a cluster: what all nodes must have in common and the database must not hold. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openToken, TOKEN_FILE } from '../../admin/token.ts';
import { KEY_FILES } from '../../cluster/keys.ts';
import { keyFileOnDisk } from '../../identity/key-file.ts';
import { createKeyring, readKeyring } from '../../identity/sealing.ts';
import { KEYRING_FILE } from '../../identity/sqlite-identity.ts';
import { makeDirectory } from '../../storage/durable-file.ts';
import { ConfigError } from '../exit-codes.ts';
import { ADDRESS_KEY_FILE } from '../start/address-key.ts';

/** API secrets are sealed under the first, deposit addresses made with the second. */
const RINGS = [KEYRING_FILE, ADDRESS_KEY_FILE] as const;

/** Makes what is missing, and returns the names of what it made. Throws IdentityDamaged, TokenDamaged, ExposedToOthers. */
export function makeKeys(directory: string): string[] {
  if (existsSync(directory) && !statSync(directory).isDirectory())
    throw new ConfigError(`--keys ${directory} must be a directory`);
  makeDirectory(directory);
  const missing = KEY_FILES.filter((name) => !existsSync(join(directory, name)));
  for (const name of RINGS) {
    const file = keyFileOnDisk(join(directory, name));
    if (file.exists()) readKeyring(file);
    else createKeyring(file);
  }
  openToken(join(directory, TOKEN_FILE));
  return missing;
}
