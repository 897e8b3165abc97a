/** The exchange that the matrix is run on: one server with a living market, and the clients of three of its accounts. */
import assert from 'node:assert/strict';
import { type SdkClient, sdkClient } from '../clients/clients.ts';
import { Operator } from '../harness/operator-door.ts';
import { type DemoKeys, type RunningServer, startServer } from '../harness/server.ts';

export const SPOT = { category: 'SPOT', symbol: 'BTCUSDT' } as const;
export const SWAP = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;

const FUNDING_MS = 8 * 3_600_000;
/** The exchange's clock begins so long before a settlement of funding; longer where the machine starts it slowly. */
const LEADS_MS = [18_000, 40_000, 90_000] as const;
/** Time enough to take a position before it. */
const NOTICE_MS = 6_000;

/** What a row of a matrix does, and what it makes sure of. */
export interface Row<W> {
  readonly checks: string;
  readonly call: (world: W) => Promise<unknown>;
}

export class World {
  readonly server: RunningServer;
  readonly operator: Operator;
  readonly alice: SdkClient;
  /** The main account of a broker. */
  readonly bob: SdkClient;
  readonly bot: SdkClient;
  /** When funding is settled, soon after the start. */
  readonly fundingTime: number;
  /** The exchange's clock against ours. */
  readonly #aheadMs: number;

  constructor(server: RunningServer, fundingTime: number, aheadMs: number) {
    this.server = server;
    this.fundingTime = fundingTime;
    this.#aheadMs = aheadMs;
    this.operator = new Operator(server);
    [this.alice, this.bob, this.bot] = ['alice', 'bob', 'bot'].map((name) =>
      sdkClient(server.url, server.account(name)),
    ) as [SdkClient, SdkClient, SdkClient];
  }

  keys(name: string): DemoKeys {
    return this.server.account(name);
  }

  uid(name: string): string {
    return String(this.server.account(name).uid);
  }

  /** So far below the market that an order rests, and within the price band. */
  async lowPrice(on: { category: 'SPOT' | 'USDT-FUTURES'; symbol: string }, decimals = 1): Promise<string> {
    const [ticker] = (await this.alice.getTickers(on)).data;
    return (Number(ticker!.lastPrice) * 0.97).toFixed(decimals);
  }

  /** The exchange's time, to a second or so. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** The last hour and a little ahead, as records are asked for. */
  lately(): { startTime: string; endTime: string } {
    return { startTime: String(this.now() - 3_600_000), endTime: String(this.now() + 1000) };
  }

  /** Resolves when funding has been settled. */
  async settled(): Promise<void> {
    const leftMs = this.fundingTime + 2000 - this.now();
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
  }
}

/** A running exchange, unless it took so long to start that the settlement is past. */
async function startBefore(leadMs: number): Promise<World | undefined> {
  const fundingTime = Math.floor(Date.now() / FUNDING_MS) * FUNDING_MS;
  const clock = ['--clock', 'scaled:1', '--clock-start', String(fundingTime - leadMs)];
  const server = await startServer({
    args: ['--rate-limits', 'off', '--market', 'normal', '--backfill', '2', ...clock],
  });
  const time = await new Operator(server).time();
  if (time < fundingTime - NOTICE_MS) return new World(server, fundingTime, time - Date.now());
  await server.stop();
  return undefined;
}

export async function openWorld(): Promise<World> {
  let world: World | undefined;
  for (const leadMs of LEADS_MS) world ??= await startBefore(leadMs);
  assert.ok(world, `the exchange did not start within ${LEADS_MS.at(-1)} ms`);
  await world.operator.makeBroker('bob');
  const [category, symbol] = [SWAP.category, SWAP.symbol];
  for (;;) {
    const tickers = [
      ...(await world.alice.getTickers({ category, symbol })).data,
      ...(await world.alice.getTickers(SPOT)).data,
    ];
    if (
      tickers.every(
        ({ ask1Price, bid1Price, lastPrice }) => ask1Price !== '' && bid1Price !== '' && lastPrice !== '0',
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return world;
}
