/**
 * The two commands of the README with each pair of Node and npm that people have: `npm ci && npm start` and
 * `npm ci && npm test`. Needs the registry, therefore no part of `npm test`: `npm run test:install`.
 */
import assert from 'node:assert/strict';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchNode, fetchPackage, Machine, NODES, NPMS, type RunningCommand } from './toolchain.ts';

interface Pair {
  readonly node: keyof typeof NODES;
  readonly npm: keyof typeof NPMS;
}

const PAIRS: readonly Pair[] = [
  { node: 20, npm: 10 },
  { node: 22, npm: 10 },
  { node: 20, npm: 11 },
  { node: 22, npm: 11 },
  { node: 24, npm: 11 },
  { node: 22, npm: 12 },
  { node: 24, npm: 12 },
  { node: 26, npm: 12 },
];
/** Those who have npm 12 are the ones who switch install scripts off. */
const OPTIONS: Readonly<Record<Pair['npm'], readonly string[]>> = {
  10: [],
  11: [],
  12: ['--ignore-scripts'],
};

/** A guard against waiting for ever; it takes some twenty seconds. */
const TESTS_MAX_MS = 1_800_000;
const START = ['start', '--', '--port', '0', '--market', 'off', '--segment-bytes', '1048576'];

describe('npm ci, npm start, npm test', { skip: process.platform !== 'linux' }, () => {
  const nodes = new Map<number, string>();
  const npms = new Map<number, string>();
  before(() => {
    for (const [line, version] of Object.entries(NODES)) nodes.set(Number(line), fetchNode(version));
    for (const [line, version] of Object.entries(NPMS))
      npms.set(Number(line), fetchPackage(`npm@${version}`));
  });

  for (const { node, npm } of PAIRS) {
    const options = OPTIONS[npm];
    describe(`Node ${NODES[node]} and npm ${NPMS[npm]} ${options.join(' ')}`.trim(), () => {
      let machine: Machine;
      before(async () => {
        machine = new Machine(nodes.get(node)!, npms.get(npm)!).unpackProject();
        const ci = machine.npm('ci', ...options);
        assert.equal(await ci.ended, 0, ci.output);
      });

      after(() => {
        for (const pid of machine.leftovers()) process.kill(pid, 'SIGKILL');
      });

      it('starts with the Node that came with npm ci, and SIGTERM to npm ends it', async () => {
        const { start, pid } = await started();
        assert.equal(readlinkSync(`/proc/${pid}/exe`), packagedNode());
        start.process.kill('SIGTERM');
        await hasSavedAndEnded(start);
        const verify = machine.npm('run', '-s', 'bourse', '--', 'verify', '--data', 'data');
        assert.equal(await verify.ended, 0, verify.output);
      });

      it('ends when what waits for it is killed', async () => {
        const { start, pid } = await started();
        process.kill(parentOf(pid), 'SIGKILL');
        await hasSavedAndEnded(start);
      });

      it('answers an option without -- with what to type, where npm does not refuse it itself', async () => {
        const start = machine.npm('start', '--port', '9000');
        assert.notEqual(await start.ended, 0);
        assert.match(start.output, npm < 12 ? /Type: npm start -- --port 9000$/m : /Unknown cli flag/);
      });

      // One file of the suite: what runs it is the packaged Node, the same for all pairs.
      it('checks types and lint, and runs tests', { timeout: TESTS_MAX_MS }, async () => {
        const test = machine.npm('test', '--', 'test/app/launcher.test.ts');
        assert.equal(await test.ended, 0, test.output);
        assert.match(test.output, /^ℹ fail 0$/m);
      });

      async function started(): Promise<{ start: RunningCommand; pid: number }> {
        const start = machine.npm(...START);
        const url = await start.shows(/^Listening on (\S+)\n/m);
        while ((await fetch(`${url}/readyz`)).status !== 200) await sleep(100);
        const tickers = await fetch(`${url}/api/v3/market/tickers?category=SPOT&symbol=BTCUSDT`);
        assert.equal(((await tickers.json()) as { code: string }).code, '00000');
        const note = readFileSync(join(machine.root, 'data/operator.json'), 'utf8');
        return { start, pid: (JSON.parse(note) as { pid: number }).pid };
      }

      async function hasSavedAndEnded(start: RunningCommand): Promise<void> {
        await start.ended;
        assert.match(start.output, /saved to /);
        while (machine.leftovers().length > 0) await sleep(20);
      }

      const packagedNode = () =>
        realpathSync(join(machine.root, `node_modules/node-linux-${process.arch}/bin/node`));
    });
  }
});

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}
