/** The documents of the interface: well-formed by the rules of their kind, and true where a reader would try. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '../../src/api/http/routes.ts';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const LINTER = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));
/** It works without the network; it shall not try either. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' };

interface Schema {
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

let server: TestServer;
let operations: Map<string, Operation>;

const textOf = async (path: string) => (await fetch(`${server.url}${path}`)).text();

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  const { paths } = JSON.parse(await textOf('/openapi.json')) as {
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  operations = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );
});
after(() => server.stop());

interface Problem {
  readonly severity: string;
  readonly ruleId: string;
  readonly message: string;
}

/** What the linter says of each document with its recommended rules; in one process, whose start is half of its work. */
async function problemsOf(documents: readonly string[]): Promise<Problem[][]> {
  const directory = temporaryDirectory();
  const names = documents.map((_, n) => `${n}.json`);
  for (const [n, name] of names.entries()) writeFileSync(join(directory, name), documents[n]!);
  const args = [LINTER, 'lint', ...names, '--format', 'json', '--max-problems', '1000'];
  const output = await new Promise<string>((resolve) => {
    const env = { ...process.env, ...OFFLINE };
    execFile(process.execPath, args, { cwd: directory, env, maxBuffer: 2 ** 26 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  // One after the other, with nothing between.
  const told: { problems: Problem[] }[] = JSON.parse(`[${output.replaceAll(/^\}\{$/gm, '},{')}]`);
  assert.equal(told.length, documents.length, output);
  return told.map(({ problems }) => problems);
}

describe('the linter', () => {
  let ofCalls: readonly Problem[] = [];
  let ofStreams: readonly Problem[] = [];
  let ofSpoilt: readonly Problem[] = [];
  before(async () => {
    const [calls, streams] = [await textOf('/openapi.json'), await textOf('/asyncapi.json')];
    const document = JSON.parse(calls);
    delete document.servers;
    delete document.info.license;
    delete document.paths['/api/v3/public/time'].get.security;
    delete document.paths['/api/v3/market/tickers'].get.operationId;
    const told = await problemsOf([calls, streams, JSON.stringify(document)]);
    [ofCalls, ofStreams, ofSpoilt] = told as [Problem[], Problem[], Problem[]];
  });

  it('finds no error and no warning in /openapi.json', () => {
    assert.deepEqual(ofCalls, []);
  });

  it('finds no error in /asyncapi.json', () => {
    assert.deepEqual(
      ofStreams.filter(({ severity }) => severity === 'error'),
      [],
    );
  });

  it('would notice what it is for', () => {
    assert.deepEqual(ofSpoilt.map(({ ruleId }) => ruleId).sort(), [
      'info-license',
      'no-empty-servers',
      'operation-operationId',
      'security-defined',
    ]);
  });
});

test('every call has a name of its own and says which headers it takes', () => {
  assert.equal(operations.size, ROUTES.length);
  assert.equal(new Set([...operations.values()].map(({ operationId }) => operationId)).size, ROUTES.length);
  assert.equal(operations.get('POST /api/v3/trade/place-order')!.operationId, 'postTradePlaceOrder');
  assert.equal(operations.get('GET /api/v2/public/time')!.operationId, 'getV2PublicTime');
  for (const { method, path, access } of ROUTES) {
    const { security } = operations.get(`${method} ${path}`)!;
    assert.equal(security.length, access === 'public' ? 0 : 1, path);
  }
});

/** Does the document say that empty text is right here? */
function allowsEmpty(schema: Schema): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some(allowsEmpty);
  if (schema.enum !== undefined) return schema.enum.includes('');
  return (
    [schema.type].flat().includes('string') &&
    (schema.minLength ?? 0) === 0 &&
    new RegExp(schema.pattern ?? '', 'u').test('')
  );
}

function* fieldsOf(schema: Schema): Generator<[name: string, required: boolean, schema: Schema]> {
  if (schema.items !== undefined) yield* fieldsOf(schema.items);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [name, schema.required?.includes(name) ?? false, field];
  }
}

test('empty text counts as left out: the document allows it for every optional field', () => {
  let optional = 0;
  for (const [name, { parameters = [], requestBody }] of operations) {
    const fields = [
      ...parameters.map((each) => [each.name, each.required === true, each.schema] as const),
      ...(requestBody === undefined ? [] : fieldsOf(requestBody.content['application/json'].schema)),
    ];
    for (const [field, required, schema] of fields) {
      if (required) continue;
      optional += 1;
      assert.ok(allowsEmpty(schema), `${name}: ${field}`);
    }
  }
  assert.ok(optional > 300, `${optional} optional fields`);
});

test('empty text counts as left out: calls with every optional field empty are answered', async () => {
  const client = new SignedClient(server.url, server.account('alice'));
  const emptyOptional = (name: string): Record<string, string> => {
    const { parameters = [], requestBody } = operations.get(name)!;
    const ofQuery = parameters.filter(({ required }) => required !== true).map((each) => each.name);
    const ofBody =
      requestBody === undefined ? [] : [...fieldsOf(requestBody.content['application/json'].schema)];
    const names = [...ofQuery, ...ofBody.filter(([, required]) => !required).map(([field]) => field)];
    return Object.fromEntries(names.map((each) => [each, '']));
  };
  const ORDER = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.01' };
  const candles = {
    ...emptyOptional('GET /api/v3/market/candles'),
    category: 'SPOT',
    symbol: 'BTCUSDT',
    interval: '1m',
  };
  assert.equal((await client.get('/api/v3/market/candles', candles)).code, '00000');
  const orders = emptyOptional('GET /api/v3/trade/unfilled-orders');
  assert.equal((await client.get('/api/v3/trade/unfilled-orders', orders)).code, '00000');
  const place = '/api/v3/trade/place-order';
  const body = { ...emptyOptional(`POST ${place}`), ...ORDER, price: '50000' };
  const placed = await client.send('POST', place, JSON.stringify(body));
  assert.equal(placed.code, '00000', placed.text);
  // A required field must be there, and empty text is not there.
  const refused = await client.send('POST', place, JSON.stringify({ ...body, symbol: '' }));
  assert.deepEqual([refused.status, refused.code], [400, '40019'], refused.text);
  client.close();
});
