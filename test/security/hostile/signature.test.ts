import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, it } from 'node:test';
import { startHostedInMemory } from '../../harness/hosted-server.ts';
import type { TestServer } from '../../harness/server.ts';
import { SignedClient } from '../../harness/signed-client.ts';
import { Rng } from './rng.ts';

const PATH = '/api/v3/account/assets';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=';
const SEED = 20_261;

let server: TestServer;
before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
});
after(() => server.stop());

type Forgery = (sign: string, dice: Rng) => string;

const FORGERIES: Readonly<Record<string, Forgery>> = {
  'one character changed': (sign, dice) => {
    const at = dice.below(sign.length);
    const other = dice.pick(BASE64.split('').filter((character) => character !== sign[at]));
    return sign.slice(0, at) + other + sign.slice(at + 1);
  },
  'two characters swapped': (sign, dice) => {
    const at = dice.below(sign.length - 2);
    const swapped = sign.slice(0, at) + sign[at + 1]! + sign[at]! + sign.slice(at + 2);
    return swapped === sign ? sign.toLowerCase() : swapped;
  },
  'cut off': (sign, dice) => sign.slice(0, 1 + dice.below(sign.length - 1)),
  continued: (sign, dice) => sign + dice.pick(['=', 'A', sign, '.', '==']),
  'the same bytes, spelled otherwise': (sign, dice) =>
    dice.pick([
      sign.replaceAll('+', '-').replaceAll('/', '_').replace('=', ''),
      sign.replace('=', ''),
      `${sign.slice(0, 42)}${nextInGroup(sign[42]!)}=`,
      Buffer.from(sign, 'base64').toString('hex'),
    ]),
  'made of chance': (_sign, dice) => Buffer.from(dice.bytes(32)).toString('base64'),
  'all zero': () => Buffer.alloc(32).toString('base64'),
};

/** The last character of 32 bytes in Base64 carries four bits; its two spare ones make twins. */
function nextInGroup(character: string): string {
  const value = BASE64.indexOf(character);
  return BASE64[(value & ~3) | ((value + 1) & 3)]!;
}

it('of 2,000 forged signatures none is accepted', async (test) => {
  const dice = new Rng(SEED);
  const keys = server.account('alice');
  const client = new SignedClient(server.url);
  const kinds = Object.entries(FORGERIES);
  const accepted: string[] = [];
  let sent = 0;
  const call = (sign: string, timestamp: string) =>
    client.send('GET', PATH, '', {
      'ACCESS-KEY': keys.apiKey,
      'ACCESS-SIGN': sign,
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': keys.passphrase,
    });
  const rightSign = (timestamp: string, text = `${timestamp}GET${PATH}`) =>
    createHmac('sha256', keys.secretKey).update(text).digest('base64');

  for (let round = 0; round < 2_000; round += 20) {
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const timestamp = String(Date.now());
        const [name, forge] = kinds[(round + n) % kinds.length]!;
        const sign = rightSign(timestamp);
        const forged = forge(sign, dice);
        if (forged === sign) return;
        sent += 1;
        const reply = await call(forged, timestamp);
        if (reply.code !== '40009') accepted.push(`${name}: ${forged} -> ${reply.text.slice(0, 200)}`);
      }),
    );
  }
  // Right signatures of other requests.
  const timestamp = String(Date.now());
  const others = [
    `${timestamp}POST${PATH}`,
    `${timestamp}get${PATH}`,
    `${timestamp}GET${PATH}?`,
    `${timestamp}GET${PATH}/`,
    `${timestamp}GET/api/v3/account/info`,
    `${Number(timestamp) - 1}GET${PATH}`,
    `${timestamp}GET${PATH}{}`,
    `GET${PATH}`,
    '',
  ];
  for (const text of others) {
    sent += 1;
    const reply = await call(rightSign(timestamp, text), timestamp);
    if (reply.code !== '40009') accepted.push(`${text} -> ${reply.text.slice(0, 200)}`);
  }
  const honest = String(Date.now());
  assert.equal((await call(rightSign(honest), honest)).code, '00000');
  client.close();
  assert.deepEqual(accepted, []);
  test.diagnostic(`${sent} forged signatures refused, seed ${SEED}`);
});
