/** A sequencer with the real core on a log in PostgreSQL, and the log as somebody else reads it. */
import assert from 'node:assert/strict';
import { EngineTime } from '../../src/cluster/engine-time.ts';
import { decodePack, FIRST_CHAIN } from '../../src/cluster/pack.ts';
import type { DatabaseAddress } from '../../src/cluster/postgres/address.ts';
import { PostgresEngine } from '../../src/cluster/postgres/postgres-engine.ts';
import { SharedLog } from '../../src/cluster/shared-log.ts';
import { decodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { WallClock } from '../../src/sequencer/clock.ts';
import { Sequencer } from '../../src/sequencer/sequencer.ts';
import { noHistory } from '../harness/memory-journal.ts';

const timers = {
  after: (ms: number, act: () => void) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

export class PostgresNode {
  readonly exchange = new Exchange();
  readonly sequencer: Sequencer;
  readonly log: SharedLog;

  private constructor(engine: PostgresEngine, run: number, now: number) {
    this.log = new SharedLog({
      engine,
      run,
      begin: { no: 0, nextSeq: 1, chain: FIRST_CHAIN, time: 0 },
      engineTime: new EngineTime({ monotonicMs: () => performance.now(), wallMs: Date.now }, now),
      wallMs: Date.now,
      timers,
      digest: () => this.exchange.state.digest.value,
      onDisagreement: (other, no) => assert.fail(`run ${other} differs after pack ${no}`),
    });
    this.sequencer = new Sequencer(this.exchange, this.log, noHistory(), new WallClock(), 0);
  }

  static async join(address: DatabaseAddress): Promise<PostgresNode> {
    const engine = new PostgresEngine(address);
    await engine.reconnect();
    const [row] = await engine.query(
      "SELECT nextval('bourse_cluster.run') AS run, bourse_cluster.now_ms() AS now",
    );
    return new PostgresNode(engine, Number(row!.run), Number(row!.now));
  }
}

/** The state that the log leads to, and the orders in it by their client ids, of which none may stand twice. */
export async function replayOf(address: DatabaseAddress) {
  const engine = new PostgresEngine(address);
  await engine.reconnect();
  const exchange = new Exchange();
  const orders = new Map<string, number>();
  let [time, last] = [0, 0];
  for (let packs = await engine.read(0, 64); packs.length > 0; packs = await engine.read(last, 64)) {
    for (const pack of packs) {
      assert.equal(pack.no, ++last);
      time = Math.max(time, Math.min(pack.at, pack.stamp + 5_000));
      if (pack.at > pack.deadline) continue;
      for (const [n, payload] of decodePack(pack.body).entries()) {
        const command = { ...decodeCommand(payload), time };
        const { orderId } = exchange.apply(command, pack.firstSeq + n);
        exchange.takeEvents();
        if (command.type !== 'placeOrder') continue;
        assert.ok(!orders.has(command.clientOid), `${command.clientOid} stands twice in the log`);
        orders.set(command.clientOid, orderId);
      }
    }
  }
  await engine.close();
  return { exchange, orders, last };
}
