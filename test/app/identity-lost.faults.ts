/** `identity.sqlite` lost, or an older copy: noticed at the start, and nobody gets the uid and the money of another. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endVenues, Venue } from '../admin/venue-process.ts';
import { refusedHosted } from '../harness/hosted-server.ts';
import { type Ended, refusedStart } from './bourse-process.ts';

const STORE = ['identity.sqlite', 'identity.mark'];
const sequencer = new Venue();
/** As it was before the last accounts were opened. */
const older = `${sequencer.data}-older`;
const newest = `${sequencer.data}-newest`;
let victimUid = 0;

before(async () => {
  await sequencer.start();
  await open({ name: 'owner' });
  await sequencer.stop();
  copy(sequencer.data, older);
  await sequencer.start();
  victimUid = await open({ name: 'victim' });
  const money = { account: 'victim', coin: 'USDT', amount: '7777', reference: 'bank-1' };
  assert.equal((await sequencer.admin('POST', '/admin/deposits', money)).status, 200);
  await open({ name: 'desk', kind: 'sub', master: 'victim' });
  assert.equal((await sequencer.stop()).code, 0);
  copy(sequencer.data, newest);
});
after(endVenues);

async function open(account: Record<string, string>): Promise<number> {
  const { status, body } = await sequencer.admin('POST', '/admin/accounts', account);
  assert.equal(status, 200, JSON.stringify(body));
  return body.account.uid;
}

function copy(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const file of STORE) {
    rmSync(join(to, file), { force: true });
    if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file));
  }
}

const NO_DEMO = ['--no-demo', '--market', 'off', '--port', '0'];
const inProcess = () => refusedStart(['--data', sequencer.data, ...NO_DEMO]);
const hosted = () => refusedHosted(sequencer.data, NO_DEMO);

/** In a process where the message is seen for the first time. */
async function refuses(message: RegExp, start: () => Promise<Pick<Ended, 'code' | 'stderr'>>): Promise<void> {
  const { code, stderr } = await start();
  assert.equal(code, 4, stderr);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /\n {4}at /, 'no stack');
}

test('a lost store stops the start, with its mark and without it', async () => {
  rmSync(join(sequencer.data, 'identity.sqlite'));
  await refuses(/identity\.sqlite is missing; .*Restore the newest copy from a backup/, inProcess);
  rmSync(join(sequencer.data, 'identity.mark'));
  await refuses(
    new RegExp(
      `identity\\.sqlite lacks 3 of 3 accounts .*\\(${victimUid - 1}, ${victimUid}, .*--accept-identity-gap`,
    ),
    inProcess,
  );
});

test('an older store stops the start, with its own mark too', async () => {
  copyFileSync(join(newest, 'identity.mark'), join(sequencer.data, 'identity.mark'));
  copyFileSync(join(older, 'identity.sqlite'), join(sequencer.data, 'identity.sqlite'));
  await refuses(/identity\.sqlite: it is older than this exchange/, hosted);
  copy(older, sequencer.data);
  await refuses(
    new RegExp(`identity\\.sqlite lacks 2 of 3 accounts .*\\(${victimUid}, ${victimUid + 1}\\)`),
    hosted,
  );
});

test('with the gap accepted accounts keep their money, and their uids are not given out again', async () => {
  await sequencer.start('--accept-identity-gap');
  const { account: opened } = await sequencer.ask('account', 'create', 'mallory');
  assert.equal(opened.uid, victimUid + 2);
  const client = await sequencer.client('owner', '--permissions', 'uta_mgt,uta_trade');
  try {
    const sub = await client.post('/api/v3/user/create-sub', { username: 'desktwo', accountMode: 'unified' });
    assert.equal(sub.code, '00000', sub.text);
    assert.equal(Number(sub.data.subUid), victimUid + 3);
    const assets = await client.get('/api/v3/account/sub-unified-assets');
    assert.ok(!assets.text.includes('7777'), assets.text);
  } finally {
    client.close();
  }
  const { body: lost } = await sequencer.admin('GET', `/admin/accounts/${victimUid}`);
  assert.deepEqual([lost.account.name, lost.account.frozen], [`lost-${victimUid}`, true]);
  assert.equal(lost.balances[0].unified, '7777');
  const { body: keys } = await sequencer.admin('GET', `/admin/accounts/${victimUid}/keys`);
  assert.deepEqual(keys.keys, []);
  // Accepted once: the next start needs no word.
  await sequencer.restart();
  await sequencer.stop();
});

test('the store that was there is welcome back only before that', async () => {
  copy(newest, sequencer.data);
  copyFileSync(join(newest, 'identity.sqlite'), join(sequencer.data, 'identity.sqlite'));
  await refuses(/identity\.sqlite lacks 2 of 5 accounts/, hosted);
});
