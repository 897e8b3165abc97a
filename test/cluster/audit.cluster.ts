/** The operators' audit log of several nodes on a real PostgreSQL server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditLine, CHAIN_ACTION } from '../../src/admin/audit-line.ts';
import type { AuditLog } from '../../src/admin/audit-log.ts';
import { ClusterAuditDamaged, openClusterAudit, readClusterAudit } from '../../src/admin/cluster-audit.ts';
import type { DatabaseAddress } from '../../src/cluster/postgres/address.ts';
import { NO_SERVER, type PostgresServer, sharedServer } from '../postgres/server.ts';
import { clusterDatabase } from './identity-nodes.ts';

describe('the audit log of several nodes', { skip: NO_SERVER }, () => {
  let server: PostgresServer;
  let address: DatabaseAddress;
  let nowMs = 1_700_000_000_000;
  const now = () => nowMs++;
  let nodes: AuditLog[];
  before(async () => {
    server = await sharedServer();
    address = await clusterDatabase(server);
    nodes = await Promise.all(['a', 'b'].map((node) => openClusterAudit(address, node, now)));
  });
  after(async () => {
    for (const log of nodes) await log.close();
  });

  const act = async (log: AuditLog, action: string) => {
    const line = await log.begin({ operator: 'alice', action, arguments: {} }, 1);
    await log.end(line, { outcome: 'done', command: null });
  };
  /** Whole, so that a line that is missing at the end is found as well. */
  const whole = async (lines: number) => {
    const read = await readClusterAudit(address);
    assert.deepEqual(
      read.map(({ seq }) => seq),
      Array.from({ length: lines }, (_, n) => n + 1),
    );
    return read;
  };

  it('is one chain over the lines of all nodes, which name theirs', async () => {
    assert.equal(nodes[0]!.chain, nodes[1]!.chain);
    await Promise.all(Array.from({ length: 20 }, (_, n) => act(nodes[n % 2]!, `action-${n}`)));
    const lines = await whole(41);
    assert.equal(lines[0]!.action, CHAIN_ACTION);
    const begun = lines.filter(({ outcome }) => outcome === 'begun');
    const done = lines.filter(({ outcome, of }) => outcome === 'done' && of !== undefined);
    assert.deepEqual([begun.length, done.length], [20, 20]);
    for (const { of, action, node } of done) {
      const first = lines[of! - 1]!;
      assert.deepEqual([first.action, first.node, first.outcome], [action, node, 'begun']);
    }
    for (const log of nodes) {
      assert.deepEqual(await log.last(), lines);
      assert.deepEqual(await log.last(5), lines.slice(-5));
    }
  });

  it('tells every line on every node, in order', async () => {
    const heard: AuditLine[][] = [[], []];
    for (const [n, log] of nodes.entries()) log.onLine((text) => heard[n]!.push(JSON.parse(text)));
    await Promise.all([act(nodes[0]!, 'one'), act(nodes[1]!, 'two'), act(nodes[0]!, 'three')]);
    const lines = (await nodes[0]!.last(6)).map(({ hash }) => hash);
    for (let n = 0; heard.some(({ length }) => length < 6) && n < 200; n++) await sleep(10);
    for (const each of heard)
      assert.deepEqual(
        each.map(({ hash }) => hash),
        lines,
      );
  });

  it('goes on over lost connections: a line stands once', async () => {
    const before = (await nodes[0]!.last(1))[0]!.seq;
    const acting = Promise.all(Array.from({ length: 16 }, (_, n) => act(nodes[n % 2]!, `lost-${n}`)));
    for (let n = 0; n < 3; n++) {
      await server.run(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bourse' AND datname = '${address.database}'`,
      );
      await sleep(20);
    }
    await acting;
    await whole(before + 32);
  });

  it("completes a node's own actions that were cut off, and nobody else's", async () => {
    const line = await nodes[0]!.begin({ operator: 'alice', action: 'cut', arguments: {} }, 7);
    const under = await nodes[1]!.begin({ operator: 'bob', action: 'running', arguments: {} }, 7);
    await nodes[0]!.close();
    nodes[0] = await openClusterAudit(address, 'a', now);
    assert.deepEqual([...nodes[0].interrupted().keys()], [line]);
    await nodes[0].end(line, { outcome: 'interrupted', command: null });
    await nodes[1]!.end(under, { outcome: 'done', command: null });
    const again = await openClusterAudit(address, 'a', now);
    assert.equal(again.interrupted().size, 0);
    await again.close();
  });

  it('finds a line that was changed, and one that was acknowledged and is gone', async () => {
    const last = (await nodes[0]!.last(1))[0]!.seq;
    await act(nodes[1]!, 'kept');
    await server.run(`DELETE FROM bourse_cluster.audit WHERE no > ${last}`, address.database);
    // Only who has written them knows; who has only seen them cannot tell a fail-over from a theft.
    await assert.rejects(act(nodes[1]!, 'next'), ClusterAuditDamaged);
    await act(nodes[0]!, 'instead');
    await whole(last + 2);
    await server.run(
      `UPDATE bourse_cluster.audit SET line = replace(line, 'alice', 'mally') WHERE no = 4`,
      address.database,
    );
    await assert.rejects(readClusterAudit(address), /line 4 was changed/);
    await assert.rejects(nodes[0]!.last(), /line 4 was changed/);
    await assert.rejects(openClusterAudit(address, 'c', now), ClusterAuditDamaged);
  });
});
