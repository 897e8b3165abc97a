import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import {
  type ApiKey,
  type Credential,
  type KeyDirectory,
  type PassphraseVerdict,
  SUB_RIGHTS,
  type User,
} from '../../identity/identity.ts';
import { compileIpList } from '../../identity/ip-list.ts';
import {
  type Authentication,
  authenticate,
  authenticateLogin,
  type IncomingRequest,
} from './authenticate.ts';

const NOW = 1_700_000_000_000;
const SECRET = 'testsecret';
const PASSPHRASE = 'canary-passphrase';

const USER: User = {
  uid: 1000000001,
  name: 'alice',
  mainUid: undefined,
  broker: false,
  note: '',
  regisTime: NOW,
  updatedTime: NOW,
  inviterId: '',
  channel: '',
  channelCode: '',
  frozen: false,
  rights: SUB_RIGHTS,
  quotas: undefined,
};

const KEY: ApiKey = {
  apiKey: 'demo-alice',
  uid: USER.uid,
  kind: 'hmac',
  label: '',
  permType: 'read_write',
  permissions: ['uta_trade', 'uta_mgt'],
  ipList: [],
  createdTime: NOW,
  lastUsedTime: 0,
  demo: true,
  version: 1,
};

interface World {
  readonly user?: Partial<User>;
  readonly ipList?: readonly string[];
  readonly frozen?: boolean;
  readonly verdict?: PassphraseVerdict | Promise<PassphraseVerdict>;
}

function directoryOf(world: World = {}) {
  const ipList = compileIpList(world.ipList ?? []);
  assert.ok(!('malformed' in ipList));
  const credential: Credential = {
    key: KEY,
    user: { ...USER, ...world.user },
    frozen: world.frozen ?? false,
    verifier: createSecretKey(Buffer.from(SECRET)),
    ipList,
  };
  const keys = new Map([[KEY.apiKey, credential]]);
  const uses: number[] = [];
  const directory: KeyDirectory = {
    findKey: (apiKey) => keys.get(apiKey),
    checkPassphrase: (_apiKey, passphrase) => world.verdict ?? (passphrase === PASSPHRASE ? 'ok' : 'wrong'),
    noteUse: (_apiKey, nowMs) => uses.push(nowMs),
  };
  return { directory, keys, uses };
}

interface Shape {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly extra?: readonly string[];
  readonly timestamp?: string;
  readonly method?: string;
  readonly url?: string;
  readonly body?: string;
  readonly peerAddress?: string | undefined;
}

/** A correctly signed request, with headers then replaced (or removed) and added. */
function request(shape: Shape = {}): IncomingRequest {
  const {
    timestamp = String(NOW),
    method = 'POST',
    url = '/api/v3/trade/cancel-order',
    body = '{"orderId":"1"}',
  } = shape;
  const sign = createHmac('sha256', SECRET).update(`${timestamp}${method}${url}${body}`).digest('base64');
  const headers: Record<string, string | undefined> = {
    'ACCESS-KEY': KEY.apiKey,
    'ACCESS-SIGN': sign,
    'ACCESS-TIMESTAMP': timestamp,
    'ACCESS-PASSPHRASE': PASSPHRASE,
    ...shape.headers,
  };
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
  const peerAddress = 'peerAddress' in shape ? shape.peerAddress : '198.51.100.7';
  return {
    method,
    url,
    rawHeaders: [...rawHeaders, ...(shape.extra ?? [])],
    body: Buffer.from(body),
    peerAddress,
  };
}

function now(result: Authentication | Promise<Authentication>): Authentication {
  assert.ok(!(result instanceof Promise), 'expected an immediate answer');
  return result;
}

function refusalOf(shape: Shape, world: World = {}, nowMs = NOW) {
  const result = now(authenticate(request(shape), nowMs, directoryOf(world).directory));
  assert.ok(!result.ok, 'expected a refusal');
  return result;
}

test('a signed request is answered at once with its user and key, and its use is noted', () => {
  const { directory, uses } = directoryOf();
  assert.deepEqual(now(authenticate(request(), NOW, directory)), { ok: true, user: USER, key: KEY });
  assert.deepEqual(uses, [NOW]);
});

test('header names count in any letter case', () => {
  const lower = request();
  const rawHeaders = lower.rawHeaders.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text));
  assert.equal(now(authenticate({ ...lower, rawHeaders }, NOW, directoryOf().directory)).ok, true);
});

const HEADER_CODES = [
  ['ACCESS-KEY', '40001'],
  ['ACCESS-SIGN', '40003'],
  ['ACCESS-TIMESTAMP', '40005'],
  ['ACCESS-PASSPHRASE', '40011'],
] as const;

for (const [name, code] of HEADER_CODES) {
  test(`a missing, empty or repeated ${name} is refused with ${code}`, () => {
    for (const headers of [{ [name]: undefined }, { [name]: '' }]) {
      const refused = refusalOf({ headers });
      assert.equal(refused.code, code);
      assert.equal(refused.status, 400);
      assert.match(refused.msg, new RegExp(`header ${name} is missing`));
    }
    const twice = refusalOf({ extra: [name.toLowerCase(), 'other'] });
    assert.equal(twice.code, code);
    assert.match(twice.msg, /occurs 2 times/);
  });
}

test('the same header value twice is refused too', () => {
  assert.equal(refusalOf({ extra: ['Access-Key', KEY.apiKey] }).code, '40001');
});

test('headers are complained about in their order', () => {
  const rest = { 'ACCESS-SIGN': undefined, 'ACCESS-TIMESTAMP': undefined, 'ACCESS-PASSPHRASE': undefined };
  assert.equal(refusalOf({ headers: { 'ACCESS-KEY': undefined, ...rest } }).code, '40001');
  assert.equal(refusalOf({ headers: rest }).code, '40003');
});

test('a timestamp must be digits', () => {
  for (const timestamp of ['soon', '1.7e12', '-1', '1700000000000.5', '17000000000000000']) {
    assert.equal(refusalOf({ timestamp }).code, '40005', timestamp);
  }
});

test('a timestamp counts up to exactly 30 seconds on both sides', () => {
  for (const offset of [-30_000, 30_000]) {
    const result = authenticate(request({ timestamp: String(NOW + offset) }), NOW, directoryOf().directory);
    assert.equal(now(result).ok, true, String(offset));
  }
  const late = refusalOf({ timestamp: String(NOW - 30_001) });
  assert.equal(late.code, '40008');
  assert.match(late.msg, /30\.001 s behind server time 1700000000000; at most 30 s/);
  const early = refusalOf({ timestamp: String(NOW + 45_500) });
  assert.equal(early.code, '40008');
  assert.match(early.msg, /45\.500 s ahead/);
});

test('seconds instead of milliseconds are recognised', () => {
  const refused = refusalOf({ timestamp: '1700000000' });
  assert.equal(refused.code, '40008');
  assert.match(refused.msg, /looks like seconds, send milliseconds/);
});

test('the first failing check in the order of the interface gives the answer', () => {
  const unknown = { 'ACCESS-KEY': 'nobody' };
  const badSign = { 'ACCESS-SIGN': 'x' };
  const badPassphrase = { 'ACCESS-PASSPHRASE': 'x' };
  const stale = String(NOW - 60_000);
  const world: World = { ipList: ['10.0.0.1'], frozen: true };
  assert.equal(
    refusalOf({ headers: { ...unknown, ...badSign, ...badPassphrase }, timestamp: stale }, world).code,
    '40037',
  );
  assert.equal(
    refusalOf({ headers: { ...badSign, ...badPassphrase }, timestamp: stale }, world).code,
    '40008',
  );
  assert.equal(refusalOf({ headers: { ...badSign, ...badPassphrase } }, world).code, '40009');
  assert.equal(refusalOf({ headers: badPassphrase }, world).code, '40012');
  assert.equal(refusalOf({}, world).code, '40018');
  assert.equal(refusalOf({}, { frozen: true }).code, '40031');
  assert.equal(refusalOf({}, { frozen: true, user: { mainUid: 1000000009 } }).code, '40068');
});

test('a refused request is not a use of the key', () => {
  const { directory, uses } = directoryOf({ frozen: true });
  now(authenticate(request(), NOW, directory));
  assert.deepEqual(uses, []);
});

test('changing method, path, query, body or timestamp breaks the signature', () => {
  const good = request({ method: 'GET', url: '/x?a=1', body: '' });
  const { directory } = directoryOf();
  assert.equal(now(authenticate(good, NOW, directory)).ok, true);
  for (const change of [{ url: '/x?a=2' }, { url: '/y?a=1' }, { method: 'POST' }]) {
    const result = now(authenticate({ ...good, ...change }, NOW, directory));
    assert.equal(result.ok ? '' : result.code, '40009');
  }
  const post = request();
  const result = now(authenticate({ ...post, body: Buffer.from('{"orderId":"2"}') }, NOW, directory));
  assert.equal(result.ok ? '' : result.code, '40009');
});

test('a GET with a body is refused', () => {
  assert.equal(refusalOf({ method: 'GET', body: '{}' }).code, '40017');
});

test('the IP list knows blocks and IPv4 inside IPv6, and an unknown address is on no list', () => {
  const world: World = { ipList: ['10.0.0.0/8', '2001:db8::/32'] };
  for (const peerAddress of ['10.9.9.9', '::ffff:10.9.9.9', '2001:db8::7']) {
    assert.equal(
      now(authenticate(request({ peerAddress }), NOW, directoryOf(world).directory)).ok,
      true,
      peerAddress,
    );
  }
  for (const peerAddress of ['11.0.0.1', '2001:db9::7', 'garbage', undefined]) {
    assert.equal(refusalOf({ peerAddress }, world).code, '40018', peerAddress);
  }
  assert.equal(now(authenticate(request({ peerAddress: undefined }), NOW, directoryOf().directory)).ok, true);
});

test('a locked or busy passphrase check asks to come back later', () => {
  for (const verdict of ['locked', 'busy'] as const) {
    const refused = refusalOf({}, { verdict });
    assert.deepEqual([refused.status, refused.code], [429, '429']);
    assert.ok(refused.retryAfterMs! > 0);
  }
});

test('the slow passphrase check is waited for', async () => {
  const accepted = authenticate(
    request(),
    NOW,
    directoryOf({ verdict: Promise.resolve('ok' as const) }).directory,
  );
  assert.ok(accepted instanceof Promise);
  assert.equal((await accepted).ok, true);
  const refused = await authenticate(
    request(),
    NOW,
    directoryOf({ verdict: Promise.resolve('wrong' as const) }).directory,
  );
  assert.equal(refused.ok ? '' : refused.code, '40012');
});

test('rights taken away during the slow check are not granted', async () => {
  const deleted = directoryOf({ verdict: Promise.resolve('ok' as const) });
  const first = authenticate(request(), NOW, deleted.directory);
  deleted.keys.clear();
  const afterDelete = await first;
  assert.equal(afterDelete.ok ? '' : afterDelete.code, '40037');

  const frozen = directoryOf({ verdict: Promise.resolve('ok' as const) });
  const second = authenticate(request(), NOW, frozen.directory);
  frozen.keys.set(KEY.apiKey, { ...frozen.keys.get(KEY.apiKey)!, frozen: true });
  const afterFreeze = await second;
  assert.equal(afterFreeze.ok ? '' : afterFreeze.code, '40031');
});

/** wire 2.1: clients give these texts a meaning of their own. */
const RESERVED_TEXTS = [
  'invalid sign',
  'invalid symbol',
  'invalid currency',
  'invalid period',
  'invalid user',
  'invalid amount',
  'invalid type',
  'invalid orderId',
  'invalid address',
  'user locked',
  'Request Frequency Is Too High',
];

test('messages neither repeat what was sent nor use texts with a meaning of their own', () => {
  const secretish = 'canary-in-the-wrong-header';
  const refusals = [
    refusalOf({ headers: { 'ACCESS-KEY': secretish } }),
    refusalOf({ headers: { 'ACCESS-SIGN': secretish } }),
    refusalOf({ headers: { 'ACCESS-PASSPHRASE': secretish } }),
    refusalOf({ timestamp: secretish }),
    refusalOf({ extra: ['ACCESS-KEY', secretish] }),
    refusalOf({ timestamp: String(NOW + 99_999) }),
    refusalOf({}, { ipList: ['10.0.0.1'] }),
    refusalOf({}, { frozen: true }),
    refusalOf({}, { verdict: 'locked' }),
    refusalOf({}, { verdict: 'busy' }),
  ];
  for (const { msg } of refusals) {
    assert.ok(!msg.includes('canary'), msg);
    assert.ok(!msg.includes(SECRET), msg);
    for (const text of RESERVED_TEXTS) assert.ok(!msg.toLowerCase().includes(text.toLowerCase()), msg);
  }
});

test('a login counts in seconds or milliseconds, as number or text', () => {
  const { directory } = directoryOf();
  const login = (timestamp: string | number) => {
    const sign = createHmac('sha256', SECRET).update(`${timestamp}GET/user/verify`).digest('base64');
    const frame = {
      apiKey: KEY.apiKey,
      passphrase: PASSPHRASE,
      timestamp,
      sign,
      peerAddress: '198.51.100.7',
    };
    return now(authenticateLogin(frame, NOW, directory));
  };
  for (const timestamp of [NOW, String(NOW), NOW / 1_000, String(NOW / 1_000), NOW / 1_000 + 30]) {
    assert.equal(login(timestamp).ok, true, String(timestamp));
  }
  const late = login(NOW / 1_000 - 31);
  assert.equal(late.ok ? '' : late.code, '40008');
  const broken = login('1e12');
  assert.equal(broken.ok ? '' : broken.code, '40005');
  const forged = {
    apiKey: KEY.apiKey,
    passphrase: PASSPHRASE,
    timestamp: NOW,
    sign: 'x',
    peerAddress: undefined,
  };
  const wrong = now(authenticateLogin(forged, NOW, directory));
  assert.match(
    wrong.ok ? '' : wrong.msg,
    /over the timestamp and GET\/user\/verify$/,
    'says what a login signs',
  );
});
