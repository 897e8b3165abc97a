/**
 * What can be done when the database has lost packs that it had confirmed. Nodes stop then, and leave the last packs that they
 * had beside the log. These are put back; where that is not enough the operator restores the database, or accepts the loss
 * explicitly. What is taken out of the log or out of the snapshots is kept beside them.
 */
import type pg from 'pg';
import { chainOf, FIRST_CHAIN } from '../../cluster/pack.ts';
import type { DatabaseAddress } from '../../cluster/postgres/address.ts';
import { CannotStart, DataDamaged } from '../exit-codes.ts';
import { inTime, inTransaction, refuseUnlessCluster, withPrimary } from './database.ts';
import { findKept, type KeptPacks, keepSnapshots, putBack } from './put-back.ts';
import { type NodeView, nodesOf } from './status.ts';

const STRIP = 256;

export interface LogFindings {
  readonly firstPack: number;
  readonly lastPack: number;
  readonly lastCommand: number;
  /** The first pack that is missing or does not follow the one before it. */
  readonly broken: string | undefined;
  /** Snapshots that a node can begin with, and others. */
  readonly snapshots: readonly { readonly pack: number; readonly fits: boolean; readonly reason?: string }[];
  readonly historyCommand: number;
  /** Nodes that have applied more than the log has. */
  readonly ahead: readonly NodeView[];
  readonly live: readonly NodeView[];
  /** The most that was lost, in packs, as far as nodes have reported. */
  readonly lostPacks: number;
  readonly beside: KeptPacks;
}

export type RepairAct = 'look' | 'put back' | 'accept loss';

export interface Repaired extends LogFindings {
  /** Numbers of packs that `--put-back` has put into the log, and of others that were in their place. */
  readonly putBack: Pick<KeptPacks, 'missing' | 'replaced'> | undefined;
  /** What `--accept-loss` has taken away; the snapshots are kept aside. */
  readonly accepted: { readonly snapshots: readonly number[]; readonly nodes: readonly string[] } | undefined;
}

export function repairCluster(address: DatabaseAddress, act: RepairAct): Promise<Repaired> {
  return withPrimary(address, async ({ client }) => {
    await refuseUnlessCluster(client);
    const findings = await inspectLog(client);
    const undone = { putBack: undefined, accepted: undefined };
    if (act === 'look') return { ...findings, ...undone };
    refuseLive(findings);
    if (act === 'accept loss')
      return { ...findings, putBack: undefined, accepted: await accept(client, findings) };
    const { missing, replaced } = findings.beside;
    if (missing.length === 0)
      throw new CannotStart('there is nothing to put back: no node has kept more than the log has');
    await inTime(inTransaction(client, () => putBack(client)));
    return { ...(await inspectLog(client)), putBack: { missing, replaced }, accepted: undefined };
  });
}

function refuseLive({ live }: LogFindings): void {
  if (live.length > 0)
    throw new CannotStart(
      `${live.map(({ name }) => `node ${name}`).join(', ')} still runs: stop every node first, so that none answers from what is given up`,
    );
}

async function accept(client: pg.Client, findings: LogFindings): Promise<Repaired['accepted']> {
  const { broken, snapshots, firstPack, historyCommand, lastCommand, ahead } = findings;
  if (broken !== undefined)
    throw new DataDamaged(
      `${broken}: no node can begin before it and go on after it. Restore the database from a backup`,
    );
  if (!snapshots.some(({ fits }) => fits) && firstPack > 1)
    throw new DataDamaged(
      'no snapshot fits the log, and the log does not begin with the first pack. Restore the database from a backup',
    );
  if (historyCommand > lastCommand)
    throw new DataDamaged(
      `the history has command ${historyCommand}, the log ends at ${lastCommand}: they are of different moments. Restore the database from a backup`,
    );
  const unfit = snapshots.filter(({ fits }) => !fits).map(({ pack }) => pack);
  const names = ahead.map(({ name }) => name);
  await inTransaction(client, async () => {
    if (unfit.length > 0) await keepSnapshots(client, unfit);
    await client.query('DELETE FROM bourse_cluster.node WHERE name = ANY($1::text[])', [names]);
  });
  return { snapshots: unfit, nodes: names };
}

async function inspectLog(client: pg.Client): Promise<LogFindings> {
  const chains = new Map<number, Buffer>([[0, Buffer.from(FIRST_CHAIN)]]);
  const snapshots = await client.query(
    'SELECT no, next_seq, chain, whole FROM bourse_cluster.snapshot ORDER BY no',
  );
  const stored = snapshots.rows as { no: string; next_seq: string; chain: Buffer; whole: boolean }[];
  const wanted = new Set(stored.map(({ no }) => Number(no)));
  const { firstPack, lastPack, lastCommand, broken } = await walk(client, (no, chain) => {
    if (wanted.has(no)) chains.set(no, chain);
  });
  const nodes = await nodesOf(client, lastPack);
  const ahead = nodes.filter(({ appliedPack }) => appliedPack > lastPack);
  const historyCommand = await historyEnd(client);
  return {
    firstPack,
    lastPack,
    lastCommand,
    broken,
    snapshots: stored.map(({ no, chain, whole }) => {
      const own = chains.get(Number(no));
      const reason = !whole
        ? 'it was not finished'
        : own === undefined
          ? 'the log does not have its pack'
          : own.equals(chain)
            ? undefined
            : 'the log has another pack there';
      return { pack: Number(no), fits: reason === undefined, ...(reason !== undefined && { reason }) };
    }),
    historyCommand,
    ahead,
    live: nodes.filter(({ live }) => live),
    lostPacks: Math.max(0, ...ahead.map(({ appliedPack }) => appliedPack - lastPack)),
    beside: await findKept(client, lastPack),
  };
}

/** Every pack that the log has, in order. */
async function walk(client: pg.Client, note: (no: number, chain: Buffer) => void) {
  let firstPack = 0;
  let lastPack = -1;
  let lastCommand = 0;
  let chain: Buffer | undefined;
  let broken: string | undefined;
  for (;;) {
    const { rows } = await client.query(
      `SELECT no, first_seq, commands, chain, body FROM bourse_cluster.pack WHERE no > $1 ORDER BY no LIMIT ${STRIP}`,
      [lastPack],
    );
    for (const row of rows as {
      no: string;
      first_seq: string;
      commands: number;
      chain: Buffer;
      body: Buffer;
    }[]) {
      const no = Number(row.no);
      // Of the oldest that is kept only its own chain is known.
      if (chain === undefined) {
        if (no === 1) chain = Buffer.from(FIRST_CHAIN);
        if (no > 0) firstPack = no;
      } else if (firstPack === 0) firstPack = no;
      if (chain !== undefined && no !== lastPack + 1 && lastPack >= 0)
        broken ??= `pack ${lastPack + 1} is missing`;
      else if (chain !== undefined && !chainOf(chain, row.body).equals(row.chain))
        broken ??= `pack ${no} does not follow pack ${no - 1}: one of them was changed`;
      chain = row.chain;
      lastPack = no;
      lastCommand = Number(row.first_seq) + row.commands - 1;
      note(no, row.chain);
    }
    if (rows.length < STRIP) return { firstPack, lastPack: Math.max(0, lastPack), lastCommand, broken };
  }
}

/** The last command that the history has; 0 where there is none yet. */
async function historyEnd(client: pg.Client): Promise<number> {
  const { rows } = await client.query("SELECT to_regclass('history.meta') IS NOT NULL AS there");
  if (!(rows[0] as { there: boolean }).there) return 0;
  const meta = await client.query('SELECT last_seq FROM history.meta');
  return Number((meta.rows[0] as { last_seq: string } | undefined)?.last_seq ?? 0);
}
