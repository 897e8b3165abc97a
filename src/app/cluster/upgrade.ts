/**
 * Enters the newest edition of the rules in a cluster, by a command that every node meets at the same place in the log. Nodes
 * of an older program would stop there, so it is refused while one of them runs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { decodePack, encodePack } from '../../cluster/pack.ts';
import type { DatabaseAddress } from '../../cluster/postgres/address.ts';
import { PostgresEngine } from '../../cluster/postgres/postgres-engine.ts';
import { DUTY_DEADLINE_MS } from '../../cluster/shared-log.ts';
import { decodeCommand, encodeCommand } from '../../core/codec/command-codec.ts';
import { Exchange } from '../../core/engine/exchange.ts';
import type { Command } from '../../core/model/command.ts';
import { NEWEST_EDITION } from '../../core/model/edition.ts';
import { CannotStart } from '../exit-codes.ts';
import { inTime, refuseUnlessCluster, withPrimary } from './database.ts';
import { nodesOf } from './status.ts';

const TRIES_MAX = 5;
const APPLIED_WITHIN_MS = 15_000;
const POLL_MS = 200;
const STRIP = 256;
/** No node compares its state with that of a sender that has none. */
const NO_STATE = -1;

export interface Upgraded {
  readonly before: number;
  readonly after: number;
  /** Where it stands in the log; absent when nothing had to change. */
  readonly command?: number;
  /** Live nodes that have applied it. */
  readonly nodes: readonly string[];
}

export function upgradeCluster(address: DatabaseAddress, operator: string): Promise<Upgraded> {
  return withPrimary(address, async ({ client }) => {
    await refuseUnlessCluster(client);
    const live = await liveNodes(client);
    const older = live.filter(({ editionMax }) => editionMax < NEWEST_EDITION);
    if (older.length > 0)
      throw new CannotStart(
        `edition ${NEWEST_EDITION} of the rules is not entered: ${older
          .map(
            ({ name, version, editionMax }) =>
              `node ${name} runs ${version}, which knows edition ${editionMax}`,
          )
          .join('; ')}. Restart it with the new program first`,
      );
    const before = await editionInForce(client);
    if (before >= NEWEST_EDITION) return { before, after: before, nodes: live.map(({ name }) => name) };
    const placed = await append(address, client, {
      type: 'setEdition',
      time: Date.now(),
      edition: NEWEST_EDITION,
      by: operator,
    });
    const nodes = await applied(client, placed.no);
    return { before, after: NEWEST_EDITION, command: placed.firstSeq, nodes };
  });
}

/** The edition of the newest snapshot, or the one that a later command has entered. */
export async function editionInForce(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    'SELECT no, edition FROM bourse_cluster.snapshot WHERE whole ORDER BY no DESC LIMIT 1',
  );
  const [newest] = rows as { no: string; edition: number }[];
  let edition = newest?.edition ?? new Exchange().state.edition;
  const code = encodeCommand({ type: 'setEdition', time: 0, edition: 1, by: '' })[0];
  let last = Number(newest?.no ?? 0);
  for (;;) {
    const packs = await client.query(
      `SELECT no, at <= deadline AS counts, body FROM bourse_cluster.pack WHERE no > $1 ORDER BY no LIMIT ${STRIP}`,
      [last],
    );
    for (const { no, counts, body } of packs.rows as { no: string; counts: boolean; body: Buffer }[]) {
      last = Number(no);
      for (const payload of counts ? decodePack(body) : []) {
        if (payload[0] !== code) continue;
        const command = decodeCommand(payload);
        if (command.type === 'setEdition') edition = Math.max(edition, command.edition);
      }
    }
    if (packs.rows.length < STRIP) return edition;
  }
}

async function liveNodes(client: pg.Client) {
  return (await nodesOf(client, 0)).filter(({ live }) => live);
}

/** A pack of one command, from nobody's node; repeated under the same number until it has its place. */
async function append(address: DatabaseAddress, client: pg.Client, command: Command) {
  const { rows } = await client.query(
    `SELECT nextval('bourse_cluster.run') AS run, bourse_cluster.now_ms() AS now,
      (SELECT coalesce(max(no), 0) FROM bourse_cluster.pack) AS known`,
  );
  const [row] = rows as [{ run: string; now: string; known: string }];
  const pack = {
    run: Number(row.run),
    runPack: 1,
    known: Number(row.known),
    confirmed: 0,
    stamp: Date.now(),
    deadline: Number(row.now) + DUTY_DEADLINE_MS,
    asOf: NO_STATE,
    digest: 0,
    commands: 1,
    body: encodePack([encodeCommand(command)]),
  };
  const engine = new PostgresEngine(address);
  try {
    for (let tries = 1; ; tries++) {
      try {
        await engine.reconnect();
        const placed = await inTime(engine.append(pack));
        if (placed.at > pack.deadline) throw new CannotStart('the database answered too late: try again');
        engine.confirm(placed.no);
        return placed;
      } catch (error) {
        if (tries === TRIES_MAX || error instanceof CannotStart) throw error;
        await sleep(POLL_MS);
      }
    }
  } finally {
    await engine.close();
  }
}

/** Names of the live nodes, once all have applied the pack. */
async function applied(client: pg.Client, no: number): Promise<string[]> {
  const endMs = performance.now() + APPLIED_WITHIN_MS;
  for (;;) {
    const live = await liveNodes(client);
    const behind = live.filter(({ appliedPack }) => appliedPack < no);
    if (behind.length === 0) return live.map(({ name }) => name);
    if (performance.now() > endMs)
      throw new CannotStart(
        `the command is in the log, but ${behind.map(({ name }) => `node ${name}`).join(', ')} has not applied it yet: see "bourse cluster status"`,
      );
    await sleep(POLL_MS);
  }
}
