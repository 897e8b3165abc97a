/**
 * What the page at /docs says, held against the exchange and the libraries: every call with its names in ccxt and the SDK,
 * every code, every form, every program.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import validatorCompiler from '@fastify/ajv-compiler';
import { RestClientV2, RestClientV3 } from 'bitget-api';
import ccxt from 'ccxt';
import { openApiDocument } from '../../src/api/http/openapi.ts';
import { CATALOGUE } from '../../src/api/wire/error-catalogue.ts';
import { asyncApiDocument } from '../../src/api/ws/asyncapi.ts';
import { TRADE_TOPICS } from '../../src/api/ws/order-entry.ts';
import { UNIFIED, WATCHED } from '../../web/reference/ccxt-methods.ts';
import { AGAIN, readAsyncApi, readOpenApi } from '../../web/reference/documents.ts';
import { bodyOf, draftOf, missingOf, queryOf } from '../../web/reference/form.ts';
import { type Schema, sampleOf } from '../../web/reference/schema.ts';
import { STREAM_PROGRAMS, streamProgram } from '../../web/reference/stream-code.ts';
import {
  ccxtMethod,
  keyOf,
  NOT_IN_CCXT,
  SDK_METHODS,
  sdkClient,
  sdkMethod,
} from '../../web/wire/client-names.ts';
import { programOf } from '../../web/wire/code.ts';
import { callOf, FRAME_TOPICS, frameProgramOf, tradeFrameIn } from '../../web/wire/frame-code.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';

// As a reader of the documents has them: plain JSON.
const plain = (document: object) => JSON.parse(JSON.stringify(document));
const { operations, errors } = readOpenApi(plain(openApiDocument()));
const { messages, errors: socketErrors } = readAsyncApi(plain(asyncApiDocument()));
const CLIENTS_PAGE = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8');

/** Of HTTP with `data`, of a socket with `args`. */
interface Placed {
  readonly code: string;
  readonly args?: readonly { readonly orderId: string }[];
  readonly data?: { readonly orderId: string } | readonly { readonly orderId: string }[];
}

/** A parameter is wrong, or the signature; that an id is missing the form cannot help. */
const ABOUT_FORM = /^(?:40017|40020|40009)$/;

/** The request that the form proposes; undefined where it cannot know a value. */
function proposed({ slug, method, query, body }: (typeof operations)[number]) {
  const schema = body ?? query;
  const draft = schema === undefined ? { values: {}, items: [] } : draftOf(slug, schema, Date.now());
  if (schema !== undefined && missingOf(schema, draft).length > 0) return undefined;
  return {
    query: query === undefined ? {} : queryOf(query, draft),
    body: method === 'GET' ? undefined : body === undefined ? {} : bodyOf(body, draft),
  };
}

describe('names of calls in client libraries', () => {
  const library = new ccxt.bitget() as unknown as Record<string, unknown>;

  it('ccxt has the method that is named, and none where none is', () => {
    const paths = new Map<string, string>();
    for (const [access, sections] of Object.entries(new ccxt.bitget().describe().api as object))
      for (const [section, methods] of Object.entries(sections as object))
        for (const [method, costs] of Object.entries(methods as object))
          for (const path of Object.keys(costs as object))
            paths.set(`${method.toUpperCase()} /api/${path}`, `${access} ${section}`);
    for (const { method, path, isPrivate } of operations) {
      const name = ccxtMethod(method, path, isPrivate);
      if (name === undefined) assert.equal(paths.get(`${method} ${path}`), undefined, path);
      else assert.equal(typeof library[name], 'function', `${path}: ${name}`);
    }
    const keys = operations.map(({ method, path }) => keyOf(method, path));
    assert.deepEqual(
      [...NOT_IN_CCXT].filter((key) => !keys.includes(key)),
      [],
    );
  });

  it('the SDK has the method that is named, which sends its argument to that path; other calls have none', () => {
    const sentBy = new Map<string, string>();
    for (const Client of [RestClientV3, RestClientV2])
      for (const name of Object.getOwnPropertyNames(Client.prototype)) {
        // They ask for the time and compare it with their own.
        if (/^(?:constructor|fetchLatencySummary|fetchServerTime)$/.test(name)) continue;
        const client = new Client() as unknown as Record<string, (...args: unknown[]) => unknown>;
        const probe = { probe: '1' };
        for (const [own, method] of Object.entries({
          get: 'GET',
          getPrivate: 'GET',
          post: 'POST',
          postPrivate: 'POST',
        }))
          client[own] = (path, parameters) => {
            const key = `${method} /${String(path).replace(/^\//, '')}`;
            if ((parameters === undefined || parameters === probe) && !sentBy.has(key)) sentBy.set(key, name);
            return Promise.resolve({ data: {} });
          };
        try {
          void Promise.resolve(client[name]!(probe)).catch(() => undefined);
        } catch {
          // A method that wants other arguments is none of ours.
        }
      }
    for (const { method, path } of operations)
      assert.equal(sdkMethod(method, path), sentBy.get(`${method} ${path}`), `${method} ${path}`);
    const keys = operations.map(({ method, path }) => keyOf(method, path));
    assert.deepEqual(
      Object.keys(SDK_METHODS).filter((key) => !keys.includes(key)),
      [],
    );
    assert.ok(operations.every(({ path }) => ['RestClientV2', 'RestClientV3'].includes(sdkClient(path))));
  });

  it('unified methods of ccxt are those of docs/clients.md, by the call that each makes first', () => {
    const rows = new Map<string, Set<string>>();
    const section = CLIENTS_PAGE.split('## ccxt: unified methods')[1]!.split('\n## ')[0]!;
    for (const [, name, endpoint] of section.matchAll(/^\| (\w+)[^|]*\| ((?:GET|POST) v[^ ,]+)/gm)) {
      const key = endpoint!.replace(' v3/', ' ');
      rows.set(key, (rows.get(key) ?? new Set()).add(name!));
    }
    const expected = Object.fromEntries([...rows].map(([key, names]) => [key, [...names].join(' ')]));
    assert.deepEqual(UNIFIED, expected);
  });

  it('methods that watch a topic are there', () => {
    const topics = messages.map(({ slug }) => slug);
    for (const [topic, method] of Object.entries(WATCHED)) {
      assert.ok(topics.includes(topic), topic);
      assert.match(CLIENTS_PAGE, new RegExp(`^\\| ${method} \\| stream`, 'm'));
    }
  });
});

describe('codes', () => {
  it('every code of a call leads to an entry with a meaning and what to do', () => {
    const known = new Map(errors.map((error) => [error.code, error]));
    assert.deepEqual([...known.keys()].sort(), Object.keys(CATALOGUE).sort());
    for (const { codes, path } of operations) {
      assert.ok(codes.length >= 3, path);
      for (const code of codes) assert.ok(known.has(code), `${path}: ${code}`);
    }
    for (const { means, again } of errors) assert.ok(means.length > 0 && AGAIN[again] !== undefined);
    for (const { means } of socketErrors) assert.ok(means.length > 0);
  });

  it('every code is one of some call, but for the one of paths that do not exist', () => {
    const given = new Set(operations.flatMap(({ codes }) => codes));
    assert.deepEqual(
      errors.map(({ code }) => code).filter((code) => !given.has(code)),
      ['40404'],
    );
  });
});

test('every call and message has an address of its own', () => {
  const slugs = [
    ...operations.map(({ slug }) => slug),
    ...messages.map(({ slug }) => `streams/${slug}`),
    'streams',
    'errors',
  ];
  assert.equal(new Set(slugs).size, slugs.length);
  assert.ok(slugs.includes('trade/place-order') && slugs.includes('streams/ticker'));
});

test('examples of answers and messages are what their schemas allow', () => {
  const compile = validatorCompiler()({}, { customOptions: { strict: false } }) as unknown as (route: {
    readonly schema: Schema;
  }) => ((value: unknown) => boolean) & { readonly errors?: unknown };
  for (const [name, schema] of [
    ...operations.map(({ slug, answer }) => [slug, answer] as const),
    ...messages.map(({ slug, payload }) => [slug, payload] as const),
  ]) {
    const check = compile({ schema });
    const sample = sampleOf('', schema, Date.now());
    assert.ok(check(sample), `${name}: ${JSON.stringify(check.errors)} in ${JSON.stringify(sample)}`);
  }
});

describe('requests that the page proposes', () => {
  let server: TestServer;
  const directory = join(import.meta.dirname, '../../node_modules/.cache', `programs-${process.pid}`);
  before(async () => {
    server = await startHosted({ args: ['--rate-limits', 'off', '--market', 'normal', '--backfill', '0'] });
    mkdirSync(directory, { recursive: true });
  });
  after(async () => {
    rmSync(directory, { recursive: true, force: true });
    await server.stop();
  });

  it('are answered without an error about their form, and public ones with success', async () => {
    const client = new SignedClient(server.url, server.account('alice'));
    for (const operation of operations) {
      const { method, path, isPrivate, codes } = operation;
      const request = proposed(operation);
      if (request === undefined) continue;
      const search = new URLSearchParams(request.query).toString();
      const reply = await client.send(
        method,
        search === '' ? path : `${path}?${search}`,
        request.body === undefined ? '' : JSON.stringify(request.body),
      );
      if (!isPrivate) assert.equal(reply.code, '00000', `${path}: ${reply.text}`);
      else if (reply.code !== '00000') {
        assert.ok(codes.includes(reply.code), `${path} is not said to answer with ${reply.text}`);
        assert.doesNotMatch(reply.code, ABOUT_FORM, `${path}: ${reply.text}`);
      }
    }
    client.close();
  });

  /** Runs a program in this process; what it prints is its result. */
  async function printed(name: string, program: string): Promise<unknown[]> {
    const file = join(directory, `${name}.mjs`);
    writeFileSync(file, program.replaceAll('console.log(', 'globalThis.printed.push('));
    const values: unknown[] = [];
    (globalThis as { printed?: unknown[] }).printed = values;
    await import(pathToFileURL(file).href);
    return values;
  }

  for (const client of ['SDK', 'ccxt JS'] as const)
    it(`programs for ${client} run as pasted`, async () => {
      const keys = server.account('alice');
      let ran = 0;
      for (const operation of operations) {
        const request = proposed(operation);
        // One order stands for the calls that change something.
        if (request === undefined || (operation.changes && operation.slug !== 'trade/place-order')) continue;
        const { method, path, isPrivate, codes } = operation;
        const call = { method, path, ...request, signed: isPrivate ? 'signed' : '' };
        try {
          const [answer] = (await printed(
            `${client} ${operation.id}`,
            programOf(client, call, server.url, keys),
          )) as [{ code: string }];
          assert.equal(answer.code, '00000', path);
        } catch (error) {
          const [code] =
            /\b(?:429|\d{5})\b/.exec((error as { body?: { code: string } }).body?.code ?? String(error)) ??
            [];
          assert.ok(code !== undefined && codes.includes(code), `${path}: ${String(error)}`);
          assert.doesNotMatch(code, ABOUT_FORM, path);
        }
        ran += 1;
      }
      assert.ok(ran > 80, `${ran} programs`);
    });

  it('the program for curl runs as pasted, also with a quote in its values', async () => {
    const { execFileSync } = await import('node:child_process');
    const keys = server.account('alice');
    const call = {
      method: 'POST' as const,
      path: '/api/v3/trade/place-order',
      query: {},
      body: {
        category: 'SPOT',
        symbol: 'BTCUSDT',
        side: 'buy',
        orderType: 'limit',
        qty: '0.001',
        price: '50000',
        note: "it's",
      },
      signed: 'signed',
    };
    const output = execFileSync('bash', ['-c', programOf('curl', call, server.url, keys)], { stdio: 'pipe' });
    assert.equal(JSON.parse(String(output)).code, '00000');
  });

  it('programs for frames that trade run as pasted: the SDK over its socket, ccxt as the same call', async () => {
    assert.deepEqual(Object.keys(FRAME_TOPICS), Object.keys(TRADE_TOPICS));
    const keys = server.account('alice');
    const ORDER = { symbol: 'BTCUSDT', orderType: 'limit', side: 'buy', qty: '0.001', price: '50000' };
    let ran = 0;
    const run = async (client: 'SDK' | 'ccxt JS', topic: string, args: readonly object[]) => {
      const sent = { op: 'trade', id: '1', category: 'spot', topic, args, requestTime: '1' };
      const frame = tradeFrameIn(JSON.stringify(sent))!;
      assert.equal(callOf(frame).path, TRADE_TOPICS[topic]!.route.path);
      const program = frameProgramOf(client, frame, server.url, keys);
      const [answer] = (await printed(`frame ${client} ${topic} ${ran++}`, program)) as [Placed];
      assert.ok(['0', '00000'].includes(answer.code), JSON.stringify(answer));
      const placed = client === 'SDK' ? answer.args! : answer.data!;
      return (Array.isArray(placed) ? placed : [placed]).map(({ orderId }) => orderId);
    };
    for (const client of ['SDK', 'ccxt JS'] as const) {
      const [single] = await run(client, 'place-order', [{ ...ORDER, clientId: `frame-${client[0]}` }]);
      await run(client, 'modify-order', [{ orderId: single, price: '50001', receiveWindow: '1' }]);
      await run(client, 'cancel-order', [{ orderId: single }]);
      for (const suffix of ['', '-order']) {
        const batch = await run(client, `batch-place${suffix}`, [ORDER, ORDER]);
        assert.equal(new Set(batch).size, 2);
        const changed = batch.map((orderId) => ({ orderId, symbol: 'BTCUSDT', qty: '0.002' }));
        await run(client, `batch-modify${suffix}`, changed);
        await run(
          client,
          `batch-cancel${suffix}`,
          batch.map((orderId) => ({ orderId, symbol: 'BTCUSDT' })),
        );
      }
    }
    assert.equal(ran, 2 * Object.keys(TRADE_TOPICS).length);
    const frame = { op: 'trade', id: '1', topic: 'place-order', args: [ORDER] };
    for (const other of [
      '{',
      'null',
      JSON.stringify({ ...frame, op: 'subscribe' }),
      JSON.stringify({ ...frame, topic: 'toString' }),
      JSON.stringify({ ...frame, args: [ORDER, ORDER] }),
      JSON.stringify({ ...frame, args: [null] }),
    ])
      assert.equal(tradeFrameIn(other), undefined, other);
    assert.match(
      frameProgramOf('ccxt Python', tradeFrameIn(JSON.stringify(frame))!, server.url, keys),
      /^# ccxt trades over HTTP: .*\nimport ccxt\n/,
    );
  });

  it('programs for topics are written for every topic, with the addresses of this exchange', () => {
    const keys = server.account('alice');
    for (const { slug, name, addresses } of messages.filter((each) => each.name.startsWith('push-')))
      for (const program of STREAM_PROGRAMS) {
        const isPrivate = !addresses.includes('/v3/ws/public');
        const subscription = isPrivate
          ? { instType: 'UTA', topic: slug }
          : { instType: 'spot', topic: slug, symbol: 'BTCUSDT' };
        const text = streamProgram(program, subscription, server.url, keys);
        if (program === 'ccxt JS' && WATCHED[slug] === undefined) assert.match(text, /no method/, name);
        else assert.match(text, new RegExp(`/v3/ws/${isPrivate ? 'private' : 'public'}`), name);
      }
  });
});
