/** What a history takes and answers: SQLite in its file and PostgreSQL, with the rows of a busy spot market. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event } from '../src/core/model/event.ts';
import type { History } from '../src/history/history.ts';
import { openSqliteHistory } from '../src/history/sqlite-history.ts';
import {
  aFill,
  aLedgerLine,
  anOrder,
  COINS,
  INSTRUMENTS,
  START_TIME,
} from '../test/history/example-events.ts';
import { NO_SERVER, PostgresServer } from '../test/postgres/server.ts';
import { openAt } from '../test/postgres/storage.ts';
import type { Benchmark } from './report.ts';

const ROUNDS = 3;
const COMMANDS = 20_000;
const ROWS_EACH = 5;
const ACCOUNTS = 100;
const READS = 500;
/** As a replay waits for the history. */
const LAG_MAX = 20_000;

export const history: Benchmark = {
  title: 'History: SQLite and PostgreSQL',
  async run() {
    const server = NO_SERVER === false ? await PostgresServer.start({ durable: true }) : undefined;
    const home = mkdtempSync(join(tmpdir(), 'bourse-bench-'));
    const fail = (error: Error) => {
      throw error;
    };
    console.log(
      `${COMMANDS} commands with ${ROWS_EACH} rows each, ${ROUNDS} rounds; then ${READS} pages of 20 fills.\n`,
    );
    console.log('| database | round | rows/s | main thread, us a row | page p50 ms | p99 ms |');
    console.log('|---|---|---|---|---|---|');
    for (let round = 1; round <= ROUNDS; round++) {
      const path = join(home, `${round}.sqlite`);
      await measure('SQLite', round, await openSqliteHistory({ path, onFailure: fail }));
      if (server === undefined) continue;
      const url = server.url(await server.createDatabase());
      await measure('PostgreSQL', round, await openAt(url, { onFailure: fail, thread: true }));
      const other = server.url(await server.createDatabase());
      await measure('PostgreSQL, no thread', round, await openAt(other, { onFailure: fail }));
    }
    if (server === undefined) console.log(`\n${String(NO_SERVER)}`);
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  },
};

async function measure(name: string, round: number, history: History): Promise<void> {
  history.describe(INSTRUMENTS, COINS);
  const begun = performance.now();
  const busy = performance.eventLoopUtilization();
  for (let seq = 1; seq <= COMMANDS; seq++) {
    history.project({ seq, time: START_TIME + seq, events: eventsOf(seq) });
    if (history.lag() > LAG_MAX) await history.flush();
  }
  await history.flush();
  const tookMs = performance.now() - begun;
  const { active } = performance.eventLoopUtilization(busy);
  const pages: number[] = [];
  for (let n = 0; n < READS; n++) {
    const asked = performance.now();
    await history.fills({
      uid: 1 + (n % ACCOUNTS),
      startTime: 0,
      endTime: Number.MAX_SAFE_INTEGER,
      category: 'SPOT',
      limit: 20,
    });
    pages.push(performance.now() - asked);
  }
  pages.sort((a, b) => a - b);
  const rows = COMMANDS * ROWS_EACH;
  const figures = [
    name,
    round,
    Math.round((rows / tookMs) * 1000),
    ((active * 1000) / rows).toFixed(1),
    pages[Math.floor(READS / 2)]!.toFixed(2),
    pages[Math.floor(READS * 0.99)]!.toFixed(2),
  ];
  console.log(`| ${figures.join(' | ')} |`);
  await history.close();
}

/** An order that was filled by another: it, both fills and a ledger line of each. */
function eventsOf(seq: number): Event[] {
  const id = seq * 10;
  const time = START_TIME + seq;
  const [uid, other] = [1 + (seq % ACCOUNTS), 1 + ((seq * 7) % ACCOUNTS)];
  return [
    { type: 'order', order: anOrder({ orderId: id, uid, createdTime: time, clientOid: `client-${seq}` }) },
    { type: 'fill', fill: aFill({ execId: id + 1, orderId: id, uid, time }) },
    { type: 'fill', fill: aFill({ execId: id + 2, orderId: id - 5, uid: other, time, maker: true }) },
    aLedgerLine({ lineId: id + 3, uid, time }),
    aLedgerLine({ lineId: id + 4, uid: other, time, kind: 'tradeOut' }),
  ];
}
