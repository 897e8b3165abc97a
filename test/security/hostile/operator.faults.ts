/** The operator's listener under damaged requests: somebody holds the token and has a script that went wrong. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { OperatorRoute } from '../../../src/admin/route.ts';
import { OPERATOR_ROUTES } from '../../../src/admin/server.ts';
import { command } from '../../app/bourse-process.ts';
import { startHosted } from '../../harness/hosted-server.ts';
import type { LoggedServer } from '../../harness/server.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';
import { HostileRequests, type OpenApi } from './hostile-requests.ts';
import { Rng } from './rng.ts';

const SEED = Number(process.env.BOURSE_FUZZ_SEED ?? 1);
const REQUESTS = 500;
/** Rare, because each writes files for a while. */
const COSTLY = /snapshots|rotate-kek/;
const COSTLY_CHANCE = 0.05;
const data = temporaryDirectory();

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

/** The operator's table in the form that requests are made from. */
function documentOf(routes: readonly OperatorRoute[]): OpenApi {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path, query, body } of routes) {
    const { properties = {}, required = [] } = (query ?? {}) as Partial<ObjectSchema>;
    const parameters = Object.entries(properties).map(([name, schema]) => ({
      name,
      schema,
      required: required.includes(name),
    }));
    const requestBody = body && { content: { 'application/json': { schema: body } } };
    paths[path] = { ...paths[path], [method.toLowerCase()]: { parameters, ...(body && { requestBody }) } };
  }
  return { paths };
}

describe(`${REQUESTS} damaged requests at the operator's listener`, () => {
  const dice = new Rng(SEED);
  const requests = new HostileRequests(documentOf(OPERATOR_ROUTES), dice);
  let server: LoggedServer;
  let endpoint: { readonly url: string; readonly token: string };

  before(async () => {
    server = await startHosted({ data, args: ['--clock', 'manual'] });
    endpoint = JSON.parse(readFileSync(join(data, 'operator.json'), 'utf8')) as typeof endpoint;
  });

  async function send(method: string, path: string, body: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(endpoint.url + path, {
      method,
      headers: {
        authorization: `Bearer ${endpoint.token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  it('no fault of ours, and every refusal says why', async (test) => {
    const statuses = new Map<number, number>();
    const faults: string[] = [];
    for (let n = 0; n < REQUESTS; n++) {
      const { method, path: template, body } = requests.next();
      if (COSTLY.test(template) && !dice.chance(COSTLY_CHANCE)) continue;
      const named = dice.pick(['alice', 'bob', '1000000001', '0', 'nobody', '%00', '__proto__']);
      const path = template.replace(/:\w+/, named);
      const { status, text } = await send(method, path, body);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const { error } = JSON.parse(text) as { error?: { code: string; message: string } };
      const explained = status === 200 ? error === undefined : (error?.message ?? '') !== '';
      if (status >= 500 || !explained) faults.push(`${method} ${path} ${body} -> ${status} ${text}`);
    }
    test.diagnostic([...statuses].map(([status, count]) => `${count} x ${status}`).join(', '));
    assert.deepEqual(faults.slice(0, 5), [], `${faults.length} faults`);
    assert.ok(statuses.get(200)! > REQUESTS / 20, 'some requests are right');
  });

  it('text that no file or screen should hold is refused by name', async () => {
    for (const reference of ['\\ud800', 'a\\udc00b', '\\u0000', 'a\\nb', '\\u001b[31m']) {
      const body = `{"coin":"USDT","amount":"1","reference":"${reference}"}`;
      const { status, text } = await send('POST', '/admin/loan-pools/fund', body);
      assert.equal(status, 400, text);
      assert.match(text, /reference must be text without control characters/);
    }
  });

  it('the books, the log and the audit log are whole', async () => {
    assert.equal(await server.stop(), 0, server.log().slice(-2_000));
    assert.ok(!/request failed/.test(server.log()), server.log().slice(-2_000));
    for (const words of [['verify'], ['audit', 'verify']]) {
      const { code, stdout, stderr } = await command([...words, '--data', data, '--json']);
      assert.equal(code, 0, stderr);
      assert.equal((JSON.parse(stdout) as { ok: boolean }).ok, true, stdout);
    }
  });
});
