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
  CHAIN_START,
  type ChainHead,
  formatLine,
} from './audit-line.ts';
import { AuditFull, type AuditStorage, MemoryAudit, openAuditFiles } from './audit-storage.ts';

/** An action before it runs. */
export type Intent = Pick<AuditEntry, 'operator' | 'action' | 'arguments'>;

/** An action without its outcome; `after` is the last command of the journal when it began. */
export type Begun = Intent & Pick<AuditEntry, 'after'>;

export interface Ending {
  readonly outcome: Exclude<AuditOutcome, 'begun'>;
  readonly detail?: string | undefined;
  readonly command: number | null;
}

export { AuditFull } from './audit-storage.ts';

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
  #head: ChainHead;
  #chain = '';
  #last: Promise<unknown> = Promise.resolve();
  #failure: Error | undefined;
  #listener: (line: string) => void = () => {};

  private constructor(storage: AuditStorage, head: ChainHead, now: () => number) {
    this.#storage = storage;
    this.#head = head;
    this.#now = now;
  }

  /** Throws AuditDamaged. An unfinished line of a crash is cut off. */
  static async open(directory: string, now: () => number): Promise<AuditLog> {
    return AuditLog.#over(await openAuditFiles(directory), now);
  }

  /** One that ends with the process. */
  static openInMemory(now: () => number): Promise<AuditLog> {
    return AuditLog.#over(new MemoryAudit(), now);
  }

  static async #over(storage: AuditStorage, now: () => number): Promise<AuditLog> {
    const lines = storage.read();
    const log = new AuditLog(storage, lines.at(-1) ?? CHAIN_START, now);
    if (lines.length === 0) await log.#startChain();
    else log.#resume(lines);
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

  async #startChain(): Promise<void> {
    this.#chain = randomBytes(CHAIN_NAME_BYTES).toString('hex');
    const entry = { operator: PROGRAM, action: CHAIN_ACTION, arguments: { chain: this.#chain } };
    await this.#append({ ...entry, outcome: 'done', command: null });
  }

  #resume(lines: readonly AuditLine[]): void {
    this.#chain = String(lines[0]!.arguments.chain);
    for (const line of lines) {
      if (line.outcome === 'begun') this.#begun.set(line.seq, line);
      else if (line.of !== undefined) this.#begun.delete(line.of);
    }
  }

  /** One after another: each line contains the hash of the one before. */
  #append(entry: AuditEntry): Promise<ChainHead> {
    const appended = this.#last.then(async () => {
      await this.#writeLate();
      return this.#write(entry);
    });
    this.#last = appended.catch((error: Error) => {
      if (!(error instanceof AuditFull)) this.#failure ??= error;
    });
    return appended;
  }

  async #writeLate(): Promise<void> {
    while (this.#late.length > 0) {
      await this.#write(this.#late[0]!);
      this.#late.shift();
    }
  }

  async #write(entry: AuditEntry): Promise<ChainHead> {
    if (this.#failure !== undefined) throw this.#failure;
    const text = `${formatLine(this.#head, this.#now(), entry)}\n`;
    const head = { seq: this.#head.seq + 1, hash: text.slice(-67, -3) };
    await this.#storage.write(text, head);
    this.#head = head;
    this.#listener(text.trimEnd());
    return head;
  }
}
