/** The two npm clients as their users make them (wire 7): unmodified, pointed at a running server. */
import assert from 'node:assert/strict';
import { RestClientV3 } from 'bitget-api';
import ccxt, { type bitget, type pro } from 'ccxt';
import type { DemoKeys } from '../harness/server.ts';

export type CcxtClient = bitget;
export type SdkClient = RestClientV3;
export type CcxtProClient = InstanceType<typeof pro.bitget>;

/** Its own patience of ten seconds would make a slow machine look like a venue that does not answer. */
const CCXT_TIMEOUT_MS = 120_000;

export function ccxtClient(url: string, keys?: DemoKeys, settings: object = {}): CcxtClient {
  return new ccxt.bitget({
    ...(keys !== undefined && { apiKey: keys.apiKey, secret: keys.secretKey, password: keys.passphrase }),
    options: { uta: true },
    timeout: CCXT_TIMEOUT_MS,
    urls: { api: { uta: url, spot: url, common: url, mix: url } },
    ...settings,
  });
}

/** The same with streams; `markets` are taken from another client that has loaded them. */
export async function ccxtProClient(
  url: string,
  keys: DemoKeys,
  markets?: CcxtProClient,
): Promise<CcxtProClient> {
  const stream = url.replace('http', 'ws');
  const client = new ccxt.pro.bitget({
    apiKey: keys.apiKey,
    secret: keys.secretKey,
    password: keys.passphrase,
    options: { uta: true },
    timeout: CCXT_TIMEOUT_MS,
    urls: {
      api: {
        uta: url,
        spot: url,
        common: url,
        mix: url,
        ws: { utaPublic: `${stream}/v3/ws/public`, utaPrivate: `${stream}/v3/ws/private` },
      },
    },
  });
  // Plain ws:// needs it (wire 7).
  await client.loadHttpProxyAgent();
  if (markets === undefined) await client.loadMarkets();
  else client.setMarketsFromExchange(markets);
  return client;
}

/** Several accounts of one venue: the markets are loaded once, as a trader with several accounts would. */
export async function ccxtClients(url: string, keys: readonly DemoKeys[]): Promise<CcxtClient[]> {
  const clients = keys.map((each) => ccxtClient(url, each));
  const [first, ...others] = clients;
  await first!.loadMarkets();
  for (const other of others) other.setMarketsFromExchange(first);
  return clients;
}

export function sdkClient(url: string, keys?: DemoKeys, settings: object = {}): SdkClient {
  return new RestClientV3({
    baseUrl: url,
    ...(keys !== undefined && { apiKey: keys.apiKey, apiSecret: keys.secretKey, apiPass: keys.passphrase }),
    ...settings,
  });
}

/** What the SDK throws when the venue refuses: HTTP status, headers and the whole envelope. */
export interface SdkRefusal {
  readonly code: number;
  readonly body: {
    readonly code: string;
    readonly msg: string;
    readonly requestTime: number;
    readonly data: unknown;
  };
  readonly headers: Readonly<Record<string, string>>;
}

export async function refusalOf(call: Promise<unknown>): Promise<SdkRefusal> {
  try {
    await call;
  } catch (error) {
    return error as SdkRefusal;
  }
  return assert.fail('the venue accepted what it should refuse');
}

type CcxtError = new (message: string) => Error;

/** The class must be exactly this one: every class of ccxt is an ExchangeError. */
export async function refusesWith(call: Promise<unknown>, kind: CcxtError, code: string): Promise<void> {
  await assert.rejects(call, (error: Error) => {
    assert.equal(error.constructor.name, kind.name, error.message);
    assert.match(error.message, new RegExp(`"code":"${code}"`));
    return true;
  });
}
