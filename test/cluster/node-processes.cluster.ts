/** Nodes in processes of their own, where only a whole process shows it: another role, another clock, a sleep, an unknown rule book. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodePack } from '../../src/cluster/pack.ts';
import { type DatabaseAddress, readAddress } from '../../src/cluster/postgres/address.ts';
import { PostgresEngine } from '../../src/cluster/postgres/postgres-engine.ts';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import { command } from '../app/bourse-process.ts';
import { until } from '../harness/until.ts';
import { NO_SERVER, PostgresServer, QUICK_BUT_TRUSTED } from '../postgres/server.ts';
import { clientOf, type NodeProcess, newCluster, ORDER, spawnNode, type TestCluster } from './nodes.ts';

const READY = '/readyz';
const TIME = '/api/v3/public/time';
const OPEN_ORDERS = '/api/v3/trade/unfilled-orders?category=SPOT';
const CLOCK_BEHIND_MS = 3_000;
const BEHIND = `--import=data:text/javascript,${encodeURIComponent(`const now=Date.now;Date.now=()=>now()-${CLOCK_BEHIND_MS}`)}`;

describe('nodes as processes', { skip: NO_SERVER }, () => {
  let server: PostgresServer;
  let cluster: TestCluster;
  const nodes = new Map<string, NodeProcess>();
  const start = async (name: string, args: readonly string[] = [], env = {}) => {
    const node = await spawnNode(cluster, name, args, env);
    nodes.set(name, node);
    return node;
  };
  const end = async (name: string) => {
    const code = await nodes.get(name)!.stop();
    nodes.delete(name);
    return code;
  };
  const run = (sql: string) => server.run(sql, cluster.database);
  const holders = async () => {
    const rows = await run('SELECT name, node FROM bourse_cluster.duty WHERE until > clock_timestamp()');
    return Object.fromEntries(rows.map(({ name, node }) => [name, node])) as Record<string, string>;
  };
  const place = (node: NodeProcess, clientOid: string) =>
    clientOf(node, 'alice').post('/api/v3/trade/place-order', {
      ...{ ...ORDER, side: 'buy', price: '30000', clientOid },
    });
  /** Waits for what nodes bring about, and not for one that has ended. */
  const seen = <Found>(what: string, look: () => Promise<Found | undefined | false>) =>
    until(what, async () => {
      for (const [name, node] of nodes)
        if (node.process.exitCode !== null) throw new Error(`node ${name} has ended:\n${node.log()}`);
      return look();
    });
  const isReady = async (node: NodeProcess) => (await clientOf(node, 'alice').get(READY)).status === 200;
  before(async () => {
    server = await PostgresServer.start({ settings: QUICK_BUT_TRUSTED });
    cluster = await newCluster(server);
    await start('a', ['--market', 'quiet']);
    await seen('the first node has every duty', async () => {
      const { market, history, snapshots } = await holders();
      return market === 'a' && history === 'a' && snapshots === 'a';
    });
  });
  after(async () => {
    for (const [name, node] of nodes) {
      if (node.process.exitCode !== null) console.error(`node ${name} has ended:\n${node.log()}`);
      node.process.kill('SIGCONT');
      await node.kill();
    }
  });

  it('a scribe writes history and snapshots, has no market and serves nobody', async () => {
    const a = nodes.get('a')!;
    const scribe = await start('s', ['--role', 'scribe', '--market', 'quiet']);
    await seen('it has its duties, and those only', async () => {
      const { market, history, snapshots } = await holders();
      return market === 'a' && history === 's' && snapshots === 's';
    });
    const refused = await place(scribe, 'at-the-scribe');
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.msg, /this node is a scribe, which serves no requests: ask another one/);
    const read = await clientOf(scribe, 'alice').get(TIME);
    assert.equal(read.status, 503, read.text);
    await assert.rejects(openSocket(scribe.url), 'it has no streams');
    assert.equal((await place(a, 'beside-a-scribe')).code, '00000');
    const past = await seen('the scribe has stored the past', async () => {
      const [row] = await run('SELECT last_seq FROM history.meta');
      const found = await clientOf(a, 'alice').get('/api/v3/trade/order-info?clientOid=beside-a-scribe');
      return Number(row?.last_seq) > 0 && found.status === 200 && found;
    });
    assert.equal(past.data.clientOid, 'beside-a-scribe', past.text);
    assert.equal(await end('s'), 0);
    const [snapshot] = await run('SELECT count(*) AS n FROM bourse_cluster.snapshot WHERE whole');
    assert.ok(Number(snapshot?.n) > 0, 'it writes a snapshot when it stops');
    const status = await command(['cluster', 'status', cluster.url]);
    assert.match(status.stdout, /^s +.* left\b/m, status.output);
    assert.doesNotMatch(status.output, /node s has not been seen/);
    await seen('the duties are back', async () => {
      const { history, snapshots } = await holders();
      return history === 'a' && snapshots === 'a';
    });
  });

  it('a node whose clock differs by more than a second is not ready, and moves the time of nobody', async () => {
    const slow = await start('slow', [], { NODE_OPTIONS: BEHIND });
    const said = await seen('it is not ready', async () => {
      const reply = await clientOf(slow, 'alice').get(READY);
      return reply.status === 503 && /"cluster clock","ok":false/.test(reply.text) && reply;
    });
    assert.match(said.text, /this machine's clock is (?:2[5-9]|3[0-9])\d\d ms behind the database's/);
    const a = nodes.get('a')!;
    await seen('the other one is ready', () => isReady(a));
    const at = async (node: NodeProcess, clientOid: string) => {
      const placed = await place(node, clientOid);
      assert.equal(placed.code, '00000', placed.text);
      const info = await clientOf(node, 'alice').get(`/api/v3/trade/order-info?clientOid=${clientOid}`);
      return Number(info.data.createdTime);
    };
    const [first, second] = [await at(a, 'right-clock'), await at(slow, 'wrong-clock')];
    assert.ok(second >= first, `${second} is before ${first}`);
    assert.equal(await end('slow'), 0);
  });

  it('the holder of the market that wakes up too late writes nothing more in its name', async () => {
    const a = nodes.get('a')!;
    await start('b', ['--market', 'quiet']);
    const epochOf = async (node: string) => {
      const [row] = await run(
        `SELECT epoch FROM bourse_cluster.duty WHERE name = 'market' AND node = '${node}'`,
      );
      return row === undefined ? undefined : Number(row.epoch);
    };
    const sent = async (epoch: number) => {
      const [row] = await run(
        `SELECT max(no) AS last, min(no) AS first FROM bourse_cluster.pack WHERE duty = 'market' AND epoch = ${epoch}`,
      );
      return { first: Number(row?.first), last: Number(row?.last) };
    };
    const before = await seen('a has the market', () => epochOf('a'));
    await seen('it trades', async () => (await sent(before)).last > 0);
    a.process.kill('SIGSTOP');
    const next = await seen('b has the market', () => epochOf('b'));
    assert.ok(next > before);
    const { first } = await seen('b trades', async () => {
      const range = await sent(next);
      return range.last > 0 && range;
    });
    a.process.kill('SIGCONT');
    await seen('a is ready again', () => isReady(a));
    // Of what it had begun when it fell asleep, and of what its agents did before it had looked.
    assert.equal((await place(a, 'awake')).code, '00000');
    assert.ok((await sent(before)).last < first, 'a pack of the old holder is behind one of the new');
    assert.equal(await epochOf('a'), undefined);
    assert.doesNotMatch(a.log(), /"level":60/);
    assert.equal(await end('b'), 0);
    await seen('a has the market once more', async () => (await epochOf('a')) !== undefined);
  });

  it('packs that the database has lost are kept by the node that stops, and put back', async () => {
    const a = nodes.get('a')!;
    assert.equal((await place(a, 'nearly-lost')).code, '00000');
    await run(`DO $$ BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('bourse_cluster.pack'));
      DELETE FROM bourse_cluster.pack WHERE no > (SELECT max(no) - 30 FROM bourse_cluster.pack);
      PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND datname = current_database() AND backend_type = 'client backend';
    END $$`);
    assert.notEqual(await a.exited, 0);
    nodes.delete('a');
    assert.match(a.log(), /the database has lost or changed pack|does not follow/);
    assert.match(a.log(), /\d+ packs that the log does not have any more are kept beside it/);
    await run("UPDATE bourse_cluster.node SET seen = seen - interval '1 minute'");
    const repaired = await command(['cluster', 'repair', cluster.url, '--put-back']);
    assert.equal(repaired.code, 0, repaired.output);
    assert.match(repaired.stdout, /put back: packs [\d,]+ to [\d,]+\. Start the nodes/);
    const again = await start('a');
    await seen('it is ready', () => isReady(again));
    const open = await clientOf(again, 'alice').get(OPEN_ORDERS);
    assert.ok(
      open.data.list.some(({ clientOid }: { clientOid: string }) => clientOid === 'nearly-lost'),
      open.text,
    );
  });

  it('a node that meets an edition of the rule book that it does not know stops, and says what to do', async () => {
    const a = nodes.get('a')!;
    const engine = new PostgresEngine(readAddress(cluster.url) as DatabaseAddress);
    await engine.reconnect();
    const [row] = await run(
      "SELECT max(no)::int AS no, nextval('bourse_cluster.run')::int AS run FROM bourse_cluster.pack",
    );
    const { no: known, run: number } = row as { no: number; run: number };
    const edition = NEWEST_EDITION + 1;
    const body = encodePack([encodeCommand({ type: 'setEdition', time: Date.now(), edition, by: 'newer' })]);
    const placed = await engine.append({
      ...{
        run: number,
        runPack: 1,
        known,
        confirmed: known,
        stamp: Date.now(),
        deadline: Date.now() + 30_000,
      },
      ...{ asOf: 0, digest: 0, commands: 1, body },
    });
    engine.confirm(placed.no);
    assert.notEqual(await a.exited, 0);
    nodes.delete('a');
    const words = `the cluster enters edition ${edition} of the rule book, and this program knows up to ${NEWEST_EDITION}: start the newer program`;
    assert.ok(a.log().includes(words), a.log());
    const [last] = await run('SELECT applied::int AS applied FROM bourse_cluster.node');
    assert.ok(Number(last?.applied) < placed.no, 'it has not applied it');
    await assert.rejects(
      spawnNode(cluster, 'late'),
      (error: Error) => error.message.includes(words) || /ended/.test(error.message),
    );
    await engine.close();
  });
});

function openSocket(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v3/ws/public`);
    socket.addEventListener('open', () => {
      socket.close();
      resolve();
    });
    socket.addEventListener('error', () => reject(new Error('refused')));
  });
}
