import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey, User } from '../../identity/identity.ts';
import { checkPermission, REQUIRED_PERMISSION_NAMES } from './permissions.ts';

const MAIN = { mainUid: undefined, broker: false };
const BROKER = { mainUid: undefined, broker: true };
const SUB = { mainUid: 1000000009, broker: false };

function caller(
  permType: ApiKey['permType'],
  permissions: ApiKey['permissions'],
  who: Pick<User, 'mainUid' | 'broker'> = MAIN,
) {
  return { user: who as User, key: { permType, permissions } as ApiKey };
}

test('permissions open exactly the doors of the table', () => {
  const open = (who: ReturnType<typeof caller>) =>
    REQUIRED_PERMISSION_NAMES.filter((need) => checkPermission(who, need) === undefined);
  assert.deepEqual(open(caller('read_only', [])), ['none']);
  assert.deepEqual(open(caller('read_only', ['uta_trade'])), ['none', 'trade_read', 'main_trade_read']);
  assert.deepEqual(open(caller('read_write', ['uta_trade'])), [
    'none',
    'trade_read',
    'trade_write',
    'main_trade_read',
    'main_trade_write',
  ]);
  assert.deepEqual(open(caller('read_write', ['uta_trade'], SUB)), ['none', 'trade_read', 'trade_write']);
  assert.deepEqual(open(caller('read_only', ['uta_mgt'])), ['none', 'mgt_read', 'main_read']);
  assert.deepEqual(open(caller('read_write', ['uta_mgt'])), [
    'none',
    'mgt_read',
    'mgt_write',
    'main_read',
    'main_write',
  ]);
  assert.deepEqual(open(caller('read_write', ['uta_mgt'], SUB)), ['none', 'mgt_read', 'mgt_write']);
  assert.deepEqual(open(caller('read_write', ['withdraw'])), ['none', 'withdraw']);
  assert.deepEqual(open(caller('read_only', ['withdraw'])), ['none']);
  assert.deepEqual(open(caller('read_write', [], BROKER)), ['none', 'broker_read', 'broker_write']);
  assert.deepEqual(open(caller('read_only', [], BROKER)), ['none', 'broker_read']);
  assert.deepEqual(open(caller('read_write', [], { ...SUB, broker: true })), ['none']);
});

test('who is refused is told why, with the code of the case', () => {
  const refusalOf = (who: ReturnType<typeof caller>, need: Parameters<typeof checkPermission>[1]) => {
    const { code, msg } = checkPermission(who, need)!;
    return `${code} ${msg}`;
  };
  assert.match(refusalOf(caller('read_only', []), 'trade_read'), /^40014 .*uta_trade/);
  assert.match(refusalOf(caller('read_only', ['uta_trade']), 'trade_write'), /^40014 .*read_write/);
  assert.match(refusalOf(caller('read_write', ['uta_mgt'], SUB), 'main_write'), /^40014 .*main account/);
  assert.match(refusalOf(caller('read_write', []), 'broker_write'), /^40029 .*broker/);
  assert.match(refusalOf(caller('read_only', [], BROKER), 'broker_write'), /^40014 .*read_write/);
});
