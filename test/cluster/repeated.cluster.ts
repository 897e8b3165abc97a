/** What is offered again after a wait that was cut off is answered when it is on two machines, and not before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { NO_SERVER } from '../postgres/server.ts';
import { withStandby } from './identity-nodes.ts';

const WAITS_MS = 300;
const OFFERS: Readonly<Record<string, string>> = {
  'a pack': `SELECT bourse_cluster.append(1, 1, 0, 0, 0, 0, 0, 0, NULL, NULL, 1, '\\x00')`,
  'a change of users and keys': `SELECT bourse_cluster.change_identity(1, '00000000-0000-0000-0000-000000000001', 'a', '', '\\x00')`,
  'a line of the audit log': `SELECT bourse_cluster.append_audit(1, 'line')`,
};

test('a repeated offer waits for the standby as the first one did', { skip: NO_SERVER }, async (context) => {
  const { primary, standby, address } = await withStandby();
  const url = primary.url(address.database);
  await primary.run(
    `INSERT INTO bourse_cluster.identity_image VALUES (0, gen_random_uuid(), 1, '')`,
    address.database,
  );
  const clients = [new pg.Client(url), new pg.Client(url), new pg.Client(url)] as const;
  const [first, second, other] = clients;
  context.after(async () => {
    standby.unpause();
    for (const client of clients) await client.end();
    await primary.kill();
    await standby.kill();
  });
  for (const client of clients) await client.connect();
  const pidOf = async (client: pg.Client) =>
    ((await client.query('SELECT pg_backend_pid() AS pid')).rows[0] as { pid: number }).pid;
  const pid = await pidOf(first);
  for (const [what, offer] of Object.entries(OFFERS)) {
    standby.pause();
    const cut = first.query(offer);
    for (;;) {
      const { rows } = await other.query('SELECT wait_event FROM pg_stat_activity WHERE pid = $1', [pid]);
      if ((rows[0] as { wait_event: string | null }).wait_event === 'SyncRep') break;
      await sleep(10);
    }
    await other.query('SELECT pg_cancel_backend($1)', [pid]);
    await cut;
    let isAnswered = false;
    const again = second.query(offer).then(() => {
      isAnswered = true;
    });
    await sleep(WAITS_MS);
    assert.equal(isAnswered, false, `${what} is on one machine only`);
    standby.unpause();
    await again;
  }
});
