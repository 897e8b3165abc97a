/**
 * Cycles of a full and a freed disk under log and history, with kills and stops on it. The record of what was
 * acknowledged is kept outside; nothing in it may be missing after the last restart, and no process may end by itself.
 */
import { join } from 'node:path';
import { OrderJournal, type OrderShown } from '../crash/order-journal.ts';
import { Trader } from '../crash/trader.ts';
import { type RunningServer, startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { SmallDisk } from '../harness/small-disk.ts';
import { until } from '../harness/until.ts';
import { seededRandom } from '../simulation/disk.ts';
import type { Campaign } from './campaign.ts';
import { type SeparateTrial, SeparateTrials } from './separate-trials.ts';

const ACCOUNTS = ['alice', 'bob'];
const CYCLES = 3;
const ORDERS_PER_PHASE = 60;
const DISK_MEBIBYTES_MIN = 10;
const DISK_MEBIBYTES_SPAN = 14;
const LEFT_BYTES_MAX = 96 * 1024;
const SEGMENTS = [256, 512, 1024].map((kibibytes) => kibibytes * 1024);
const REFUSED_START = /ended with code 3\b[\s\S]*the disk is full: \S+ needs \d+ bytes/;

type Ending = 'goes on' | 'killed' | 'stopped';

class Trial implements SeparateTrial {
  readonly #random: () => number;
  readonly #disk: SmallDisk;
  readonly #journal = new OrderJournal();
  readonly #args: readonly string[];
  readonly counts: Record<string, number> = {};
  #server: RunningServer | undefined;
  #traders: Trader[] = [];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#disk = SmallDisk.mount(DISK_MEBIBYTES_MIN + Math.floor(this.#random() * DISK_MEBIBYTES_SPAN));
    const segmentBytes = SEGMENTS[Math.floor(this.#random() * SEGMENTS.length)]!;
    this.#args = [
      '--operator-port',
      '0',
      '--rate-limits',
      'off',
      '--segment-bytes',
      String(segmentBytes),
      '--snapshot-commands',
      String(50 + Math.floor(this.#random() * 400)),
    ];
  }

  async run(): Promise<void> {
    await this.#start();
    const server = this.#server!;
    this.#traders = ACCOUNTS.map(
      (name) => new Trader(name, server.account(name), this.#journal, this.#random),
    );
    for (let cycle = 0; cycle < CYCLES; cycle++) await this.#cycle();
    await this.#end('SIGKILL');
    await this.#start();
    await this.#judge();
    this.#count('orders acknowledged', this.#journal.count('done'));
    if ((await this.#end('SIGINT')) !== 0) throw new Error('the last stop was not clean');
  }

  async #cycle(): Promise<void> {
    await this.#trade(() => this.#journal.orders.length);
    this.#disk.fill(Math.floor(this.#random() * LEFT_BYTES_MAX));
    // Where some bytes are left, the exchange itself must use them up.
    await this.#trade(() => this.#journal.count('done'), 'until it is restricted');
    this.#count('disks filled');
    const ending = (['goes on', 'killed', 'stopped'] as const)[Math.floor(this.#random() * 3)]!;
    if (ending !== 'goes on') await this.#restartOnFullDisk(ending);
    this.#disk.free();
    if (this.#server === undefined) await this.#start();
    await until('normal mode', async () => (await this.#mode()) === 'normal');
    this.#mustLive();
  }

  async #restartOnFullDisk(ending: Exclude<Ending, 'goes on'>): Promise<void> {
    const code = await this.#end(ending === 'killed' ? 'SIGKILL' : 'SIGINT');
    if (ending === 'stopped' && code !== 0)
      throw new Error(`a stop on the full disk ended with code ${code}`);
    this.#count(`${ending} on the full disk`);
    try {
      await this.#start();
      this.#count('starts on the full disk');
    } catch (error) {
      if (!REFUSED_START.test((error as Error).message)) throw error;
      this.#count('starts refused for space');
    }
  }

  /** Some orders more, or until the mode is no longer normal. */
  async #trade(progress: () => number, end?: 'until it is restricted'): Promise<void> {
    const goal = progress() + ORDERS_PER_PHASE;
    let over = false;
    const trading = this.#traders.map((trader) => trader.trade(this.#server!.url, () => over));
    await until('orders or a restriction', async () => {
      this.#mustLive();
      if ((await this.#mode()) !== 'normal') return true;
      return end === undefined && progress() >= goal;
    });
    over = true;
    await Promise.all(trading);
  }

  async #mode(): Promise<string> {
    const text = await (await fetch(`${this.#server!.url}/metrics`)).text();
    return /^bourse_mode\{mode="(\w+)"\} 1$/m.exec(text)![1]!;
  }

  #mustLive(): void {
    const { exitCode } = this.#server!.process;
    const log = this.#server!.log();
    if (exitCode !== null || /"level":"fatal"/.test(log)) {
      throw new Error(`the process ended by itself with code ${exitCode}: ${log.slice(-2000)}`);
    }
  }

  async #judge(): Promise<void> {
    for (const account of ACCOUNTS) {
      const client = new SignedClient(this.#server!.url, this.#server!.account(account));
      try {
        for (const order of this.#journal.orders) {
          if (order.account !== account) continue;
          const reply = await client.get('/api/v3/trade/order-info', { clientOid: order.clientOid });
          this.#journal.judge(order, reply.code === '00000' ? (reply.data as OrderShown) : undefined);
        }
      } finally {
        client.close();
      }
    }
  }

  async #start(): Promise<void> {
    this.#server = undefined;
    this.#server = await startServer({ data: join(this.#disk.directory, 'data'), args: this.#args });
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<number | null> {
    const server = this.#server!;
    this.#server = undefined;
    if (signal === 'SIGINT') return server.stop();
    await server.kill();
    return null;
  }

  #count(name: string, by = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + by;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.kill();
    this.#disk[Symbol.dispose]();
  }
}

export const campaign: Campaign = {
  summary: 'fills and frees the disk under a trading exchange, kills and restarts it there',
  trials: 20,
  open: (seed) => {
    if (SmallDisk.impossible !== undefined) throw new Error(SmallDisk.impossible);
    return new SeparateTrials(seed, 'nothing lost', (own) => new Trial(own));
  },
};
