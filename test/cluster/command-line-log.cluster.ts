/** `bourse cluster upgrade` and `repair`, on a log that a node with the real core has written. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { StoredPack } from '../../src/cluster/engine.ts';
import { type DatabaseAddress, readAddress } from '../../src/cluster/postgres/address.ts';
import { keepLostPacks } from '../../src/cluster/postgres/kept-packs.ts';
import { PostgresEngine } from '../../src/cluster/postgres/postgres-engine.ts';
import { SideConnection } from '../../src/cluster/postgres/side-connection.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import { command } from '../app/bourse-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import { NO_SERVER, PostgresServer } from '../postgres/server.ts';
import { coin } from '../property/venue.ts';
import { nodeRow } from './node-row.ts';
import { PostgresNode } from './postgres-node.ts';

describe('the log of a cluster', { skip: NO_SERVER }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start({ durable: true });
  });
  after(() => server.kill());

  async function cluster() {
    const database = await server.createDatabase();
    const url = server.url(database);
    const keys = join(temporaryDirectory(), 'keys');
    const made = await command(['cluster', 'init', url, '--keys', keys, '--cluster-durability', 'single']);
    assert.equal(made.code, 0, made.output);
    const address = readAddress(url);
    assert.ok(!('wrong' in address));
    const node = await PostgresNode.join(address);
    const run = (sql: string) => server.run(sql, database);
    const row = (name: string, { editionMax = NEWEST_EDITION, applied = 0, ago = 0 }) =>
      run(nodeRow({ name, edition_max: editionMax, applied, applied_seq: applied }, ago));
    return { url, node, run, row };
  }

  const json = async (args: string[]) => {
    const ended = await command(['cluster', ...args, '--json']);
    return { ...ended, said: ended.stdout === '' ? undefined : JSON.parse(ended.stdout) };
  };

  it('enters the newest edition at one command, once, and not while a node knows less', async () => {
    const { url, node, row, run } = await cluster();
    await node.sequencer.submit(coin('AAA'));
    assert.ok(node.exchange.state.edition < NEWEST_EDITION);
    await row('old', { editionMax: NEWEST_EDITION - 1 });
    const refused = await json(['upgrade', url]);
    assert.equal(refused.code, 3);
    assert.match(
      refused.stderr,
      /node old runs 0\.9, which knows edition \d+\. Restart it with the new program/,
    );
    await run("UPDATE bourse_cluster.node SET seen = seen - interval '1 minute'");

    const upgraded = await json(['upgrade', url, '--by', 'ann']);
    assert.equal(upgraded.code, 0, upgraded.output);
    assert.deepEqual(
      [upgraded.said.after, upgraded.said.command, upgraded.said.nodes],
      [NEWEST_EDITION, 2, []],
    );
    await until('the node has it', async () => node.exchange.state.edition === NEWEST_EDITION);
    await node.sequencer.submit(coin('BBB'));
    const again = await json(['upgrade', url]);
    assert.deepEqual([again.code, again.said.before, again.said.command], [0, NEWEST_EDITION, undefined]);
    await node.log.close();
  });

  it('finds what the database has lost, and lets the operator accept it when no node runs', async () => {
    const { url, node, run, row } = await cluster();
    for (let n = 0; n < 5; n++) await node.sequencer.submit(coin(`C${n}`));
    await node.log.close();
    const well = await json(['repair', url]);
    assert.deepEqual(
      [well.code, well.said.lastPack, well.said.lastCommand, well.said.lostPacks],
      [0, 5, 5, 0],
    );
    assert.match((await command(['cluster', 'repair', url])).stdout, /Nothing is lost/);

    const snapshot = (no: number) =>
      run(`INSERT INTO bourse_cluster.snapshot SELECT no, first_seq + commands, chain, 0, 1, 0, '', true
        FROM bourse_cluster.pack WHERE no = ${no}`);
    for (const no of [2, 5]) await snapshot(no);
    await row('a', { applied: 5, ago: 60 });
    await run('DELETE FROM bourse_cluster.pack WHERE no > 3');
    const lost = await json(['repair', url]);
    assert.equal(lost.code, 4);
    assert.deepEqual([lost.said.lastPack, lost.said.lostPacks, lost.said.broken], [3, 2, undefined]);
    assert.deepEqual(
      lost.said.snapshots.map(({ pack, fits }: { pack: number; fits: boolean }) => [pack, fits]),
      [
        [2, true],
        [5, false],
      ],
    );
    const words = await command(['cluster', 'repair', url]);
    assert.match(
      words.stdout,
      /has lost at least 2 packs that nodes had executed, and no node could keep them/,
    );

    await row('b', { applied: 5 });
    const running = await json(['repair', url, '--accept-loss']);
    assert.equal(running.code, 3);
    assert.match(running.stderr, /node b still runs: stop every node first/);
    await run("UPDATE bourse_cluster.node SET seen = seen - interval '1 minute'");
    const accepted = await json(['repair', url, '--accept-loss']);
    assert.deepEqual(accepted.said.accepted, { snapshots: [5], nodes: ['a', 'b'] });
    const after = await json(['repair', url]);
    assert.deepEqual([after.code, after.said.snapshots.length, after.said.ahead], [0, 1, []]);
    assert.deepEqual(await run('SELECT no::int FROM bourse_cluster.kept_snapshot'), [{ no: 5 }]);
  });

  /** As a node does that finds out. */
  async function keep(url: string, node: string, packs: readonly StoredPack[]): Promise<number> {
    const side = new SideConnection(readAddress(url) as DatabaseAddress);
    try {
      return await keepLostPacks(side, node, packs);
    } finally {
      await side.close();
    }
  }

  it('puts back what nodes have kept, of the longest chain, and keeps what it takes out', async () => {
    const { url, node, run } = await cluster();
    const packs = () => readPacks(url);
    for (let n = 0; n < 6; n++) await node.sequencer.submit(coin(`C${n}`));
    await node.log.close();
    const whole = await packs();
    await run('DELETE FROM bourse_cluster.pack WHERE no > 3');
    // One that knows less goes on, from before the loss.
    const behind = await PostgresNode.join(readAddress(url) as DatabaseAddress);
    await behind.sequencer.submit(coin('OTHER'));
    await behind.log.close();
    const branch = await packs();
    assert.equal(branch.length, 4);

    assert.equal(await keep(url, 'a', whole.slice(1, 5)), 2, 'those that the log has are not kept');
    assert.equal(await keep(url, 'b', whole.slice(2)), 3);
    assert.equal(await keep(url, 'c', branch), 0);
    const found = await json(['repair', url]);
    assert.equal(found.code, 4);
    assert.deepEqual(found.said.beside, { kept: 3, missing: [4, 5, 6], replaced: [4], lastPack: 6 });
    assert.match(
      (await command(['cluster', 'repair', url])).stdout,
      /Nodes have kept packs 4 to 6, which the log lacks.*--put-back/s,
    );
    const put = await json(['repair', url, '--put-back']);
    assert.deepEqual([put.code, put.said.lastPack, put.said.broken], [0, 6, undefined]);
    assert.deepEqual(put.said.putBack, { missing: [4, 5, 6], replaced: [4] });
    assert.deepEqual(await packs(), whole);
    const [taken] = await run("SELECT chain FROM bourse_cluster.kept_pack WHERE kept_by = 'repair'");
    assert.deepEqual(taken?.chain, branch[3]!.chain);
    const after = await json(['repair', url]);
    assert.deepEqual([after.code, after.said.beside.missing, after.said.beside.replaced], [0, [], []]);
    const again = await json(['repair', url, '--put-back']);
    assert.equal(again.code, 3);
    assert.match(again.stderr, /nothing to put back/);
    const next = await PostgresNode.join(readAddress(url) as DatabaseAddress);
    await next.sequencer.submit(coin('NEXT'));
    assert.equal(next.log.position.no, 7);
    await next.log.close();
  });

  it('puts back a pack that is missing or changed in the middle, and nothing behind a gap', async () => {
    const { url, node, run } = await cluster();
    for (let n = 0; n < 6; n++) await node.sequencer.submit(coin(`C${n}`));
    await node.log.close();
    const whole = await readPacks(url);
    await run('DELETE FROM bourse_cluster.pack WHERE no = 3');
    await run("UPDATE bourse_cluster.pack SET body = body || '\\x00' WHERE no = 5");
    assert.equal(await keep(url, 'a', whole), 2);
    const put = await json(['repair', url, '--put-back']);
    assert.deepEqual(put.said.putBack, { missing: [3, 5], replaced: [5] });
    assert.deepEqual(await readPacks(url), whole);
    await run('DELETE FROM bourse_cluster.pack WHERE no > 2; DELETE FROM bourse_cluster.kept_pack');
    assert.equal(await keep(url, 'a', whole.slice(4)), 2);
    const gap = await json(['repair', url, '--put-back']);
    assert.equal(gap.code, 3, gap.output);
  });

  async function readPacks(url: string): Promise<readonly StoredPack[]> {
    const engine = new PostgresEngine(readAddress(url) as DatabaseAddress);
    await engine.reconnect();
    const packs = await engine.read(0, 64);
    await engine.close();
    return packs;
  }

  it('refuses to go on where a pack was changed or is missing', async () => {
    const { url, node, run } = await cluster();
    for (let n = 0; n < 5; n++) await node.sequencer.submit(coin(`C${n}`));
    await node.log.close();
    await run(`INSERT INTO bourse_cluster.snapshot SELECT no, 3, sha256(chain), 0, 1, 0, '', true
      FROM bourse_cluster.pack WHERE no = 2`);
    const strange = await json(['repair', url]);
    assert.deepEqual(strange.said.snapshots, [
      { pack: 2, fits: false, reason: 'the log has another pack there' },
    ]);
    await run("UPDATE bourse_cluster.pack SET body = body || '\\x00' WHERE no = 3");
    const changed = await json(['repair', url]);
    assert.deepEqual(
      [changed.code, changed.said.broken],
      [4, 'pack 3 does not follow pack 2: one of them was changed'],
    );
    await run('DELETE FROM bourse_cluster.pack WHERE no = 3');
    const missing = await json(['repair', url, '--accept-loss']);
    assert.equal(missing.code, 4);
    assert.match(missing.stderr, /pack 3 is missing: .* Restore the database from a backup/);
  });
});
