/** A year of money for the tax office: records that nobody else can ask for any more. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';

const DAY_MS = 86_400_000;
let server: TestServer;
let operator: Operator;
let alice: SdkClient;

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off', '--clock', 'manual']);
  operator = new Operator(server);
  alice = sdkClient(server.url, server.account('alice'));
});
after(() => server.stop());

const since = async (days: number) => {
  const now = await operator.time();
  return { startTime: String(now - days * DAY_MS), endTime: String(now) };
};

test('what happened a hundred days ago is in the tax records, and no longer in the financial records', async () => {
  await alice.submitTransfer({ fromType: 'uta', toType: 'spot', amount: '12.5', coin: 'USDT' });
  await operator.advanceClock('100d', '1h');
  const records = (await alice.getTaxRecords({ bizType: 'OTHER', coin: 'USDT', ...(await since(120)) })).data;
  assert.deepEqual(
    records.map(({ type, amount, fee, balance }) => [type, amount, fee, balance]),
    [
      ['transfer_in', '12.5', '0', '12.5'],
      ['TRANSFER_OUT', '-12.5', '0', '99987.5'],
      ['TRANSFER_IN', '100000', '0', '100000'],
    ],
  );
  const [, out] = records;
  const page = { bizType: 'OTHER', coin: 'USDT', limit: '1', cursor: records[0]!.id } as const;
  assert.deepEqual((await alice.getTaxRecords({ ...page, ...(await since(366)) })).data, [out]);
  const spot = (await alice.getTaxRecords({ bizType: 'SPOT', ...(await since(366)) })).data;
  assert.deepEqual(spot, []);
  const old = { category: 'OTHER' as never, ...(await since(100)) };
  assert.equal((await refusalOf(alice.getFinancialRecords(old))).body.code, '40017');
});

test('more than 366 days, an unknown kind of business and missing times are refused', async () => {
  const refused = async (query: object) =>
    (await refusalOf(alice.getTaxRecords({ bizType: 'SPOT', ...(await since(30)), ...query }))).body;
  const tooLong = await refused(await since(367));
  assert.deepEqual(
    [tooLong.code, tooLong.msg],
    ['40017', 'startTime and endTime must be at most 366 days apart'],
  );
  assert.equal((await refused({ bizType: 'EARN' })).code, '40020');
  assert.equal((await refused({ startTime: '' })).code, '40019');
  const isolated = { bizType: 'MARGIN', marginType: 'isolated', ...(await since(30)) } as const;
  assert.deepEqual((await alice.getTaxRecords(isolated)).data, []);
});
