/** What the operator sees of all accounts' requests. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';

let server: TestServer;

before(async () => {
  server = await startHosted();
  for (const name of ['alice', 'bob']) {
    const client = new SignedClient(server.url, server.account(name));
    await client.get('/api/v3/account/info');
    await client.post('/api/v3/trade/place-order', { symbol: 'BTCUSDT' });
    client.close();
  }
});
after(() => server.stop());

async function requests(query: string) {
  const { url, token } = new Operator(server).endpoint;
  const answer = await fetch(`${url}/admin/requests${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  // biome-ignore lint/suspicious/noExplicitAny: errors have another shape
  return { status: answer.status, body: (await answer.json()) as any };
}
const brief = ({ body }: Awaited<ReturnType<typeof requests>>) =>
  body.requests.map(({ apiKey, path, code }: Record<string, string>) => [
    apiKey,
    path?.split('/').at(-1),
    code,
  ]);

test('requests of all accounts, or those that are looked for', async () => {
  assert.deepEqual(brief(await requests('')), [
    ['demo-alice', 'info', '00000'],
    ['demo-alice', 'place-order', '40019'],
    ['demo-bob', 'info', '00000'],
    ['demo-bob', 'place-order', '40019'],
  ]);
  assert.deepEqual(brief(await requests('?account=bob&code=40019')), [['demo-bob', 'place-order', '40019']]);
  assert.equal(brief(await requests('?path=account')).length, 2);
  assert.deepEqual(brief(await requests('?limit=1')), [['demo-bob', 'place-order', '40019']]);
});

test('pages go on behind the last entry until there is none', async () => {
  const first = await requests('?after=0&limit=3');
  assert.equal(first.body.requests.length, 3);
  const second = await requests(`?after=${first.body.after}&limit=3`);
  assert.deepEqual(brief(second), [['demo-bob', 'place-order', '40019']]);
  const third = await requests(`?after=${second.body.after}&limit=3`);
  assert.deepEqual([third.body.requests, third.body.after], [[], second.body.after]);
});

test('what cannot be asked for is refused', async () => {
  for (const query of ['?limit=0', '?limit=1001', '?after=x', '?account=nobody', '?colour=red'])
    assert.ok([400, 404].includes((await requests(query)).status), query);
});
