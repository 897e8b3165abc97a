import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { coin, deposit, OPENING_TIME, order, spotPair } from '../../test/property/venue.ts';
import { Exchange } from '../core/engine/exchange.ts';
import type { Command, Unstamped } from '../core/model/command.ts';
import { openOrders } from '../core/reads/reads.ts';
import type { IdentityResult } from '../identity/identity.ts';
import { openIdentity } from '../identity/sqlite-identity.ts';
import { completeFreezes } from './cancel-frozen-orders.ts';

const NOW = OPENING_TIME;

function must<T>(outcome: IdentityResult<T>): T {
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.message);
  return outcome.value;
}

test('the next start completes freezes that were cut off, and leaves the orders of lost users', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'bourse-freezes-'));
  const identity = openIdentity(directory, { scryptCost: { N: 2 ** 10, r: 8, p: 1 } });
  context.after(async () => {
    await identity.close();
    rmSync(directory, { recursive: true });
  });
  const exchange = new Exchange();
  const submit = async (command: Unstamped<Command>) => exchange.apply({ ...command, time: NOW } as Command);
  const services = { identity, sequencer: { state: exchange.state, submit } };
  for (const listing of [coin('BTC'), coin('USDT'), spotPair('BTC', 'USDT')]) await submit(listing);

  const trader = async (uid: number, masterUid = 0) => {
    const key = {
      label: '',
      permType: 'read_write',
      permissions: [],
      passphrase: 'pass',
      nowMs: NOW,
    } as const;
    must(await identity.createKey({ uid, ...key }));
    await inCore(uid, masterUid);
    return uid;
  };
  const inCore = async (uid: number, masterUid = 0) => {
    await submit({ type: 'openAccount', uid, masterUid, marketMaker: false, house: false });
    await submit(deposit(uid, 1, 10n ** 12n));
    await submit(order({ uid, priceTicks: 99, sizeLots: 1 }));
  };
  const user = (name: string) => must(identity.createUser({ name, nowMs: NOW })).uid;
  const subOf = (mainUid: number, name: string) =>
    must(identity.createSub(mainUid, { name, nowMs: NOW })).uid;
  const [alice, bob] = [await trader(user('alice')), await trader(user('bob'))];
  const [desk, other] = [await trader(subOf(alice, 'desk'), alice), await trader(subOf(bob, 'other'), bob)];
  const lost = other + 1;
  await inCore(lost);
  identity.replaceLost([{ uid: lost, mainUid: undefined }], NOW);
  const open = () =>
    [alice, desk, bob, other, lost].map((uid) => openOrders(exchange.state, { uid, limit: 9 }).length);

  assert.equal(await completeFreezes(services), 0);
  assert.deepEqual(open(), [1, 1, 1, 1, 1]);
  must(identity.setFrozen(alice, true, NOW));
  must(identity.setFrozen(other, true, NOW));
  assert.equal(await completeFreezes(services), 2);
  assert.deepEqual(open(), [0, 0, 1, 0, 1]);
  assert.equal(await completeFreezes(services), 0);
});
