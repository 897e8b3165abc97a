/**
 * Power losses under load: the real program, traders outside it that write down what they were told, and after each loss a
 * disk on which writes that were not synced are torn, lost or kept in any combination, those of SQLite too. Every start
 * after a loss must succeed and know every order that was acknowledged, once. Needs Linux and a C compiler.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OrderJournal, type OrderShown } from '../crash/order-journal.ts';
import { Trader } from '../crash/trader.ts';
import { startProgram } from '../harness/child-programs.ts';
import { programModule } from '../harness/program.ts';
import { type RunningServer, startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type CrashKind, seededRandom } from '../simulation/disk.ts';
import type { Campaign, CampaignRun, TrialResult } from './campaign.ts';
import { TracedDisk } from './power-loss/traced-disk.ts';

const KINDS: readonly CrashKind[] = ['lose_all', 'keep_some', 'keep_some', 'keep_prefix', 'keep_all'];
const ACCOUNTS = ['alice', 'bob', 'maker'];
const LOAD_MS_SPAN = 400;
const ACKNOWLEDGED_MIN = 5;
const OLDER_ORDERS_ASKED = 20;
/** A new exchange after so many losses: the first start is lost to as well. */
const LOSSES_PER_EXCHANGE = 12;
const SYNC_US_MAX = 2000;
const OPTIONS = [
  '--quiet',
  '--rate-limits',
  'off',
  '--segment-bytes',
  '262144',
  '--snapshot-commands',
  '400',
];
/** A guard against hanging only. */
const START_MAX_MS = 600_000;
const PAGE = 100;
const LOST_START_CHANCE = 0.15;
const MAIN = programModule('src/main.ts');

/** Why the campaign cannot run here; undefined when it can. */
export function powerLossObstacle(): string | undefined {
  if (process.platform !== 'linux') return 'power losses are simulated on Linux only';
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no C compiler (cc)';
  }
}

export const campaign: Campaign = {
  summary: 'power losses with torn and reordered writes of every file: nothing acknowledged is lost',
  trials: 200,
  open(seed) {
    const obstacle = powerLossObstacle();
    if (obstacle !== undefined) throw new Error(obstacle);
    return new PowerLossRun(seed);
  },
};

class PowerLossRun implements CampaignRun {
  readonly #home = temporaryDirectory();
  readonly #library = join(this.#home, 'trace-writes.so');
  readonly #random: () => number;
  readonly #seed: number;
  #venue: TrialVenue | undefined;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    const source = join(import.meta.dirname, 'power-loss/trace-writes.c');
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', this.#library, source, '-ldl', '-lpthread']);
  }

  async trial(number: number): Promise<TrialResult> {
    const kind = KINDS[Math.floor(this.#random() * KINDS.length)]!;
    if (number % LOSSES_PER_EXCHANGE === 0 || this.#venue === undefined) {
      await this.#venue?.end();
      this.#venue = new TrialVenue(join(this.#home, `venue-${number}`), this.#library, this.#random);
    }
    const venue = this.#venue;
    try {
      const counts = await venue.lose(kind, this.#seed + number);
      return { name: `after ${kind}: nothing lost`, counts };
    } catch (error) {
      this.#venue = undefined;
      return {
        name: 'BROKEN',
        failure: `${kind}, loss ${venue.losses} of its exchange: ${(error as Error).message}`,
      };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#venue?.end();
  }
}

/** One exchange through its power losses. */
class TrialVenue {
  readonly #home: string;
  readonly #data: string;
  readonly #trace: string;
  readonly #library: string;
  readonly #random: () => number;
  readonly #journal = new OrderJournal();
  #traders: Trader[] = [];
  #server: RunningServer | undefined;
  #disk: TracedDisk | undefined;
  #trading: Promise<void>[] = [];
  #over = false;
  /** Acknowledgements before the last loss. */
  #judged = 0;
  losses = 0;

  constructor(home: string, library: string, random: () => number) {
    this.#home = home;
    this.#data = join(home, 'data');
    this.#trace = join(home, 'trace');
    this.#library = library;
    this.#random = random;
  }

  async end(): Promise<void> {
    if (this.#server !== undefined) await this.#stopTrading();
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** Loses power in the middle of trading, starts again, asks, and trades on until the next loss. */
  async lose(kind: CrashKind, seed: number): Promise<Record<string, number>> {
    if (this.#server === undefined) await this.#startAndTrade(seed);
    const before = this.#journal.count('done');
    // Some answers first, whatever the machine's speed; then a moment that nothing depends on.
    while (this.#journal.count('done') < before + ACKNOWLEDGED_MIN) await sleep(5);
    await sleep(this.#random() * LOAD_MS_SPAN);
    await this.#stopTrading();
    const acknowledged = this.#journal.count('done') - this.#judged;
    const changes = this.#disk!.follow(this.#trace);
    this.#disk!.lose(kind);
    this.losses += 1;
    const startsLost = this.#random() < LOST_START_CHANCE ? await this.#loseStart(seed) : 0;
    await this.#startAndTrade(seed);
    this.#judged = this.#journal.count('done');
    return { losses: 1 + startsLost, acknowledged, 'changes traced': changes };
  }

  async #startAndTrade(seed: number): Promise<void> {
    this.#disk = this.#newDisk(seed);
    const server = await startServer({
      data: this.#data,
      args: OPTIONS,
      env: this.#environment(),
      startTimeoutMs: START_MAX_MS,
    });
    this.#server = server;
    await this.#judge(server);
    if (this.#traders.length === 0) {
      this.#traders = ACCOUNTS.flatMap((name) =>
        [1, 2].map((n) => new Trader(`${name}${n}`, server.account(name), this.#journal, this.#random)),
      );
    }
    this.#journal.touched.clear();
    this.#over = false;
    this.#trading = this.#traders.map((trader) => trader.trade(server.url, () => this.#over));
  }

  async #stopTrading(): Promise<void> {
    await this.#server!.kill();
    this.#over = true;
    await Promise.all(this.#trading);
  }

  /** The power fails again while the exchange comes back. */
  async #loseStart(seed: number): Promise<number> {
    const disk = this.#newDisk(seed + 7);
    const env = { ...process.env, ...this.#environment() };
    const { process: child } = startProgram([MAIN, '--data', this.#data, '--port', '0', ...OPTIONS], { env });
    const gone = once(child, 'exit');
    while (!existsSync(this.#trace)) await sleep(5);
    await sleep(this.#random() * LOAD_MS_SPAN);
    child.kill('SIGKILL');
    await gone;
    disk.follow(this.#trace);
    disk.lose('keep_some');
    return 1;
  }

  #newDisk(seed: number): TracedDisk {
    rmSync(this.#trace, { force: true });
    return new TracedDisk([this.#data, join(this.#data, 'log')], seed);
  }

  #environment(): Record<string, string> {
    return {
      LD_PRELOAD: this.#library,
      POWER_LOSS_ROOT: this.#data,
      POWER_LOSS_TRACE: this.#trace,
      POWER_LOSS_SYNC_US: String(SYNC_US_MAX),
    };
  }

  async #judge(server: RunningServer): Promise<void> {
    if (this.#journal.orders.length === 0) return;
    await this.#judgeTouched(server);
    for (const name of ACCOUNTS) await this.#refuseDoubles(server, name);
  }

  async #judgeTouched(server: RunningServer): Promise<void> {
    const { orders, touched } = this.#journal;
    const asked = new Set(touched);
    for (let n = 0; n < OLDER_ORDERS_ASKED; n += 1)
      asked.add(orders[Math.floor(this.#random() * orders.length)]!);
    for (const [account, mine] of Map.groupBy(asked, (order) => order.account)) {
      const client = new SignedClient(server.url, server.account(account));
      try {
        for (const order of mine) {
          const reply = await client.get('/api/v3/trade/order-info', { clientOid: order.clientOid });
          assert.ok(reply.code === '00000' || reply.code === '25204', `order-info: ${reply.text}`);
          this.#journal.judge(order, reply.code === '00000' ? (reply.data as OrderShown) : undefined);
        }
      } finally {
        client.close();
      }
    }
  }

  /** The newest page of open and of closed orders: no order of a client twice. */
  async #refuseDoubles(server: RunningServer, name: string): Promise<void> {
    const client = new SignedClient(server.url, server.account(name));
    try {
      const query = { category: 'SPOT', limit: String(PAGE) };
      const open = await client.get('/api/v3/trade/unfilled-orders', query);
      const closed = await client.get('/api/v3/trade/history-orders', query);
      const shown = [...open.data.list, ...closed.data.list] as OrderShown[];
      const names = shown.map(({ clientOid }) => clientOid);
      assert.equal(
        new Set(names).size,
        names.length,
        `TWICE: ${name} has an order that was carried out twice`,
      );
    } finally {
      client.close();
    }
  }
}
