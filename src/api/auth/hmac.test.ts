import assert from 'node:assert/strict';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hmacBase64 } from './hmac.ts';

test("gives what Node's Hmac gives, for keys and texts of every length around a block and around the buffer", () => {
  const keyLengths = [1, 31, 32, 63, 64, 65, 200];
  const partLengths = [0, 1, 55, 56, 63, 64, 65, 1000, 4095, 4096, 4097, 70_000];
  for (const keyLength of keyLengths) {
    const key = createSecretKey(randomBytes(keyLength));
    for (const headLength of partLengths)
      for (const bodyLength of partLengths) {
        const [head, body] = [randomBytes(headLength), randomBytes(bodyLength)];
        const expected = createHmac('sha256', key).update(head).update(body).digest('base64');
        assert.equal(hmacBase64(key, head, body), expected, `${keyLength}, ${headLength}, ${bodyLength}`);
      }
  }
});

test('a short text after a long one, and keys in turns', () => {
  const keys = ['a', 'b'].map((text) => createSecretKey(Buffer.from(text)));
  const texts = ['', 'a longer text than the one behind it', 'short'].map((text) => Buffer.from(text));
  for (const text of [...texts, ...texts])
    for (const key of keys)
      assert.equal(
        hmacBase64(key, text, text),
        createHmac('sha256', key).update(text).update(text).digest('base64'),
      );
});
