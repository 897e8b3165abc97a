/**
 * Every command and program in README and docs is executed as written, with only the address, the directory and, where the
 * venue is not what they are about, a catalogue of one coin put in. The first command of README goes through npm, the others
 * through its stand-in (`npm-stand-in.ts`).
 * A block that nothing here executes fails with its place. `docs/operator.md`, `docs/backup.md`, `docs/postgres.md`,
 * `docs/cluster.md` and `docs/testkit.md` have tests of their own, which run their blocks in one shell
 * (`test/admin/operator.docs.ts`, `test/backup/docs.test.ts`, `test/postgres/docs.test.ts`, `test/cluster/docs.cluster.ts`,
 * `test/testkit/testkit.docs.ts`).
 */
import assert from 'node:assert/strict';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBourse } from '../../src/testkit/index.ts';
import { Server } from '../app/bourse-process.ts';
import { startCommand } from '../harness/child-programs.ts';
import { startHosted, startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type Block, blocksOf, documents, ROOT } from './blocks.ts';
import { pathWithStandIn } from './npm-stand-in.ts';

const README_ADDRESS = /http:\/\/127\.0\.0\.1:8787/g;

const run = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd: string = ROOT,
) => startCommand(command, args, { cwd, env: { ...process.env, ...env } }).ended;

/** Lines of a block that are commands, without their remarks. */
const linesOf = ({ text }: Block) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*$/, ''));
const isStart = (line: string) => line.includes('npm start');
const isSuite = (line: string) => line === 'npm ci && npm test';

const ALICE = { apiKey: 'demo-alice', secretKey: 'demo-alice-secret', passphrase: 'demo' };

/** What the history is to show: a fill of alice's. */
async function trades(url: string): Promise<void> {
  const alice = new SignedClient(url, { ...ALICE, name: 'alice', uid: 0 });
  const sell = { category: 'SPOT', symbol: 'BTCUSDT', side: 'sell', orderType: 'market', qty: '0.001' };
  for (let tries = 0; tries < 600; tries++) {
    const { data: placed } = await alice.post('/api/v3/trade/place-order', sell);
    const { data: order } = await alice.get('/api/v3/trade/order-info', { orderId: placed.orderId });
    if (order.orderStatus === 'filled') break;
    await sleep(200);
  }
  alice.close();
}

/** A position of alice's, for what is done to positions. */
async function opens(url: string): Promise<void> {
  const alice = new SignedClient(url, { ...ALICE, name: 'alice', uid: 0 });
  const buy = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'market', qty: '0.01' };
  await alice.post('/api/v3/trade/place-order', buy);
  alice.close();
}

/** A market of every instrument that trades all the time costs more than the commands that look at it. */
const ONE_COIN = ['--instruments', 'BTCUSDT'];

/** As a newcomer starts it: demo accounts and a living market. */
const living = (data: string) =>
  startHosted({ data, args: ['--market', 'normal', '--backfill', '0', ...ONE_COIN] });

/**
 * `npm start ...` up to the line that says that it listens, then Ctrl-C. Node was installed to run this test. Without options
 * it is started from the sources, as npm does.
 */
async function startAndStop(line: string, data: string): Promise<void> {
  const args = line
    .replace('npm ci && ', '')
    .replace(/^npm start( -- )?/, '')
    .split(' ')
    .filter((word) => word !== '');
  if (args.includes('--help')) {
    const { code, output } = await run(process.execPath, ['src/main.ts', ...args]);
    assert.deepEqual([code, /--data <dir>/.test(output)], [0, true], output);
    return;
  }
  const placed = args.map((arg, n) => (args[n - 1] === '--data' ? data : arg));
  if (args.length > 0) return startsHosted(placed, data);
  const server = await Server.start(['--data', data, '--backfill', '0'], {}, join(ROOT, 'src/main.ts'));
  assert.equal((await server.end('SIGINT')).code, 0, line);
}

/** A start with options; without them it is a process. */
async function startsHosted(args: readonly string[], data: string): Promise<void> {
  const all = [...args, '--backfill', '0', '--port', '0'];
  const server = args.includes('--memory')
    ? await startHostedInMemory(all)
    : await startHosted({ data, args: all });
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200, args.join(' '));
  await server.stop();
}

describe('README.md and docs: every block is executed', async () => {
  let server: TestServer;
  let data: string;
  before(async () => {
    data = join(temporaryDirectory(), 'data');
    server = await living(data);
    await trades(server.url);
  });
  after(() => server.stop());

  const STAND_IN = { PATH: await pathWithStandIn() };
  const env = () => ({ BOURSE_DATA: data, BOURSE_URL: server.url });
  const here = (text: string) => text.replace(README_ADDRESS, server.url);

  /** Until the first command has. */
  let viaNpm = true;

  async function shell(line: string, path: Readonly<Record<string, string>> = STAND_IN): Promise<void> {
    const { code, output } = await run('bash', ['-euo', 'pipefail', '-c', here(line)], { ...env(), ...path });
    assert.equal(code, 0, `${line}\n${output}`);
    assert.doesNotMatch(output, /"code":"(?!00000)/, line);
  }

  const program = async (text: string, cwd?: string) => {
    const { code, output } = await run(
      process.execPath,
      ['--input-type=module', '--eval', here(text)],
      env(),
      cwd,
    );
    assert.equal(code, 0, output);
    return output;
  };

  const hasPython = async () => (await run('python3', ['-c', 'import ccxt'])).code === 0;
  /** Without the library the program can only be read. */
  const readsPython = (line: string) => `${line} -c 'import ast, sys; ast.parse(sys.stdin.read())'`;

  type Execution = (block: Block) => Promise<void>;
  const EXECUTIONS: Readonly<Record<string, Execution>> = {
    'README.md sh': async (block) => {
      for (const line of linesOf(block)) {
        if (isSuite(line)) assert.ok(process.env.NODE_TEST_CONTEXT, 'this is the suite, and it runs');
        else if (isStart(line)) await startAndStop(line, join(temporaryDirectory(), 'data'));
        else if (line.includes('bourse -- verify')) await verifies(line);
        else {
          const path = viaNpm || !line.startsWith('npm ') ? {} : STAND_IN;
          if (line.startsWith('npm ')) viaNpm = false;
          await shell(line.endsWith('| python3') && !(await hasPython()) ? readsPython(line) : line, path);
        }
      }
    },
    'README.md js': async ({ text }) => {
      const output = await program(text);
      assert.match(output, /30000/, 'the order is shown');
      assert.match(output, /taker/, 'the trade is shown');
    },
    'docs/history.md sh': async (block) => {
      const [first] = linesOf(block);
      if (first!.startsWith('node launch.cjs test/run.ts')) {
        assert.ok(globSync(first!.split(' ').at(-1)!, { cwd: ROOT }).length > 0, first);
        return;
      }
      const missing = (await run('bash', ['-c', 'command -v sqlite3'])).code !== 0;
      if (missing) return queryWithNode(block.text);
      const { code, output } = await run('bash', ['-euc', block.text], {}, data);
      assert.equal(code, 0, output);
      assert.match(output, /USDT|fills/, 'it finds something');
    },
    'docs/history.md js': async ({ text }) => {
      assert.match(await program(text, data), /USDT/);
    },
    'docs/streams.md js': async ({ text }) => {
      const open = `const ws = new WebSocket('${server.url.replace('http', 'ws')}/v3/ws/public');`;
      const tell =
        "ws.onmessage = ({ data }) => { console.log(data); if (data.includes('snapshot')) ws.close(); };";
      assert.match(await program(`${open}\n${tell}\nws.onopen = () => {\n${text}};`), /"event":"subscribe"/);
    },
    // Tests and campaigns run by themselves; what the lines name is there.
    'docs/testing.md sh': async (block) => {
      for (const line of linesOf(block)) {
        const campaign = /^npm run campaign -- (\S+)/.exec(line)?.[1];
        const files = campaign ? `test/campaign/${campaign}.campaign.ts` : line.split(' ').at(-1)!;
        assert.ok(globSync(files.replaceAll("'", ''), { cwd: ROOT }).length > 0, line);
      }
    },
    'docs/operator.md bash': async () => {},
    'docs/backup.md bash': async () => {},
    'docs/cluster.md bash': async () => {},
    'docs/cluster.md sql': async () => {},
    'docs/postgres.md bash': async () => {},
    'docs/postgres.md sql': async () => {},
    'docs/testkit.md sh': async () => {},
    'docs/testkit.md js': async () => {},
    // The image has a test of its own (test/install/image.install.ts); here is what is said behind its name.
    'docs/container.md text': async (block) => {
      for (const line of linesOf(block)) {
        const [, command, args = ''] = /^docker (.*?)(?: bourse(?: (.*))?)?$/.exec(line)!;
        if (command === 'compose exec') await shell(`npm run -s ${args.replace('bourse', 'bourse --')}`);
        else if (command!.startsWith('run'))
          await containerStarts(args.split(' ').filter((arg) => arg !== ''));
        else assert.match(line, /^docker (compose up --build|build -t bourse \.)$/);
      }
    },
    // Of the exchange that `explain` of the testkit is tried on.
    'docs/lab.md json': async (block) => {
      await using bourse = await startBourse({ instruments: ['BTCUSDT'], prices: { BTCUSDT: '60000' } });
      const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' } as const;
      const tooLarge = { ...order, qty: '900', price: '60000', clientOid: 'large' };
      await assert.rejects(bourse.account('bot').place(tooLarge));
      const { checks } = await bourse.explain({ clientOid: 'large', account: 'bot' });
      assert.deepEqual(
        checks.find(({ verdict }) => verdict === 'refused'),
        JSON.parse(block.text),
      );
    },
    'docs/lab.md ': (block) => {
      const file = join(temporaryDirectory(), 'bug.capsule');
      return EXECUTIONS['docs/operator.md ']!({ ...block, text: block.text.replaceAll('bug.capsule', file) });
    },
    'docs/lab.md yaml': async ({ text }) => {
      const file = join(temporaryDirectory(), 'scenario.yaml');
      writeFileSync(file, text);
      await shell(`npm run -s bourse -- lab run ${file}`);
    },
    'docs/operator.md ': async (block) => {
      const [start, ...commands] = linesOf(block);
      if (!isStart(start!)) {
        // Forced closes need something to close.
        for (const line of linesOf(block)) {
          await opens(server.url);
          await shell(line.replace('npm run bourse', 'npm run -s bourse'));
        }
        return;
      }
      const args = start!.split(' -- ')[1]!.split(' ');
      const manual = await startHosted({
        args: args.includes('--instruments') ? args : [...args, ...ONE_COIN],
      });
      try {
        for (const line of commands) {
          const { code, output } = await run('bash', ['-euc', line], {
            ...STAND_IN,
            BOURSE_DATA: manual.data,
          });
          assert.equal(code, 0, `${line}\n${output}`);
        }
      } finally {
        await manual.stop();
      }
    },
  };

  /** As the entry point of the image starts it, but for the condition that this is a container. */
  async function containerStarts(args: readonly string[]): Promise<void> {
    const data = join(temporaryDirectory(), 'data');
    if (args.length > 0) return startsHosted(args, data);
    const started = await Server.start(['--data', data, '--backfill', '0']);
    assert.equal((await started.end('SIGTERM')).code, 0);
  }

  /** The README proves the directory of an exchange that has ended; this one is stopped for it and started again. */
  async function verifies(line: string): Promise<void> {
    await server.stop();
    await shell(line.replace('./data', data));
    server = await living(data);
  }

  async function queryWithNode(text: string): Promise<void> {
    const query = /"(.*)"/s.exec(text)![1]!;
    const open =
      "import { DatabaseSync } from 'node:sqlite'; new DatabaseSync('history.sqlite', { readOnly: true })";
    await program(`${open}.prepare(${JSON.stringify(query)}).all();`, data);
  }

  const isPicture = ({ language, text }: Block) =>
    language === '' && !/\b(npm|node|curl|bourse)\b/.test(text);

  for (const block of documents()
    .flatMap(blocksOf)
    .filter((each) => !isPicture(each))) {
    const { file, line, language } = block;
    it(`${file}, line ${line}: ${linesOf(block)[0]}`, async () => {
      const execute = EXECUTIONS[`${file} ${language}`];
      assert.ok(
        execute,
        `${file}, line ${line}: no test executes this block; say how in test/docs/commands.docs.ts`,
      );
      await execute(block);
    });
  }
});
