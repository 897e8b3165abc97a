/** Contracts that can be traded: online, and with a mark price, which is taken once a second. */
import { Operator } from './operator-client.ts';
import type { TestServer } from './server.ts';
import { StreamClient } from './stream-client.ts';

export interface Contract {
  readonly category: string;
  readonly symbol: string;
}

/** One perpetual of bitcoin in each category, with the index that prices it. */
export const PERPETUALS = [
  { category: 'USDT-FUTURES', symbol: 'BTCUSDT', index: 'BTCUSDT' },
  { category: 'COIN-FUTURES', symbol: 'BTCUSD', index: 'BTCUSD' },
  { category: 'USDC-FUTURES', symbol: 'BTCPERP', index: 'BTCUSDC' },
] as const;

export async function openPerpetuals(
  server: TestServer,
  price: string,
  perpetuals: readonly (Contract & { readonly index: string })[] = PERPETUALS,
): Promise<void> {
  const operator = new Operator(server);
  for (const { category, symbol, index } of perpetuals) {
    await operator.setStatus(category, symbol, 'online');
    await operator.setPrice(index, price);
  }
  const marks = await StreamClient.open(server.url);
  for (const { category, symbol } of perpetuals) {
    await marks.subscribe({ instType: category.toLowerCase(), topic: 'ticker', symbol });
    await marks.next(
      ({ data }) =>
        data?.[0]?.category === category && data[0].symbol === symbol && Number(data[0].markPrice) > 0,
    );
  }
  marks.close();
}
