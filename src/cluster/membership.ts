/** The row of a node in the database, written each second, and what it learns of the others and of the engine by it. */
import type { Durability } from './postgres/durability-checks.ts';

/** A node that has not written for so long is not counted as alive. */
export const ALIVE_MS = 3_000;

export interface NodeFacts {
  readonly url: string;
  readonly operatorUrl: string | undefined;
  readonly version: string;
  readonly editionMax: number;
  /** The last pack, the last command, and the digest after them. */
  readonly applied: number;
  readonly appliedSeq: number;
  readonly digest: number;
  readonly identitySeen: number;
  /** The hash of the whole state after a pack; undefined before the first. */
  readonly hash: { readonly no: number; readonly bytes: Uint8Array } | undefined;
}

/** Another node that is alive, or this one. */
export interface Member {
  readonly name: string;
  readonly run: number;
  readonly role: 'node' | 'scribe';
  readonly applied: number;
  readonly digest: number;
}

export interface ClusterView {
  readonly members: readonly Member[];
  /** How far the engine's clock is ahead of this machine's, in ms. */
  readonly engineAheadMs: number;
  /** No standby has what was committed last. */
  readonly oneCopy: boolean;
}

type Query = (text: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;

const WRITE = `INSERT INTO bourse_cluster.node AS n
    (name, run, role, url, operator_url, version, edition_max, applied, applied_seq, digest, identity_seen, hash_no, hash, seen)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET run = excluded.run, role = excluded.role, url = excluded.url,
    operator_url = excluded.operator_url, version = excluded.version, edition_max = excluded.edition_max,
    applied = excluded.applied, applied_seq = excluded.applied_seq, digest = excluded.digest,
    identity_seen = excluded.identity_seen, hash_no = coalesce(excluded.hash_no, n.hash_no),
    hash = coalesce(excluded.hash, n.hash), seen = excluded.seen
  WHERE n.run <= excluded.run
  RETURNING bourse_cluster.now_ms() AS now`;

const MEMBERS = `SELECT name, run, role, applied, digest FROM bourse_cluster.node
  WHERE seen > clock_timestamp() - ${ALIVE_MS} * interval '1 ms' ORDER BY name`;

const STANDBYS = `SELECT count(*)::int AS count FROM pg_stat_replication
  WHERE sync_state IN ('sync', 'quorum') AND state = 'streaming'`;

export class Membership {
  readonly #query: Query;
  readonly #durability: Durability;
  readonly name: string;
  readonly run: number;
  readonly role: Member['role'];
  #last: ClusterView = { members: [], engineAheadMs: 0, oneCopy: false };

  constructor(
    query: Query,
    {
      name,
      run,
      role,
      durability,
    }: Pick<Member, 'name' | 'run' | 'role'> & { readonly durability: Durability },
  ) {
    this.#query = query;
    this.name = name;
    this.run = run;
    this.role = role;
    this.#durability = durability;
  }

  /** As of the last time that the row was written. */
  get view(): ClusterView {
    return this.#last;
  }

  /** False when another process with this name has begun later. */
  async write(facts: NodeFacts): Promise<boolean> {
    const { name, run, role } = this;
    const begun = Date.now();
    const [written] = await this.#query(WRITE, [
      ...[name, run, role, facts.url, facts.operatorUrl ?? null, facts.version, facts.editionMax],
      ...[facts.applied, facts.appliedSeq, facts.digest, facts.identitySeen],
      ...[facts.hash?.no ?? null, facts.hash?.bytes ?? null],
    ]);
    if (written === undefined) return false;
    const engineAheadMs = Number(written.now) - (begun + Date.now()) / 2;
    const members = (await this.#query(MEMBERS, [])).map(memberOf);
    const standbys = this.#durability === 'standby' ? await this.#query(STANDBYS, []) : [{ count: 1 }];
    this.#last = { members, engineAheadMs, oneCopy: standbys[0]?.count === 0 };
    return true;
  }

  /** Others need not wait to see that it has gone. */
  async leave(): Promise<void> {
    await this.#query("UPDATE bourse_cluster.node SET seen = '-infinity' WHERE name = $1 AND run = $2", [
      this.name,
      this.run,
    ]);
  }
}

function memberOf(row: Record<string, unknown>): Member {
  const { name, run, role, applied, digest } = row;
  return {
    name: String(name),
    run: Number(run),
    role: role as Member['role'],
    applied: Number(applied),
    digest: Number(digest),
  };
}

/** Resolves with whether a process with this name is alive: one that was killed has a fresh row for a while. */
export async function isAlive(query: Query, name: string): Promise<boolean> {
  const seen = async () => {
    const [row] = await query(
      `SELECT seen::text AS seen FROM bourse_cluster.node
        WHERE name = $1 AND seen > clock_timestamp() - ${ALIVE_MS} * interval '1 ms'`,
      [name],
    );
    return row?.seen;
  };
  const first = await seen();
  if (first === undefined) return false;
  await new Promise((resolve) => setTimeout(resolve, ALIVE_MS / 2));
  const second = await seen();
  return second !== undefined && second !== first;
}
