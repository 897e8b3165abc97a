/**
 * The published package from its packed file alone: installed into an empty folder with each npm, without scripts, network
 * and cache; started, traded on with ccxt, started again; the testkit and its types as a user has them.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import ccxt from 'ccxt';
import { buildPackage } from '../../build/published-package.ts';
import { readReadyFile } from '../../src/app/start/ready-file.ts';
import { DEMO_ACCOUNTS } from '../../src/identity/demo-accounts.ts';
import { VERSION } from '../../src/version.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { fetchNode, fetchPackage, Machine, NODES, NPMS, type RunningCommand } from './toolchain.ts';

const ROOT = join(import.meta.dirname, '../..');
const PUBLINT = 'publint@0.3.25';
const FILE_BYTES_MAX = 1_000_000;
const NO_DEPENDENCIES = ['--ignore-scripts', '--offline', '--no-audit', '--no-fund'];
const BOURSE = 'node_modules/.bin/bourse';
const SMALL = ['--port', '0', '--market', 'off', '--segment-bytes', '1048576'];
/** A state with a past and with enough orders for every kind of thread. */
const EVERY_THREAD = ['--port', '0', '--market', 'quiet', '--backfill', '1', '--segment-bytes', '1048576'];

/** Each thread, and each process that an exchange starts, notes the module that it begins with. */
const NOTE_THREADS = `
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const begun = process.argv[1] ?? '';
if (!isMainThread || begun.endsWith('-worker.js')) appendFileSync(process.env.THREADS, begun + '\\n');
`;

const BOT_TEST = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBourse } from 'bourse/testkit';

test('a bid rests', async () => {
  await using bourse = await startBourse({ instruments: ['BTCUSDT'], prices: { BTCUSDT: '60000' } });
  const bot = bourse.account('bot');
  await bot.place({ category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.001', price: '50000' });
  const open: readonly { price: string }[] = await bot.openOrders();
  assert.deepEqual(open.map(({ price }) => price), ['50000']);
});
`;

const BEGIN = '2026-06-25T07:00:00Z';
/** Sleeps for an hour of its time, and asks the exchange how long that was there. */
const SLEEPER = `
const exchangeTime = async () => {
  const answer = await fetch(process.env.BOURSE_URL + '/api/v3/public/time');
  return Number((await answer.json()).data.serverTime);
};
const began = { own: Date.now(), exchange: await exchangeTime() };
await new Promise((resolve) => setTimeout(resolve, 3_600_000));
console.log('slept', Date.now() - began.own, (await exchangeTime()) - began.exchange);
`;

/** What must compile, and what must not. */
const TYPED = `
import { type ConfigFile, defineConfig } from 'bourse/config';
import { type Bourse, BourseError, startBourse } from 'bourse/testkit';
import { capsuleOnFailure } from 'bourse/testkit/capsule-on-failure';

export const config: ConfigFile = defineConfig({ port: 9000, market: 'wild', clock: 'scaled:60' });
// @ts-expect-error: there is no such level
defineConfig({ market: 'wilder' });
// @ts-expect-error: there is no such setting
defineConfig({ prot: 9000 });
export const bourse: Bourse = await startBourse({ market: 'quiet' });
// @ts-expect-error: a price is a text
await bourse.price('BTCUSDT', 60_000);
await bourse.capsule('bug.capsule', { since: '10m' });
export const left: number = (await bourse.referee('bot')).rules.left.orders;
export const watched: (name: string) => Promise<void> = capsuleOnFailure(async (name: string) => name);
// @ts-expect-error: a capsule is a file
await startBourse({ from: 7 });
export const isOurs = (error: unknown): boolean => error instanceof BourseError;
`;
const STRICT = {
  compilerOptions: {
    ...{ noEmit: true, strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true },
    ...{ target: 'es2024', lib: ['es2024', 'esnext.disposable'], module: 'nodenext', types: [] },
  },
  files: ['typed.ts'],
};

describe('the package', { skip: process.platform !== 'linux' }, () => {
  const made = temporaryDirectory();
  const machines: Machine[] = [];
  let file: string;

  before(async () => {
    await buildPackage(join(made, 'package'));
    const args = ['pack', './package', '--pack-destination', made, '--silent'];
    file = join(made, execFileSync('npm', args, { cwd: made, encoding: 'utf8' }).trim());
  });

  after(() => {
    for (const pid of machines.flatMap((machine) => machine.leftovers())) process.kill(pid, 'SIGKILL');
  });

  /** Installed there; throws with the output of npm when that fails. */
  async function installed(node: string, npm: string): Promise<Machine> {
    const machine = new Machine(node, npm);
    machines.push(machine);
    writeFileSync(join(machine.root, 'package.json'), '{ "type": "module", "private": true }');
    await succeeds(machine.npm('install', ...NO_DEPENDENCIES, '--cache', temporaryDirectory(), file));
    return machine;
  }

  it('holds compiled code and no file that is too large, no source, test or document', () => {
    const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n');
    const foreign = names.filter(
      (name) =>
        /(?<!\.d)\.ts$|\.tsx$|\.map$|\/test\/|\/docs\/|\/node_modules\//.test(name) ||
        name.includes('.test.'),
    );
    assert.deepEqual(foreign, []);
    const large = globSync('**/*', { cwd: join(made, 'package') }).filter(
      (name) => statSync(join(made, 'package', name)).size > FILE_BYTES_MAX,
    );
    assert.deepEqual(large, []);
    const { dependencies, scripts } = JSON.parse(
      readFileSync(join(made, 'package/package.json'), 'utf8'),
    ) as Record<string, unknown>;
    assert.deepEqual([dependencies, scripts], [undefined, undefined]);
  });

  it('is not what npm would pack in the repository', () => {
    const { status, stderr } = spawnSync('npm', ['pack', '--dry-run'], { cwd: ROOT, encoding: 'utf8' });
    assert.notEqual(status, 0);
    assert.match(stderr, /"npm run package" makes the package that is published/);
  });

  it('has nothing that publint objects to', () => {
    const publint = join(fetchPackage(PUBLINT), 'src/cli.js');
    const text = execFileSync(process.execPath, [publint, file, '--strict'], { encoding: 'utf8' });
    assert.match(text, /All good!/);
  });

  it('says in one sentence that Node 20 is too old', async () => {
    const machine = await installed(fetchNode(NODES[20]), fetchPackage(`npm@${NPMS[10]}`));
    // Where no other Node is on the path.
    const alone = machine.runWith({ PATH: machine.bin }, join(machine.bin, 'node'), BOURSE, '--version');
    assert.equal(await alone.ended, 3);
    assert.equal(
      alone.output,
      `bourse: this is Node ${NODES[20]}, and Node 24 from 24.14.1 on or Node 26.5.1 or later is needed: install one.\n`,
    );
  });

  for (const [line, version] of Object.entries(NPMS)) {
    describe(`with npm ${version}`, () => {
      let machine: Machine;
      before(async () => {
        // npm 12 with the newest, the others with the line before.
        const node = line === '12' ? process.execPath : fetchNode(NODES[24]);
        machine = await installed(node, fetchPackage(`npm@${version}`));
      });

      it('is called by its own name', async () => {
        assert.match(
          await succeeds(machine.run('npx', '--offline', 'bourse', '--version')),
          new RegExp(`^${VERSION}$`, 'm'),
        );
        const help = await succeeds(machine.run(BOURSE, '--help'));
        assert.match(help, /^ {2}bourse verify /m);
        assert.match(help, /^Usage: bourse \[options\] \[command\]$/m);
        assert.doesNotMatch(help, /npm (run|start)/);
        const astray = machine.run(BOURSE, 'health', '--data', 'nowhere');
        assert.equal(await astray.ended, 3);
        assert.match(astray.output, /Start it with: bourse start --data /);
      });

      it('starts in memory, trades with ccxt, and SIGTERM ends it', async () => {
        const start = machine.run(BOURSE, '--memory', '--port', '0', '--market', 'off');
        const url = await start.shows(/^Listening on (\S+)\n/m);
        await orderOn(url);
        const about = await fetch(`${url}/about`, { headers: { accept: 'text/html' } });
        const page = await about.text();
        assert.match(page, /<pre>bourse client curl \| bash/);
        assert.doesNotMatch(page, /npm (run|start)|docs\/operator\.md/);
        const terminal = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
        assert.match(await terminal.text(), /<script type="module"/);
        start.process.kill('SIGTERM');
        assert.equal(await start.ended, 0, start.output);
      });

      it('keeps an order in its data directory', async () => {
        let start = machine.run(BOURSE, 'start', ...SMALL);
        const id = await orderOn(await start.shows(/^Listening on (\S+)\n/m));
        start.process.kill('SIGTERM');
        assert.equal(await start.ended, 0, start.output);
        start = machine.run(BOURSE, 'start', ...SMALL);
        const found = await client(await start.shows(/^Listening on (\S+)\n/m)).fetchOpenOrders('BTC/USDT');
        assert.deepEqual(
          found.map((order) => order.id),
          [id],
        );
        start.process.kill('SIGKILL');
        await start.ended;
        assert.match(await succeeds(machine.run(BOURSE, 'verify')), /state hash/);
      });

      it("runs a user's test with the testkit", async () => {
        writeFileSync(join(machine.root, 'bot.test.ts'), BOT_TEST);
        assert.match(await succeeds(machine.run('node', '--test', 'bot.test.ts')), /^ℹ pass 1$/m);
      });
    });
  }

  it('runs every kind of thread from its own files', async () => {
    const machine = await installed(process.execPath, fetchPackage(`npm@${NPMS[12]}`));
    const notes = join(machine.root, 'threads');
    writeFileSync(join(machine.root, 'note-threads.mjs'), NOTE_THREADS);
    const variables = { THREADS: notes, NODE_OPTIONS: `--import=${join(machine.root, 'note-threads.mjs')}` };
    const start = machine.runWith(variables, BOURSE, 'start', ...EVERY_THREAD);
    await start.shows(/^(Listening on) /m);
    await succeeds(machine.run(BOURSE, 'snapshot'));
    await succeeds(machine.run(BOURSE, 'lab', 'fork', '--isolate'));
    await succeeds(machine.run(BOURSE, 'lab', 'explain', '--command', '10'));
    // The passphrase of a key that is made is secret, so its hash is dear; those of demo accounts are published.
    await succeeds(machine.run(BOURSE, 'key', 'create', 'alice'));
    start.process.kill('SIGTERM');
    assert.equal(await start.ended, 0, start.output);
    await auditMany(machine, variables);
    const nowhere = ['--data', 'other', '--history', 'postgres://nobody@127.0.0.1:1/none'];
    const refused = machine.runWith(variables, BOURSE, 'start', ...SMALL, ...nowhere);
    assert.equal(await refused.ended, 3, refused.output);
    assert.match(refused.output, /no server listens there/);
    const workers = globSync('src/**/*-worker.ts', { cwd: ROOT }).map((name) => name.replace(/\.ts$/, '.js'));
    const begun = new Set(readFileSync(notes, 'utf8').trim().split('\n'));
    assert.deepEqual(
      [...begun].sort(),
      workers.map((name) => join(machine.root, 'node_modules/bourse', name)).sort(),
    );
  });

  /** The claims of many accounts are hashed in a thread; a crowd trades with the house where there is no market. */
  async function auditMany(machine: Machine, variables: NodeJS.ProcessEnv): Promise<void> {
    const ready = join(machine.root, 'many.json');
    const where = ['--data', 'many', '--operator-port', '0', '--ready-file', ready];
    const many = machine.runWith(variables, BOURSE, 'start', ...SMALL, ...where);
    await many.shows(/^(Listening on) /m);
    const { operatorUrl } = readReadyFile(ready);
    const token = readFileSync(join(machine.root, 'many/operator.token'), 'utf8').trim();
    const crowd = { accounts: 1000, side: 'long', leverage: 2, symbol: 'BTCUSDT', worth: '100' };
    const steps = [
      { at: '0s', crowd },
      { at: '0s', crowd },
    ];
    const document = { scenario: 'many accounts', steps };
    const response = await fetch(`${operatorUrl}/lab/scenarios`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ document }),
    });
    const text = await response.text();
    assert.equal((JSON.parse(text) as { ok?: boolean }).ok, true, text);
    await succeeds(machine.run(BOURSE, 'reserves', 'audit', '--data', 'many'));
    many.process.kill('SIGTERM');
    assert.equal(await many.ended, 0, many.output);
  }

  it("lets a user's program live by the exchange's time", async () => {
    const machine = await installed(process.execPath, fetchPackage(`npm@${NPMS[12]}`));
    const readyFile = join(machine.root, 'ready.json');
    const driven = [
      '--memory',
      '--clock',
      'driven',
      '--clock-start',
      BEGIN,
      '--port',
      '0',
      '--market',
      'off',
    ];
    const start = machine.run(BOURSE, 'start', ...driven, '--ready-file', readyFile);
    await start.shows(/^(Listening on) /m);
    const { url, operatorUrl, operatorToken } = readReadyFile(readyFile);
    writeFileSync(join(machine.root, 'sleeper.mjs'), SLEEPER);
    const place = {
      BOURSE_URL: url,
      BOURSE_TIMEWARP_URL: operatorUrl!,
      BOURSE_TIMEWARP_TOKEN: operatorToken!,
      BOURSE_TIMEWARP_TIME: String(Date.parse(BEGIN)),
    };
    const sleeper = machine.runWith(place, 'node', '--import', 'bourse/timewarp', 'sleeper.mjs');
    assert.match(await succeeds(sleeper), /^slept 3600000 3600000$/m);
    start.process.kill('SIGTERM');
    assert.equal(await start.ended, 0, start.output);
  });

  it('declares types that stand alone', async () => {
    const machine = await installed(process.execPath, fetchPackage(`npm@${NPMS[12]}`));
    writeFileSync(join(machine.root, 'typed.ts'), TYPED);
    writeFileSync(join(machine.root, 'tsconfig.json'), JSON.stringify(STRICT));
    await succeeds(machine.run('node', join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'));
  });
});

/** The output of a command that ends well. */
async function succeeds(command: RunningCommand): Promise<string> {
  assert.equal(await command.ended, 0, command.output);
  return command.output;
}

function client(url: string) {
  const { apiKey, secretKey, passphrase } = DEMO_ACCOUNTS[0]!;
  return new ccxt.bitget({
    apiKey,
    secret: secretKey,
    password: passphrase,
    options: { uta: true },
    urls: { api: { uta: url, spot: url, common: url, mix: url } },
  });
}

async function orderOn(url: string): Promise<string> {
  const { id } = await client(url).createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50_000);
  return id!;
}
