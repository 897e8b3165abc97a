/** `bourse cluster upgrade` and `repair`, on a log that a node with the real core has written. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readAddress } from '../../src/cluster/postgres/address.ts';
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
      /has lost at least 2 packs .* Nodes keep no packs, so they cannot be put back/,
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
  });

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
