/** A venue with two traders and a way to tell whether a request has changed anything. */
import assert from 'node:assert/strict';
import type { HeldWall } from '../../harness/held-wall.ts';
import { startHosted } from '../../harness/hosted-server.ts';
import type { LoggedServer } from '../../harness/server.ts';
import { type Reply, SignedClient } from '../../harness/signed-client.ts';
import { until } from '../../harness/until.ts';

export const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '58000',
  qty: '0.01',
} as const;

export interface Floor {
  readonly server: LoggedServer;
  readonly alice: SignedClient;
  readonly bob: SignedClient;
  /** Runs hostile requests and insists that balances and open orders of both are the same afterwards. */
  unchanged(hostile: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** With a wall the test holds the clock of its limits and signatures. */
export async function openFloor(wall?: HeldWall): Promise<Floor> {
  const args = ['--rate-limits', 'off'];
  const server = await startHosted({ args, ...(wall !== undefined && { wall }) });
  const alice = new SignedClient(server.url, server.account('alice'));
  const bob = new SignedClient(server.url, server.account('bob'));
  const holdings = async () => {
    const paths = ['/api/v3/account/assets', '/api/v3/trade/unfilled-orders'];
    const replies = await Promise.all(
      [alice, bob].flatMap((client) => paths.map((path) => client.get(path))),
    );
    return replies.map(({ status, data }) => ({ status, data }));
  };
  // Each coin is valued for the first time after its index has been reported; from then on a valuation changes with a price
  // alone.
  await until('a value of every coin', async () => {
    const { data } = await alice.get('/api/v3/account/assets');
    return data.assets.every(({ usdValue }: Record<string, string>) => usdValue !== '0');
  });
  return {
    server,
    alice,
    bob,
    async unchanged(hostile) {
      const before = await holdings();
      await hostile();
      assert.deepEqual(await holdings(), before, 'a refused request has changed something');
    },
    async close() {
      alice.close();
      bob.close();
      assert.equal(await server.stop(), 0, server.log());
    },
  };
}

/** A refusal as clients expect it: 4xx, the envelope, a message that helps. */
export function assertRefused(reply: Pick<Reply, 'status' | 'text'>, names: RegExp, what: string): void {
  const shown = `${what.slice(0, 200)}\n  -> ${reply.status} ${reply.text.slice(0, 300)}`;
  assert.ok(reply.status >= 400 && reply.status < 500, shown);
  assertEnvelope(reply.text, shown);
  const { code, msg, data } = JSON.parse(reply.text) as { code: string; msg: string; data: unknown };
  assert.notEqual(code, '00000', shown);
  assert.equal(data, null, shown);
  assert.match(msg, names, shown);
}

export function assertEnvelope(text: string, what: string): void {
  const envelope = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual(Object.keys(envelope).toSorted(), ['code', 'data', 'msg', 'requestTime'], what);
  assert.match(String(envelope.code), /^[0-9]{3,6}$/, what);
  assert.ok(typeof envelope.msg === 'string' && envelope.msg !== '', what);
  assert.ok(Number.isSafeInteger(envelope.requestTime), what);
}
