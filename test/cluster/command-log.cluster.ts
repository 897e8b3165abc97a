/** The same cases on the journal of one machine, on simulated servers and on PostgreSQL. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EngineTime } from '../../src/cluster/engine-time.ts';
import { decodePack, FIRST_CHAIN } from '../../src/cluster/pack.ts';
import { type DatabaseAddress, readAddress } from '../../src/cluster/postgres/address.ts';
import { installCluster } from '../../src/cluster/postgres/install.ts';
import { PostgresEngine } from '../../src/cluster/postgres/postgres-engine.ts';
import { SharedLog } from '../../src/cluster/shared-log.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { openFileJournal } from '../../src/journal/file-journal.ts';
import { JournalLog } from '../../src/sequencer/command-log.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import { NO_SERVER, sharedServer } from '../postgres/server.ts';
import { commandLogContract, type LogUnderTest } from './command-log.contract.ts';
import { PostgresNode } from './postgres-node.ts';
import { SimulatedCluster, SimulatedConnection } from './simulated-engine.ts';
import { dice } from './simulation.ts';
import { VirtualTime } from './virtual-time.ts';

const BEGIN = { no: 0, nextSeq: 1, chain: FIRST_CHAIN, time: 0 };
const SMALL = { segmentBytes: 1024 * 1024, prepareStepBytes: 64 * 1024 };
const VIRTUAL_MS_MAX = 600_000;

interface Packed {
  readonly firstSeq: number;
  readonly body: Uint8Array;
}

const recordsOf = (packs: readonly Packed[]) =>
  packs.flatMap(({ firstSeq, body }) =>
    decodePack(body).map((payload, n) => ({ seq: firstSeq + n, payload })),
  );

commandLogContract('file', async () => {
  const parent = temporaryDirectory();
  const options = { directory: join(parent, 'data'), ...SMALL };
  const { journal } = await openFileJournal(options);
  return {
    log: new JournalLog(journal),
    exchange: new Exchange(),
    until: async (holds) => void (await until('the journal', holds)),
    close: () => journal.close(),
    found: async () => {
      await journal.close();
      const again = await openFileJournal(options);
      const records = Array.from(again.records, ({ seq, payload }) => ({ seq, payload: payload.slice() }));
      await again.journal.close();
      return records;
    },
    remove: async () => rmSync(parent, { recursive: true, force: true }),
  };
});

function onSimulated(world: SimulatedCluster, run: number): LogUnderTest {
  const { time } = world;
  const exchange = new Exchange();
  const engine = new SimulatedConnection(world, { isStopped: () => undefined });
  const log = new SharedLog({
    engine,
    run,
    begin: BEGIN,
    engineTime: new EngineTime({ monotonicMs: () => time.now, wallMs: () => time.now }, time.now),
    wallMs: () => Math.floor(time.now),
    timers: { after: (ms, act) => time.after(ms, act) },
    digest: () => exchange.state.digest.value,
  });
  let nodes = run;
  return {
    log,
    exchange,
    until: async (holds) => {
      for (let passed = 0; !holds(); passed += 5) {
        if (passed > VIRTUAL_MS_MAX) throw new Error('waited in vain');
        await time.run(5);
      }
    },
    close: () => log.close(),
    found: async () => recordsOf(world.primary.packs),
    second: async () => onSimulated(world, ++nodes),
    remove: async () => {},
  };
}

commandLogContract('simulated servers', async () =>
  onSimulated(new SimulatedCluster(new VirtualTime(), dice(7)), 1),
);

async function onPostgres(address: DatabaseAddress, remove: () => Promise<void>): Promise<LogUnderTest> {
  const { log, exchange } = await PostgresNode.join(address);
  return {
    log,
    exchange,
    until: async (holds) => void (await until('the database', holds)),
    close: () => log.close(),
    found: async () => {
      const engine = new PostgresEngine(address);
      await engine.reconnect();
      const packs: Packed[] = [];
      for (let more = await engine.read(0, 64); more.length > 0; more = await engine.read(packs.length, 64))
        packs.push(...more);
      await engine.close();
      return recordsOf(packs);
    },
    second: () => onPostgres(address, async () => {}),
    remove,
  };
}

commandLogContract(
  'PostgreSQL',
  async () => {
    const server = await sharedServer();
    const database = await server.createDatabase();
    const client = new pg.Client({ connectionString: server.url(database) });
    await client.connect();
    await installCluster(client, Buffer.alloc(32));
    await client.end();
    return onPostgres(readAddress(server.url(database)) as DatabaseAddress, async () => {
      // The last connections of the nodes are about to end.
      await sleep(1);
      await server.dropDatabase(database);
    });
  },
  NO_SERVER,
);
