/** The exchange that the matrix is run on: one server with a simulated market, and the clients of three of its accounts. */
import assert from 'node:assert/strict';
import { type SdkClient, sdkClient } from '../api/clients.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { until } from './checks.ts';

export const SPOT = { category: 'SPOT', symbol: 'BTCUSDT' } as const;
export const SWAP = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;

const FUNDING_MS = 8 * 3_600_000;
/** The exchange's clock begins so long before a settlement of funding; longer where the machine is slow. */
const LEADS_MS = [18_000, 40_000, 90_000, 240_000] as const;

/** What a row of a matrix does, and what it makes sure of. */
export interface Row<W> {
  readonly checks: string;
  readonly call: (world: W) => Promise<unknown>;
}

export class World {
  readonly server: TestServer;
  readonly operator: Operator;
  readonly alice: SdkClient;
  /** The main account of a broker. */
  readonly bob: SdkClient;
  readonly bot: SdkClient;
  /** When funding is settled, soon after the start. */
  readonly fundingTime: number;
  /** The exchange's clock against ours. */
  readonly #aheadMs: number;

  constructor(server: TestServer, fundingTime: number, aheadMs: number) {
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
    await until('funding is settled', async () => {
      // The library's type says a bare list; it is wrapped (wire 4.2).
      const { resultList } = (await this.alice.getHistoryFundingRate(SWAP)).data as unknown as {
        resultList: { fundingRateTimestamp: string }[];
      };
      return resultList.some((each) => Number(each.fundingRateTimestamp) === this.fundingTime) || undefined;
    });
  }
}

/** A running exchange that is prepared, unless that took so long that the settlement is past. */
async function startBefore(leadMs: number, prepare: (world: World) => Promise<unknown>) {
  const fundingTime = Math.floor(Date.now() / FUNDING_MS) * FUNDING_MS;
  const clock = ['--clock', 'scaled:1', '--clock-start', String(fundingTime - leadMs)];
  const server = await startHosted({
    args: ['--rate-limits', 'off', '--market', 'normal', '--backfill', '2', ...clock],
  });
  const world = new World(server, fundingTime, (await new Operator(server).time()) - Date.now());
  await world.operator.makeBroker('bob');
  await quoted(world);
  await prepare(world);
  if ((await world.operator.time()) < fundingTime) return world;
  await server.stop();
  return undefined;
}

async function quoted(world: World): Promise<void> {
  await until('quotes and trades', async () => {
    const tickers = [
      ...(await world.alice.getTickers(SWAP)).data,
      ...(await world.alice.getTickers(SPOT)).data,
    ];
    const isQuoted = tickers.every(
      ({ ask1Price, bid1Price, lastPrice }) => ask1Price !== '' && bid1Price !== '' && lastPrice !== '0',
    );
    return isQuoted || undefined;
  });
}

/** What `prepare` does is done before funding is settled. */
export async function openWorld(
  prepare: (world: World) => Promise<unknown> = async () => {},
): Promise<World> {
  for (const leadMs of LEADS_MS) {
    const world = await startBefore(leadMs, prepare);
    if (world !== undefined) return world;
  }
  return assert.fail(`the exchange was not ready within ${LEADS_MS.at(-1)} ms`);
}
