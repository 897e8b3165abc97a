/** Bad input of every call of the laboratory: it is refused with what is wrong, nothing changes, and nothing breaks. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Condition } from '../../src/lab/faults/when.ts';
import { Unavailable } from '../../src/sequencer/sequencer.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { stopAll } from '../memory/in-process.ts';
import { Lab, spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

/** Every call that takes a body, with its fields and what it needs beside a wrong one. */
const FIELDS: readonly (readonly [string, readonly string[], object?])[] = [
  ['/lab/snapshots', ['name', 'note']],
  ['/lab/revert', ['to', 'keepSockets'], { to: 'one' }],
  ['/lab/forks', ['from', 'port', 'clock', 'market', 'isolate']],
  ['/lab/clock/advance', ['by', 'to', 'next', 'step']],
  ['/lab/clock/mode', ['clock']],
  ['/lab/clock/wait', ['session', 'idleUntil', 'onlyTime'], { session: 'a' }],
  ['/lab/faults', ['when', 'do'], { do: { drop: 'after' } }],
  ['/lab/scenarios', ['document', 'file', 'dryRun']],
  ['/lab/capsule', ['since', 'from', 'anonymise']],
];

const QUERIES = ['/lab/clock', '/lab/diff', '/lab/explain', '/lab/referee'];

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const steps = (...list: readonly object[]) => ({ document: { scenario: 'x', steps: list }, dryRun: true });
/** Aliases of aliases: 9 to the ninth numbers. */
const BOMB = Array.from({ length: 10 }, (_, n) =>
  n === 0
    ? 'a0: &a0 [1, 1]'
    : `a${n}: &a${n} [${Array(9)
        .fill(`*a${n - 1}`)
        .join(', ')}]`,
).join('\n');

type Row = readonly [string, string, object | undefined, number, string, RegExp];

const ROWS: readonly Row[] = [
  ['DELETE', `/lab/snapshots/${'x'.repeat(150)}`, undefined, 404, 'unknown_snapshot', /there are: one$/],
  [
    'DELETE',
    `/lab/snapshots/${'x'.repeat(250)}`,
    undefined,
    400,
    'invalid_request',
    /name must NOT have more/,
  ],
  [
    'DELETE',
    `/lab/snapshots/${'x'.repeat(300)}`,
    undefined,
    400,
    'invalid_request',
    /more than 256 characters/,
  ],
  [
    'DELETE',
    '/lab/snapshots/..%2f..%2fetc',
    undefined,
    404,
    'unknown_snapshot',
    /"..\/..\/etc"; there are: one/,
  ],
  ['DELETE', '/lab/snapshots/%', undefined, 400, 'invalid_request', /% must be followed by two/],
  ['POST', '/lab/revert', { to: '../one' }, 404, 'unknown_snapshot', /there are: one/],
  ['POST', '/lab/snapshots', { note: 'x'.repeat(70_000) }, 400, 'invalid_request', /more than 65536 bytes/],
  ['POST', '/lab/clock/wait', { session: 'a b' }, 400, 'invalid_request', /session must match/],
  [
    'POST',
    '/lab/clock/advance',
    { by: '999999999d' },
    400,
    'invalid_request',
    /time ends with the year 2099/,
  ],
  [
    'POST',
    '/lab/clock/advance',
    { by: '1s', step: `${9e8}${'9'.repeat(20)}d` },
    400,
    'invalid_request',
    /step must/,
  ],
  ['GET', '/lab/clock?next=__proto__', undefined, 400, 'invalid_request', /next must be funding, interest/],
  ['GET', '/lab/explain?command=9999999999999999', undefined, 400, 'invalid_request', /at most 15 digits/],
  ['GET', '/lab/diff?from=one&from=one', undefined, 400, 'invalid_request', /from must be string/],
  ['GET', '/lab/referee?account=nobody', undefined, 404, 'unknown_account', /"nobody"/],
  ['GET', '/lab/referee?account=bot&since=soon', undefined, 400, 'invalid_request', /span such as 10m/],
  ['POST', '/lab/capsule', { since: 'soon' }, 400, 'invalid_request', /span such as 10m/],
  ['POST', '/lab/capsule', { since: '1m', from: 'one' }, 400, 'invalid_request', /not both/],
  ['POST', '/lab/capsule', { from: 'two' }, 404, 'unknown_snapshot', /there are: one/],
  ['GET', '/lab/replay', undefined, 422, 'not_allowed', /start with --feed replay:FILE/],
  ['POST', '/lab/faults', { do: { toString: 1 } }, 400, 'invalid_request', /must name one of latency, drop/],
  ['POST', '/lab/scenarios', { file: 'a\0b' }, 400, 'invalid_request', /there is no file .*, and no shipped/],
  ['POST', '/lab/scenarios', { file: 'x'.repeat(300) }, 400, 'invalid_request', /there is no file/],
  ['POST', '/lab/scenarios', { file: '..%2fx' }, 400, 'invalid_request', /there is no file/],
  [
    'POST',
    '/lab/scenarios',
    { file: '/etc/passwd' },
    400,
    'invalid_request',
    /not read: .*ends in .yaml, .yml, .json/,
  ],
  ['POST', '/lab/scenarios', { document: 'a: *b' }, 400, 'invalid_request', /document: Unresolved alias/],
  ['POST', '/lab/scenarios', { document: BOMB }, 400, 'invalid_request', /document: Excessive alias count/],
  ['POST', '/lab/scenarios', { document: nested(20_000) }, 400, 'invalid_request', /document:1: /],
  [
    'POST',
    '/lab/scenarios',
    { document: 'x'.repeat(1024 * 1024 + 1) },
    400,
    'invalid_request',
    /at most 1048576/,
  ],
  [
    'POST',
    '/lab/scenarios',
    steps({ at: '32d', halt: true }),
    400,
    'invalid_request',
    /steps.0.at: .* at most 31d/,
  ],
  [
    'POST',
    '/lab/scenarios',
    steps({ shock: { coin: 'BTC', percent: 1, over: '2d' } }),
    ...([400, 'invalid_request', /steps.0.shock.over: a shock takes at most 1d/] as const),
  ],
  [
    'POST',
    '/lab/scenarios',
    steps({ deposit: { account: 'bot', coin: 'USDT', amount: '-1' } }),
    ...([400, 'invalid_request', /steps.0.deposit.amount: .*not below 0; deposit has account/] as const),
  ],
  [
    'POST',
    '/lab/scenarios',
    { document: { scenario: 'x', world: { clock: 'scaled:99999' }, steps: [{ halt: true }] } },
    ...([400, 'invalid_request', /world.clock: must be wall, manual/] as const),
  ],
];

describe('bad input of the laboratory', () => {
  let lab: Lab;
  let unchanged: () => Promise<void>;
  before(async () => {
    lab = await Lab.start();
    await lab.snapshot('one');
    const facts = async () => {
      const lists = await Promise.all(
        ['snapshots', 'forks', 'faults', 'clock'].map((name) => lab.ask('GET', `/lab/${name}`)),
      );
      return JSON.stringify([stateHash(lab.exchange.sequencer.state), lists]);
    };
    const first = await facts();
    unchanged = async () => assert.equal(await facts(), first);
  });
  after(stopAll);

  const post = async (path: string, body: string): Promise<readonly [number, string, string]> => {
    const { operatorUrl, operatorToken } = lab.exchange;
    const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' };
    const answer = await fetch(operatorUrl + path, { method: 'POST', headers, body });
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    return [answer.status, error?.code, error?.message];
  };

  it('is refused as its row says', async () => {
    for (const [method, path, body, status, code, message] of ROWS) {
      const [gotStatus, gotCode, says] = await lab.refused(method, path, body);
      const what = `${method} ${path} ${JSON.stringify(body)?.slice(0, 80)}: ${gotStatus} ${gotCode} ${says}`;
      assert.deepEqual([gotStatus, gotCode], [status, code], what);
      assert.match(says, message, what);
    }
    await unchanged();
  });

  it('of a wrong type is refused with the name of its field', async () => {
    for (const [path, fields, needed = {}] of FIELDS)
      for (const field of fields)
        for (const value of [null, [], [{}], 1.5, { a: {} }, -1e308]) {
          const [status, code, message] = await lab.refused('POST', path, { ...needed, [field]: value });
          const what = `${path} ${field} ${JSON.stringify(value)}: ${status} ${message}`;
          assert.deepEqual([status, code], [400, 'invalid_request'], what);
          // A document may be any object; what it lacks is named.
          assert.match(
            message,
            new RegExp(field === 'document' ? 'document|scenario is missing' : field),
            what,
          );
        }
    await unchanged();
  });

  it('that is no body, no JSON, or has a field too many is refused, whatever the call', async () => {
    for (const [path] of FIELDS)
      for (const [body, says] of [
        ['', /empty/],
        ['{', /not valid JSON/],
        ['{"__proto__":{}}', /not valid JSON/],
        ['[]', /the body must be object/],
        ['"x"', /the body must be object/],
        [`{"stray":1}`, /stray is not a known field|is missing/],
        [`{"do":{"drop":${nested(10_000)}}}`, /nested more than 32 levels deep/],
        [`{"a":${nested(10_000)}}`, /nested more than 32 levels deep/],
      ] as const) {
        const [status, code, message] = await post(path, body);
        const what = `${path} ${body.slice(0, 40)}: ${status} ${message}`;
        assert.deepEqual([status, code], [400, 'invalid_request'], what);
        assert.match(message, says, what);
      }
    for (const path of QUERIES)
      assert.match(
        (await lab.refused('GET', `${path}?stray=1`))[2],
        /stray is not a known field|is missing/,
        path,
      );
    await unchanged();
    // The audit log has outlived the nested ones.
    await lab.ask('DELETE', '/lab/faults');
  });

  it('of a method or path that there is not is 404', async () => {
    for (const [method, path] of [
      ['PUT', '/lab/snapshots'],
      ['PATCH', '/lab/snapshots/one'],
      ['GET', '/lab/snapshots/one'],
      ['GET', '/lab/scenarios'],
      ['GET', '/lab/'],
      ['GET', '/lab/nothing'],
    ] as const)
      assert.deepEqual((await lab.refused(method, path)).slice(0, 2), [404, 'unknown_path'], path);
  });

  it('sent at once is carried out once', async () => {
    const all = await Promise.all(
      Array.from({ length: 5 }, () => lab.refused('POST', '/lab/snapshots', { name: 'twin' })),
    );
    assert.deepEqual(
      all.map(([status]) => status).sort((one, other) => one - other),
      [200, 409, 409, 409, 409],
    );
    const deleted = await Promise.all([1, 2, 3].map(() => lab.refused('DELETE', '/lab/snapshots/twin')));
    assert.deepEqual(
      deleted.map(([status]) => status).sort((one, other) => one - other),
      [200, 404, 404],
    );
    await unchanged();
  });

  it('in a file that cannot be read, or that is no scenario, is refused', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'own.yaml');
    writeFileSync(file, 'secret: here\n');
    assert.match(
      (await lab.refused('POST', '/lab/scenarios', { file }))[2],
      /own.yaml:1: scenario is missing/,
    );
    assert.match((await lab.refused('POST', '/lab/scenarios', { file: directory }))[2], /there is no file/);
    if (process.platform !== 'linux') return;
    const unreadable = await lab.refused('POST', '/lab/scenarios', { file: '/proc/self/mem' });
    assert.equal(unreadable[0], 400, unreadable[2]);
  });

  it('as a pattern of a fault matches, or does not, and never hangs', async () => {
    const created = { created: 0, uid: undefined, random: () => 0 };
    const path = '/api/v3/trade/place-order';
    for (const [pattern, matches] of [
      ['trade/place-order', true],
      ['place-order', true],
      ['lace-order', false],
      ['trade/*', true],
      ['trade/*-order', true],
      ['trade/*order*', true],
      ['*', true],
      ['v3/*/place-order', true],
      ['trade/place-order*', true],
      ['trade/place-order*r', false],
      ['/api/*', true],
      ['/trade/*', false],
      ['trade.place-order', false],
      [`${'*'.repeat(99)}r`, true],
      [`${'*'.repeat(99)}Z`, false],
      [`${'*e'.repeat(40)}Z`, false],
    ] as const) {
      const condition = new Condition({ path: pattern }, { ...created, counters: { seen: 0, hits: 0 } });
      const occasion = { uid: undefined, method: 'POST', path, symbols: () => [] };
      assert.equal(condition.meets(occasion, 1), matches, pattern);
    }
  });

  it('of a scenario during an advance or a revert is told in its report, and the next one runs', async () => {
    const scenario = {
      document: {
        scenario: 'x',
        steps: [
          { at: '1s', halt: true },
          { at: '2s', resume: true },
        ],
      },
    };
    const advancing = lab.ask('POST', '/lab/clock/advance', { by: '30h' });
    while (!lab.exchange.ticker.advancing) await new Promise((resolve) => setTimeout(resolve, 1));
    const report = await lab.ask('POST', '/lab/scenarios', scenario);
    await lab.ask('POST', '/admin/clock/halt', {});
    await advancing;
    assert.deepEqual([report.ok, report.failed, report.steps[0].step], [false, 1, 'world']);
    assert.match(report.steps[0].message, /the clock is being advanced already/);
    const old = lab.exchange.sequencer;
    await lab.revert('one');
    // Whoever still holds on to the old exchange is refused, and does not wait for ever.
    await assert.rejects(old.submit({ type: 'tick' }), Unavailable);
    await lab.ask('DELETE', '/lab/snapshots/branch-0');
    await unchanged();
    assert.equal((await lab.ask('POST', '/lab/scenarios', scenario)).ok, true);
  });

  it('cannot be a snapshot called now: it is meant by that name as long as there is one', async () => {
    const differ = async (query: string) => (await lab.ask('GET', `/lab/diff?${query}`)).orders.count;
    await lab.snapshot('now');
    await lab.client('alice').post('/api/v3/trade/place-order', spotOrder('buy', '60000'));
    assert.deepEqual([await differ('from=now'), await differ('from=one&to=now')], [1, 0]);
    await lab.ask('DELETE', '/lab/snapshots/now');
    assert.deepEqual([await differ('from=now'), await differ('from=one&to=now')], [0, 1]);
  });
});
