/**
 * Every unified method that ccxt has for this venue (`has`), REST and streams, against one exchange with a simulated market:
 * it works on parsed results, or it is not served and the reason is written down. A new method cannot be forgotten.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import ccxt from 'ccxt';
import { CCXT_CALLS } from './ccxt/calls.ts';
import { CCXT_FLAGS, CCXT_NOT_SERVED, CCXT_UNSUPPORTED } from './ccxt/not-served.ts';
import type { CcxtWorld } from './ccxt/world.ts';
import { documentSection, keepDocument } from './document.ts';
import { openWorld, SWAP, type World } from './world.ts';

const METHODS = [
  ...Object.entries(new ccxt.pro.bitget().has as Record<string, unknown>)
    .filter(([name, has]) => Boolean(has) && !CCXT_FLAGS.includes(name))
    .map(([name]) => name),
  // What ends a stream is not among what the library says it has.
  ...Object.getOwnPropertyNames(ccxt.pro.bitget.prototype).filter(
    (name) => name.startsWith('unWatch') && !CCXT_FLAGS.includes(name),
  ),
];
/** A method may have a second row for another way to call it: `editOrder, stopLossPrice`. */
const methodOf = (name: string) => name.split(',')[0]!;
const isStream = (name: string) => /^(un)?watch/i.test(name);

type Client = CcxtWorld['me'] & Record<string, (...args: unknown[]) => Promise<unknown>>;

describe('ccxt, unified methods', () => {
  let world: World;
  let me: Client;
  let holder: Client;
  /** What the row under way has asked for. */
  let asked: string[] = [];
  const endpoints = new Map<string, string>();

  before(async () => {
    world = await openWorld(({ bot }) =>
      bot.submitNewOrder({ ...SWAP, side: 'buy', orderType: 'market', qty: '0.01' }),
    );
    const note = (call: string) => asked.push(call);
    [me, holder] = [await connect(world, 'alice', note), await connect(world, 'bot', note)];
    await me.loadMarkets();
    holder.setMarketsFromExchange(me);
  });
  after(async () => {
    await Promise.all([me.close(), holder.close()]);
    await world.server.stop();
  });

  it('every method of the library has its place in the matrix', () => {
    const places = [CCXT_CALLS, CCXT_NOT_SERVED, CCXT_UNSUPPORTED].map(Object.keys);
    const placed = (name: string) => places.filter((place) => place.includes(name)).length;
    assert.deepEqual(
      METHODS.filter((name) => placed(name) !== 1),
      [],
    );
    const known = new Set(METHODS);
    assert.deepEqual(
      places.flat().filter((name) => !known.has(methodOf(name))),
      [],
    );
  });

  for (const [name, { checks, call }] of Object.entries(CCXT_CALLS)) {
    it(`${name}: ${checks}`, async () => {
      asked = [];
      await call({ world, me, holder });
      const paths = [...new Set(asked)].join(', ');
      endpoints.set(name, isStream(name) ? 'stream' : paths || 'none: from what is loaded');
    });
  }

  for (const [name, [args, reason]] of Object.entries(CCXT_NOT_SERVED)) {
    it(`${name}: not served, ${reason}`, async () => {
      await assert.rejects(me[name]!(...args), /40404/);
    });
  }

  for (const [name, args] of Object.entries(CCXT_UNSUPPORTED)) {
    it(`${name}: ccxt itself does not support it`, async () => {
      asked = [];
      await assert.rejects(async () => me[name]!(...args), ccxt.NotSupported);
      assert.deepEqual(asked, []);
    });
  }

  it('docs/clients.md shows this table', () => {
    const rows = Object.entries(CCXT_CALLS).map(([name, { checks }]) => [
      name,
      endpoints.get(name) ?? '',
      checks,
    ]);
    const missing = Object.entries(CCXT_NOT_SERVED).map(([name, [, reason]]) => [name, reason]);
    keepDocument('ccxt', [
      documentSection('ccxt: unified methods', ['method', 'endpoints', 'checked'], rows),
      documentSection(
        'ccxt: not served',
        ['method', 'why'],
        [
          ...missing,
          ...Object.keys(CCXT_UNSUPPORTED).map((name) => [name, 'ccxt itself does not support it']),
        ],
      ),
    ]);
  });
});

/** A client whose requests are noted; every address it knows is the exchange's. */
async function connect(world: World, name: string, note: (call: string) => void): Promise<Client> {
  const { apiKey, secretKey, passphrase } = world.keys(name);
  const { url } = world.server;
  const stream = url.replace('http', 'ws');
  const names = Object.keys(new ccxt.bitget().urls.api as object).filter(
    (name) => !['ws', 'demo'].includes(name),
  );
  const client = new ccxt.pro.bitget({
    apiKey,
    secret: secretKey,
    password: passphrase,
    enableRateLimit: false,
    options: { uta: true },
    urls: {
      api: {
        ...Object.fromEntries(names.map((name) => [name, url])),
        ws: { utaPublic: `${stream}/v3/ws/public`, utaPrivate: `${stream}/v3/ws/private` },
      },
    },
  }) as unknown as Client;
  await client.loadHttpProxyAgent();
  const fetch = client.fetch.bind(client);
  client.fetch = ((address: string, method = 'GET', ...rest: unknown[]) => {
    note(`${method} ${new URL(address).pathname.replace('/api/', '')}`);
    return (fetch as (...args: unknown[]) => Promise<unknown>)(address, method, ...rest);
  }) as typeof client.fetch;
  return client;
}
