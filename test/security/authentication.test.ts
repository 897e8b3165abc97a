/**
 * Who signed this? Keys of all three kinds with the unmodified SDK, and everything that must not pass for one of them.
 * Missing and repeated headers and the edges of the time window are in `test/security/hostile/http.test.ts`, 20,000 mutations
 * without a network in `src/api/auth/signature.test.ts`.
 */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { ccxtClient, sdkClient } from '../api/clients.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { type Reply, SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { openUser, withIdentity } from './hostile/identities.ts';

const INFO = '/api/v3/account/info';
const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '58000',
  qty: '0.01',
};
/** Every character of a client's own id that one client encodes and the other signs plainly. */
const CLIENT_OID = 'a:b/c.d_e-F';

interface SigningKey {
  readonly keys: DemoKeys;
  readonly privateKey: KeyObject;
  readonly publicPem: string;
}

const data = temporaryDirectory();
const PAIRS = {
  'RSA of 2048 bits': generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'RSA of 4096 bits': generateKeyPairSync('rsa', { modulusLength: 4096 }),
  Ed25519: generateKeyPairSync('ed25519'),
};
const signing = new Map<string, SigningKey>();
let server: TestServer;
let alice: DemoKeys;
let bob: DemoKeys;
let plain: SignedClient;

before(async () => {
  await withIdentity(data, async (identity) => {
    const uid = openUser(identity, 'alice');
    for (const [name, { publicKey, privateKey }] of Object.entries(PAIRS)) {
      const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
      const created = await identity.createKey({
        uid,
        kind: name === 'Ed25519' ? 'ed25519' : 'rsa',
        publicKey: publicPem,
        label: name,
        permType: 'read_write',
        permissions: ['uta_trade', 'uta_mgt'],
        passphrase: 'Passphrase1',
        nowMs: Date.now(),
      });
      assert.ok(created.ok);
      assert.equal(created.value.secretKey, undefined, 'the secret of a key pair stays with the user');
      const secretKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const keys = { name, uid, apiKey: created.value.key.apiKey, secretKey, passphrase: 'Passphrase1' };
      signing.set(name, { keys, privateKey, publicPem });
    }
  });
  server = await startHosted({ data, args: ['--rate-limits', 'off'] });
  alice = server.account('alice');
  bob = server.account('bob');
  plain = new SignedClient(server.url);
});
after(async () => {
  plain.close();
  await server.stop();
});

function headersOf(keys: DemoKeys, signature: string, timestamp: string): Record<string, string> {
  return {
    'ACCESS-KEY': keys.apiKey,
    'ACCESS-SIGN': signature,
    'ACCESS-TIMESTAMP': timestamp,
    'ACCESS-PASSPHRASE': keys.passphrase,
  };
}

/** A request to `account/info` whose signature is made by hand. */
function ask(keys: DemoKeys, signed: (text: string) => string): Promise<Reply> {
  const timestamp = String(Date.now());
  return plain.send('GET', INFO, '', headersOf(keys, signed(`${timestamp}GET${INFO}`), timestamp));
}

const hmac = (secret: string) => (text: string) => createHmac('sha256', secret).update(text).digest('base64');

describe('key pairs', () => {
  for (const name of Object.keys(PAIRS)) {
    it(`the SDK signs with ${name} by itself when its secret is a private key`, async () => {
      const client = sdkClient(server.url, signing.get(name)!.keys);
      assert.equal((await client.getAccountInfo()).data.userId, String(alice.uid));
      const clientOid = `${CLIENT_OID}${name.length}`;
      const { data: placed } = await client.submitNewOrder({ ...ORDER, clientOid } as never);
      assert.equal((await client.getOrderInfo({ clientOid })).data.orderId, placed.orderId);
      await client.cancelOrder({ orderId: placed.orderId });
    });

    it(`a wrong signature is no signature of ${name}`, async () => {
      const { keys, privateKey, publicPem } = signing.get(name)!;
      const algorithm = name === 'Ed25519' ? null : 'sha256';
      const own = (text: string) => sign(algorithm, Buffer.from(text), privateKey);
      assert.equal((await ask(keys, (text) => own(text).toString('base64'))).code, '00000');
      const wrong: Record<string, (text: string) => string> = {
        'an HMAC under the public key': hmac(publicPem),
        'an HMAC under the passphrase': hmac(keys.passphrase),
        'a signature of another text': (text) => own(`${text} `).toString('base64'),
        'hexadecimal instead of Base64': (text) => own(text).toString('hex'),
        'a signature with one bit changed': (text) => {
          const bytes = own(text);
          bytes[bytes.length >> 1]! ^= 1;
          return bytes.toString('base64');
        },
        'a signature cut short': (text) => own(text).subarray(1).toString('base64'),
      };
      for (const [other, { privateKey: foreign }] of signing) {
        if (other === name) continue;
        const with_ = other === 'Ed25519' ? null : 'sha256';
        wrong[`a signature with ${other}`] = (text) =>
          sign(with_, Buffer.from(text), foreign).toString('base64');
      }
      for (const [what, signed] of Object.entries(wrong)) {
        assert.equal((await ask(keys, signed)).code, '40009', what);
      }
    });
  }
});

describe('swapped keys', () => {
  it("one account's key with another's secret or passphrase", async () => {
    assert.equal((await ask(alice, hmac(alice.secretKey))).code, '00000');
    assert.equal((await ask(alice, hmac(bob.secretKey))).code, '40009');
    assert.equal((await ask({ ...alice, apiKey: bob.apiKey }, hmac(alice.secretKey))).code, '40009');
    const pair = signing.get('Ed25519')!.keys;
    assert.equal((await ask({ ...alice, passphrase: pair.passphrase }, hmac(alice.secretKey))).code, '40012');
    assert.equal((await ask({ ...pair, apiKey: alice.apiKey }, hmac(alice.secretKey))).code, '40012');
    assert.equal((await ask(pair, hmac(alice.secretKey))).code, '40009');
  });

  it('a key that does not exist, in spellings near to one that does', async () => {
    for (const apiKey of [
      `${alice.apiKey}x`,
      alice.apiKey.toUpperCase(),
      alice.apiKey.slice(0, -1),
      `${alice.apiKey}%00`,
      '*',
      "' OR 1=1 --",
    ]) {
      assert.equal((await ask({ ...alice, apiKey }, hmac(alice.secretKey))).code, '40037', apiKey);
    }
  });
});

describe('what a signature covers', () => {
  it('500 requests, each changed at one place after it was signed: none is accepted', async () => {
    const path = '/api/v3/trade/order-info?clientOid=x1&category=SPOT';
    const timestamp = Date.now();
    const signature = hmac(alice.secretKey)(`${timestamp}GET${path}`);
    const send = (change: { path?: string; signature?: string; timestamp?: number }) =>
      plain.send(
        'GET',
        change.path ?? path,
        '',
        headersOf(alice, change.signature ?? signature, String(change.timestamp ?? timestamp)),
      );
    assert.equal((await send({})).code, '25204', 'the unchanged one passes and finds no such order');
    const alphabet = 'ABCXYZabcxyz0189+/';
    for (let n = 0; n < 500; n += 1) {
      const at = n % 43;
      const letter = alphabet[n % alphabet.length]!;
      const changes = [
        { signature: `${signature.slice(0, at)}${letter}${signature.slice(at + 1)}` },
        { path: `${path}${n}` },
        { path: path.replace('x1', `x${n + 2}`) },
        { timestamp: timestamp + n + 1 },
        { path: `${path}&extra=${n}` },
      ];
      const change = changes[n % changes.length]!;
      if (change.signature === signature) continue;
      assert.equal((await send(change)).code, '40009', JSON.stringify(change));
    }
  });

  it('a signed order does not become another when method, path or body is changed', async () => {
    const body = JSON.stringify({ ...ORDER, clientOid: 'signed-once' });
    const path = '/api/v3/trade/place-order';
    const timestamp = String(Date.now());
    const headers = headersOf(alice, hmac(alice.secretKey)(`${timestamp}POST${path}${body}`), timestamp);
    const send = (changedPath: string, changedBody: string) =>
      plain.send('POST', changedPath, changedBody, headers);
    assert.equal((await send(path, body.replace('0.01', '0.02'))).code, '40009');
    assert.equal((await send(path, `${body} `)).code, '40009');
    assert.equal((await send(path, body.replace('{', '{ '))).code, '40009');
    assert.equal((await send('/api/v3/trade/modify-order', body)).code, '40009');
    assert.equal((await send(`${path}?x=1`, body)).code, '40009');
    assert.equal((await send(path, body)).code, '00000');
  });
});

describe('query encodings', () => {
  it('the SDK signs the encoded query, ccxt the decoded one; both find the order', async () => {
    const sdk = sdkClient(server.url, alice);
    const ccxt = ccxtClient(server.url, alice);
    const { data: placed } = await sdk.submitNewOrder({ ...ORDER, clientOid: CLIENT_OID } as never);
    assert.equal((await sdk.getOrderInfo({ clientOid: CLIENT_OID })).data.orderId, placed.orderId);
    const unencoded = sdkClient(server.url, alice, { encodeQueryStringValues: false });
    assert.equal((await unencoded.getOrderInfo({ clientOid: CLIENT_OID })).data.orderId, placed.orderId);
    const found = await ccxt.privateUtaGetV3TradeOrderInfo({ clientOid: CLIENT_OID });
    assert.equal(found.data.orderId, placed.orderId);
    await sdk.cancelOrder({ clientOid: CLIENT_OID });
  });

  it('a decoded query that could mean another request is not accepted', async () => {
    const timestamp = String(Date.now());
    const signed = `${timestamp}GET/api/v3/trade/unfilled-orders?category=SPOT&symbol=BTCUSDT`;
    const headers = headersOf(alice, hmac(alice.secretKey)(signed), timestamp);
    const reply = await plain.send(
      'GET',
      '/api/v3/trade/unfilled-orders?category=SPOT%26symbol=BTCUSDT',
      '',
      headers,
    );
    assert.equal(reply.code, '40009');
  });
});
