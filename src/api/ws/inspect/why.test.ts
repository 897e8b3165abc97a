import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyDirectory } from '../../../identity/identity.ts';
import type { Entry } from '../../../inspector/recorder.ts';
import { ROUTES } from '../../http/routes.ts';
import { CATALOGUE } from '../../wire/error-catalogue.ts';
import { CONTROL } from '../control.ts';
import { REMEDIES } from './remedies.ts';
import { RULES, STEPS, whyOf } from './why.ts';

const ENTRY: Entry = {
  id: 1,
  kind: 'http',
  uid: 7,
  mainUid: 7,
  apiKey: 'k',
  atMs: 1_700_000_000_000,
  tookMs: 1,
  peer: '10.0.0.1',
  agent: 'test',
  method: 'POST',
  target: '/api/v3/trade/place-order',
  timestamp: '1699999000000',
  body: '{"side":"bye"}',
  answer: '',
  status: 400,
  left: undefined,
  unread: false,
  finding: undefined,
  parsedUs: 0,
  admittedUs: 0,
  appliedUs: 0,
  durableUs: 0,
  commands: [],
  connection: '',
};
const KEYS: KeyDirectory = {
  findKey: () =>
    ({ key: { permType: 'read_only', permissions: ['uta_mgt'], ipList: ['10.0.0.2'] } }) as never,
  checkPassphrase: () => 'ok',
  noteUse: () => undefined,
};
const answered = (code: string, msg: string) => JSON.stringify({ code, msg, requestTime: 0, data: null });

test('every code of the catalogue has a why: its meaning, value, bound and what would be right', () => {
  for (const code of Object.keys(CATALOGUE)) {
    const msg = 'parameter side must be one of buy, sell; it takes POST: try again in 5 ms';
    const why = whyOf({ ...ENTRY, answer: answered(code, msg) }, KEYS);
    for (const text of [why.means, why.value, why.right, why.again]) assert.notEqual(text, '', code);
    assert.equal(why.steps.filter(({ verdict }) => verdict === 'no').length, 1, code);
    // The core's message holds both.
    if (why.core) assert.deepEqual([why.value, why.steps.at(-1)!.verdict], [msg, 'no'], code);
    else assert.notEqual(why.bound, '', code);
  }
});

test('every code of a socket has a why', () => {
  for (const { code } of Object.values(CONTROL)) {
    const answer = JSON.stringify({ event: 'error', code, msg: 'so; and so', connId: 'c' });
    const why = whyOf({ ...ENTRY, kind: 'ws', method: 'out', target: '/v3/ws', body: '', answer }, KEYS);
    for (const text of [why.means, why.value, why.right]) assert.notEqual(text, '', String(code));
    assert.equal(why.core, false, String(code));
  }
});

test('what would be right names only calls that exist', () => {
  const paths = ROUTES.map(({ path }) => path);
  for (const text of Object.values(REMEDIES)) {
    for (const [name] of text.matchAll(/[a-z]+\/[a-z-]+/g))
      assert.ok(
        paths.some((path) => path.endsWith(`/${name}`)),
        name,
      );
  }
});

test('older codes are explained as those of the catalogue', () => {
  const why = whyOf({ ...ENTRY, answer: answered('43012', 'balance') }, KEYS);
  assert.equal(why.means, CATALOGUE['25202'].means);
});

test('a time that is seconds is called that', () => {
  const msg = 'the timestamp is 1698300000.000 s behind server time 1; at most 30 s; it looks like seconds';
  const why = whyOf({ ...ENTRY, answer: answered('40008', msg) }, KEYS);
  assert.match(why.right, /^send milliseconds, such as 1700000000000/);
});

test('the rules are for codes that exist', () => {
  assert.deepEqual(
    Object.keys(RULES).filter((code) => !Object.hasOwn(CATALOGUE, code)),
    [],
  );
});

test('steps behind the one that stopped a request were not reached', () => {
  const { steps } = whyOf({ ...ENTRY, answer: answered('40014', 'x') }, KEYS);
  const at = STEPS.indexOf('permission');
  assert.ok(steps.slice(0, at).every(({ verdict }) => verdict === 'ok'));
  assert.ok(steps.slice(at + 1).every(({ verdict }) => verdict === 'not reached'));
});

test('a code like a name of JavaScript is nobody and does no harm', () => {
  assert.equal(whyOf({ ...ENTRY, answer: answered('constructor', 'x') }, KEYS).core, true);
});
