/**
 * Marked secrets and passphrases, used in every way that comes to mind, are found nowhere afterwards: not in the
 * output at the most talkative level, not in any byte of the data directory, not in an error message.
 */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type DemoKeys, type RunningServer, startServer } from '../harness/server.ts';
import { type Reply, SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { installKey, withIdentity } from './hostile/identities.ts';

const data = temporaryDirectory();
/** Letters and digits, so that they are passphrases of the right form. */
const canary = (name: string) => `Canary${name}${randomBytes(5).toString('hex')}`;
const canaries = {
  passphrase: canary('Pass'),
  second: canary('Second'),
  wrong: canary('Wrong'),
  installed: '',
  installedPassphrase: '',
  secret: '',
  secondSecret: '',
};
const refusals: Reply[] = [];
let server: RunningServer;
let stdout = '';
let broker: SignedClient;
let installed: DemoKeys;

before(async () => {
  await withIdentity(data, async (identity) => {
    const created = identity.createUser({ name: 'bob', broker: true, nowMs: Date.now() });
    assert.ok(created.ok);
    const rights = { permType: 'read_write', permissions: ['uta_trade', 'uta_mgt'] } as const;
    installed = await installKey(identity, created.value.uid, rights);
  });
  canaries.installed = installed.secretKey;
  canaries.installedPassphrase = installed.passphrase;
  server = await startServer({
    data,
    args: ['--rate-limits', 'off', '--log-level', 'trace', '--log-format', 'json'],
  });
  server.process.stdout!.on('data', (chunk: string) => {
    stdout += chunk;
  });
  broker = new SignedClient(server.url, installed);
});
after(async () => {
  broker.close();
  await server.stop();
});

const BROKER = '/api/v3/broker';
const INFO = '/api/v3/account/info';

async function must(reply: Promise<Reply>) {
  const { code, text, data: answer } = await reply;
  assert.equal(code, '00000', text);
  return answer;
}

async function refused(reply: Promise<Reply>): Promise<void> {
  const answer = await reply;
  assert.notEqual(answer.code, '00000', answer.text);
  assert.ok(answer.status < 500, answer.text);
  refusals.push(answer);
}

function assertNowhere(content: Buffer, where: string): void {
  for (const [name, value] of Object.entries(canaries)) {
    assert.notEqual(value, '', `${name} was never used`);
    const bytes = Buffer.from(value);
    const spellings = [
      bytes,
      Buffer.from(bytes.toString('hex')),
      Buffer.from(bytes.toString('base64').replace(/.{0,3}=*$/, '')),
      Buffer.from(value, 'utf16le'),
      // A secret is hexadecimal text: its bytes would give it away as well.
      ...(/^[0-9a-f]{64}$/.test(value) ? [Buffer.from(value, 'hex')] : []),
    ];
    for (const spelling of spellings) assert.ok(!content.includes(spelling), `${where} holds ${name}`);
  }
}

function assertNotInFiles(when: string): void {
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  for (const wanted of ['identity.sqlite', 'history.sqlite', 'log/']) {
    assert.ok(
      paths.some((path) => path.includes(wanted)),
      `${wanted} was searched`,
    );
  }
  for (const path of paths) assertNowhere(readFileSync(path), `${path} ${when}`);
}

test('keys are made, used, changed and misused with marked secrets', async () => {
  const { subUid } = await must(
    broker.post(`${BROKER}/create-sub`, { subaccountName: 'desk', label: 'desk' }),
  );
  const key = { subUid, label: 'bot', permType: 'read_write', permList: ['uta_trade', 'uta_mgt'] };
  const { passphrase } = canaries;
  const made = await must(broker.post(`${BROKER}/create-sub-apikey`, { ...key, passphrase }));
  canaries.secret = made.secretKey;
  const second = await must(
    broker.post(`${BROKER}/create-sub-apikey`, { ...key, passphrase: canaries.second }),
  );
  canaries.secondSecret = second.secretKey;

  const keys = {
    name: 'sub',
    uid: Number(subUid),
    apiKey: made.apiKey,
    secretKey: made.secretKey,
    passphrase,
  };
  const sub = new SignedClient(server.url, keys);
  await must(sub.get(INFO));
  const order = {
    category: 'SPOT',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    price: '58000',
    qty: '1',
  };
  await refused(sub.post('/api/v3/trade/place-order', order));

  const modify = { subUid, apiKey: made.apiKey, passphrase };
  assert.ok(
    !JSON.stringify(await must(broker.post(`${BROKER}/modify-sub-apikey`, modify))).includes(passphrase),
  );
  await must(broker.get(`${BROKER}/query-sub-apikey`, { subUid }));
  await refused(broker.post(`${BROKER}/modify-sub-apikey`, { ...modify, passphrase: canaries.wrong }));
  await refused(broker.post(`${BROKER}/modify-sub-apikey`, { ...modify, passphrase: `${passphrase} !` }));
  await refused(broker.post(`${BROKER}/modify-sub-apikey`, { ...modify, permType: passphrase }));
  await refused(broker.post(`${BROKER}/modify-sub-apikey`, { ...modify, apiKey: made.secretKey }));
  await refused(broker.post(`${BROKER}/modify-sub-apikey`, { passphrase: { passphrase } }));
  await refused(broker.post(`${BROKER}/modify-sub-apikey`, { ...modify, subUid: made.secretKey }));
  await refused(broker.send('POST', `${BROKER}/modify-sub-apikey`, `{"passphrase":"${passphrase}",`));
  await refused(broker.send('POST', `${BROKER}/nowhere`, JSON.stringify(modify)));

  const wrongPassphrase = new SignedClient(server.url, { ...keys, passphrase: canaries.wrong });
  await refused(wrongPassphrase.get(INFO));
  const swapped = new SignedClient(server.url, { ...keys, secretKey: second.secretKey });
  await refused(swapped.get(INFO));
  for (const client of [sub, wrongPassphrase, swapped]) client.close();
});

test('secrets in the wrong header or in the address', async () => {
  const plain = new SignedClient(server.url);
  const { secret, passphrase } = canaries;
  const timestamp = String(Date.now());
  const sign = createHmac('sha256', secret).update(`${timestamp}GET${INFO}`).digest('base64');
  const right = {
    'ACCESS-KEY': 'bk_unknown',
    'ACCESS-SIGN': sign,
    'ACCESS-TIMESTAMP': timestamp,
    'ACCESS-PASSPHRASE': passphrase,
  };
  for (const name of Object.keys(right)) {
    await refused(plain.send('GET', INFO, '', { ...right, [name]: secret }));
    await refused(plain.send('GET', INFO, '', { ...right, [name]: passphrase }));
  }
  await refused(plain.send('GET', `/api/v3/${secret}?passphrase=${passphrase}`, ''));
  await refused(plain.send('GET', `${INFO}?secretKey=${secret}`, '', right));
  plain.close();
});

test('no refusal repeats a marked secret or passphrase', () => {
  assert.ok(refusals.length >= 20);
  for (const { text } of refusals) assertNowhere(Buffer.from(text), `the answer ${text}`);
});

test('no byte of the data directory holds one, while the server runs', () => {
  assertNotInFiles('of the running server');
});

test('nor after it has written its snapshot and stopped, nor its output at trace level', async () => {
  const stopped = new Promise((resolve) => server.process.once('exit', resolve));
  server.process.kill('SIGINT');
  await stopped;
  assertNotInFiles('of the stopped server');
  assert.ok(
    readdirSync(join(data, 'log'), { recursive: true }).some((name) => String(name).includes('snap')),
    'a snapshot was searched',
  );
  assert.ok(server.log().includes('"level"'), 'the output was captured');
  assertNowhere(Buffer.from(server.log()), 'standard error');
  assertNowhere(Buffer.from(stdout), 'standard output');
});
