/** An account with something to see: a position with take-profit and stop-loss, orders and a trigger near the price. */
import assert from 'node:assert/strict';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { until } from '../harness/until.ts';

export const CONTRACT = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;

interface Ticker {
  readonly lastPrice: string;
  readonly bid1Price: string;
  readonly ask1Price: string;
}

/** Waits until the living market quotes both sides and has a past. */
export async function livingPrice(server: TestServer): Promise<number> {
  const query = new URLSearchParams(CONTRACT).toString();
  /** Null where so many questions are too many. */
  const ask = async <Data>(path: string) => {
    const answer = await fetch(`${server.url}/api/v3/market/${path}`);
    return ((await answer.json()) as { data: Data | null }).data;
  };
  return until('a market that lives', async () => {
    const ticker = (await ask<Ticker[]>(`tickers?${query}`))?.[0];
    const candles = await ask<unknown[]>(`candles?${query}&interval=15m&limit=300`);
    const traded = Number(ticker?.lastPrice) > 0;
    if (!traded || !ticker?.bid1Price || !ticker.ask1Price || (candles?.length ?? 0) < 300) return undefined;
    return Number(ticker.lastPrice);
  });
}

export async function tradeALittle(server: TestServer): Promise<void> {
  const price = await livingPrice(server);
  const at = (share: number) => String(Math.round(price * share));
  const alice = new SignedClient(server.url, server.account('alice'));
  const send = async (path: string, body: object) => {
    const { code, msg } = await alice.post(`/api/v3/${path}`, { ...CONTRACT, ...body });
    assert.equal(code, '00000', msg);
  };
  await send('account/set-leverage', { leverage: '20' });
  await send('trade/place-order', {
    side: 'buy',
    orderType: 'market',
    qty: '0.75',
    takeProfit: at(1.02),
    stopLoss: at(0.975),
  });
  await send('trade/place-order', { side: 'buy', orderType: 'limit', qty: '0.5', price: at(0.988) });
  await send('trade/place-order', { side: 'sell', orderType: 'limit', qty: '0.25', price: at(1.012) });
  await send('trade/place-strategy-order', {
    type: 'trigger',
    side: 'buy',
    qty: '0.1',
    triggerPrice: at(0.98),
  });
  await send('trade/place-strategy-order', {
    type: 'trailing',
    side: 'sell',
    qty: '0.1',
    callbackRatio: '1',
  });
  alice.close();
}
