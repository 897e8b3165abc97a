/**
 * The signed text and the check of the signature (wire 1.1 to 1.5). All of it works on the received bytes; nothing is
 * parsed and written again before the check. Clients disagree on how to write the query, so up to four spellings are
 * tried, cheapest first.
 */
import { constants, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { KeyKind } from '../../identity/identity.ts';
import { hmacBase64 } from './hmac.ts';

export interface SignedText {
  readonly timestamp: string;
  readonly method: string;
  /** Path and query as received, before any decoding. */
  readonly url: string;
  readonly body: Uint8Array;
}

export interface SigningKey {
  readonly kind: KeyKind;
  readonly verifier: KeyObject;
}

const LOGIN_METHOD = 'GET';
const LOGIN_PATH = '/user/verify';

/** Base64 of 32 bytes. */
const HMAC_SIGNATURE = /^[A-Za-z0-9+/]{43}=$/;
/** Both sides of a comparison. */
const [EXPECTED, GIVEN] = [Buffer.alloc(44), Buffer.alloc(44)];
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
/** A decoded query with one of these could also be the signed text of a different request. */
const AMBIGUOUS_WHEN_DECODED = /[&=#%+]/;

export function verifyRequest(key: SigningKey, text: SignedText, signature: string): boolean {
  const question = text.url.indexOf('?');
  if (question < 0) return matches(key, prehash(text, text.url, NO_QUERY), text.body, signature);
  const path = text.url.slice(0, question);
  for (const form of queryForms(text.url.slice(question + 1))) {
    if (matches(key, prehash(text, path, form), text.body, signature)) return true;
  }
  return false;
}

export function verifyLogin(key: SigningKey, timestamp: string, signature: string): boolean {
  return matches(key, Buffer.from(loginPrehash(timestamp), 'utf8'), EMPTY, signature);
}

export function loginPrehash(timestamp: string): string {
  return timestamp + LOGIN_METHOD + LOGIN_PATH;
}

const EMPTY = new Uint8Array(0);

/** Everything before the body. Node decodes URLs as Latin-1, so encoding as Latin-1 restores the bytes on the wire. */
function prehash(text: SignedText, path: string, query: QueryForm): Buffer {
  const head = `${text.timestamp}${text.method}${path}`;
  return query.text === ''
    ? Buffer.from(head, 'latin1')
    : Buffer.concat([Buffer.from(`${head}?`, 'latin1'), Buffer.from(query.text, query.encoding)]);
}

interface QueryForm {
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
}

const NO_QUERY: QueryForm = { text: '', encoding: 'latin1' };

/** wire 1.2: raw, decoded, sorted, sorted and decoded; a form equal to an earlier one is not tried again. */
export function* queryForms(query: string): Generator<QueryForm> {
  yield { text: query, encoding: 'latin1' };
  const pairs = query.split('&');
  const decoded = decodePairs(pairs);
  const decodedText = decoded?.join('&');
  if (decodedText !== undefined && decodedText !== query) yield { text: decodedText, encoding: 'utf8' };
  const sortedText = sortByName(pairs).join('&');
  if (sortedText !== query) yield { text: sortedText, encoding: 'latin1' };
  if (decoded === undefined) return;
  const sortedDecodedText = sortByName(decoded).join('&');
  if (sortedDecodedText !== decodedText && sortedDecodedText !== sortedText) {
    yield { text: sortedDecodedText, encoding: 'utf8' };
  }
}

/** Stable, so that the order of equal names, which may carry meaning, stays signed. */
function sortByName(pairs: readonly string[]): string[] {
  return pairs.toSorted((left, right) => {
    const leftName = nameOf(left);
    const rightName = nameOf(right);
    return leftName < rightName ? -1 : leftName > rightName ? 1 : 0;
  });
}

function nameOf(pair: string): string {
  const equals = pair.indexOf('=');
  return equals < 0 ? pair : pair.slice(0, equals);
}

function decodePairs(pairs: readonly string[]): string[] | undefined {
  const decoded: string[] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decodeUnambiguous(nameOf(pair));
    const value = equals < 0 ? '' : decodeUnambiguous(pair.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    decoded.push(equals < 0 ? name : `${name}=${value}`);
  }
  return decoded;
}

function decodeUnambiguous(text: string): string | undefined {
  if (!VISIBLE_ASCII.test(text)) return undefined;
  try {
    const decoded = decodeURIComponent(text);
    return AMBIGUOUS_WHEN_DECODED.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** Is it the signature of the head and the body, one behind the other? */
export function matches(key: SigningKey, head: Uint8Array, body: Uint8Array, signature: string): boolean {
  switch (key.kind) {
    case 'hmac':
      return matchesHmac(key.verifier, head, body, signature);
    case 'rsa':
      return matchesPublicKey('sha256', key.verifier, head, body, signature);
    case 'ed25519':
      return matchesPublicKey(null, key.verifier, head, body, signature);
  }
}

/** Compares the Base64 text, not the decoded bytes: four texts decode to the same 32 bytes, one is right. */
function matchesHmac(secret: KeyObject, head: Uint8Array, body: Uint8Array, signature: string): boolean {
  const text = hmacBase64(secret, head, body);
  if (!HMAC_SIGNATURE.test(signature)) return false;
  EXPECTED.write(text, 'latin1');
  GIVEN.write(signature, 'latin1');
  return timingSafeEqual(EXPECTED, GIVEN);
}

function matchesPublicKey(
  digest: 'sha256' | null,
  publicKey: KeyObject,
  head: Uint8Array,
  body: Uint8Array,
  signature: string,
): boolean {
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.toString('base64') !== signature) return false;
  const key = digest === null ? publicKey : { key: publicKey, padding: constants.RSA_PKCS1_PADDING };
  return verify(digest, Buffer.concat([head, body]), key, bytes);
}
