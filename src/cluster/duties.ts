/**
 * What one node at a time does for all: the market, the history, snapshots, the set-up of a new exchange. A duty is leased;
 * the holder renews it each second and stops by itself when it could not. A former holder cannot do harm: its packs
 * carry the epoch of its lease and are refused by the engine, and the history has a fence of its own.
 */
import type { Duty } from './engine.ts';

export const LEASE_MS = 5_000;
/** How often the holder looks whether its lease is over. */
const LOOK_MS = 250;

export type DutyName = 'market' | 'history' | 'snapshots' | 'upkeep';

/** What happens with a duty on this node. `begin` may take long; `end` may come meanwhile. */
export interface DutyWork {
  /** False while another node should rather have it. */
  wanted(): boolean;
  begin(duty: Duty): void;
  end(): void;
}

export interface Holder {
  readonly node: string;
  readonly operatorUrl: string | undefined;
}

interface Held {
  readonly duty: Duty;
  untilMs: number;
}

type Query = (text: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;

export class Duties {
  readonly #query: Query;
  readonly #node: string;
  readonly #left: () => void;
  readonly #work = new Map<DutyName, DutyWork>();
  readonly #held = new Map<DutyName, Held>();
  #holders: ReadonlyMap<DutyName, Holder> = new Map();
  readonly #timer: NodeJS.Timeout;

  /** `left` tells others that they need not wait for the end of a lease. */
  constructor(node: string, query: Query, left: () => void) {
    this.#node = node;
    this.#query = query;
    this.#left = left;
    this.#timer = setInterval(() => this.#dropExpired(), LOOK_MS).unref();
  }

  add(name: DutyName, work: DutyWork): void {
    this.#work.set(name, work);
  }

  holds(name: DutyName): boolean {
    const held = this.#held.get(name);
    return held !== undefined && performance.now() < held.untilMs;
  }

  /** Who has it, as of the last second. */
  holderOf(name: DutyName): Holder | undefined {
    return this.#holders.get(name);
  }

  /** Each second: renews what is held, leaves what is not wanted, takes what is free. */
  async heartbeat(): Promise<void> {
    await this.#renew();
    await this.#lookAtHolders();
    for (const [name, work] of this.#work)
      if (this.#held.has(name) && !work.wanted()) await this.release(name);
    const wanted = [...this.#work].filter(([name, work]) => !this.#held.has(name) && work.wanted());
    if (wanted.length === 0) return;
    const names = wanted.map(([name]) => name);
    const free = await this.#query(
      `SELECT w.name FROM unnest($1::text[]) AS w (name) LEFT JOIN bourse_cluster.duty d USING (name)
        WHERE d.name IS NULL OR d.until < clock_timestamp() OR d.node = $2`,
      [names, this.#node],
    );
    for (const { name } of free) {
      const duty = await this.take(name as DutyName);
      if (duty !== undefined) this.#work.get(name as DutyName)?.begin(duty);
    }
  }

  /** Undefined while another node has it. */
  async take(name: DutyName): Promise<Duty | undefined> {
    const untilMs = performance.now() + LEASE_MS;
    const [row] = await this.#query('SELECT bourse_cluster.take_duty($1, $2, $3) AS epoch', [
      name,
      this.#node,
      LEASE_MS,
    ]);
    if (row === undefined || row.epoch === null) return undefined;
    const duty = { name, epoch: Number(row.epoch) };
    this.#held.set(name, { duty, untilMs });
    return duty;
  }

  /** Another node may have it at once. */
  async release(name: DutyName): Promise<void> {
    const held = this.#held.get(name);
    if (held === undefined) return;
    this.#drop(name);
    await this.#query(
      'UPDATE bourse_cluster.duty SET until = clock_timestamp() WHERE name = $1 AND epoch = $2',
      [name, held.duty.epoch],
    );
    this.#left();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const name of [...this.#held.keys()]) await this.release(name).catch(() => {});
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return;
    const held = [...this.#held];
    const untilMs = performance.now() + LEASE_MS;
    const renewed = await this.#query(
      `UPDATE bourse_cluster.duty d SET until = clock_timestamp() + $4 * interval '1 ms'
        FROM unnest($1::text[], $2::bigint[]) AS mine (name, epoch)
        WHERE d.name = mine.name AND d.epoch = mine.epoch AND d.node = $3 RETURNING d.name`,
      [held.map(([name]) => name), held.map(([, { duty }]) => duty.epoch), this.#node, LEASE_MS],
    );
    const kept = new Set(renewed.map(({ name }) => name as DutyName));
    for (const [name, lease] of held)
      if (kept.has(name)) lease.untilMs = untilMs;
      // It may have been left and taken again meanwhile, under another epoch.
      else if (this.#held.get(name) === lease) this.#drop(name);
  }

  async #lookAtHolders(): Promise<void> {
    const rows = await this.#query(
      `SELECT d.name, d.node, n.operator_url FROM bourse_cluster.duty d LEFT JOIN bourse_cluster.node n ON n.name = d.node
        WHERE d.until > clock_timestamp()`,
      [],
    );
    this.#holders = new Map(
      rows.map(({ name, node, operator_url: url }) => [
        name as DutyName,
        { node: String(node), operatorUrl: (url as string | null) ?? undefined },
      ]),
    );
  }

  #dropExpired(): void {
    const now = performance.now();
    for (const [name, { untilMs }] of this.#held) if (now >= untilMs) this.#drop(name);
  }

  #drop(name: DutyName): void {
    if (this.#held.delete(name)) this.#work.get(name)?.end();
  }
}
