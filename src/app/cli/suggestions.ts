/** Suggests a known name for an unknown one. */

import { ActionRefused } from '../exit-codes.ts';
import { didYouMean } from '../terminal/did-you-mean.ts';
import type { OperatorClient } from './operator-client.ts';

export function suggestCoin<Answer>(
  client: OperatorClient,
  coin: string,
  work: Promise<Answer>,
): Promise<Answer> {
  return suggesting('unknown_coin', coin, work, async () => {
    const { coins } = await client.get<{ coins: { coin: string }[] }>('/admin/books');
    return coins.map((row) => row.coin);
  });
}

export function suggestInstrument<Answer>(
  client: OperatorClient,
  category: string,
  symbol: string,
  work: Promise<Answer>,
): Promise<Answer> {
  return suggesting('unknown_instrument', symbol, work, async () => {
    const { instruments } = await client.get<{ instruments: { symbol: string }[] }>(
      `/admin/instruments?category=${encodeURIComponent(category)}`,
    );
    return instruments.map((row) => row.symbol);
  });
}

async function suggesting<Answer>(
  code: string,
  word: string,
  work: Promise<Answer>,
  known: () => Promise<string[]>,
): Promise<Answer> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ActionRefused) || error.code !== code) throw error;
    const meant = didYouMean(word, await known());
    throw meant === undefined ? error : new ActionRefused(code, `${error.message}. Did you mean ${meant}?`);
  }
}
