/** Capsules: a session as a file, had again; what is never in it, and what is refused. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Command } from '../../src/core/model/command.ts';
import { renumbered } from '../../src/core/snapshot/renumber.ts';
import { anonymousRecords, newUids } from '../../src/lab/capsule/anonymous.ts';
import { packCapsule, unpackCapsule } from '../../src/lab/capsule/capsule.ts';
import { replayCapsule } from '../../src/lab/capsule/replay-capsule.ts';
import { replaySession } from '../../src/lab/capsule/replay-session.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { databaseWith } from '../../src/storage/memory-database.ts';
import { command } from '../app/bourse-process.ts';
import { readRecording } from '../golden/recording.ts';
import { startProgram } from '../harness/child-programs.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { programModule } from '../harness/program.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { keysOf, stopAll } from '../memory/in-process.ts';
import { Lab, spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

after(stopAll);

const ROOT = join(import.meta.dirname, '../..');
const PLACE = '/api/v3/trade/place-order';
const HEADER_BYTES = 68;

async function capsuleOf({ exchange }: Lab, wish: object = {}): Promise<Buffer> {
  const answer = await fetch(`${exchange.operatorUrl}/lab/capsule`, {
    method: 'POST',
    headers: { authorization: `Bearer ${exchange.operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(wish),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(answer.status, 200, bytes.toString());
  return bytes;
}

const hashOf = ({ exchange }: Lab) => stateHash(exchange.sequencer.state);
const written = (bytes: Uint8Array) => {
  const file = join(temporaryDirectory(), 'bug.capsule');
  writeFileSync(file, bytes);
  return file;
};

/** What the users' database keeps to itself, as it is and as text. */
async function secretsOf(lab: Lab): Promise<string[]> {
  await lab.snapshot('users');
  const { image } = await lab.exchange.branchFrom('users');
  const { database, keyFiles } = image!.identity;
  const stored = databaseWith(database);
  const rows = ['SELECT sealed AS bytes FROM api_keys', 'SELECT hash AS bytes FROM passphrases'].flatMap(
    (sql) => stored.prepare(sql).all() as { bytes: Uint8Array }[],
  );
  stored.close();
  assert.ok(rows.length >= 10 && keyFiles.size >= 2);
  const bytes = rows.map(({ bytes: each }) => Buffer.from(each));
  const words = [...keyFiles.values()].flatMap((text) => text.match(/[0-9A-Za-z+/=_-]{20,}/g) ?? []);
  return [
    ...words,
    ...(['latin1', 'hex', 'base64'] as const).flatMap((form) => bytes.map((each) => each.toString(form))),
  ];
}

describe('a capsule', () => {
  it('has a session with a market again, from its beginning, a time or a snapshot', async () => {
    const lab = await Lab.start({ market: 'quiet' });
    await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
    await lab.advance('20s');
    const { seq } = await lab.snapshot('calm');
    await lab.client('bob').post(PLACE, spotOrder('buy', '59000'));
    await lab.advance('40s');
    for (const [wish, first] of [
      [{}, (n: number) => n === 0],
      [{ from: 'calm' }, (n: number) => n === seq],
      [{ since: '10s' }, (n: number) => n > seq],
      [{ since: '300d' }, (n: number) => n === 0],
    ] as const) {
      const capsule = unpackCapsule(await capsuleOf(lab, wish));
      assert.ok(first(capsule.manifest.first.seq), JSON.stringify(wish));
      const replayed = await replayCapsule(capsule);
      assert.deepEqual([replayed.same, replayed.stateHash, replayed.differs], [true, hashOf(lab), undefined]);
    }
    const { manifest, requests } = unpackCapsule(await capsuleOf(lab, { from: 'calm' }));
    assert.equal(manifest.clock, 'manual');
    const [request, ...others] = requests
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([request.target, others.length], [PLACE, 0], 'those since the snapshot');
    assert.match(request.body, /59000/);
    await lab.stop();
  });

  it('holds what a revert has gone on from, and refuses what is on another branch', async () => {
    const lab = await Lab.start();
    await lab.snapshot('one');
    await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
    await lab.snapshot('two');
    await lab.revert('one');
    await lab.client('alice').post(PLACE, spotOrder('buy', '59500'));
    const capsule = unpackCapsule(await capsuleOf(lab, { from: 'one' }));
    assert.equal((await replayCapsule(capsule)).stateHash, hashOf(lab));
    assert.doesNotMatch(capsule.requests, /price\\":\\"60000/, 'requests of the branch that was left');
    assert.match(capsule.requests, /59500/);
    const refusals = [
      [{ from: 'two' }, 422, /has not come from the snapshot two/],
      [{ from: 'none' }, 404, /there are: one, two/],
      [{ from: 'one', since: '1m' }, 400, /not both/],
      [{ since: 'yesterday' }, 400, /a span such as 10m/],
      [{ since: 5 }, 400, /since/],
      [{ file: '/etc/passwd' }, 400, /file/],
    ] as const;
    for (const [wish, status, message] of refusals) {
      const [code, , text] = await lab.refused('POST', '/lab/capsule', wish);
      assert.equal(code, status, text);
      assert.match(text, message);
    }
    await lab.stop();
  });

  it('has no secret, key, token, hash or address in it', async () => {
    const lab = await Lab.start();
    const { operatorToken, url } = lab.exchange;
    const alice = lab.client('alice');
    const passphrase = 'a-passphrase-of-alice';
    const made = await lab.ask('POST', '/admin/accounts/bob/keys', { passphrase, ipList: ['10.11.12.13'] });
    const sub = await alice.post('/api/v3/user/create-sub', { username: 'secretivesub' });
    const subKey = await alice.post('/api/v3/user/create-sub-api', {
      subUid: sub.data.subUid,
      ...{ note: 'label', type: 'read_write', passphrase: 'Subpassphrase1', permissions: ['uta_trade'] },
      ips: ['10.11.12.14', '2001:db8::77'],
    });
    assert.equal(subKey.code, '00000', subKey.msg);
    await alice.get('/api/v3/user/sub-api-list', { subUid: sub.data.subUid });
    await alice.post(PLACE, { ...spotOrder('buy', '60000'), passphrase, password: passphrase });
    await fetch(`${url}/api/v3/account/assets?secret=${passphrase}`, {
      headers: { 'ACCESS-KEY': 'demo-alice', 'ACCESS-PASSPHRASE': passphrase, 'ACCESS-SIGN': 'a-signature' },
    });
    const contents = zstdDecompressSync((await capsuleOf(lab)).subarray(HEADER_BYTES)).toString('latin1');
    const keys = lab.exchange.demoAccounts.flatMap(({ account }) => [account.secretKey, account.apiKey]);
    const ofSub = [subKey.data.secret, subKey.data.apiKey, 'Subpassphrase1', '10.11.12.14', '2001:db8::77'];
    const told = [...ofSub, operatorToken!, made.secretKey, made.key.apiKey, passphrase, 'a-signature'];
    for (const secret of [...keys, ...told, '10.11.12.13', '127.0.0.1', ...(await secretsOf(lab))])
      assert.ok(!contents.includes(secret), `${secret} is in the capsule`);
    assert.ok(!contents.includes(ROOT) && !contents.includes(process.cwd()), 'a path of the machine');
    await lab.stop();
  });

  it('says nothing of whose session it is, when it is asked to', async () => {
    const lab = await Lab.start({ market: 'quiet' });
    await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
    await lab.client('alice').post('/api/v3/user/create-sub', { username: 'secretivesub' });
    await lab.ask('POST', '/admin/deposits', { account: 'bob', coin: 'USDT', amount: '7', reference: 'x' });
    await lab.client('bob').post(PLACE, spotOrder('sell', '60000', '0.004'));
    await lab.advance('10s');
    const [one, other] = [
      await capsuleOf(lab, { anonymise: true }),
      await capsuleOf(lab, { anonymise: true }),
    ];
    const capsule = unpackCapsule(one);
    const { manifest } = capsule;
    assert.deepEqual(manifest.last, unpackCapsule(other).manifest.last, 'a hash of its own, always the same');
    assert.notEqual(manifest.last.stateHash, hashOf(lab));
    assert.equal((await replayCapsule(capsule)).same, true);
    assert.deepEqual(
      manifest.accounts.map(({ uid, name, mainUid }) => [uid, name, mainUid]),
      [1, 2, 3, 4, 5].map((n) => [2_000_000_000 + n, `account-${n}`, n === 5 ? 2_000_000_001 : null]),
    );
    assert.ok(!JSON.stringify(manifest).includes('secretivesub'));
    const contents = zstdDecompressSync(one.subarray(HEADER_BYTES)).toString('latin1');
    for (const { account, uid } of lab.exchange.demoAccounts) {
      assert.ok(!`${JSON.stringify(manifest)}${capsule.requests}`.includes(account.name), account.name);
      assert.ok(!contents.includes(String(uid)), `${uid} as text`);
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(uid);
      assert.ok(!contents.includes(bytes.toString('latin1')), `${uid} as a number`);
    }
    assert.ok(!contents.includes('ann/') && !contents.includes('ann '), 'the operator');
    await lab.stop();
  });

  it('tells the first command that comes out otherwise', async () => {
    const lab = await Lab.start();
    await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
    await lab.client('bob').post(PLACE, spotOrder('sell', '60000', '0.004'));
    await lab.advance('5s');
    const capsule = unpackCapsule(await capsuleOf(lab));
    const [at, orders] = [capsule.records.findIndex(isOrder), capsule.records.filter(isOrder)];
    assert.equal(orders.length, 2);
    const halted: Command = {
      type: 'setHalt',
      halted: true,
      by: '',
      time: capsule.manifest.last.time - 5000,
    };
    const tampered = packCapsule({
      ...capsule,
      manifest: { ...capsule.manifest, program: '0.0.1' },
      records: capsule.records.with(at, { seq: at + 1, payload: encodeCommand(halted).slice() }),
    });
    const replayed = await replayCapsule(unpackCapsule(tampered));
    assert.equal(replayed.same, false);
    assert.deepEqual([replayed.differs?.seq, replayed.differs?.type], [at + 1, 'setHalt']);
    assert.match(replayed.otherwise.join(), /made by version 0\.0\.1/);
    const { code, stdout } = await command(['lab', 'capsule', 'replay', written(tampered), '--json']);
    assert.equal(code, 4);
    assert.equal(JSON.parse(stdout).differs.seq, at + 1);
    const before = await replayCapsule(unpackCapsule(tampered), { until: at });
    assert.equal(before.same, true, 'up to it all is well');
    await lab.stop();
  });
});

const isOrder = ({ payload }: { payload: Uint8Array }) => payload[0] === encodeCommand(ORDER)[0];
const ORDER = { ...ordered(), time: 0 } as Command;

function ordered(): object {
  return [...readRecording(join(ROOT, 'test/golden/market.commands.gz'))].find(
    ({ type }) => type === 'placeOrder',
  )!;
}

/** Of each; the later ones are of the same kinds. */
const COMMANDS = 700;

describe('recorded sessions of all kinds', () => {
  for (const name of ['loans', 'margin', 'strategies'])
    it(`${name}: have the same outcomes under other numbers of accounts, from any point`, async () => {
      const commands = [...readRecording(join(ROOT, `test/golden/${name}.commands.gz`)).take(COMMANDS)];
      const records = commands.map((each, n) => ({ seq: n + 1, payload: encodeCommand(each).slice() }));
      const half = Math.floor(records.length / 2);
      const original = new Exchange();
      for await (const _ of replaySession(original, records.slice(0, half)));
      const newUid = newUids(endOf(commands));
      const anonymous = new Exchange(renumbered(original.state, newUid));
      assert.notEqual(stateHash(anonymous.state), stateHash(original.state));
      const outcomes = [];
      for await (const { outcome } of replaySession(original, records.slice(half)))
        outcomes.push(outcome.digest);
      const renamed = [];
      for await (const { outcome } of replaySession(anonymous, anonymousRecords(records.slice(half), newUid)))
        renamed.push(outcome.digest);
      assert.deepEqual(renamed, outcomes);
      const back = new Map([...original.state.accountByUid.keys()].map((uid) => [newUid(uid), uid]));
      const restored = renumbered(anonymous.state, (uid) => back.get(uid) ?? uid);
      assert.equal(stateHash(restored), stateHash(original.state), 'nothing but the numbers is another');
    });
});

function endOf(commands: readonly Command[]) {
  const exchange = new Exchange();
  for (const each of commands) {
    exchange.apply(each);
    exchange.takeEvents();
  }
  return exchange.state;
}

describe('bourse lab capsule', () => {
  let server: TestServer;
  before(async () => {
    server = await startHosted({ args: ['--clock', 'manual', '--instruments', 'BTCUSDT'] });
  });
  after(() => server.stop());

  it('exports, shows and replays the session of a data directory, here and in another checkout', async () => {
    const file = join(temporaryDirectory(), 'bug.capsule');
    await new SignedClient(server.url, server.account('alice')).post(PLACE, spotOrder('buy', '60000'));
    const lab = (...words: string[]) => command(['lab', ...words]);
    const data = ['--data', server.data];
    const saved = await lab('snapshot', 'save', 'now', ...data, '--json');
    const { stateHash: hash } = JSON.parse(saved.stdout);
    const exported = await lab('capsule', 'export', '--since', '1h', '--out', file, ...data, '--json');
    assert.equal(exported.code, 0, exported.stderr);
    assert.equal(JSON.parse(exported.stdout).last.stateHash, hash);
    assert.match((await lab('capsule', 'show', file)).stdout, new RegExp(`state hash +${hash}`));
    const elsewhere = otherCheckout();
    for (const place of [undefined, elsewhere]) {
      const { code, stdout, stderr } =
        place === undefined ? await lab('capsule', 'replay', file, '--json') : replayedAt(place, file);
      assert.equal(code, 0, stderr);
      assert.equal(JSON.parse(stdout).stateHash, hash);
    }
    const revert = await lab('revert', 'now', ...data);
    assert.equal(revert.code, 0, revert.stderr);
    await new SignedClient(server.url, server.account('bob')).post(PLACE, spotOrder('sell', '60000'));
    const since = await lab('capsule', 'export', '--from', 'now', '--out', file, ...data, '--json');
    assert.equal(JSON.parse(since.stdout).first.stateHash, hash, since.stderr);
    assert.equal((await lab('capsule', 'replay', file)).code, 0);
  });

  it('ends with 2 when it is used wrongly, with 4 for what is no capsule', async () => {
    assert.equal((await command(['lab', 'capsule', 'export', '--data', server.data])).code, 2);
    assert.equal((await command(['lab', 'capsule', 'replay', '/nowhere'])).code, 2);
    const none = written(Buffer.from('no capsule'));
    for (const verb of ['show', 'replay']) {
      const { code, stderr } = await command(['lab', 'capsule', verb, none]);
      assert.equal(code, 4);
      assert.match(stderr, /this is no capsule/);
    }
    const { code, stderr } = await command(['lab', 'capsule', 'replay', none, '--until', 'soon']);
    assert.equal(code, 4, stderr);
  });
});

/** A copy of the program in a folder of its own. */
function otherCheckout(): string {
  const directory = temporaryDirectory();
  const program = process.env.TEST_PROGRAM ?? ROOT;
  for (const each of ['src', 'catalogue', 'launch', 'launch.cjs', 'package.json'])
    cpSync(join(program, each), join(directory, each), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

function replayedAt(directory: string, file: string) {
  const bourse = process.env.TEST_PROGRAM === undefined ? 'src/bourse.ts' : 'src/bourse.js';
  const words = [bourse, 'lab', 'capsule', 'replay', file, '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: directory, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

describe('an exchange that is served from a capsule', () => {
  it('stands still where it ends, and says how it is reached', async () => {
    const lab = await Lab.start();
    await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
    await lab.advance('5s');
    const file = written(await capsuleOf(lab));
    const time = lab.exchange.sequencer.clock.now();
    await lab.stop();
    const args = [programModule('src/bourse.ts'), 'lab', 'capsule', 'replay', file, '--serve', '--port', '0'];
    const served = startProgram(args, { cwd: temporaryDirectory() });
    while (!/^Listening on .*\n/m.test(served.stdout) && served.process.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20));
    const [facts] = served.stdout.split('\n');
    const { url, accounts, market, memory } = JSON.parse(facts!);
    assert.deepEqual([market, memory], [null, true], served.output);
    const keys = accounts.find(({ name }: { name: string }) => name === 'alice');
    const { data } = await new SignedClient(url, keys).get('/api/v3/trade/unfilled-orders', {
      category: 'SPOT',
    });
    assert.equal(data.list.length, 1);
    const clock = (await (await fetch(`${url}/api/v3/public/time`)).json()) as {
      data: { serverTime: string };
    };
    assert.equal(Number(clock.data.serverTime), time);
    served.process.kill('SIGTERM');
    assert.equal((await served.ended).code, 0);
  });
});

describe('another exchange', () => {
  it('goes on where a capsule ends, with keys of its own', async () => {
    const lab = await Lab.start();
    await lab.client('alice').post(PLACE, spotOrder('buy', '60000'));
    const file = written(await capsuleOf(lab));
    const { secretKey } = keysOf(lab.exchange, 'alice');
    await lab.stop();
    const { startBourse } = await import('../../src/testkit/index.ts');
    await using bourse = await startBourse({ from: file });
    assert.equal((await bourse.account('alice').openOrders()).length, 1);
    assert.equal(bourse.account('alice').secretKey, secretKey);
    await bourse.account('bob').place({ ...spotOrder('sell', '60000'), category: 'SPOT' } as never);
    assert.equal((await bourse.account('alice').openOrders()).length, 0);
    const again = join(temporaryDirectory(), 'again.capsule');
    await bourse.capsule(again);
    const replayed = await replayCapsule(unpackCapsule(readFileSync(again)));
    assert.equal(replayed.stateHash, await bourse.stateHash());
  });
});
