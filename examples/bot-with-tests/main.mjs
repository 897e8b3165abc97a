/** The bot on an exchange: `BOURSE_URL=http://127.0.0.1:8787 npm start`. */
import { setTimeout as sleep } from 'node:timers/promises';
import ccxt from 'ccxt';
import { GridBot } from './grid-bot.mjs';

const api = process.env.BOURSE_URL ?? 'http://127.0.0.1:8787';
const exchange = new ccxt.bitget({
  apiKey: process.env.BOURSE_API_KEY ?? 'demo-bot',
  secret: process.env.BOURSE_SECRET_KEY ?? 'demo-bot-secret',
  password: process.env.BOURSE_PASSPHRASE ?? 'demo',
  options: { uta: true },
  urls: { api: { uta: api, spot: api, common: api, mix: api } },
});
const { last } = await exchange.fetchTicker('BTC/USDT');
const prices = [-2, -1, 0, 1, 2].map((percent) => Math.round(last * (1 + percent / 100)));
const bot = new GridBot(exchange, { market: 'BTC/USDT', prices, amount: 0.001 });
for (;;) {
  await bot.step();
  await sleep(1000);
}
