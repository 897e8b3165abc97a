/**
 * The audit log of a cluster: one chain over the lines of all nodes, in PostgreSQL. A line is made for the end of the chain as
 * this node knows it; the database takes it in one statement or says that others came first: then it is made again behind them.
 * No node ever holds the lock. After a lost connection the same line is offered again, and found if it is there.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress } from '../cluster/postgres/address.ts';
import { AUDIT_CHANNEL } from '../cluster/postgres/schema-audit.ts';
import { ConnectionLost, ServerPair } from '../cluster/postgres/server-pair.ts';
import { AuditDamaged } from './audit-file.ts';
import { type AuditLine, CHAIN_START, type ChainHead, predecessorOf, readLine } from './audit-line.ts';
import { AuditLog } from './audit-log.ts';
import { type AuditStorage, AuditUnavailable, type MakeLine, type WrittenLine } from './audit-storage.ts';

const LOOK_MS = 1_000;
const WRITE_WITHIN_MS = 5_000;
const RETRY_MS = 20;
const LINES_AT_ONCE = 1_000;
const READ = { text: 'SELECT no, line FROM bourse_cluster.audit WHERE no >= $1 ORDER BY no LIMIT $2' };
const LAST = { text: 'SELECT line FROM bourse_cluster.audit ORDER BY no DESC LIMIT $1' };
const APPEND = { name: 'append_audit', text: 'SELECT bourse_cluster.append_audit($1, $2) AS done' };

const ADVICE =
  'Keep a copy of the table bourse_cluster.audit as evidence, then restore the database or empty the table: a new chain begins';

/** The table was changed by somebody else than the nodes. */
export class ClusterAuditDamaged extends AuditDamaged {
  constructor(what: string) {
    super(`the audit log in the database ${what}`, ADVICE);
  }
}

/**
 * `node` is the name that its lines carry, so that a start completes its own actions that were cut off and nobody else's. Close
 * the log to close its connections. Throws ConnectionLost, ClusterAuditDamaged.
 */
export async function openClusterAudit(
  address: DatabaseAddress,
  node: string,
  now: () => number,
): Promise<AuditLog> {
  const table = await openTable(address);
  try {
    return await AuditLog.openOver(table, now, node);
  } catch (error) {
    await table.close();
    throw error;
  }
}

/** The whole log, checked, for programs beside the nodes. Throws ConnectionLost, ClusterAuditDamaged. */
export async function readClusterAudit(address: DatabaseAddress): Promise<readonly AuditLine[]> {
  const table = await openTable(address);
  try {
    return await table.read();
  } finally {
    await table.close();
  }
}

async function openTable(address: DatabaseAddress): Promise<AuditTable> {
  const table = new AuditTable(address);
  await table.connect();
  return table;
}

class AuditTable implements AuditStorage {
  readonly #server: ServerPair;
  readonly #timer: NodeJS.Timeout;
  /** The last line that this node has seen; it may vanish with a server. */
  #head: ChainHead = CHAIN_START;
  /** The last line of its own that was acknowledged: everything up to it is safe. */
  #sure: ChainHead = CHAIN_START;
  /** Writes and looks, one after another: a line of one's own is never taken for another's. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #onOther: (line: AuditLine, text: string) => void = () => {};

  constructor(address: DatabaseAddress) {
    this.#server = new ServerPair(address, AUDIT_CHANNEL, () => this.#look());
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  connect(): Promise<void> {
    return this.#server.reconnect();
  }

  read(): Promise<readonly AuditLine[]> {
    return this.#inTurn(async () => {
      const lines: AuditLine[] = [];
      this.#head = CHAIN_START;
      await this.#advance((line) => lines.push(line));
      return lines;
    });
  }

  async last(limit: number): Promise<readonly AuditLine[]> {
    // One more to continue from.
    const most = Number.isFinite(limit) ? limit + 1 : null;
    const rows = await this.#lastRows(most);
    const texts = rows.map(({ line }) => String(line)).reverse();
    const lines: AuditLine[] = [];
    for (const text of texts) lines.push(checked(text, lines.at(-1) ?? predecessorOf(text)));
    return lines.slice(-limit);
  }

  async #lastRows(most: number | null): Promise<readonly Record<string, unknown>[]> {
    try {
      await this.#server.reconnect();
      return await this.#server.read({ ...LAST, values: [most] });
    } catch (error) {
      throw unavailable(error);
    }
  }

  write(make: MakeLine): Promise<WrittenLine | undefined> {
    return this.#inTurn(() => this.#write(make));
  }

  onOther(listener: (line: AuditLine, text: string) => void): void {
    this.#onOther = listener;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#server.close();
    await this.#turn;
  }

  async #write(make: MakeLine): Promise<WrittenLine | undefined> {
    const endMs = performance.now() + WRITE_WITHIN_MS;
    for (;;) {
      try {
        await this.#server.reconnect();
        await this.#advance(this.#onOther);
        const text = make(this.#head);
        if (text === undefined) return undefined;
        const line = checked(text, this.#head);
        if (await this.#append(line, text, endMs)) {
          this.#head = this.#sure = line;
          return { text, head: line };
        }
      } catch (error) {
        if (error instanceof ClusterAuditDamaged) throw error;
        if (performance.now() > endMs || this.#isClosed) throw unavailable(error);
        await sleep(RETRY_MS);
      }
    }
  }

  /** Offers the same line until the database has said yes or no; false when others came first. */
  async #append({ seq }: AuditLine, text: string, endMs: number): Promise<boolean> {
    for (;;) {
      try {
        await this.#server.reconnect();
        const [row] = await this.#server.write({ ...APPEND, values: [seq, text] }, endMs);
        return row?.done === true;
      } catch (error) {
        if (performance.now() > endMs || this.#isClosed || !(error instanceof ConnectionLost)) throw error;
      }
      await sleep(RETRY_MS);
    }
  }

  #look(): void {
    this.#inTurn(async () => {
      await this.#server.reconnect();
      await this.#advance(this.#onOther);
    }).catch(() => {});
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Goes to the end of the chain. Throws ClusterAuditDamaged. */
  async #advance(heard: (line: AuditLine, text: string) => void): Promise<void> {
    for (;;) {
      const { seq } = this.#head;
      const rows = await this.#server.read({ ...READ, values: [seq, LINES_AT_ONCE] });
      const texts = rows.map(({ line }) => String(line));
      if (seq > 0 && !isLine(texts.shift(), this.#head)) {
        this.#goBack();
        continue;
      }
      for (const text of texts) {
        const line = checked(text, this.#head);
        this.#head = line;
        heard(line, text);
      }
      if (rows.length < LINES_AT_ONCE) return;
    }
  }

  /** Lines of others that were seen before they were safe have gone with their server. */
  #goBack(): void {
    if (this.#head.seq === this.#sure.seq)
      throw new ClusterAuditDamaged(`has lost or changed line ${this.#sure.seq}, which was acknowledged`);
    this.#head = this.#sure;
  }
}

function unavailable(error: unknown): AuditUnavailable {
  return new AuditUnavailable(`the database does not answer: ${(error as Error).message}`, { cause: error });
}

/** Throws ClusterAuditDamaged. */
function checked(text: string, head: ChainHead): AuditLine {
  const line = readLine(text, head);
  if (typeof line === 'string') throw new ClusterAuditDamaged(`is damaged: line ${head.seq + 1} ${line}`);
  return line;
}

function isLine(text: string | undefined, { hash }: ChainHead): boolean {
  return text?.endsWith(`"hash":"${hash}"}`) === true;
}
