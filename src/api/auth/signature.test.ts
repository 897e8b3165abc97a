import assert from 'node:assert/strict';
import { createHmac, createSecretKey, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import {
  loginPrehash,
  queryForms,
  type SignedText,
  type SigningKey,
  verifyLogin,
  verifyRequest,
} from './signature.ts';

const KEY: SigningKey = { kind: 'hmac', verifier: createSecretKey(Buffer.from('testsecret')) };
const TIMESTAMP = '1700000000000';

function request(method: string, url: string, body = ''): SignedText {
  return { timestamp: TIMESTAMP, method, url, body: Buffer.from(body) };
}

function signed(prehash: string | Buffer): string {
  return createHmac('sha256', 'testsecret').update(prehash).digest('base64');
}

/** wire 1.6. */
const VECTORS: ReadonlyArray<
  readonly [name: string, method: string, url: string, body: string, signature: string]
> = [
  ['GET no query', 'GET', '/api/v3/account/info', '', 'nsGhpDeNY9GgM1zxXXgQ2mYf3RTyHSKpJuX1pgM7pP0='],
  [
    'GET query',
    'GET',
    '/api/v3/trade/unfilled-orders?category=USDT-FUTURES&symbol=BTCUSDT',
    '',
    'vxkxC1VkKJM62MwHHZpQb0pTN6uFvrcRrQj4L1os9z0=',
  ],
  [
    'GET signed encoded',
    'GET',
    '/api/v3/trade/order-info?clientOid=a%3Ab%2Fc',
    '',
    'qhouvlXYCzeR6PRqEi41t5qIOfzYfcHlQ7knQomD3mA=',
  ],
  [
    'the same URL signed decoded',
    'GET',
    '/api/v3/trade/order-info?clientOid=a%3Ab%2Fc',
    '',
    'FJEBnJ8eVSOTEdi2dwp65gYcmm3e6nzGO3z/PbycqEo=',
  ],
  [
    'POST object',
    'POST',
    '/api/v3/trade/cancel-order',
    '{"orderId":"1"}',
    'AeHPOzOwsFGC4UOJi1jqT2Tpb58qehll5wGwLPGq7ww=',
  ],
  [
    'POST array',
    'POST',
    '/api/v3/trade/cancel-batch',
    '[{"orderId":"1","category":"SPOT","symbol":"BTCUSDT"}]',
    'Mneyh2tpqw2FTqCo4/pWvGOMelBOi3c3elhWth6CqrM=',
  ],
  ['POST empty body', 'POST', '/api/v3/account/switch', '', 'V4zFM4m3Y4lr23O7Ad18mbgqNj6MIWX+ac6f78H5Jp0='],
];

for (const [name, method, url, body, signature] of VECTORS) {
  test(`test vector: ${name}`, () => {
    assert.equal(verifyRequest(KEY, request(method, url, body), signature), true);
  });
}

test('test vectors: login in seconds and in milliseconds', () => {
  assert.equal(loginPrehash('1700000000'), '1700000000GET/user/verify');
  assert.equal(verifyLogin(KEY, '1700000000', '7yvssn19Hr3vxrE80AxY85uruo3euy+gZGqusHm7oc8='), true);
  assert.equal(verifyLogin(KEY, '1700000000000', 'adYw4XfngDjHHgDlV/VHmCu02vrVA98FOtr1bntWUqI='), true);
  assert.equal(verifyLogin(KEY, '1700000001', '7yvssn19Hr3vxrE80AxY85uruo3euy+gZGqusHm7oc8='), false);
});

const HEAD = `${TIMESTAMP}GET/x`;

test('a query may be signed as received, decoded, sorted, or sorted and decoded', () => {
  const url = '/x?symbol=BTC%2FUSDT&category=SPOT&name=J%C3%BCrgen';
  for (const query of [
    'symbol=BTC%2FUSDT&category=SPOT&name=J%C3%BCrgen',
    'symbol=BTC/USDT&category=SPOT&name=Jürgen',
    'category=SPOT&name=J%C3%BCrgen&symbol=BTC%2FUSDT',
    'category=SPOT&name=Jürgen&symbol=BTC/USDT',
  ]) {
    assert.equal(verifyRequest(KEY, request('GET', url), signed(`${HEAD}?${query}`)), true, query);
  }
  const otherOrder = 'name=Jürgen&symbol=BTC/USDT&category=SPOT';
  assert.equal(verifyRequest(KEY, request('GET', url), signed(`${HEAD}?${otherOrder}`)), false);
});

test('a decoded text that could mean another request is not accepted', () => {
  for (const [url, decoded] of [
    ['/x?a=1%26b', 'a=1&b'],
    ['/x?a=1%26b=2', 'a=1&b=2'],
    ['/x?a=1%26b%3D2', 'a=1&b=2'],
    ['/x?a%3D1=2', 'a=1=2'],
    ['/x?a=1%232', 'a=1#2'],
    ['/x?a=%2541', 'a=%41'],
    ['/x?a=1%2B2', 'a=1+2'],
  ] as const) {
    assert.equal(verifyRequest(KEY, request('GET', url), signed(`${HEAD}?${decoded}`)), false, url);
    assert.equal(
      verifyRequest(KEY, request('GET', url), signed(`${HEAD}?${url.slice(3)}`)),
      true,
      `${url} as received`,
    );
  }
});

test('the order of equal names stays signed', () => {
  assert.equal(verifyRequest(KEY, request('GET', '/x?b=0&a=2&a=1'), signed(`${HEAD}?a=1&a=2&b=0`)), false);
  assert.equal(verifyRequest(KEY, request('GET', '/x?b=0&a=2&a=1'), signed(`${HEAD}?a=2&a=1&b=0`)), true);
});

test('a plain sorted query costs one attempt, broken escapes are tried as received only', () => {
  assert.equal([...queryForms('a=1&b=2')].length, 1);
  assert.equal([...queryForms('')].length, 1);
  assert.equal([...queryForms('a=%zz')].length, 1);
  assert.equal([...queryForms('a=%ff')].length, 1);
  assert.equal([...queryForms('b=%2F&a=1')].length, 4);
});

test('the body is signed byte by byte, even when it is not text', () => {
  const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
  const text = { ...request('POST', '/x'), body };
  const head = Buffer.from(`${TIMESTAMP}POST/x`);
  assert.equal(verifyRequest(KEY, text, signed(Buffer.concat([head, body]))), true);
  assert.equal(verifyRequest(KEY, text, signed(`${TIMESTAMP}POST/x${body.toString()}`)), false);
});

test('bytes above ASCII in the URL are signed as they came', () => {
  const wire = Buffer.from('/x?a=ü', 'utf8');
  const text = request('GET', wire.toString('latin1'));
  assert.equal(verifyRequest(KEY, text, signed(Buffer.concat([Buffer.from(`${TIMESTAMP}GET`), wire]))), true);
});

test('only the one canonical Base64 text of 44 characters is a signature', () => {
  const text = request('GET', '/api/v3/account/info');
  const good = 'nsGhpDeNY9GgM1zxXXgQ2mYf3RTyHSKpJuX1pgM7pP0=';
  const sameBytes = 'nsGhpDeNY9GgM1zxXXgQ2mYf3RTyHSKpJuX1pgM7pP1=';
  assert.deepEqual(Buffer.from(good, 'base64'), Buffer.from(sameBytes, 'base64'));
  const urlSafe = good.replaceAll('+', '-').replaceAll('/', '_');
  const hex = Buffer.from(good, 'base64').toString('hex');
  for (const bad of [sameBytes, good.slice(0, 43), `${good}=`, ` ${good}`, '', hex, 'é'.repeat(44)]) {
    assert.equal(verifyRequest(KEY, text, bad), false, bad);
  }
  assert.equal(verifyRequest(KEY, text, urlSafe), urlSafe === good);
});

for (const kind of ['rsa', 'ed25519'] as const) {
  test(`${kind} signatures are checked with the public key`, () => {
    const pair =
      kind === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519');
    const key: SigningKey = { kind, verifier: pair.publicKey };
    const digest = kind === 'rsa' ? 'sha256' : null;
    const text = request('POST', '/x?a=%2F', '{"b":1}');
    const good = sign(digest, Buffer.from(`${TIMESTAMP}POST/x?a=/{"b":1}`), pair.privateKey).toString(
      'base64',
    );
    assert.equal(verifyRequest(key, text, good), true);
    assert.equal(verifyRequest(key, { ...text, body: Buffer.from('{"b":2}') }, good), false);
    assert.equal(verifyRequest(key, text, `${good}=`), false);
    assert.equal(verifyRequest(key, text, ''), false);
    const login = sign(digest, Buffer.from('1700000000GET/user/verify'), pair.privateKey).toString('base64');
    assert.equal(verifyLogin(key, '1700000000', login), true);
  });
}

test('an HMAC made with the public key as secret does not pass for a public-key signature', () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  const forged = createHmac('sha256', pem).update(HEAD).digest('base64');
  assert.equal(verifyRequest({ kind: 'ed25519', verifier: publicKey }, request('GET', '/x'), forged), false);
});

/** Small repeatable generator, so that a failure can be found again. */
function randomSource(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('20,000 mutated signatures and requests are never accepted', () => {
  const random = randomSource(20260801);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=&?%{}":,.-_ ';
  const mutate = (text: string): string => {
    const at = random(text.length);
    const char = alphabet[random(alphabet.length)]!;
    const kinds = [
      text.slice(0, at) + char + text.slice(at + 1),
      text.slice(0, at) + text.slice(at + 1),
      text.slice(0, at) + char + text.slice(at),
    ];
    const changed = kinds[random(kinds.length)]!;
    return changed === text ? mutate(text) : changed;
  };
  const originals = VECTORS.map(([, method, url, body, signature]) => ({
    timestamp: TIMESTAMP,
    method,
    url,
    body,
    signature,
  }));
  let mutants = 0;
  while (mutants < 20_000) {
    const mutant = { ...originals[mutants % originals.length]! };
    const fields = (['timestamp', 'method', 'url', 'body', 'signature'] as const).filter(
      (name) => mutant[name] !== '',
    );
    const field = fields[random(fields.length)]!;
    const original = mutant[field];
    mutant[field] = mutate(original);
    mutants += 1;
    // The same bytes in other places of the text, or another spelling of the same query, are the same request.
    if (sameRequest({ ...mutant, [field]: original }, mutant)) continue;
    const text = { ...mutant, body: Buffer.from(mutant.body) };
    assert.equal(verifyRequest(KEY, text, mutant.signature), false, JSON.stringify(mutant));
  }
});

interface Sample {
  readonly timestamp: string;
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly signature: string;
}

/** An empty query behind a question mark is the one mutation here that changes nothing. */
function sameRequest(left: Sample, right: Sample): boolean {
  const spelled = (sample: Sample) => JSON.stringify({ ...sample, url: sample.url.replace(/\?$/, '') });
  return spelled(left) === spelled(right);
}
