/** The exchange that the matrix is run on: one server with a living market, and the clients of three of its accounts. */

import { type SdkClient, sdkClient } from '../clients/clients.ts';
import { Operator } from '../harness/operator-door.ts';
import { type DemoKeys, type RunningServer, startServer } from '../harness/server.ts';

export const SPOT = { category: 'SPOT', symbol: 'BTCUSDT' } as const;
export const SWAP = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;

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

  constructor(server: RunningServer) {
    this.server = server;
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

  /** The last hour and a little ahead, as records are asked for. */
  lately(): { startTime: string; endTime: string } {
    return { startTime: String(Date.now() - 3_600_000), endTime: String(Date.now() + 1000) };
  }
}

export async function openWorld(): Promise<World> {
  const server = await startServer({
    args: ['--rate-limits', 'off', '--market', 'normal', '--backfill', '2'],
  });
  const world = new World(server);
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
