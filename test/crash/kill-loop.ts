/**
 * kill -9 under load (reliability 4, T4): the real server, real files, signed requests over several connections, and
 * a checker that lives in this process and therefore survives.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NodeDisk } from '../../src/journal/node-disk.ts';
import { command } from '../app/bourse-process.ts';
import { type RunningServer, startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { tornTail } from '../simulation/damage.ts';
import { seededRandom } from '../simulation/disk.ts';
import { OrderJournal, type OrderShown, type PlacedOrder, units } from './order-journal.ts';
import { Trader } from './trader.ts';

const ACCOUNTS = ['alice', 'bob', 'bot', 'maker'];
const TRADERS_PER_ACCOUNT = 3;
const LOAD_MS_MIN = 50;
const LOAD_MS_SPAN = 350;
const ORDERS_MIN = 3 * TRADERS_PER_ACCOUNT * ACCOUNTS.length;
const GARBLE_CHANCE = 0.4;
const OLDER_ORDERS_ASKED = 20;
/** Small files and frequent snapshots, so that kills meet their making. */
const OPTIONS = [
  '--quiet',
  '--rate-limits',
  'off',
  '--segment-bytes',
  '262144',
  '--snapshot-commands',
  '400',
];

interface FillShown {
  readonly execId: string;
  readonly execLinkId: string;
  readonly orderId: string;
  readonly symbol: string;
  readonly side: string;
  readonly execPrice: string;
  readonly execQty: string;
  readonly execValue: string;
  readonly feeDetail: readonly { readonly feeCoin: string; readonly fee: string }[];
}

export interface KillLoopOptions {
  readonly kills: number;
  readonly seed: number;
  /** For the server. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Whether it is stopped and started again before the first load; another loop may have shown that. */
  readonly stopsFirst?: boolean;
  /** Something else that goes wrong amid the orders, before the kill. */
  readonly amid?: () => Promise<void>;
}

export class KillLoop {
  readonly #home = temporaryDirectory();
  readonly #data = join(this.#home, 'data');
  readonly #random: () => number;
  readonly #journal = new OrderJournal();
  readonly #restartMs: number[] = [];
  readonly #funds = new Map<string, bigint>();
  #traders: Trader[] = [];
  readonly #kills: number;
  readonly #env: Readonly<Record<string, string>>;
  readonly #args: readonly string[];
  readonly #stopsFirst: boolean;
  readonly #amid: () => Promise<void>;
  #server!: RunningServer;
  #garbled = 0;

  constructor({
    kills,
    seed,
    env = {},
    args = [],
    stopsFirst = true,
    amid = async () => {},
  }: KillLoopOptions) {
    this.#kills = kills;
    this.#random = seededRandom(seed);
    this.#env = env;
    this.#args = args;
    this.#stopsFirst = stopsFirst;
    this.#amid = amid;
  }

  async run(): Promise<string> {
    try {
      await this.#start();
      await this.#meetTraders();
      if (this.#stopsFirst) {
        assert.equal(await this.#server.stop(), 0, 'the first stop is clean');
        await this.#start();
      }
      this.#restartMs.length = 0;
      for (let kill = 1; kill <= this.#kills; kill++) await this.#loadAndKill();
      await this.#judgeEverything();
      assert.equal(await this.#server.stop(), 0, 'the last stop is clean');
      const verified = await command(['verify', '--data', this.#data]);
      assert.equal(verified.code, 0, `verify: ${verified.stdout}${verified.stderr}`);
      // Of a loop that failed the directory is kept until the process ends.
      rmSync(this.#home, { recursive: true, force: true });
      return this.#summary();
    } finally {
      this.#server.process.kill('SIGKILL');
    }
  }

  /** Figures that may be added up over several loops. */
  get counts(): Record<string, number> {
    return {
      kills: this.restarts,
      'carried out': this.#journal.count('done'),
      refused: this.#journal.count('refused'),
      'unknown resolved': this.#journal.resolved,
      'tails garbled': this.#garbled,
    };
  }

  get restarts(): number {
    return this.#restartMs.length;
  }

  async #start(): Promise<void> {
    const begun = performance.now();
    this.#server = await startServer({ data: this.#data, args: [...OPTIONS, ...this.#args], env: this.#env });
    this.#restartMs.push(performance.now() - begun);
  }

  async #meetTraders(): Promise<void> {
    for (const name of ACCOUNTS) {
      for (let n = 1; n <= TRADERS_PER_ACCOUNT; n++) {
        this.#traders.push(
          new Trader(`${name}${n}`, this.#server.account(name), this.#journal, this.#random),
        );
      }
      for (const [coin, balance] of await this.#balances(name)) this.#funds.set(`${name} ${coin}`, balance);
    }
  }

  async #loadAndKill(): Promise<void> {
    this.#journal.touched.clear();
    let over = false;
    const trading = this.#traders.map((trader) => trader.trade(this.#server.url, () => over));
    await sleep(LOAD_MS_MIN + this.#random() * LOAD_MS_SPAN);
    // On a slow machine too, a kill comes amid orders and not before them.
    while (this.#journal.touched.size < ORDERS_MIN) await sleep(1);
    await this.#amid();
    await this.#server.kill();
    over = true;
    await Promise.all(trading);
    if (this.#random() < GARBLE_CHANCE) this.#garbleTail();
    await this.#start();
    await this.#judgeTouched();
  }

  /** What a write that was under way leaves: bytes after the last whole batch. */
  #garbleTail(): void {
    const disk = new NodeDisk(join(this.#data, 'log'));
    const torn = tornTail(disk, this.#random);
    if (torn === undefined) return;
    const file = disk.open(torn.name);
    file.write(torn.bytes, torn.position);
    file.close();
    this.#garbled += 1;
  }

  async #judgeTouched(): Promise<void> {
    const { orders, touched } = this.#journal;
    const asked = new Set<PlacedOrder>(touched);
    for (let n = 0; n < OLDER_ORDERS_ASKED && orders.length > 0; n++) {
      asked.add(orders[Math.floor(this.#random() * orders.length)]!);
    }
    await this.#withClients(async (clientOf) => {
      const queue = [...asked];
      const work = async () => {
        for (let order = queue.pop(); order !== undefined; order = queue.pop()) {
          const query = { clientOid: order.clientOid };
          const reply = await clientOf(order.account).get('/api/v3/trade/order-info', query);
          assert.ok(reply.code === '00000' || reply.code === '25204', `order-info: ${reply.text}`);
          this.#journal.judge(order, reply.code === '00000' ? (reply.data as OrderShown) : undefined);
        }
      };
      await Promise.all(Array.from({ length: 8 }, work));
    });
  }

  /** Every order there is was meant, once; every fill has its other side; every balance is what the fills say. */
  async #judgeEverything(): Promise<void> {
    const fills: FillShown[] = [];
    for (const name of ACCOUNTS) {
      const open = await this.#pages<OrderShown>(name, '/api/v3/trade/unfilled-orders', {});
      const closed = await this.#pages<OrderShown>(name, '/api/v3/trade/history-orders', {
        category: 'SPOT',
      });
      this.#judgeOrders(name, [...open, ...closed]);
      const own = await this.#pages<FillShown>(name, '/api/v3/trade/fills', {});
      this.#judgeBalances(name, own, await this.#balances(name));
      fills.push(...own);
    }
    assert.equal(new Set(fills.map(({ execId }) => execId)).size, fills.length, 'a fill is shown twice');
    const trades = Map.groupBy(fills, ({ execLinkId }) => execLinkId);
    for (const [trade, sides] of trades) {
      assert.deepEqual(sides.map(({ side }) => side).sort(), ['buy', 'sell'], `trade ${trade} has two sides`);
      assert.deepEqual([sides[0]!.execQty, sides[0]!.execPrice], [sides[1]!.execQty, sides[1]!.execPrice]);
    }
    assert.ok(fills.length > 0, 'nothing was traded');
  }

  #judgeOrders(name: string, shown: readonly OrderShown[]): void {
    const byClientOid = Map.groupBy(shown, ({ clientOid }) => clientOid);
    for (const [clientOid, orders] of byClientOid) {
      assert.equal(orders.length, 1, `TWICE: ${name} ${clientOid} was carried out ${orders.length} times`);
    }
    const mine = this.#journal.orders.filter(({ account }) => account === name);
    for (const order of mine) this.#journal.judge(order, byClientOid.get(order.clientOid)?.[0]);
    const done = mine.filter(({ answer }) => answer === 'done').length;
    assert.equal(shown.length, done, `${name} has orders that nobody sent`);
  }

  #judgeBalances(name: string, fills: readonly FillShown[], balances: ReadonlyMap<string, bigint>): void {
    const owned = new Map(
      [...balances.keys()].map((coin) => [coin, this.#funds.get(`${name} ${coin}`) ?? 0n]),
    );
    const add = (coin: string, amount: bigint) => owned.set(coin, (owned.get(coin) ?? 0n) + amount);
    for (const fill of fills) {
      const [base, quote] = [fill.symbol.replace(/USDT$/, ''), 'USDT'];
      const sign = fill.side === 'buy' ? 1n : -1n;
      add(base, sign * units(fill.execQty));
      add(quote, -sign * units(fill.execValue));
      for (const { feeCoin, fee } of fill.feeDetail) {
        assert.equal(feeCoin, fill.side === 'buy' ? base : quote, 'fees are paid in the coin received');
        add(feeCoin, -units(fee));
      }
    }
    assert.deepEqual(new Map(balances), owned, `balances of ${name} are what its fills say`);
  }

  async #balances(name: string): Promise<Map<string, bigint>> {
    return this.#withClients(async (clientOf) => {
      const reply = await clientOf(name).get('/api/v3/account/assets');
      assert.equal(reply.code, '00000', reply.text);
      const { assets } = reply.data as { assets: { coin: string; balance: string }[] };
      return new Map(assets.map(({ coin, balance }) => [coin, units(balance)]));
    });
  }

  async #pages<Row>(name: string, path: string, query: Readonly<Record<string, string>>): Promise<Row[]> {
    return this.#withClients(async (clientOf) => {
      const rows: Row[] = [];
      for (let cursor = ''; ; ) {
        const reply = await clientOf(name).get(path, {
          ...query,
          limit: '100',
          ...(cursor !== '' && { cursor }),
        });
        assert.equal(reply.code, '00000', reply.text);
        const page = reply.data as { list: Row[]; cursor: string };
        if (page.list.length === 0) return rows;
        rows.push(...page.list);
        cursor = page.cursor;
      }
    });
  }

  async #withClients<Result>(
    use: (clientOf: (name: string) => SignedClient) => Promise<Result>,
  ): Promise<Result> {
    const clients = new Map(
      ACCOUNTS.map((name) => [name, new SignedClient(this.#server.url, this.#server.account(name))]),
    );
    try {
      return await use((name) => clients.get(name)!);
    } finally {
      for (const client of clients.values()) client.close();
    }
  }

  #summary(): string {
    const restarts = this.#restartMs.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(restarts[Math.floor(share * (restarts.length - 1))]!);
    return (
      `${this.#kills} kills, ${this.#journal.count('done')} carried out, ${this.#journal.count('refused')} refused, ` +
      `${this.#journal.resolved} unknown resolved, ${this.#garbled} tails garbled, 0 lost, 0 twice; ` +
      `restart p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
    );
  }
}
