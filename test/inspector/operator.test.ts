/** What the operator sees of all accounts' requests. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { command } from '../app/bourse-process.ts';
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

interface Answer {
  readonly requests: readonly {
    readonly apiKey: string;
    readonly path: string;
    readonly code: string;
    readonly commands: readonly number[];
    readonly times: Readonly<Record<string, number | null>>;
  }[];
  readonly after: number;
  /** Of a refusal, alone. */
  readonly error?: { readonly message: string };
}

async function requests(query: string) {
  const { url, token } = new Operator(server).endpoint;
  const answer = await fetch(`${url}/admin/requests${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, body: (await answer.json()) as Answer };
}
const brief = ({ body }: Awaited<ReturnType<typeof requests>>) =>
  body.requests.map(({ apiKey, path, code }) => [apiKey, path.split('/').at(-1), code]);

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

test('what cannot be asked for is refused, with what would be right', async () => {
  for (const [query, status, message] of [
    ['?limit=0', 400, /^limit must be 1 to 1000$/],
    ['?limit=1001', 400, /^limit must be 1 to 1000$/],
    ['?limit=99999', 400, /^limit must be a whole number of at most 4 digits$/],
    ['?after=x', 400, /^after must be a whole number/],
    ['?account=nobody', 404, /nobody/],
    ['?colour=red', 400, /^colour is not a known field$/],
  ] as const) {
    const refused = await requests(query);
    assert.equal(refused.status, status, query);
    assert.match(refused.body.error!.message, message, query);
  }
});

test('an order is shown with its command and the time of each step', async () => {
  const client = new SignedClient(server.url, server.account('bot'));
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.01' };
  await client.post('/api/v3/trade/place-order', { ...order, price: '50000' });
  client.close();
  const { body } = await requests('?account=bot');
  const [{ commands, times }] = body.requests as [Answer['requests'][number]];
  assert.equal(commands.length, 1);
  assert.deepEqual(Object.keys(times), ['parse', 'authenticate', 'apply', 'durable', 'answer']);
  assert.ok(Object.values(times).every((spent) => spent !== null));
  const asked = ['requests', '--account', 'bot', '--data', server.data];
  const { stdout } = await command([...asked, '--json']);
  assert.deepEqual(JSON.parse(stdout).requests, body.requests);
  const { stdout: table } = await command(asked);
  assert.match(table, new RegExp(`place-order +200 00000 +[\\d.]+ +${commands[0]} +BTCUSDT buy`));
});
