/** Scenarios: every shipped one comes out as it expects and leaves the books right; wrong ones are refused with every mistake. */
import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SCENARIO_CHECK_CONTEXT, startWorld } from '../../src/app/start/scenario-world.ts';
import type { RunningExchange } from '../../src/app/start/start-exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { type Scenario, scenarioSchema } from '../../src/lab/scenarios/document.ts';
import { loadScenario, readScenario, ScenarioWrong } from '../../src/lab/scenarios/read-scenario.ts';
import type { ScenarioReport } from '../../src/lab/scenarios/runner.ts';
import { command } from '../app/bourse-process.ts';
import { StreamClient } from '../harness/stream-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { operate } from '../memory/in-process.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const ROOT = join(import.meta.dirname, '../..');
const SHIPPED = globSync('scenarios/*.yaml', { cwd: ROOT })
  .map((file) => basename(file, '.yaml'))
  .sort();

async function runIn(exchange: RunningExchange, body: object): Promise<ScenarioReport> {
  const { status, content } = await operate(exchange, 'POST', '/lab/scenarios', body);
  assert.equal(status, 200, JSON.stringify(content));
  return content;
}

async function run(scenario: Scenario): Promise<ScenarioReport> {
  const exchange = await startWorld(scenario.world);
  try {
    const report = await runIn(exchange, { document: scenario });
    checkInvariants(exchange.sequencer.state);
    return report;
  } finally {
    await exchange.stop();
  }
}

describe('a shipped scenario', () => {
  it('is one of twelve', () => {
    assert.deepEqual(SHIPPED, [
      ...[
        'borrow-squeeze',
        'delisting-day',
        'delivery-day',
        'dust-and-minimums',
        'flash-crash',
        'funding-spike',
      ],
      ...[
        'index-stale',
        'liquidation-cascade',
        'outage-lost-answers',
        'rate-limit-storm',
        'stablecoin-break',
        'stream-gap',
      ],
    ]);
  });

  const hashes = new Map<string, string>();
  for (const name of SHIPPED)
    it(`${name} comes out as it expects, and the books are right`, async () => {
      const report = await run(await loadScenario(name, ROOT, SCENARIO_CHECK_CONTEXT));
      assert.deepEqual(
        report.steps.filter(({ ok }) => !ok),
        [],
      );
      assert.deepEqual([report.ok, report.balanced], [true, true]);
      assert.ok(report.steps.some(({ action }) => action === 'expect'));
      hashes.set(name, report.stateHash);
    });

  it('comes out the same twice', async () => {
    for (const name of ['flash-crash', 'liquidation-cascade']) {
      const again = await run(await loadScenario(name, ROOT, SCENARIO_CHECK_CONTEXT));
      assert.equal(again.stateHash, hashes.get(name), name);
    }
  });

  it('stream-gap is seen by a reader', async () => {
    const scenario = await loadScenario('stream-gap', ROOT, SCENARIO_CHECK_CONTEXT);
    // Pushes come in the machine's time.
    const exchange = await startWorld(scenario.world, 5);
    const reader = await StreamClient.open(exchange.url);
    await reader.subscribe({ instType: 'spot', topic: 'books', symbol: 'BTCUSDT' });
    const report = await runIn(exchange, { document: scenario });
    assert.equal(report.ok, true);
    assert.equal((await reader.closed).code, 1006);
    const { content } = await operate(exchange, 'GET', '/lab/faults');
    const hits = content.faults.map(({ do: action, hits }: { do: object; hits: number }) => [
      Object.keys(action)[0],
      hits,
    ]);
    assert.deepEqual(hits[0], ['push', 1]);
    assert.deepEqual(hits.at(-1), ['disconnect', 1]);
    await exchange.stop();
  });

  it('has a schema for editors that is the present one', () => {
    const published = JSON.parse(readFileSync(join(ROOT, 'scenarios/scenario.schema.json'), 'utf8'));
    assert.deepEqual(published, JSON.parse(JSON.stringify(scenarioSchema())));
  });
});

const WRONG = `scenario: wrong
world: { market: loud, clok: manual }
steps:
  - { at: soon, halt: true }
  - { at: 10s, explode: now }
  - at: 20s
    order: { account: bot, category: SPOT, symbol: BTCUSDT, side: hold, qty: "1" }
  - { at: 5s, fault: { when: { nth: [0] }, do: { drop: never } } }
  - { at: 30s, expect: { account: bot, openOrder: 0 } }
`;

describe('a wrong scenario', () => {
  it('is refused with every mistake, its line, and what would be right', () => {
    assert.throws(
      () => readScenario(WRONG, 'wrong.yaml', SCENARIO_CHECK_CONTEXT),
      (error: Error) => {
        assert.ok(error instanceof ScenarioWrong);
        const lines = error.message.split('\n');
        for (const expected of [
          /^wrong\.yaml:2: world\.market: must be one of off, quiet/,
          /^wrong\.yaml:2: world: clok is not a known field/,
          /^wrong\.yaml:4: steps\.0\.at: "soon" must be a span such as 90s or 10m/,
          /^wrong\.yaml:5: steps\.1: a step has one of deposit, order, .*, and only one/,
          /^wrong\.yaml:7: steps\.2\.order\.side: must be one of buy, sell; order has account/,
          /^wrong\.yaml:8: steps\.3\.fault\.when\.nth\.0: must be >= 1/,
          /^wrong\.yaml:8: steps\.3\.fault\.do\.drop: must be one of before, after; drop is before/,
          /^wrong\.yaml:8: steps\.3\.at: comes before the step above it/,
          /^wrong\.yaml:9: steps\.4\.expect: openOrder is not a known field; expect has some of/,
        ])
          assert.ok(
            lines.some((line) => expected.test(line)),
            `${expected} is not in\n${error.message}`,
          );
        return true;
      },
    );
  });

  it('is refused when it is no YAML, or nothing at all', () => {
    for (const [text, expected] of [
      ['steps: [', /x:\d+: /],
      ['', /a scenario is an object/],
      ['[]', /a scenario is an object/],
      ['scenario: a\nsteps: []', /steps: must NOT have fewer than 1 items/],
      ['scenario: a', /steps is missing/],
    ] as const)
      assert.throws(() => readScenario(text, 'x', SCENARIO_CHECK_CONTEXT), expected);
  });

  it('is refused when it has more than a thousand steps, or its file more than a MiB', async () => {
    const steps = Array.from({ length: 1001 }, () => ({ halt: true }));
    const wrong = () => readScenario(JSON.stringify({ scenario: 'x', steps }), 'x', SCENARIO_CHECK_CONTEXT);
    assert.throws(wrong, /steps: must NOT have more than 1000 items/);
    const file = join(temporaryDirectory(), 'large.yaml');
    writeFileSync(file, ' '.repeat(1024 * 1024 + 1));
    await assert.rejects(loadScenario(file, ROOT, SCENARIO_CHECK_CONTEXT), /at most 1048576 are read/);
  });
});

describe('a scenario on a running exchange', () => {
  let exchange: RunningExchange;
  before(async () => {
    exchange = await startWorld({ instruments: ['SPOT:BTCUSDT'], prices: { BTCUSDT: '60000' } });
  });
  after(() => exchange.stop());

  const refused = async (body: object) => {
    const { status, content } = await operate(exchange, 'POST', '/lab/scenarios', body);
    return `${status} ${content.error?.code}: ${content.error?.message}`;
  };

  it('reports what is not as expected, and what went wrong', async () => {
    const report = await runIn(exchange, {
      document: {
        scenario: 'disappointment',
        steps: [
          { at: '1s', expect: { account: 'bot', openOrders: 3, halted: true } },
          { at: '2s', deposit: { account: 'bot', coin: 'GOLD', amount: '1' } },
          { at: '3s', halt: true },
        ],
      },
    });
    assert.deepEqual(
      report.steps.map(({ ok, message }) => [ok, message]),
      [
        [false, 'bot: open orders: 0, not 3; trading is not halted'],
        [false, 'POST /admin/deposits: coin "GOLD" is not listed'],
      ],
    );
    assert.deepEqual([report.ok, report.failed], [false, 2]);
  });

  it('expects that an account has not made mistakes', async () => {
    const small = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', qty: '0.000001', price: '60000' };
    const report = await runIn(exchange, {
      document: {
        scenario: 'mistakes',
        steps: [
          { order: { account: 'alice', ...small, code: '25611' } },
          { expect: { account: 'bob', noMistakes: ['below-minimum', 'rate-limited'] } },
          { expect: { account: 'alice', noMistakes: ['below-minimum', 'rate-limited'] } },
        ],
      },
    });
    assert.deepEqual(
      report.steps.map(({ message }) => message),
      ['', '', 'alice: below-minimum: an order was too small (1)'],
    );
  });

  it('runs nothing when it is only checked', async () => {
    const before = exchange.sequencer.appliedSeq;
    const document = 'scenario: dry\nsteps: [{ halt: true }]';
    const report = await runIn(exchange, { document, dryRun: true });
    assert.deepEqual([report.ok, report.steps], [true, []]);
    assert.equal(exchange.sequencer.appliedSeq, before);
  });

  it('is refused in another world than its own, without a document, and a second at a time', async () => {
    assert.match(
      await refused({ file: 'delivery-day' }),
      /422 not_allowed: .*there is no COIN-FUTURES:BTCUSDZ26/,
    );
    assert.match(await refused({}), /400 invalid_request: give either document, a scenario, or file/);
    assert.match(await refused({ file: 'nowhere' }), /400 invalid_request: there is no file .*nowhere/);
    assert.match(await refused({ document: WRONG }), /400 invalid_request: [\s\S]*document:2: world.market/);
    const slow = { document: { scenario: 'slow', steps: [{ at: '3h', expect: { halted: false } }] } };
    const both = await Promise.all([refused(slow), refused(slow)]);
    assert.ok(
      both.some((text) => /409 busy: the scenario slow is under way/.test(text)),
      String(both),
    );
  });

  it('goes back, and is killed, while it runs', async () => {
    const order = {
      account: 'bot',
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'buy',
      qty: '0.01',
      price: '58000',
    };
    const report = await runIn(exchange, {
      document: {
        scenario: 'there and back',
        steps: [
          { at: '1s', snapshot: { name: 'calm' } },
          { at: '2s', order },
          { at: '3s', expect: { account: 'bot', openOrders: 1 } },
          { at: '3s', revert: { to: 'calm' } },
          { at: '4s', expect: { account: 'bot', openOrders: 0 } },
          { at: '4s', order },
          { at: '5s', fault: { do: { outage: 0.05, how: 'kill' } } },
          { at: '6s', expect: { account: 'bot', openOrders: 1 } },
        ],
      },
    });
    assert.deepEqual(
      report.steps.filter(({ ok }) => !ok),
      [],
    );
  });

  it('may be a module', async () => {
    const directory = temporaryDirectory();
    mkdirSync(directory, { recursive: true });
    const file = join(directory, 'own.ts');
    writeFileSync(
      file,
      `import { scenario } from ${JSON.stringify(join(ROOT, 'src/testkit/index.ts'))};
      const at: string = '1s';
      export default scenario({ scenario: 'own', steps: [{ at, expect: { halted: false } }] });`,
    );
    const document = await loadScenario(file, ROOT, SCENARIO_CHECK_CONTEXT);
    assert.equal((await runIn(exchange, { document })).ok, true);
    // Whoever has the token of the operator does not run code with it.
    assert.match(
      await refused({ file }),
      /400 invalid_request: .* is a module, whose code runs where it is loaded/,
    );
    assert.equal((await command(['lab', 'run', file])).code, 0);
  });

  it('has its line in the audit log, and each of its steps', async () => {
    await runIn(exchange, { document: { scenario: 'audited', steps: [{ halt: true }, { resume: true }] } });
    const { content } = await operate(exchange, 'GET', '/admin/audit?limit=10');
    const done = content.lines.filter(({ outcome }: { outcome?: string }) => outcome === 'done');
    const actions = done.map(({ action }: { action: string }) => action);
    for (const action of ['halt', 'resume', 'lab.scenario'])
      assert.ok(
        actions.some((each: string) => each.includes(action)),
        `${action}: ${actions}`,
      );
  });
});

describe('bourse lab run', () => {
  const directory = temporaryDirectory();
  mkdirSync(directory, { recursive: true });
  const write = (name: string, text: string) => {
    const file = join(directory, name);
    writeFileSync(file, text);
    return file;
  };

  it('ends with 0, or with 5 and a report when something was not as expected', async () => {
    const good = await command(['lab', 'run', 'rate-limit-storm', '--json']);
    assert.equal(good.code, 0, good.stderr);
    assert.equal(JSON.parse(good.stdout).ok, true);
    const file = write('bad.yaml', 'scenario: "bad & <sad>"\nsteps: [{ expect: { halted: true } }]');
    const junit = join(directory, 'out.xml');
    const bad = await command(['lab', 'run', file, '--junit', junit]);
    assert.equal(bad.code, 5, bad.stderr);
    assert.match(bad.stdout, /1 not as expected[\s\S]*steps\.0 .*trading is not halted/);
    const xml = readFileSync(junit, 'utf8');
    assert.match(xml, /<testsuite name="bad &amp; &lt;sad&gt;" tests="2" failures="1"/);
    assert.match(xml, /<failure message="trading is not halted"\/>/);
  });

  it('ends with 2 when the file is wrong, naming every mistake', async () => {
    const { code, stderr } = await command(['lab', 'run', write('wrong.yaml', WRONG)]);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /wrong\.yaml:2: world\.market: must be one of[\s\S]*wrong\.yaml:9: steps\.4\.expect/,
    );
    assert.equal((await command(['lab', 'run', 'nowhere'])).code, 2);
    assert.equal((await command(['lab', 'run', 'flash-crash', '--speed', 'fast'])).code, 2);
  });

  it('runs a bot beside it, with keys in its environment', async () => {
    const bot = write(
      'bot.mjs',
      `const { BOURSE_URL, BOURSE_API_KEY, BOURSE_SECRET_KEY, BOURSE_KEY, BOURSE_SECRET, BOURSE_ACCOUNT } = process.env;
      if (!BOURSE_KEY || BOURSE_KEY !== BOURSE_API_KEY || !BOURSE_SECRET || BOURSE_SECRET !== BOURSE_SECRET_KEY) process.exit(8);
      const { code } = await (await fetch(BOURSE_URL + '/api/v3/public/time')).json();
      process.stdout.write('bot ' + BOURSE_ACCOUNT + ' ' + code + ' ' + (BOURSE_API_KEY ?? '').length + '\\n');
      process.exit(7);`,
    );
    const file = write('short.yaml', 'scenario: short\nsteps: [{ at: 4s, expect: { halted: false } }]');
    const run = await command(['lab', 'run', file, '--bot', `${process.execPath} ${bot}`, '--json']);
    assert.equal(run.code, 5, run.stderr);
    assert.match(run.stdout, /the bot ended with code 7/);
  });
});
