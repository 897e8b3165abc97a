/** Interface 8, the table of rates: each endpoint lets exactly so many calls through in a second, per IP or per UID. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HeldWall } from '../harness/held-wall.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { converse, requestBytes } from '../security/hostile/raw-http.ts';
import { ENDPOINTS } from './endpoints.ts';
import { rowOf } from './wire-spec.ts';

/** Requests a second; per IP on market data, per UID elsewhere. */
const RATES = Object.keys(ENDPOINTS).map((endpoint) => [endpoint, rowOf(endpoint)?.perSecond] as const);
const OVER = 3;

export function rates(): void {
  describe('interface 5, 8: rates', () => {
    const wall = new HeldWall();
    let server: TestServer;
    before(async () => {
      server = await startHosted({ wall });
      await new Operator(server).makeBroker('alice');
    });
    after(() => server.stop());

    it('interface 8: every endpoint of the document has its rate', () => {
      const without = RATES.filter(([, perSecond]) => perSecond === undefined);
      assert.deepEqual(without, []);
    });

    for (const [endpoint, perSecond = 0] of RATES) {
      const [method, path] = endpoint.split(' ') as ['GET' | 'POST', string];
      const perIp = path.startsWith('market/');
      it(`interface 5, 8 ${endpoint}: ${perSecond} a second per ${perIp ? 'IP' : 'UID'}`, async () => {
        const body = method === 'POST' ? '{}' : '';
        const sent = (by: DemoKeys) => requestBytes({ method, path: `/api/v3/${path}`, body }, by);
        // Within one instant; the last is a stranger's from the same address.
        wall.hold();
        const burst = Array.from({ length: perSecond + OVER }, () => sent(server.account('alice')));
        const packet = Buffer.concat([...burst, sent(server.account('bot'))]);
        const { replies } = await converse(server.url, packet, { replies: burst.length + 1 });
        wall.release();
        const limited = replies.map(({ status }) => status === 429);
        const expected = [...Array(perSecond).fill(false), ...Array(OVER).fill(true), perIp];
        assert.deepEqual(limited, expected, `interface 8: ${endpoint} allows ${perSecond} a second`);
        const over = JSON.parse(replies[perSecond]!.body);
        assert.deepEqual([over.code, over.data], ['429', null], `interface 7.2, 8: ${endpoint}`);
      });
    }
  });
}
