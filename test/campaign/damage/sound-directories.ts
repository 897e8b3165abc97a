/**
 * The data directories that trials begin with: one that was stopped properly, one whose process was killed, and the same
 * exchange at an earlier moment, for files that are older than the rest. All kinds of records are in them.
 */
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stateHash } from '../../../src/sequencer/state-hash.ts';
import type { DemoKeys } from '../../harness/server.ts';
import { SignedClient } from '../../harness/signed-client.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';
import { ExchangeHere } from './exchange-here.ts';
import { type Picture, pictureOf } from './picture.ts';

/** Longer than anything that is written behind: marks of the log, packs of the history. */
const AT_REST_MS = 300;

export interface SoundDirectory {
  readonly path: string;
  readonly how: 'stopped' | 'killed';
  readonly picture: Picture;
  readonly stateHash: string;
  readonly accounts: readonly DemoKeys[];
}

export interface SoundDirectories {
  readonly all: readonly SoundDirectory[];
  /** The exchange as it was some commands and users earlier. */
  readonly older: string;
}

export async function makeSoundDirectories(): Promise<SoundDirectories> {
  const home = temporaryDirectory();
  const [work, older, stopped, killed] = ['work', 'older', 'stopped', 'killed'].map((name) =>
    join(home, name),
  );
  {
    await using exchange = await ExchangeHere.start(work!);
    const world = new World(exchange, work!);
    await world.openFutures();
    await world.trade('first');
    await world.moveMoney('first');
    await world.openSub('desk');
  }
  cpSync(work!, older!, { recursive: true });
  let accounts: readonly DemoKeys[] = [];
  {
    await using exchange = await ExchangeHere.start(work!);
    const world = new World(exchange, work!);
    await world.trade('second');
    await world.moveMoney('second');
    await world.openSub('other');
    await world.operator('POST', '/admin/snapshots', {});
    await world.trade('third');
    accounts = world.accounts;
  }
  cpSync(work!, stopped!, { recursive: true });
  const ofStopped = await seen(stopped!, accounts, 'stopped');
  {
    await using exchange = await ExchangeHere.start(work!);
    const world = new World(exchange, work!);
    await world.trade('fourth');
    await world.openSub('third');
    await sleep(AT_REST_MS);
    cpSync(work!, killed!, { recursive: true });
  }
  const ofKilled = await seen(killed!, accounts, 'killed');
  return { all: [ofStopped, ofKilled], older: older! };
}

/** Started on a copy: the original stays as it is. */
async function seen(
  path: string,
  accounts: readonly DemoKeys[],
  how: SoundDirectory['how'],
): Promise<SoundDirectory> {
  const copy = `${path}-seen`;
  cpSync(path, copy, { recursive: true });
  await using exchange = await ExchangeHere.start(copy);
  const { url, sequencer } = exchange.running;
  const picture = await pictureOf(url, accounts);
  const unanswered = [...picture].filter(([, answer]) => !/^[[{]/.test(answer));
  assert.deepEqual(unanswered, [], 'every question has an answer in a sound exchange');
  return { path, how, picture, stateHash: stateHash(sequencer.state), accounts };
}

/** Somebody who does a bit of everything. */
class World {
  readonly accounts: readonly DemoKeys[];
  readonly #url: string;
  readonly #endpoint: { readonly url: string; readonly token: string };

  constructor({ running }: ExchangeHere, data: string) {
    this.#url = running.url;
    this.#endpoint = JSON.parse(readFileSync(join(data, 'operator.json'), 'utf8'));
    const demo = JSON.parse(readFileSync(join(data, 'demo-accounts.json'), 'utf8')) as DemoKeys[];
    this.accounts = demo.filter(({ name }) => name === 'alice' || name === 'bob');
  }

  async openFutures(): Promise<void> {
    await this.operator('POST', '/admin/prices', { index: 'BTCUSDT', price: '60000' });
    await this.operator('POST', '/admin/clock/advance', { by: '3s', step: '1s' });
    const status = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', status: 'online' };
    await this.operator('POST', '/admin/instruments/status', status);
  }

  async trade(name: string): Promise<void> {
    await this.operator('POST', '/admin/prices', { index: 'BTCUSDT', price: '60000' });
    await this.operator('POST', '/admin/clock/advance', { by: '2s', step: '1s' });
    for (let index = 0; index < 12; index += 1) {
      const price = String(59_990 + index);
      await this.order(
        'alice',
        { category: 'SPOT', side: 'sell', price, qty: '0.0021' },
        `${name}-a${index}`,
      );
      await this.order('bob', { category: 'SPOT', side: 'buy', price, qty: '0.0013' }, `${name}-b${index}`);
    }
    const contract = { category: 'USDT-FUTURES', price: '60000', qty: '0.01' };
    await this.order('alice', { ...contract, side: 'buy' }, `${name}-fa`);
    await this.order('bob', { ...contract, side: 'sell' }, `${name}-fb`);
    await this.post('alice', 'trade/cancel-order', { clientOid: `${name}-a11` });
  }

  async moveMoney(name: string): Promise<void> {
    const deposit = { account: 'alice', coin: 'BTC', amount: '0.5', reference: name };
    await this.operator('POST', '/admin/deposits', deposit);
    await this.operator('POST', '/admin/accounts/alice/addresses', {
      coin: 'BTC',
      chain: 'BTC',
      address: `1BoatSLRHtKNngkdXEeobR76b53LETtp${name.slice(0, 2)}`,
      label: name,
    });
  }

  /** With two keys, one of which is deleted again. */
  async openSub(name: string): Promise<void> {
    const { account } = await this.operator('POST', '/admin/accounts', {
      name,
      kind: 'sub',
      master: 'alice',
    });
    const key = {
      label: name,
      permType: 'read_write',
      permissions: ['uta_trade'],
      passphrase: 'passphrase1',
    };
    await this.operator('POST', `/admin/accounts/${account.uid}/keys`, key);
    const gone = await this.operator('POST', `/admin/accounts/${account.uid}/keys`, key);
    await this.operator('DELETE', `/admin/keys/${gone.key.apiKey}`);
  }

  order(account: string, order: Record<string, string>, clientOid: string): Promise<void> {
    const shared = { symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc' };
    return this.post(account, 'trade/place-order', { ...shared, ...order, clientOid });
  }

  async post(account: string, path: string, body: Record<string, string>): Promise<void> {
    const client = new SignedClient(
      this.#url,
      this.accounts.find(({ name }) => name === account),
    );
    try {
      const { code, text } = await client.post(`/api/v3/${path}`, body);
      assert.equal(code, '00000', `${path}: ${text}`);
    } finally {
      client.close();
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async operator(method: string, path: string, body?: object): Promise<any> {
    const headers = { authorization: `Bearer ${this.#endpoint.token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${this.#endpoint.url}${path}`, {
      method,
      headers: body === undefined ? { authorization: headers.authorization } : headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }
}
