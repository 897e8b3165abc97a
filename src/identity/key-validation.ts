/** Rules for users and keys; each returns the wrong value and the valid ones. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  type IdentityRefusal,
  IP_LIST_ENTRIES_MAX,
  type KeyChange,
  type KeyKind,
  type NewKey,
  PERMISSIONS,
} from './identity.ts';
import { compileIpList } from './ip-list.ts';

export interface Fault {
  readonly ok: false;
  readonly reason: IdentityRefusal;
  readonly message: string;
}

const NAME_CHARS_MAX = 64;
const LABEL_CHARS_MAX = 64;
/** ASCII only: the passphrase comes back as an HTTP header, where other characters have no agreed encoding. */
const PASSPHRASE = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;
/** No `|`, so that the parts of a seal's additional data stay apart. */
const API_KEY = /^[A-Za-z0-9_-]{4,64}$/;
const RSA_BITS_MIN = 2048;
const RSA_BITS_MAX = 4096;

export function fault(reason: IdentityRefusal, message: string): Fault {
  return { ok: false, reason, message };
}

export function nameFault(name: string): Fault | undefined {
  const fits = name.length >= 1 && name.length <= NAME_CHARS_MAX && name.isWellFormed();
  return fits ? undefined : fault('name_invalid', `a user name has 1 to ${NAME_CHARS_MAX} characters`);
}

export function apiKeyFault(apiKey: string): Fault | undefined {
  return API_KEY.test(apiKey)
    ? undefined
    : fault('key_invalid', 'an API key has 4 to 64 letters, digits, hyphens or underscores');
}

export function passphraseFault(passphrase: string): Fault | undefined {
  return PASSPHRASE.test(passphrase)
    ? undefined
    : fault(
        'passphrase_invalid',
        'a passphrase has 1 to 128 printable ASCII characters, no blank at either end',
      );
}

/** `withdraw` needs `read_write`: interface 4.5. */
export function rightsFault(key: Required<KeyChange> | NewKey): Fault | undefined {
  if (key.label.length > LABEL_CHARS_MAX || !key.label.isWellFormed()) {
    return fault('label_invalid', `a label has at most ${LABEL_CHARS_MAX} characters`);
  }
  if (key.permType !== 'read_only' && key.permType !== 'read_write') {
    return fault('permission_invalid', 'permType must be read_only or read_write');
  }
  const known = key.permissions.every((permission) => PERMISSIONS.includes(permission));
  if (!known || new Set(key.permissions).size !== key.permissions.length) {
    return fault('permission_invalid', `permissions must be distinct and among ${PERMISSIONS.join(', ')}`);
  }
  if (key.permissions.includes('withdraw') && key.permType !== 'read_write') {
    return fault('withdraw_needs_read_write', 'the withdraw permission requires permType read_write');
  }
  return ipListFault(key.ipList ?? []);
}

function ipListFault(entries: readonly string[]): Fault | undefined {
  if (entries.length > IP_LIST_ENTRIES_MAX) {
    return fault(
      'ip_list_invalid',
      `the IP list has ${entries.length} entries, at most ${IP_LIST_ENTRIES_MAX} are allowed`,
    );
  }
  const list = compileIpList(entries);
  return 'malformed' in list
    ? fault(
        'ip_list_invalid',
        `IP list entry ${JSON.stringify(list.malformed.slice(0, 64))} is neither an address nor a CIDR block`,
      )
    : undefined;
}

/** A user's public key, if it is of the announced kind and strong enough. */
export function readPublicKey(kind: KeyKind, pem: string | undefined): KeyObject | Fault {
  const key = pem === undefined || pem.includes('PRIVATE KEY') ? undefined : tryPublicKey(pem);
  if (key === undefined) return fault('key_invalid', `a ${kind} key needs the public key in PEM form`);
  if (key.asymmetricKeyType !== kind) {
    return fault('key_invalid', `the public key is of type ${key.asymmetricKeyType}, announced was ${kind}`);
  }
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && (bits < RSA_BITS_MIN || bits > RSA_BITS_MAX)) {
    return fault(
      'key_invalid',
      `the RSA key has ${bits} bits, ${RSA_BITS_MIN} to ${RSA_BITS_MAX} are allowed`,
    );
  }
  return key;
}

function tryPublicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
