/**
 * Packs that nodes have kept beside the log when the database had lost them. The longest chain that log and kept packs make
 * together is the one to go on with: what it has and the log lacks is put back as it was; what the log has instead is kept.
 */
import type pg from 'pg';
import { chainOfHash, FIRST_CHAIN } from '../../cluster/pack.ts';
import { KEPT_TABLES, PACK_COLUMNS } from '../../cluster/postgres/kept-packs.ts';

export interface KeptPacks {
  /** Beside the log, whether they belong into it or not. */
  readonly kept: number;
  /** Numbers of those that the longest chain has and the log lacks. */
  readonly missing: readonly number[];
  /** Numbers of those that the log has in another place than the longest chain. */
  readonly replaced: readonly number[];
  /** The last pack of the longest chain. */
  readonly lastPack: number;
}

interface Link {
  readonly no: number;
  readonly chain: Buffer;
  readonly sha256: Buffer;
  readonly isLogged: boolean;
  readonly before: Link | undefined;
}

type Row = Pick<Link, 'chain' | 'sha256'> & { readonly no: string; readonly logged: boolean };

export async function findKept(client: pg.Client, lastPack: number): Promise<KeptPacks> {
  const { links, logged, kept } = await longestChain(client);
  const isOn = new Set(links.map(nameOf));
  return {
    kept,
    missing: links.filter(({ isLogged }) => !isLogged).map(({ no }) => no),
    replaced: kept === 0 ? [] : logged.filter((link) => !isOn.has(nameOf(link))).map(({ no }) => no),
    lastPack: links.at(-1)?.no ?? lastPack,
  };
}

/** In the transaction of the caller. */
export async function putBack(client: pg.Client): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtext('bourse_cluster.pack'))");
  const { links, logged } = await longestChain(client);
  const isOn = new Set(links.map(nameOf));
  const replaced = logged.filter((link) => !isOn.has(nameOf(link)));
  await keepPacks(
    client,
    replaced.map(({ no }) => no),
  );
  for (const { no, chain, sha256, isLogged } of links)
    if (!isLogged)
      await client.query(
        `INSERT INTO bourse_cluster.pack (${PACK_COLUMNS}) SELECT ${PACK_COLUMNS} FROM bourse_cluster.kept_pack
          WHERE no = $1 AND chain = $2 AND sha256 = $3`,
        [no, chain, sha256],
      );
}

/** Takes packs out of the log, beside it. */
async function keepPacks(client: pg.Client, numbers: readonly number[]): Promise<void> {
  await client.query(
    `WITH gone AS (DELETE FROM bourse_cluster.pack WHERE no = ANY($1::bigint[]) RETURNING ${PACK_COLUMNS})
      INSERT INTO bourse_cluster.kept_pack (${PACK_COLUMNS}, sha256, kept_by)
      SELECT ${PACK_COLUMNS}, sha256(body), 'repair' FROM gone ON CONFLICT DO NOTHING`,
    [numbers],
  );
}

/** Takes snapshots out of the way of new nodes, beside the others. */
export async function keepSnapshots(client: pg.Client, numbers: readonly number[]): Promise<void> {
  await client.query(KEPT_TABLES);
  const values = [numbers];
  await client.query(
    `INSERT INTO bourse_cluster.kept_snapshot SELECT * FROM bourse_cluster.snapshot WHERE no = ANY($1::bigint[])
      ON CONFLICT DO NOTHING`,
    values,
  );
  await client.query(
    `INSERT INTO bourse_cluster.kept_snapshot_part SELECT s.no, s.chain, p.part, p.body
      FROM bourse_cluster.snapshot s JOIN bourse_cluster.snapshot_part p USING (no) WHERE s.no = ANY($1::bigint[])
      ON CONFLICT DO NOTHING`,
    values,
  );
  await client.query('DELETE FROM bourse_cluster.snapshot WHERE no = ANY($1::bigint[])', values);
}

/** From the pack before the first that is kept; of two that are equally long, that of the log. */
async function longestChain(client: pg.Client) {
  const nothing = { links: [], logged: [], kept: 0 } as const;
  const { rows: tables } = await client.query(
    "SELECT to_regclass('bourse_cluster.kept_pack') IS NOT NULL AS there",
  );
  if (!(tables[0] as { there: boolean }).there) return nothing;
  const { rows: counts } = await client.query(
    'SELECT min(no) AS first, count(*) AS kept FROM bourse_cluster.kept_pack',
  );
  const { first, kept } = counts[0] as { first: string | null; kept: string };
  if (first === null) return nothing;
  const { rows } = await client.query(
    `SELECT no, chain, sha256(body) AS sha256, true AS logged FROM bourse_cluster.pack WHERE no >= $1::bigint - 1
      UNION ALL SELECT no, chain, sha256, false FROM bourse_cluster.kept_pack ORDER BY no, logged DESC`,
    [first],
  );
  const packs = (rows as Row[]).map(({ no, chain, sha256, logged: isLogged }) => ({
    ...{ no: Number(no), chain, sha256, isLogged, before: undefined },
  }));
  const logged = packs.filter(({ isLogged }) => isLogged);
  const begin = Number(first) <= 1 ? ORIGIN : logged.find(({ no }) => no === Number(first) - 1);
  // Without the pack before it nothing says where the first belongs.
  const links = begin === undefined ? logged : follow(begin, packs);
  return { links, logged: logged.filter((link) => link !== begin), kept: Number(kept) };
}

/** Before the first pack. */
const ORIGIN: Link = {
  ...{ no: 0, chain: Buffer.from(FIRST_CHAIN), sha256: Buffer.alloc(0), isLogged: true, before: undefined },
};

function follow(begin: Link, packs: readonly Link[]): readonly Link[] {
  const byNumber = Map.groupBy(packs, ({ no }) => no);
  let ends: readonly Link[] = [begin];
  for (let no = begin.no + 1; ; no++) {
    const reached = (byNumber.get(no) ?? []).flatMap((pack) => {
      const before = ends.find(({ chain }) => chainOfHash(chain, pack.sha256).equals(pack.chain));
      return before === undefined ? [] : [{ ...pack, before }];
    });
    if (reached.length === 0) break;
    // The same pack may be in the log, which comes first, and beside it.
    ends = [...Map.groupBy(reached, nameOf).values()].map(([link]) => link!);
  }
  const links: Link[] = [];
  for (let link = ends[0]!; link.before !== undefined; link = link.before) links.unshift(link);
  return links;
}

const nameOf = ({ no, chain, sha256 }: Pick<Link, 'no' | 'chain' | 'sha256'>): string =>
  `${no} ${chain.toString('hex')} ${sha256.toString('hex')}`;
