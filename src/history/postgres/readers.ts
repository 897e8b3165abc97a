/** Connections for reads: each read sees one moment of the history, whatever is stored meanwhile. */
import { answerLater, type Read, type Select, type SelectValue } from '../read.ts';
import type { Row } from '../tables/table.ts';
import type { PostgresAddress } from './address.ts';
import { Session } from './session.ts';

const SESSIONS_MAX = 4;
/** A read that takes longer is given up with its connection: the server may have stopped to answer. */
const ANSWER_WITHIN_MS = 30_000;

export class Readers {
  readonly #address: PostgresAddress;
  readonly #name: string;
  readonly #free: Session[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #statements = new Map<string, { readonly text: string; readonly name: string }>();
  #busy = 0;
  #closed = false;

  constructor(address: PostgresAddress, name: string) {
    this.#address = address;
    this.#name = name;
  }

  /** Rejects as the server does. */
  async answer<Answer>(read: Read<Answer>): Promise<Answer> {
    const session = await this.#take();
    const patience = setTimeout(() => session.destroy(), ANSWER_WITHIN_MS);
    try {
      const begun = session.rows('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // Its error is that of the first statement as well.
      begun.catch(() => {});
      return await answerLater(read, (select) => this.#rows(session, select));
    } finally {
      clearTimeout(patience);
      this.#giveBack(session);
    }
  }

  close(): void {
    this.#closed = true;
    for (const session of this.#free.splice(0)) session.destroy();
    for (const next of this.#waiting.splice(0)) next();
  }

  async #rows(session: Session, { text, values }: Select): Promise<Row[]> {
    // No row has such a text, and the server refuses it as a value.
    if (values.some(hasZero)) return [];
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = { text: numbered(text), name: `read ${this.#statements.size + 1}` };
      this.#statements.set(text, statement);
    }
    return (await session.rows(statement.text, values, statement.name)) as Row[];
  }

  async #take(): Promise<Session> {
    while (this.#busy >= SESSIONS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#closed) throw new Error('history is closed');
    this.#busy += 1;
    try {
      const session = this.#idle() ?? (await Session.open(this.#address, this.#name));
      if (this.#closed) session.destroy();
      return session;
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Connections that were lost while nobody used them are passed over. */
  #idle(): Session | undefined {
    let session = this.#free.pop();
    while (session?.lost === true) session = this.#free.pop();
    return session;
  }

  #giveBack(session: Session): void {
    // After an error this rolls back; what it answers is of no interest.
    session.rows('COMMIT').catch(() => session.destroy());
    if (this.#closed) session.destroy();
    else if (!session.lost) this.#free.push(session);
    this.#release();
  }

  #release(): void {
    this.#busy -= 1;
    this.#waiting.shift()?.();
  }
}

/** `?` as PostgreSQL writes it. */
function numbered(text: string): string {
  let n = 0;
  return text.replace(/IN \?|\?/g, (found) => (found === '?' ? `$${++n}` : `= ANY($${++n})`));
}

function hasZero(value: SelectValue): boolean {
  return typeof value === 'string' && value.includes('\0');
}
