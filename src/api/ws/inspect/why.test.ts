import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyDirectory } from '../../../identity/identity.ts';
import type { Entry } from '../../../inspector/recorder.ts';
import { CATALOGUE } from '../../wire/error-catalogue.ts';
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
  finding: undefined,
  connection: '',
};
const KEYS: KeyDirectory = {
  findKey: () =>
    ({ key: { permType: 'read_only', permissions: ['uta_mgt'], ipList: ['10.0.0.2'] } }) as never,
  checkPassphrase: () => 'ok',
  noteUse: () => undefined,
};
const answered = (code: string, msg: string) => JSON.stringify({ code, msg, requestTime: 0, data: null });

test('every code of the catalogue has a why: of the core its message, before it value, bound and what is right', () => {
  for (const code of Object.keys(CATALOGUE)) {
    const msg = 'parameter side must be one of buy, sell; it takes POST: try again in 5 ms';
    const why = whyOf({ ...ENTRY, answer: answered(code, msg) }, KEYS);
    assert.ok(why.means !== '' && why.value !== '' && why.again !== '', code);
    assert.equal(why.steps.filter(({ verdict }) => verdict === 'no').length, 1, code);
    if (why.core) assert.deepEqual([why.value, why.steps.at(-1)!.verdict], [msg, 'no'], code);
    else assert.ok(why.bound !== '' && why.right !== '', code);
  }
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
