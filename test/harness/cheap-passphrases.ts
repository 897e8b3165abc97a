/**
 * Loaded into a server that a test starts: a passphrase costs a millisecond and not half a second, which every new key
 * and every first use of one would take. What one costs otherwise is in `src/identity/passphrase.test.ts` and
 * `src/identity/sqlite-identity.test.ts`.
 */
import { PUBLISHED_SCRYPT_COST, SCRYPT_COST } from '../../src/identity/passphrase.ts';

Object.assign(SCRYPT_COST, PUBLISHED_SCRYPT_COST);
