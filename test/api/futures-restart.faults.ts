/**
 * A venue that is killed in the middle of a funding period, of a fall and of a delivery day ends in the state of one
 * that ran through: the same orders and hours of a manual clock, once with `kill -9` while the clock is being advanced,
 * once without, then the hash of the state as `bourse verify` computes it.
 */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from '../app/bourse-process.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type SdkClient, sdkClient } from './clients.ts';

/** The last Friday of December, twenty minutes before funding and delivery. */
const START = Date.UTC(2026, 11, 25, 7, 40);
const EIGHT = Date.UTC(2026, 11, 25, 8);
const PERPETUALS = [
  { category: 'USDT-FUTURES', symbol: 'BTCUSDT' },
  { category: 'USDC-FUTURES', symbol: 'BTCPERP' },
  { category: 'COIN-FUTURES', symbol: 'BTCUSD' },
] as const;
const QUARTER = { category: 'COIN-FUTURES', symbol: 'BTCUSDZ26' } as const;
const ARGS = [
  '--clock',
  'manual',
  '--clock-start',
  String(START),
  '--rate-limits',
  'off',
  '--segment-bytes',
  '1048576',
  '--instruments',
  [...PERPETUALS, QUARTER].map(({ category, symbol }) => `${category}:${symbol}`).join(','),
];

const running = new Set<TestServer>();

after(async () => {
  for (const server of running) await server.kill();
});

class Life {
  readonly data = temporaryDirectory();
  readonly #killing: boolean;
  /** Advances that a kill has cut off on their way. */
  kills = 0;
  server!: TestServer;
  operator!: Operator;

  constructor(killing: boolean) {
    this.#killing = killing;
  }

  async open(): Promise<this> {
    this.server = await startHosted({ data: this.data, args: ARGS });
    running.add(this.server);
    this.operator = new Operator(this.server);
    return this;
  }

  client(name: string): SdkClient {
    return sdkClient(this.server.url, this.server.account(name));
  }

  async price(btc: string): Promise<void> {
    for (const index of ['BTCUSDT', 'BTCUSDC', 'BTCUSD']) await this.operator.setPrice(index, btc);
  }

  /** To an instant; a life that is being killed gets there in two runs. */
  async until(time: number): Promise<void> {
    const to = new Date(time).toISOString();
    if (this.#killing) {
      await this.#cutOff(to);
      // Whether the kill came before or after the last tick, which is the operator's own, the logs know.
      if (await this.operator.hasDone('clock.advance', { to })) return;
    }
    await this.operator.tryAdvance({ to });
  }

  async #cutOff(to: string): Promise<void> {
    const before = lastWritten(this.data);
    let answered = false;
    const cut = this.operator.tryAdvance({ to }).then(
      () => {
        answered = true;
      },
      () => {},
    );
    // The server is too busy to be asked how far it is; the first tick in its log tells that it is on its way.
    while (!answered && lastWritten(this.data) === before) await sleep(1);
    await this.server.kill();
    running.delete(this.server);
    await cut;
    await this.open();
    const resumed = await this.operator.time();
    assert.ok(resumed <= Date.parse(to), `${resumed} is beyond ${to}`);
    if (resumed < Date.parse(to)) this.kills++;
  }

  async end(): Promise<{ stateHash: string; lastSeq: number; ok: boolean }> {
    assert.equal(await this.server.stop(), 0);
    running.delete(this.server);
    const { stdout } = await command(['verify', '--json', '--data', this.data]);
    return JSON.parse(stdout);
  }
}

/** When anything was last written to the log. */
function lastWritten(data: string): number {
  const folder = join(data, 'log');
  return Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs));
}

const limit = (contract: object, side: 'buy' | 'sell', qty: string, price: string) =>
  ({ ...contract, side, orderType: 'limit', qty, price }) as Parameters<SdkClient['submitNewOrder']>[0];

async function deal(life: Life, contract: object, buyer: string, seller: string, qty: string, price: string) {
  await life.client(seller).submitNewOrder(limit(contract, 'sell', qty, price));
  await life.client(buyer).submitNewOrder(limit(contract, 'buy', qty, price));
}

async function live(life: Life): Promise<void> {
  for (const { category, symbol } of [...PERPETUALS, QUARTER])
    await life.operator.setStatus(category, symbol, 'online');
  await life.price('60000');
  await life.until(START + 2000);
  await deal(life, QUARTER, 'alice', 'maker', '0.2', '60000');
  for (const perpetual of PERPETUALS) {
    await deal(life, perpetual, 'alice', 'maker', '0.5', '60000');
    await life.client('bob').setLeverage({ ...perpetual, leverage: '50', marginMode: 'isolated' } as never);
    await deal(life, perpetual, 'bob', 'maker', '1', '60000');
    await life.client('maker').submitNewOrder(limit(perpetual, 'buy', '0.4', '58950'));
  }
  await life.until(START + 5 * 60_000);
  // Bob stands on 2 % everywhere: a part is sold into the book, the rest is taken from the other side.
  await life.price('58900');
  await life.until(START + 6 * 60_000);
  await life.price('59500');
  await life.until(EIGHT - 60_000);
  await life.until(EIGHT + 60_000);
}

test('killed in a funding period, in a fall and on a delivery day, a venue ends as one that was not', async () => {
  const whole = await new Life(false).open();
  await live(whole);
  const alice = whole.client('alice');
  assert.deepEqual((await alice.getCurrentPosition(QUARTER)).data.list, []);
  const [settled] = (await alice.getTradeFills(QUARTER)).data.list;
  assert.match(settled!.tradeSide ?? '', /^delivery/);
  const bob = whole.client('bob');
  for (const perpetual of PERPETUALS) {
    const [position] = (await alice.getCurrentPosition(perpetual)).data.list;
    assert.notEqual(position!.totalFunding, '0', perpetual.symbol);
    assert.deepEqual((await bob.getCurrentPosition(perpetual)).data.list, []);
    const sold = (await bob.getTradeFills(perpetual)).data.list.map(({ tradeSide }) => tradeSide);
    assert.deepEqual(sold, ['burst_sell_single', 'burst_sell_single', 'open'], perpetual.symbol);
  }
  const reference = await whole.end();
  assert.equal(reference.ok, true);

  const killed = await new Life(true).open();
  await live(killed);
  assert.ok(killed.kills > 0, 'no kill came in the middle');
  const outcome = await killed.end();
  assert.deepEqual(
    [outcome.ok, outcome.lastSeq, outcome.stateHash],
    [true, reference.lastSeq, reference.stateHash],
  );
});
