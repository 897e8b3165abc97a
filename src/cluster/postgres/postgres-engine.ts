/** PostgreSQL as the engine. */
import {
  type EngineNotice,
  type OfferedPack,
  type PackEngine,
  PackFenced,
  type PlacedPack,
  type StoredPack,
} from '../engine.ts';
import type { DatabaseAddress } from './address.ts';
import { CHANNEL, FENCED } from './schema.ts';
import { ServerPair } from './server-pair.ts';

const APPEND = {
  name: 'append',
  text: 'SELECT * FROM bourse_cluster.append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)',
};
const READ = {
  name: 'read',
  text: `SELECT no, first_seq, commands, run, run_pack, confirmed, at, stamp, deadline, as_of, digest, duty, epoch, chain, body
    FROM bourse_cluster.pack WHERE no > $1 ORDER BY no LIMIT $2`,
};

export class PostgresEngine implements PackEngine {
  readonly #server: ServerPair;
  #onNotice: (notice: EngineNotice) => void = () => {};
  #onMessage: (message: string) => void = () => {};

  constructor(address: DatabaseAddress) {
    this.#server = new ServerPair(address, CHANNEL, (payload) => this.#hear(payload));
  }

  onNotice(listener: (notice: EngineNotice) => void): void {
    this.#onNotice = listener;
  }

  /** Called with what a node has sent by `notify`. */
  onMessage(listener: (message: string) => void): void {
    this.#onMessage = listener;
  }

  /** Sends a message of lower-case letters to all nodes; it may be lost. */
  notify(message: string): void {
    this.#server.read({ text: `NOTIFY ${CHANNEL}, '=${message}'` }).catch(() => {});
  }

  async append(pack: OfferedPack): Promise<PlacedPack> {
    const { duty } = pack;
    const values = [
      pack.run,
      pack.runPack,
      pack.known,
      pack.confirmed,
      pack.stamp,
      pack.deadline,
      pack.asOf,
      pack.digest,
      duty?.name,
      duty?.epoch,
      pack.commands,
      pack.body,
    ];
    try {
      const rows = await this.#server.write({ ...APPEND, values });
      const [row] = rows as [{ no_: string; first_seq_: string; at_: string }];
      return { no: Number(row.no_), firstSeq: Number(row.first_seq_), at: Number(row.at_) };
    } catch (error) {
      if ((error as { code?: unknown }).code === FENCED) throw new PackFenced((error as Error).message);
      throw error;
    }
  }

  async read(after: number, most: number): Promise<readonly StoredPack[]> {
    return (await this.#server.read({ ...READ, values: [after, most] })).map(storedPack);
  }

  /** One statement, for what is not on the way of commands. */
  query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.#server.read({ text, values: [...values] });
  }

  confirm(no: number): void {
    // A hint: a node that misses it reads the log each second.
    this.#server.read({ text: `NOTIFY ${CHANNEL}, 'c${no}'` }).catch(() => {});
  }

  reconnect(): Promise<void> {
    return this.#server.reconnect();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #hear(payload: string): void {
    if (payload.startsWith('=')) {
      this.#onMessage(payload.slice(1));
      return;
    }
    const no = Number(payload.replace(/^c/, ''));
    if (!Number.isSafeInteger(no)) return;
    this.#onNotice(payload.startsWith('c') ? { confirmed: no } : { visible: no });
  }
}

const NUMBERS = {
  no: 'no',
  firstSeq: 'first_seq',
  commands: 'commands',
  run: 'run',
  runPack: 'run_pack',
  confirmed: 'confirmed',
  at: 'at',
  stamp: 'stamp',
  deadline: 'deadline',
  asOf: 'as_of',
  digest: 'digest',
} as const;

function storedPack(row: Record<string, unknown>): StoredPack {
  const numbers = Object.entries(NUMBERS).map(([name, column]) => [name, Number(row[column])]);
  const { body, chain } = row as { readonly body: Uint8Array; readonly chain: Uint8Array };
  const duty = typeof row.duty === 'string' ? { name: row.duty, epoch: Number(row.epoch) } : undefined;
  return { ...(Object.fromEntries(numbers) as Record<keyof typeof NUMBERS, number>), duty, body, chain };
}
