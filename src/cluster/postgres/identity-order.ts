/**
 * The order of all nodes' changes of users and keys, in PostgreSQL. A change is tried on the node's copy as it is; the database
 * takes it as the next version, in one statement, or says that others came first: then the copy is brought up to them and the
 * change is tried again. No lock is ever held by a node, so one that sleeps or vanishes blocks no other node. The copy gets the change
 * when the database has it, in the same way as the changes of others: announced by a notification, and looked for twice a second.
 *
 * A node that has applied what a fail-over has lost sees that its last version has another id, and loads the store anew. No
 * answer has said that such a change was made.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeOrder } from '../../identity/change-order.ts';
import { IdentityInDoubt, IdentityUnavailable } from '../../identity/identity.ts';
import { IDENTITY_SCHEMA_VERSION } from '../../identity/identity-schema.ts';
import { CopyDiverged, type Outcome, type StoreChange, type StoreCopy } from '../../identity/store-copy.ts';
import type { DatabaseAddress } from './address.ts';
import { ClusterRefused } from './install.ts';
import { IDENTITY_CHANNEL } from './schema-identity.ts';
import { ConnectionLost, ServerPair } from './server-pair.ts';

const LOOK_MS = 500;
/** Changes that one query reads, at most. */
const CHANGES_AT_ONCE = 64;
/** Changes in one version. */
const TOGETHER_MAX = 64;
/** From the call; whoever asked has given up by then. */
const CHANGE_WITHIN_MS = 5_000;
const RETRY_MS = 20;
/** A node that has not said by then that it has a change is out of service: it has not heard from the database for as long. */
const SEEN_WITHIN_MS = 2_000;
const SEEN_POLL_MS = 50;
/** An image is written when there are as many versions behind the last as the store has pages, and at least so many. */
const IMAGE_EVERY = 256;
/** Changes that stay when an image holds them, for nodes that are behind. */
const CHANGES_KEPT = 1_000;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Classes of a connection or a server that ends. */
const ENDING = /^(?:08|57)/;

const CHANGE = {
  name: 'change_identity',
  text: 'SELECT last_, done_ FROM bourse_cluster.change_identity($1,$2,$3,$4,$5)',
};
/** The version that the node has, to compare ids, and those behind it. */
const LOOK = {
  name: 'look_identity',
  text: `SELECT version, id, summary, CASE WHEN version > $1 THEN body END AS body,
      (SELECT max(i.version) FROM bourse_cluster.identity_image i) AS image
    FROM bourse_cluster.identity_change WHERE version >= $1
    UNION ALL SELECT version, id, '', NULL, version FROM bourse_cluster.identity_image WHERE version = $1
    ORDER BY version LIMIT ${CHANGES_AT_ONCE}`,
};
const UNSEEN = {
  name: 'unseen_identity',
  text: `SELECT name FROM bourse_cluster.node
    WHERE name <> $1 AND seen > clock_timestamp() - interval '${SEEN_WITHIN_MS} ms' AND identity_seen < $2 LIMIT 1`,
};
const SEEN = {
  name: 'seen_identity',
  text: `WITH written AS (UPDATE bourse_cluster.node SET identity_seen = $2 WHERE name = $1 AND identity_seen <> $2 RETURNING 1)
    SELECT pg_notify('${IDENTITY_CHANNEL}', 's') FROM written`,
};

interface Made {
  readonly outcome: Outcome;
  /** Undefined when nothing was changed. */
  readonly version: number | undefined;
}

interface Asked {
  readonly work: () => unknown;
  readonly endMs: number;
  readonly resolve: (made: Made) => void;
  readonly reject: (error: unknown) => void;
}

export interface IdentityImageRow {
  readonly version: number;
  readonly id: string;
  readonly body: Uint8Array;
}

export class IdentityOrder implements ChangeOrder {
  readonly #server: ServerPair;
  readonly #node: string;
  readonly #onFailure: (error: Error) => void;
  readonly #imageEvery: number;
  /** Tells this start of the node from others. */
  readonly #run = randomUUID();
  #copy: StoreCopy | undefined;
  #version = -1;
  #id = '';
  #imageVersion = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  readonly #waiting: Asked[] = [];
  /** Versions of this node, one after another. */
  #turn: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #onLock: (apiKey: string, untilMs: number) => void = () => {};
  /** Resolved when a node says that it has a version. */
  #seen = Promise.withResolvers<void>();

  /** `node` is its name in the table of nodes; `onFailure` is called when the copy cannot be made right. */
  constructor(
    address: DatabaseAddress,
    node: string,
    onFailure: (error: Error) => void,
    imageEvery = IMAGE_EVERY,
  ) {
    this.#server = new ServerPair(address, IDENTITY_CHANNEL, (payload) => this.#hear(payload));
    this.#node = node;
    this.#onFailure = onFailure;
    this.#imageEvery = imageEvery;
  }

  // Opening

  connect(): Promise<void> {
    return this.#server.reconnect();
  }

  /** Throws ClusterRefused. */
  async image(): Promise<IdentityImageRow | undefined> {
    const text =
      'SELECT version, id, schema, body FROM bourse_cluster.identity_image ORDER BY version DESC LIMIT 1';
    const [row] = await this.#server.read({ text });
    if (row === undefined) return undefined;
    if (row.schema !== IDENTITY_SCHEMA_VERSION)
      throw new ClusterRefused(
        `users and keys in the database have schema ${String(row.schema)}, this program knows ${IDENTITY_SCHEMA_VERSION}: run the ` +
          'same version on all nodes; for a newer schema export the exchange, start it once alone, and import it again',
      );
    return { version: Number(row.version), id: String(row.id), body: row.body as Uint8Array };
  }

  /** The first image; does nothing when there is one. */
  async found(contents: Uint8Array): Promise<void> {
    await this.#server.write({
      text: `INSERT INTO bourse_cluster.identity_image SELECT 0, gen_random_uuid(), $1, $2
        WHERE NOT EXISTS (SELECT 1 FROM bourse_cluster.identity_image) ON CONFLICT DO NOTHING`,
      values: [IDENTITY_SCHEMA_VERSION, contents],
    });
  }

  /** Keeps a copy that has this image up to date from here on. */
  follow(copy: StoreCopy, { version, id }: IdentityImageRow): this {
    this.#copy = copy;
    this.#version = version;
    this.#id = id;
    this.#imageVersion = version;
    this.#timer = setInterval(() => this.#tend(), LOOK_MS).unref();
    return this;
  }

  // State

  get version(): number {
    return this.#version;
  }

  /** Milliseconds since the copy was known to be the newest. */
  ageMs(): number {
    return performance.now() - this.#lookedMs;
  }

  /** Resolves when the copy has everything that was made before the call. Throws ConnectionLost. */
  async refresh(): Promise<void> {
    const endMs = performance.now() + CHANGE_WITHIN_MS;
    for (;;) {
      try {
        await this.#server.reconnect();
        return await this.#look();
      } catch (error) {
        if (performance.now() > endMs || this.#isClosed || !(error instanceof ConnectionLost)) throw error;
      }
      await sleep(RETRY_MS);
    }
  }

  // Changes

  async run<Result>(work: () => Result, isTrifle = false): Promise<Result> {
    const endMs = performance.now() + CHANGE_WITHIN_MS;
    const { outcome, version } = await new Promise<Made>((resolve, reject) => {
      this.#waiting.push({ work, endMs, resolve, reject });
      this.#turn = this.#turn.then(() => this.#changeAll());
    });
    if ('error' in outcome) throw outcome.error;
    if (version !== undefined && !isTrifle) await this.#untilSeen(version);
    return outcome.value as Result;
  }

  /** What has gathered while the one before was on its way is one version. */
  async #changeAll(): Promise<void> {
    const asked = this.#waiting.splice(0, TOGETHER_MAX);
    if (asked.length === 0) return;
    try {
      const made = await this.#change(asked);
      for (const [n, { resolve }] of asked.entries()) resolve(made[n]!);
    } catch (error) {
      for (const { reject } of asked) reject(error);
      return;
    }
    this.#notifySeen();
    this.#saveImage();
  }

  async #change(asked: readonly Asked[]): Promise<readonly Made[]> {
    const id = randomUUID();
    const endMs = Math.max(...asked.map((each) => each.endMs));
    for (;;) {
      const next = this.#version + 1;
      const { outcomes, change } = this.#copied().attempt(asked.map(({ work }) => work));
      if (change === undefined) return outcomes.map((outcome) => ({ outcome, version: undefined }));
      const { last, isDone } = await this.#append(next, id, change, endMs);
      if (isDone) {
        // A look may have found it already.
        if (this.#version === last - 1) this.#apply(last, id, change);
        return outcomes.map((outcome) => ({ outcome, version: last }));
      }
      await this.#look().catch(() => {});
      if (performance.now() > endMs) throw unavailable('changes of others came first');
    }
  }

  /** Tries until the database has said yes or no. Throws IdentityUnavailable, IdentityInDoubt. */
  async #append(
    version: number,
    id: string,
    { summary, body }: StoreChange,
    endMs: number,
  ): Promise<{ readonly last: number; readonly isDone: boolean }> {
    const statement = { ...CHANGE, values: [version, id, this.#node, summary, body] };
    let isInDoubt = false;
    for (;;) {
      let isSent = false;
      try {
        await this.#server.reconnect();
        isSent = true;
        const [row] = await this.#server.write(statement, endMs);
        return { last: Number(row!.last_), isDone: row!.done_ === true };
      } catch (error) {
        const { message } = error as Error;
        isInDoubt ||= isSent && mayBeDone(error);
        if (performance.now() > endMs || this.#isClosed)
          throw isInDoubt ? inDoubt(message) : unavailable(message);
      }
      await sleep(RETRY_MS);
    }
  }

  /** Until every node that serves has it: what was deleted works nowhere then. */
  async #untilSeen(version: number): Promise<void> {
    const endMs = performance.now() + SEEN_WITHIN_MS;
    while (performance.now() < endMs && !this.#isClosed) {
      const { promise: changed } = this.#seen;
      const unseen = await this.#server
        .read({ ...UNSEEN, values: [this.#node, version] })
        .catch(() => undefined);
      if (unseen?.length === 0) return;
      await Promise.race([changed, sleep(SEEN_POLL_MS)]);
    }
  }

  // Locks of passphrases

  announceLock(apiKey: string, untilMs: number): void {
    const payload = `l${JSON.stringify([this.#run, apiKey, untilMs])}`;
    this.#server
      .read({ text: 'SELECT pg_notify($1, $2)', values: [IDENTITY_CHANNEL, payload] })
      .catch(() => {});
  }

  onLock(listener: (apiKey: string, untilMs: number) => void): void {
    this.#onLock = listener;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#server.close();
    await this.#turn;
    await this.#looking?.catch(() => {});
  }

  // Changes of others

  #hear(payload: string): void {
    if (this.#copy === undefined) return;
    if (payload.startsWith('v')) this.#look().catch(() => {});
    else if (payload.startsWith('s')) {
      this.#seen.resolve();
      this.#seen = Promise.withResolvers();
    } else if (payload.startsWith('l')) {
      const [run, apiKey, untilMs] = JSON.parse(payload.slice(1)) as [string, string, number];
      if (run !== this.#run) this.#onLock(apiKey, untilMs);
    }
  }

  #tend(): void {
    this.#server
      .reconnect()
      .then(() => this.#look())
      .catch(() => {});
  }

  /** One at a time; who asks while one is under way gets another behind it. */
  #look(): Promise<void> {
    if (this.#looking !== undefined) {
      this.#lookAgain = true;
      return this.#looking;
    }
    this.#looking = this.#lookThrough();
    return this.#looking;
  }

  async #lookThrough(): Promise<void> {
    const before = this.#version;
    try {
      do {
        this.#lookAgain = false;
        const startMs = performance.now();
        if (await this.#lookOnce()) this.#lookedMs = startMs;
        else this.#lookAgain = true;
      } while (this.#lookAgain && !this.#isClosed);
    } finally {
      this.#looking = undefined;
    }
    if (this.#version !== before) this.#notifySeen();
  }

  /** False when there may be more. */
  async #lookOnce(): Promise<boolean> {
    const [version, id] = [this.#version, this.#id];
    const rows = await this.#server.read({ ...LOOK, values: [version] });
    // A change of one's own may have come in between.
    if (this.#version === version) {
      const own = rows.filter((row) => Number(row.version) === version);
      if (own.length === 0 || own.some((row) => row.id !== id)) {
        await this.#reload();
        return false;
      }
    }
    try {
      for (const row of rows) {
        this.#imageVersion = Number(row.image);
        const { summary, body } = row as unknown as StoreChange;
        if (Number(row.version) === this.#version + 1)
          this.#apply(this.#version + 1, String(row.id), { summary, body });
      }
    } catch (error) {
      if (!(error instanceof CopyDiverged)) throw error;
      await this.#reload();
      return false;
    }
    return rows.length < CHANGES_AT_ONCE;
  }

  #apply(version: number, id: string, change: StoreChange): void {
    this.#copied().apply(change);
    this.#version = version;
    this.#id = id;
  }

  /** The store of the database in place of the copy. */
  async #reload(): Promise<void> {
    const image = await this.image();
    try {
      if (image === undefined) throw new CopyDiverged('there is no image of users and keys in the database');
      this.#copied().replace(image.body);
    } catch (error) {
      this.#onFailure(error as Error);
      throw error;
    }
    this.#version = image.version;
    this.#id = image.id;
    this.#imageVersion = image.version;
  }

  #notifySeen(): void {
    this.#server.read({ ...SEEN, values: [this.#node, this.#version] }).catch(() => {});
  }

  #saveImage(): void {
    const copy = this.#copied();
    if (this.#version - this.#imageVersion < Math.max(this.#imageEvery, copy.pages)) return;
    this.#imageVersion = this.#version;
    const values = [this.#version, this.#id, IDENTITY_SCHEMA_VERSION, copy.contents(), CHANGES_KEPT];
    this.#server
      .write({ text: 'SELECT bourse_cluster.save_identity_image($1,$2,$3,$4,$5)', values })
      // Another change tries again.
      .catch(() => {});
  }

  #copied(): StoreCopy {
    if (this.#copy === undefined) throw new Error('no copy follows the database yet');
    return this.#copy;
  }
}

/** An error of the database itself means that the statement has done nothing, unless the server was about to end. */
function mayBeDone(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code !== 'string' || !SQLSTATE.test(code) || ENDING.test(code);
}

function inDoubt(message: string): IdentityInDoubt {
  return new IdentityInDoubt(
    `the database has gone in the middle of the change (${message}): look whether it was made before you repeat it`,
  );
}

function unavailable(message: string): IdentityUnavailable {
  return new IdentityUnavailable(`nothing was changed, the database does not answer: ${message}`);
}
