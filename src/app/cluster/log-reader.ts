/** The log of a cluster as somebody reads it who is no node: from the newest snapshot to the last pack that is safe. */
import type pg from 'pg';
import { chainOf, decodePack, FIRST_CHAIN } from '../../cluster/pack.ts';
import type { DatabaseAddress } from '../../cluster/postgres/address.ts';
import { SideConnection } from '../../cluster/postgres/side-connection.ts';
import { type LogPosition, stamped, timeOf } from '../../cluster/shared-log.ts';
import { loadSnapshot } from '../../cluster/snapshots.ts';
import { saveState } from '../../core/snapshot/snapshot.ts';
import type { LoggedRecord, Snapshot } from '../../journal/command-journal.ts';
import { CannotStart, DataDamaged } from '../exit-codes.ts';
import { inTime } from './database.ts';

/** A snapshot of a large state takes its time. */
const ANSWER_MS = 60_000;
const STRIP = 256;
/** "The transaction has already committed locally, but might not have been replicated". */
const MAYBE_LOST = '01000';

export interface LogContents {
  /** Undefined where the log begins with the first command. */
  readonly snapshot: Snapshot | undefined;
  /** Commands after it that were executed; void ones are left out. */
  readonly records: readonly LoggedRecord[];
  readonly end: LogPosition;
}

interface Row {
  readonly no: string;
  readonly first_seq: string;
  readonly commands: number;
  readonly at: string;
  readonly stamp: string;
  readonly deadline: string;
  readonly chain: Buffer;
  readonly body: Buffer;
}

/** Throws DataDamaged where a pack is missing or does not follow the one before it. */
export async function readLog(client: pg.Client, address: DatabaseAddress): Promise<LogContents> {
  const loaded = await newestSnapshot(address);
  const begin = loaded?.position ?? { no: 0, nextSeq: 1, chain: FIRST_CHAIN, time: 0 };
  const records: LoggedRecord[] = [];
  let end: LogPosition = begin;
  for (;;) {
    const { rows } = await client.query(
      `SELECT no, first_seq, commands, at, stamp, deadline, chain, body FROM bourse_cluster.pack
        WHERE no > $1 ORDER BY no LIMIT ${STRIP}`,
      [end.no],
    );
    for (const row of rows as Row[]) end = take(row, end, records);
    if (rows.length < STRIP) break;
  }
  await confirm(client);
  const snapshot =
    loaded === undefined ? undefined : { seq: begin.nextSeq - 1, state: saveState(loaded.state) };
  return { snapshot, records, end };
}

function take(row: Row, before: LogPosition, records: LoggedRecord[]): LogPosition {
  const [no, firstSeq] = [Number(row.no), Number(row.first_seq)];
  if (no !== before.no + 1)
    throw new DataDamaged(`pack ${before.no + 1} is missing in the log; the next one is ${no}`);
  const chain = chainOf(before.chain, row.body);
  if (Buffer.compare(chain, row.chain) !== 0 || firstSeq !== before.nextSeq)
    throw new DataDamaged(`pack ${no} does not follow pack ${before.no}: one of them was changed`);
  const time = timeOf({ at: Number(row.at), stamp: Number(row.stamp) }, before.time);
  if (Number(row.at) <= Number(row.deadline))
    for (const [n, payload] of decodePack(row.body).entries())
      records.push({ seq: firstSeq + n, payload: stamped(payload, time) });
  return { no, nextSeq: firstSeq + row.commands, chain, time };
}

async function newestSnapshot(address: DatabaseAddress) {
  const side = new SideConnection(address, ANSWER_MS);
  try {
    return await loadSnapshot(side, () => {});
  } finally {
    await side.close();
  }
}

/** What was visible may still vanish with its server. A write of one's own that is acknowledged makes all before it safe. */
async function confirm(client: pg.Client): Promise<void> {
  let isLost = false;
  const heard = ({ code }: { readonly code?: string | undefined }) => {
    isLost ||= code === MAYBE_LOST;
  };
  client.on('notice', heard);
  try {
    await inTime(client.query('UPDATE bourse_cluster.cluster SET schema_version = schema_version'));
  } finally {
    client.off('notice', heard);
  }
  if (isLost)
    throw new CannotStart('the server did not wait for its standby: try again when it is connected');
}
