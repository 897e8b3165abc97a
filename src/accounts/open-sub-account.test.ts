import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Exchange } from '../core/engine/exchange.ts';
import type { Command } from '../core/model/command.ts';
import { OK } from '../core/model/command-result.ts';
import { RejectReason } from '../core/model/reject-reason.ts';
import type { LocalIdentity } from '../identity/identity.ts';
import { openIdentity } from '../identity/sqlite-identity.ts';
import { Unavailable } from '../sequencer/sequencer.ts';
import { type AccountServices, completeSubAccounts, openSubAccount } from './open-sub-account.ts';

const NOW = 1_700_000_000_000;

let directory: string;
let identity: LocalIdentity;
let exchange: Exchange;
let services: AccountServices;
let mainUid: number;
/** The process ends, or the log is full, before the command is sequenced. */
let cutOff: boolean;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bourse-open-sub-'));
  identity = openIdentity(directory);
  exchange = new Exchange();
  cutOff = false;
  const submit = async (command: Command) => {
    if (cutOff) throw new Error('cut off');
    return exchange.apply({ ...command, time: NOW });
  };
  services = { identity, sequencer: { state: exchange.state, submit } };
  const main = identity.createUser({ name: 'alice', nowMs: NOW });
  assert.ok(main.ok);
  mainUid = main.value.uid;
  openInCore(mainUid, 0);
});
afterEach(async () => {
  await identity.close();
  rmSync(directory, { recursive: true });
});

function openInCore(uid: number, masterUid: number): void {
  exchange.apply({ type: 'openAccount', time: NOW, uid, masterUid, marketMaker: false, house: false });
}

const open = (name: string) => openSubAccount(services, mainUid, { name, nowMs: NOW });
const inCore = () => [...exchange.state.accountByUid.values()].map(({ uid, masterUid }) => [uid, masterUid]);
const inIdentity = () => identity.listUsers().map(({ uid, mainUid }) => [uid, mainUid ?? 0]);

test('a sub-account is one party with its main account, in both services', async () => {
  const opened = await open('desk');
  assert.ok(opened.ok);
  assert.deepEqual(inCore(), inIdentity());
  const [main, sub] = [...exchange.state.accountByUid.values()];
  assert.equal(sub!.party, main!.party);
});

test('asking again completes a sub-account that was cut off, and only that one', async () => {
  cutOff = true;
  await assert.rejects(open('desk'), /cut off/);
  assert.equal(inCore().length, 1);
  cutOff = false;
  const again = await open('desk');
  assert.ok(again.ok);
  assert.deepEqual(inCore(), inIdentity());
  const taken = await open('desk');
  assert.equal(taken.ok ? '' : taken.reason, 'name_taken');
});

test('the next start completes what was cut off; a start with nothing to do does nothing', async () => {
  await open('whole');
  cutOff = true;
  for (const name of ['one', 'two', 'three']) await assert.rejects(open(name));
  await assert.rejects(completeSubAccounts(services), /cut off/, 'the start itself may be cut off');
  cutOff = false;
  assert.equal(await completeSubAccounts(services), 3);
  assert.deepEqual(inCore(), inIdentity());
  assert.equal(await completeSubAccounts(services), 0);
});

test('a start without space completes nothing and goes on; a later one does', async () => {
  cutOff = true;
  await assert.rejects(open('desk'));
  const shortage = () =>
    ({ reason: 'no space' }) as ReturnType<NonNullable<AccountServices['sequencer']['shortage']>>;
  assert.equal(await completeSubAccounts({ ...services, sequencer: { ...services.sequencer, shortage } }), 0);
  cutOff = false;
  assert.equal(await completeSubAccounts(services), 1);
});

test('without a main account in the core nothing is begun', async () => {
  const stranger = identity.createUser({ name: 'stranger', nowMs: NOW });
  assert.ok(stranger.ok);
  const refused = await openSubAccount(services, stranger.value.uid, { name: 'desk', nowMs: NOW });
  assert.equal(refused.ok ? '' : refused.reason, 'user_unknown');
  assert.deepEqual(identity.listSubs(stranger.value.uid), []);
});

test('an identity store that is older than the log gives nobody the account of another', async () => {
  openInCore(mainUid + 1, 0);
  await assert.rejects(open('desk'), /older than the log/);
  assert.deepEqual(identity.listSubs(mainUid), [], 'nor does it stand in the list');
});

test('a sub-account that the core refuses is not left in identity, and its uid is not given out again', async () => {
  const submit = async () => ({ ...OK, rejectReason: RejectReason.accountsFull });
  const full = { identity, sequencer: { state: exchange.state, submit } };
  await assert.rejects(openSubAccount(full, mainUid, { name: 'desk', nowMs: NOW }), /was not opened/);
  const busy = {
    identity,
    sequencer: { state: exchange.state, submit: () => Promise.reject(new Unavailable('full')) },
  };
  await assert.rejects(openSubAccount(busy, mainUid, { name: 'desk', nowMs: NOW }), Unavailable);
  assert.deepEqual(identity.listSubs(mainUid), []);
  const opened = await open('desk');
  assert.equal(opened.ok && opened.value.uid, mainUid + 3);
  assert.deepEqual(inCore(), inIdentity());
});
