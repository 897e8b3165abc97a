/** What users see of an exchange, account by account: compared before and after damage. */
import type { DemoKeys } from '../../harness/server.ts';
import { SignedClient } from '../../harness/signed-client.ts';

export type Picture = ReadonlyMap<string, string>;

const SPOT = { category: 'SPOT' };
const FUTURES = { category: 'USDT-FUTURES' };
const PUBLIC: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['market/instruments', SPOT],
  ['market/orderbook', { ...SPOT, symbol: 'BTCUSDT' }],
  ['market/fills', { ...SPOT, symbol: 'BTCUSDT' }],
  ['market/candles', { ...SPOT, symbol: 'BTCUSDT', interval: '1m' }],
  ['market/candles', { ...FUTURES, symbol: 'BTCUSDT', interval: '1m' }],
  ['market/tickers', FUTURES],
];
const PRIVATE: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['account/assets', {}],
  ['account/funding-assets', {}],
  ['account/settings', {}],
  ['account/financial-records', SPOT],
  ['account/financial-records', FUTURES],
  ['account/funding-financial-records', {}],
  ['account/deposit-records', { startTime: '1782300000000', endTime: '1782400000000' }],
  ['account/withdrawal-records', { startTime: '1782300000000', endTime: '1782400000000' }],
  ['account/deposit-address', { coin: 'BTC' }],
  ['account/withdraw-address', {}],
  ['account/sub-transfer-record', {}],
  ['account/sub-unified-assets', {}],
  ['user/sub-list', {}],
  ['trade/unfilled-orders', SPOT],
  ['trade/history-orders', SPOT],
  ['trade/history-orders', FUTURES],
  ['trade/fills', SPOT],
  ['trade/fills', FUTURES],
  ['trade/unfilled-strategy-orders', { ...FUTURES, type: 'trigger' }],
  ['position/current-position', FUTURES],
  ['position/history-position', FUTURES],
  ['loan/debts', {}],
];

/** Answers by question. What the exchange cannot answer at all is an answer too. */
export async function pictureOf(url: string, accounts: readonly DemoKeys[]): Promise<Picture> {
  const picture = new Map<string, string>();
  const ask = async (keys: DemoKeys | undefined, questions: typeof PUBLIC) => {
    const client = new SignedClient(url, keys);
    try {
      for (const [path, query] of questions) {
        const name = `${keys?.name ?? 'public'} ${path} ${new URLSearchParams(query).toString()}`;
        picture.set(name, await answerOf(client, path, query));
      }
    } finally {
      client.close();
    }
  };
  await ask(undefined, PUBLIC);
  for (const account of accounts) {
    await ask(account, PRIVATE);
    const subs = /"subUid":"(\d+)"/.exec(picture.get(`${account.name} user/sub-list `) ?? '');
    if (subs !== null) await ask(account, [['user/sub-api-list', { subUid: subs[1]! }]]);
  }
  return picture;
}

async function answerOf(
  client: SignedClient,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<string> {
  const { status, code, msg, data } = await client.get(`/api/v3/${path}`, query);
  return code === '00000' ? JSON.stringify(data) : `${status} ${code} ${msg}`;
}

const WITHHELD = / a record in the answer is damaged and is not shown/;

/** Does the exchange say that it does not show a damaged record? */
export function isWithholding(picture: Picture): boolean {
  return [...picture.values()].some((answer) => WITHHELD.test(answer));
}

/** The answers that differ, in words; an answer that is withheld because its record is damaged says nothing wrong. */
export function differences(before: Picture, after: Picture): string[] {
  return [...before].flatMap(([question, answer]) => {
    const now = after.get(question) ?? '(not asked)';
    if (now === answer || WITHHELD.test(now)) return [];
    let at = 0;
    while (at < answer.length && answer[at] === now[at]) at += 1;
    const cut = (text: string) => text.slice(Math.max(0, at - 40), at + 60);
    return [`${question}: …${cut(answer)}… is now …${cut(now)}…`];
  });
}
