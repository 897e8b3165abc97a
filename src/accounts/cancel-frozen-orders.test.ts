import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { coin, deposit, OPENING_TIME, order, spotPair } from '../../test/property/venue.ts';
import { Exchange } from '../core/engine/exchange.ts';
import type { Command, Unstamped } from '../core/model/command.ts';
import { NEWEST_EDITION } from '../core/model/edition.ts';
import { openOrders } from '../core/reads/reads.ts';
import type { IdentityResult, LocalIdentity } from '../identity/identity.ts';
import { openIdentity } from '../identity/sqlite-identity.ts';
import { completeFreezes } from './cancel-frozen-orders.ts';

const NOW = OPENING_TIME;

let directory: string;
let identity: LocalIdentity;
let exchange: Exchange;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'bourse-freezes-'));
  identity = openIdentity(directory, { scryptCost: { N: 2 ** 10, r: 8, p: 1 } });
  exchange = new Exchange();
  await submit({ type: 'setEdition', edition: NEWEST_EDITION });
  for (const listing of [coin('BTC'), coin('USDT'), spotPair('BTC', 'USDT')]) await submit(listing);
});
afterEach(async () => {
  await identity.close();
  rmSync(directory, { recursive: true });
});

function must<T>(outcome: IdentityResult<T>): T {
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.message);
  return outcome.value;
}

const submit = async (command: Unstamped<Command>) => exchange.apply({ ...command, time: NOW } as Command);
const complete = () => completeFreezes({ identity, sequencer: { state: exchange.state, submit } });

/** An account with an open order. */
async function open(uid: number, masterUid = 0): Promise<number> {
  await submit({ type: 'openAccount', uid, masterUid, marketMaker: false, house: false });
  await submit(deposit(uid, 1, 10n ** 12n));
  await submit(order({ uid, priceTicks: 99, sizeLots: 1 }));
  return uid;
}

const main = (name: string) => open(must(identity.createUser({ name, nowMs: NOW })).uid);
const subOf = (uid: number, name: string) =>
  open(must(identity.createSub(uid, { name, nowMs: NOW })).uid, uid);
const orders = (...uids: readonly number[]) =>
  uids.map((uid) => openOrders(exchange.state, { uid, limit: 9 }).length);

test('the next start completes freezes that were cut off, once', async () => {
  const [alice, bob] = [await main('alice'), await main('bob')];
  const [desk, other] = [await subOf(alice, 'desk'), await subOf(bob, 'other')];
  assert.equal(await complete(), 0);
  assert.deepEqual(orders(alice, desk, bob, other), [1, 1, 1, 1]);
  must(identity.setFrozen(alice, true, NOW));
  must(identity.setFrozen(other, true, NOW));
  assert.equal(await complete(), 2);
  assert.deepEqual(orders(alice, desk, bob, other), [0, 0, 1, 0]);
  assert.equal(await complete(), 0);
});

test('who waits for the end of a countdown is frozen none the less: that cancels more', async () => {
  const [alice, bob] = [await main('alice'), await main('bob')];
  for (const uid of [alice, bob]) await submit({ type: 'countdownCancel', uid, seconds: 5 });
  exchange.state.portion = 1;
  exchange.apply({ type: 'tick', time: NOW + 5000 });
  assert.deepEqual(orders(alice, bob), [0, 1]);
  must(identity.setFrozen(bob, true, NOW));
  assert.equal(await complete(), 1);
  assert.deepEqual(orders(bob), [0]);
});

test('the placeholder of a lost user keeps its orders, also with the key that its owner is given', async () => {
  const lost = await open(7);
  identity.replaceLost([{ uid: lost, mainUid: undefined }], NOW);
  const key = { label: '', permType: 'read_write', permissions: [], passphrase: 'pass', nowMs: NOW } as const;
  must(await identity.createKey({ uid: lost, ...key }));
  assert.equal(await complete(), 0);
  assert.deepEqual(orders(lost), [1]);
});

test('a start without space completes nothing, and starts', async () => {
  const alice = await main('alice');
  must(identity.setFrozen(alice, true, NOW));
  const shortage = () => ({ of: 'disk', mode: 'read_only', reason: 'full' }) as const;
  const refuse = () => Promise.reject(new Error('full'));
  const sequencer = { state: exchange.state, submit: refuse, shortage };
  assert.equal(await completeFreezes({ identity, sequencer }), 0);
  assert.equal(await complete(), 1);
});
