/** Snapshots and reverts of an exchange in memory, as clients and operators see them. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import ccxt from 'ccxt';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { StreamClient } from '../harness/stream-client.ts';
import { until } from '../harness/until.ts';
import { keysOf, stopAll } from '../memory/in-process.ts';
import { Lab, spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

after(stopAll);

const PLACE = '/api/v3/trade/place-order';
const OPEN = '/api/v3/trade/unfilled-orders';

const hashOf = (lab: Lab) => stateHash(lab.exchange.sequencer.state);

async function openIds(lab: Lab, name: string): Promise<string[]> {
  const { data } = await lab.client(name).get(OPEN, { category: 'SPOT' });
  return (data.list ?? []).map((order: { orderId: string }) => order.orderId);
}

describe('a snapshot', () => {
  it('is gone back to any number of times: orders, money, history, keys and time', async () => {
    const lab = await Lab.start();
    const alice = lab.client('alice');
    const kept = (await alice.post(PLACE, spotOrder('buy', '60000'))).data.orderId;
    const saved = await lab.snapshot('calm');
    assert.equal(saved.stateHash, hashOf(lab));
    for (let round = 0; round < 3; round++) {
      await lab.client('maker').post(PLACE, spotOrder('sell', '60000'));
      const later = (await alice.post(PLACE, spotOrder('buy', '59000'))).data.orderId;
      await lab.ask('POST', '/admin/deposits', { account: 'bob', coin: 'USDT', amount: '7', reference: 'x' });
      await lab.ask('POST', '/admin/accounts', { name: 'newcomer' });
      await lab.advance('1h');
      assert.deepEqual(await openIds(lab, 'alice'), [later]);
      const fills = await alice.get('/api/v3/trade/fills', { category: 'SPOT' });
      assert.equal(fills.data.list.length, 1);
      const reverted = await lab.revert('calm');
      assert.deepEqual(
        [reverted.name, reverted.seq, reverted.time, reverted.stateHash],
        ['calm', saved.seq, saved.time, saved.stateHash],
      );
      assert.ok(reverted.dropped.commands > 3600, 'an hour of ticks and the commands before');
      assert.equal(reverted.dropped.orders, 1);
      assert.equal(hashOf(lab), saved.stateHash);
      assert.deepEqual(await openIds(lab, 'alice'), [kept]);
      const none = await alice.get('/api/v3/trade/fills', { category: 'SPOT' });
      assert.deepEqual(none.data.list ?? [], []);
      const { data } = await lab.client('bob').get('/api/v3/public/time');
      assert.equal(Number(data?.serverTime ?? saved.time), saved.time);
      assert.equal((await lab.refused('GET', '/admin/accounts/newcomer'))[0], 404);
    }
    await lab.stop();
  });

  it('goes on alike wherever it is gone on from, ids included', async () => {
    const lab = await Lab.start();
    await lab.snapshot('one');
    const trade = async () => {
      const { data } = await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
      await lab.client('maker').post(PLACE, spotOrder('sell', '60000', '0.004'));
      await lab.advance('10s');
      return [data.orderId, hashOf(lab)];
    };
    const first = await trade();
    await lab.revert('one');
    assert.deepEqual(await trade(), first);
    await lab.stop();
  });

  it('is used by ccxt without another word', async () => {
    const lab = await Lab.start();
    const { apiKey, secretKey: secret, passphrase: password } = keysOf(lab.exchange, 'bot');
    const { url } = lab.exchange;
    const urls = { api: { uta: url, spot: url, common: url, mix: url } };
    const exchange = new ccxt.bitget({ apiKey, secret, password, options: { uta: true }, urls });
    const before = await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 60_000);
    await lab.snapshot('with-order');
    await exchange.cancelOrder(before.id!, 'BTC/USDT');
    await lab.revert('with-order');
    const open = await exchange.fetchOpenOrders('BTC/USDT');
    assert.deepEqual(
      open.map(({ id }) => id),
      [before.id],
    );
    await lab.stop();
  });

  it('lists snapshots with their parents, and the ends of branches that were left', async () => {
    const lab = await Lab.start();
    await lab.snapshot('one');
    await lab.snapshot('two');
    await lab.revert('one');
    await lab.snapshot('three');
    const rows = async () =>
      (await lab.ask('GET', '/lab/snapshots')).snapshots.map(
        ({ name, parent, branch }: Record<string, unknown>) => [name, parent, branch],
      );
    assert.deepEqual(await rows(), [
      ['three', 'one', 1],
      ['branch-0', 'two', 0],
      ['two', 'one', 0],
      ['one', null, 0],
    ]);
    for (let n = 0; n < 10; n++) await lab.revert('two');
    const ends = (await rows()).filter(([name]: string[]) => name!.startsWith('branch-'));
    assert.deepEqual(
      ends.map(([name]: string[]) => name),
      [10, 9, 8, 7, 6, 5, 4, 3].map((n) => `branch-${n}`),
      'the newest eight',
    );
    assert.deepEqual(await lab.ask('DELETE', '/lab/snapshots/two'), { deleted: 'two' });
    assert.equal((await lab.refused('POST', '/lab/revert', { to: 'two' }))[1], 'unknown_snapshot');
    await lab.stop();
  });

  it('brings back what a revert has left', async () => {
    const lab = await Lab.start();
    await lab.snapshot('empty');
    await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
    const left = hashOf(lab);
    await lab.revert('empty');
    await lab.revert('branch-0');
    assert.equal(hashOf(lab), left);
    assert.equal((await openIds(lab, 'alice')).length, 1);
    await lab.stop();
  });
});

describe('a revert', () => {
  it('closes sockets with 1012 and says that ids are given again', async () => {
    const lab = await Lab.start();
    await lab.snapshot('s');
    const { url } = lab.exchange;
    const streams = [
      await StreamClient.open(url),
      await StreamClient.login(url, keysOf(lab.exchange, 'bot')),
    ];
    await lab.revert('s');
    for (const stream of streams)
      assert.deepEqual(await stream.closed, { code: 1012, reason: 'reverted to s: ids are given again' });
    const again = await StreamClient.login(url, keysOf(lab.exchange, 'bot'));
    again.close();
    await lab.stop();
  });

  it('keeps sockets when it is asked to, with login and subscriptions', async () => {
    const lab = await Lab.start();
    await lab.snapshot('s');
    const stream = await StreamClient.login(lab.exchange.url, keysOf(lab.exchange, 'bot'));
    await stream.subscribe({ instType: 'UTA', topic: 'order' });
    await lab.revert('s', { keepSockets: true });
    const from = stream.frames.length;
    const { data } = await lab.client('bot').post(PLACE, spotOrder('buy', '60000'));
    const push = await stream.next((frame) => frame.arg?.topic === 'order' && frame.data !== undefined, from);
    assert.equal(push.data[0].orderId, data.orderId);
    const traded = await stream.trade('t1', 'place-order', 'spot', spotOrder('buy', '59000'));
    assert.equal(traded.code, '0');
    stream.close();
    await lab.stop();
  });

  it('tells a kept socket that its key is not known there', async () => {
    const lab = await Lab.start();
    await lab.snapshot('s');
    const made = await lab.ask('POST', '/admin/accounts/bot/keys', {
      label: 'second',
      passphrase: 'secret12',
    });
    const keys = { ...keysOf(lab.exchange, 'bot'), apiKey: made.key.apiKey, secretKey: made.secretKey };
    const stream = await StreamClient.login(lab.exchange.url, { ...keys, passphrase: 'secret12' });
    await lab.revert('s', { keepSockets: true });
    assert.equal((await stream.next((frame) => frame.event === 'error')).code, 30011);
    assert.equal((await stream.closed).code, 1008);
    await lab.stop();
  });

  it('empties rate limits and replay guards', async () => {
    const lab = await Lab.start({ rejectReplays: 'on' });
    await lab.snapshot('s');
    const signedOnce = Date.now();
    const codeOf = async (name: string, clientOid: string) => {
      const client = new SignedClient(lab.exchange.url, keysOf(lab.exchange, name), () => signedOnce);
      return (await client.post(PLACE, { ...spotOrder('buy', '60000'), clientOid })).code;
    };
    let placed = 0;
    // The limit is one of a second: a slow machine needs more than one round.
    await until('the limit of orders a second is reached', async () => {
      const round = Array.from({ length: 15 }, () => codeOf('alice', `order-${placed++}`));
      return (await Promise.all(round)).includes('429');
    });
    assert.equal(await codeOf('bob', 'once'), '00000');
    assert.notEqual(await codeOf('bob', 'once'), '00000', 'a replay');
    await lab.revert('s');
    assert.deepEqual([await codeOf('alice', 'order-0'), await codeOf('bob', 'once')], ['00000', '00000']);
    await lab.stop();
  });

  it('lets requests that come meanwhile wait, and serves them from the new state', async () => {
    const lab = await Lab.start();
    await lab.snapshot('s');
    await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
    const reverting = lab.revert('s');
    const alice = lab.client('alice');
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => alice.get(OPEN, { category: 'SPOT' })),
    );
    await reverting;
    assert.ok(replies.every(({ code }) => code === '00000'));
    assert.deepEqual(await openIds(lab, 'alice'), []);
    await lab.stop();
  });

  it('is a line of the audit log, and commands after it are those of the new branch', async () => {
    const lab = await Lab.start();
    await lab.snapshot('s');
    await lab.revert('s');
    const { lines } = await lab.ask('GET', '/admin/audit');
    const done = lines.filter((line: { outcome: string }) => line.outcome === 'done');
    assert.deepEqual(
      done.slice(-2).map((line: { action: string; detail: string }) => [line.action, line.detail]),
      [
        ['lab.snapshot', 's, after command 103'],
        ['lab.revert', 's, after command 103'],
      ].map(([action, detail]) => [
        action,
        detail!.replace(/\d+/, String(lab.exchange.sequencer.appliedSeq)),
      ]),
    );
    await lab.stop();
  });

  it('runs on behind the machine by the time that was taken back', async () => {
    const lab = await Lab.start({ clock: 'wall', clockStart: '0' });
    const { time } = await lab.snapshot('s');
    await new Promise((resolve) => setTimeout(resolve, 1200));
    await lab.revert('s');
    const now = lab.exchange.sequencer.clock.now();
    assert.ok(now >= time && now < Date.now() - 1000, 'time has gone back by what has passed since');
    const { code } = await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
    assert.equal(code, '00000', "signatures of the machine's time are good");
    await lab.stop();
  });
});
