/**
 * The audit log of a running exchange: actions of operators in their order. A line is on disk before the response is
 * sent. On a full disk the next line may find space; the outcome of an action waits for that. After any other disk error
 * the log accepts nothing more until the next start has checked it.
 */
import { randomBytes } from 'node:crypto';
import {
  type AuditEntry,
  type AuditLine,
  type AuditOutcome,
  CHAIN_ACTION,
  type ChainHead,
  formatLine,
} from './audit-line.ts';
import { AuditFull, type AuditStorage, type MakeLine, MemoryAudit, openAuditFiles } from './audit-storage.ts';

/** An action before it runs. */
export type Intent = Pick<AuditEntry, 'operator' | 'action' | 'arguments'>;

/** An action without its outcome; `after` is the last command of the journal when it began. */
export type Begun = Intent & Pick<AuditEntry, 'after'>;

export interface Ending {
  readonly outcome: Exclude<AuditOutcome, 'begun'>;
  readonly detail?: string | undefined;
  readonly command: number | null;
}

export { AuditFull, AuditUnavailable } from './audit-storage.ts';

const CHAIN_NAME_BYTES = 4;
/** The program itself, for lines without an operator. */
const PROGRAM = 'bourse';

export class AuditLog {
  readonly #storage: AuditStorage;
  readonly #now: () => number;
  /** Actions whose outcome is not written yet, by the number of their first line. */
  readonly #begun = new Map<number, Begun>();
  /** Outcomes that found no space; they are written before the next line. */
  readonly #late: AuditEntry[] = [];
  readonly #node: string | undefined;
  #chain = '';
  #last: Promise<unknown> = Promise.resolve();
  #failure: Error | undefined;
  #listener: (line: string) => void = () => {};

  private constructor(storage: AuditStorage, now: () => number, node: string | undefined) {
    this.#storage = storage;
    this.#now = now;
    this.#node = node;
    storage.onOther((line, text) => this.#hear(line, text));
  }

  /** Throws AuditDamaged. An unfinished line of a crash is cut off. */
  static async open(directory: string, now: () => number): Promise<AuditLog> {
    return AuditLog.openOver(await openAuditFiles(directory), now);
  }

  /** One that ends with the process. */
  static openInMemory(now: () => number): Promise<AuditLog> {
    return AuditLog.openOver(new MemoryAudit(), now);
  }

  /** `node` names the writer in a cluster. Lines carry it, and only interrupted actions of this node are completed here. */
  static async openOver(storage: AuditStorage, now: () => number, node?: string): Promise<AuditLog> {
    const log = new AuditLog(storage, now, node);
    let lines = await storage.read();
    if (lines.length === 0) {
      await log.#startChain();
      lines = await storage.read();
    }
    log.#resume(lines);
    return log;
  }

  /** The last lines, or all, checked. Throws AuditDamaged. */
  last(limit = Number.POSITIVE_INFINITY): Promise<readonly AuditLine[]> {
    return this.#storage.last(limit);
  }

  /** The chain's name in commands, so that a new chain is not compared with old commands. */
  get chain(): string {
    return this.#chain;
  }

  /** Actions that began and have no outcome: the process ended in between. */
  interrupted(): ReadonlyMap<number, Begun> {
    return this.#begun;
  }

  /** Resolves with the number of the line when it is on disk; only then may the action run. */
  async begin(intent: Intent, after: number): Promise<number> {
    const { seq } = await this.#append({ ...intent, outcome: 'begun', after, command: null });
    this.#begun.set(seq, { ...intent, after });
    return seq;
  }

  /** Throws AuditFull when there is no space; the outcome is written as soon as there is, or by the next start. */
  async end(of: number, ending: Ending): Promise<void> {
    const { operator, action, arguments: recordedArguments } = this.#begun.get(of)!;
    const { outcome, detail, command } = ending;
    const said = detail === undefined ? {} : { detail };
    const entry = { operator, action, arguments: recordedArguments, outcome, ...said, of, command };
    this.#begun.delete(of);
    try {
      await this.#append(entry);
    } catch (error) {
      if (error instanceof AuditFull) this.#late.push(entry);
      throw error;
    }
  }

  /** Called with each line, as JSON, when it is on disk. */
  onLine(listener: (line: string) => void): void {
    this.#listener = listener;
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#writeLate().catch(() => {});
    await this.#storage.close();
  }

  /** Unless another node has started it. */
  async #startChain(): Promise<void> {
    const chain = randomBytes(CHAIN_NAME_BYTES).toString('hex');
    const entry = { operator: PROGRAM, action: CHAIN_ACTION, arguments: { chain } };
    await this.#storage.write(({ seq, hash }) =>
      seq > 0 ? undefined : this.#lineOf({ seq, hash }, { ...entry, outcome: 'done', command: null }),
    );
  }

  #resume(lines: readonly AuditLine[]): void {
    this.#chain = String(lines[0]!.arguments.chain);
    for (const line of lines) {
      if (line.node !== this.#node) continue;
      if (line.outcome === 'begun') this.#begun.set(line.seq, line);
      else if (line.of !== undefined) this.#begun.delete(line.of);
    }
  }

  /** One after another: each line contains the hash of the one before. */
  #append(entry: AuditEntry): Promise<ChainHead> {
    const appended = this.#last.then(async () => {
      await this.#writeLate();
      return (await this.#write((head) => this.#lineOf(head, entry)))!;
    });
    this.#last = appended.catch((error: Error) => {
      if (!(error instanceof AuditFull)) this.#failure ??= error;
    });
    return appended;
  }

  async #writeLate(): Promise<void> {
    while (this.#late.length > 0) {
      const [entry] = this.#late as [AuditEntry];
      await this.#write((head) => (this.#late[0] === entry ? this.#lineOf(head, entry) : undefined));
      if (this.#late[0] === entry) this.#late.shift();
    }
  }

  async #write(make: MakeLine): Promise<ChainHead | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    const written = await this.#storage.write(make);
    if (written !== undefined) this.#listener(written.text);
    return written?.head;
  }

  #lineOf(head: ChainHead, entry: AuditEntry): string {
    const named = this.#node === undefined ? entry : { node: this.#node, ...entry };
    return formatLine(head, this.#now(), named);
  }

  /** A line of another node, or one of its own that it had given up: the database had it. */
  #hear(line: AuditLine, text: string): void {
    const late = this.#late.findIndex(({ of }) => line.node === this.#node && of === line.of);
    if (late !== -1) this.#late.splice(late, 1);
    this.#listener(text);
  }
}
