/** Which host names and web pages the exchange answers, as a user says it: flag, variable or file. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Overrides } from '../../src/app/config/resolve-config.ts';
import { resolveConfig } from '../../src/app/config/resolve-config.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const resolve = (flags: Overrides, environment: NodeJS.ProcessEnv = {}, directory = temporaryDirectory()) =>
  resolveConfig({ flags, environment, directory });

test('host names come as a list from a flag, a variable or a file, in lower case', async () => {
  const expected = ['exchange.example.com', 'bourse.lan'];
  const text = 'Exchange.example.com, bourse.LAN,';
  assert.deepEqual((await resolve({ allowedHosts: text })).config.allowedHosts, expected);
  const { config, origins } = await resolve({}, { BOURSE_ALLOWED_HOSTS: text });
  assert.deepEqual(config.allowedHosts, expected);
  assert.equal(origins.allowedHosts, 'environment BOURSE_ALLOWED_HOSTS');
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'bourse.config.json'), JSON.stringify({ allowedHosts: expected }));
  assert.deepEqual((await resolve({}, {}, directory)).config.allowedHosts, expected);
  assert.deepEqual((await resolve({})).config.allowedHosts, []);
});

test('what is no host name is refused, with what would be right', async () => {
  for (const text of [
    'https://a.example',
    'a.example:8787',
    '*.example',
    '*',
    'a.example/x',
    'a b.example',
    '[::1]',
    'a..b',
  ]) {
    await assert.rejects(resolve({ allowedHosts: `good.example,${text}` }), (error: Error) => {
      assert.match(
        error.message,
        /^--allowed-hosts ".*" must be a list of host names without scheme, port or \*, such as /,
      );
      return true;
    });
  }
});

test('origins are written as browsers write them, or refused', async () => {
  const read = async (text: string) => (await resolve({ allowedOrigins: text })).config.allowedOrigins;
  assert.deepEqual(await read('HTTPS://Charts.example:443, http://localhost:3000,http://[::1]:80'), [
    'https://charts.example',
    'http://localhost:3000',
    'http://[::1]',
  ]);
  for (const text of [
    'charts.example',
    'null',
    '*',
    'https://*.example',
    'https://a.example/',
    'ws://a.example',
    'https://u@a.example',
  ]) {
    await assert.rejects(read(text), /^ConfigError: --allowed-origins .* must be a list of origins/, text);
  }
});
