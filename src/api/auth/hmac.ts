/**
 * HMAC-SHA256 (RFC 2104) by two hashes of one call each. An `Hmac` of Node is an object with native memory behind it; for a text as
 * short as a request it costs half as much again.
 */
import { createHmac, hash, type KeyObject } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Of a text; a longer one goes through an `Hmac`. */
const SHORT_BYTES = 4096;

interface PaddedKey {
  readonly inner: Uint8Array;
  /** With room for the inner digest behind it. */
  readonly outer: Buffer;
}

const PADDED = new WeakMap<KeyObject, PaddedKey>();
/** The inner key and the text behind it. */
const INNER = Buffer.alloc(BLOCK_BYTES + SHORT_BYTES);

/** Of two parts, one behind the other. */
export function hmacBase64(secret: KeyObject, head: Uint8Array, body: Uint8Array): string {
  const bytes = head.length + body.length;
  if (bytes > SHORT_BYTES) return createHmac('sha256', secret).update(head).update(body).digest('base64');
  const key = PADDED.get(secret) ?? padded(secret);
  INNER.set(key.inner);
  INNER.set(head, BLOCK_BYTES);
  INNER.set(body, BLOCK_BYTES + head.length);
  // As a string: a digest in a buffer costs an allocation outside the heap.
  const digest = hash('sha256', INNER.subarray(0, BLOCK_BYTES + bytes), 'binary');
  key.outer.write(digest, BLOCK_BYTES, 'binary');
  return hash('sha256', key.outer, 'base64');
}

function padded(secret: KeyObject): PaddedKey {
  const given = secret.export();
  const bytes = given.length > BLOCK_BYTES ? hash('sha256', given, 'buffer') : given;
  const inner = Buffer.alloc(BLOCK_BYTES, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c);
  for (const [index, byte] of bytes.entries()) {
    inner[index]! ^= byte;
    outer[index]! ^= byte;
  }
  const key = { inner, outer };
  PADDED.set(secret, key);
  return key;
}
