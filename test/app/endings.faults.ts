/**
 * Whoever started the exchange ends, and the exchange saves and ends too; a start that was detached on purpose goes on.
 * With real npm, shells and terminals, whose ways differ by system: tried on Linux only.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_ENDPOINT_FILE } from '../../src/admin/token.ts';
import type { Verification } from '../../src/app/verify/verification.ts';
import { programModule } from '../harness/program.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { command } from './bourse-process.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The script of the project, which starts the program of this run: from the sources a start takes half as long again. */
const PROJECT = temporaryDirectory();
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const MAIN = programModule('src/main.ts');
const LAUNCHER = join(MAIN, '../../launch.cjs');
writeFileSync(
  join(PROJECT, 'package.json'),
  JSON.stringify({
    scripts: { start: scripts.start.replace('launch.cjs', LAUNCHER).replace('src/main.ts', MAIN) },
  }),
);
const SMALL = ['--port', '0', '--no-demo', '--segment-bytes', '1048576'];
/** A guard against waiting for ever. */
const WAIT_MAX_MS = 120_000;

/** Ends the whole group with the test; the program keeps its own input. */
const GROUP = '{ trap "" INT HUP; cat <&3; kill -KILL 0; } >/dev/null 2>&1 </dev/null & exec "$@" 3<&-';

class Started {
  readonly data = join(temporaryDirectory(), 'data');
  readonly process: ChildProcess;
  readonly #output = `${this.data}.out`;

  /** Output and errors go to a file, unless the command brings a terminal of its own. */
  constructor(command: (words: string[]) => string[]) {
    const words = ['npm', 'start', '--', '--data', this.data, ...SMALL];
    const output = openSync(this.#output, 'w');
    this.process = spawn('bash', ['-c', GROUP, 'bash', ...command(words)], {
      cwd: PROJECT,
      detached: true,
      stdio: ['ignore', output, output, 'pipe'],
    });
  }

  get output(): string {
    return readFileSync(this.#output, 'utf8');
  }

  /** The process of the exchange, when it is ready. */
  async pid(): Promise<number> {
    const note = join(this.data, ADMIN_ENDPOINT_FILE);
    await until(
      () => existsSync(note) && /Listening on/.test(this.output),
      () => this.output,
    );
    return (JSON.parse(readFileSync(note, 'utf8')) as { pid: number }).pid;
  }

  async hasSavedAndEnded(pid: number): Promise<void> {
    await until(
      () => !isRunning(pid),
      () => `process ${pid} still runs\n${this.output}`,
    );
    const { stdout, stderr, code } = await command(['verify', '--data', this.data, '--json']);
    assert.equal(code, 0, `${stdout}${stderr}`);
    const { snapshots, lastSeq } = JSON.parse(stdout) as Verification;
    assert.ok(
      snapshots.some(({ seq }) => seq === lastSeq),
      'the snapshot holds everything',
    );
  }

  destroy(): void {
    this.process.stdio[3]!.destroy();
  }
}

async function until(holds: () => boolean, why: () => string): Promise<void> {
  const deadline = performance.now() + WAIT_MAX_MS;
  while (!holds()) {
    assert.ok(performance.now() < deadline, why());
    await sleep(20);
  }
}

/** One that has ended and that nobody has asked about yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}

describe('the exchange and what started it', { skip: process.platform !== 'linux' }, () => {
  const all: Started[] = [];
  const start = (command: (words: string[]) => string[] = (words) => words) => {
    const started = new Started(command);
    all.push(started);
    return started;
  };
  after(() => {
    for (const started of all) started.destroy();
  });

  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGHUP'] as const) {
    it(`ends and saves when npm ends by ${signal}`, async () => {
      const started = start();
      const pid = await started.pid();
      started.process.kill(signal);
      await started.hasSavedAndEnded(pid);
    });
  }

  it('ends and saves when the shell of npm is killed', async () => {
    const started = start();
    const pid = await started.pid();
    const shell = parentOf(pid);
    assert.notEqual(shell, process.pid);
    process.kill(shell, 'SIGKILL');
    await started.hasSavedAndEnded(pid);
  });

  const noTerminal =
    spawnSync('script', ['--version']).status !== 0 && 'there is no script(1) to make one with';
  it('ends and saves when its terminal is closed', { skip: noTerminal }, async () => {
    const started = start((words) => ['script', '-qfec', words.join(' '), '/dev/null']);
    const pid = await started.pid();
    started.process.kill('SIGKILL');
    await started.hasSavedAndEnded(pid);
  });

  it('saves at one Ctrl-C, which the terminal sends to all and npm passes on', async () => {
    const started = start();
    const pid = await started.pid();
    process.kill(-started.process.pid!, 'SIGINT');
    await started.hasSavedAndEnded(pid);
  });

  it('outlives the shell that started npm in the background', async () => {
    const started = start((words) => ['bash', '-c', `${words.join(' ')} & wait`]);
    const pid = await started.pid();
    started.process.kill('SIGKILL');
    await until(
      () => started.process.signalCode !== null,
      () => 'the shell still runs',
    );
    await goesOn(started, pid);
  });

  it('outlives a terminal when it was started with nohup', async () => {
    const started = start((words) => ['nohup', ...words]);
    const pid = await started.pid();
    process.kill(-started.process.pid!, 'SIGHUP');
    await until(
      () => started.process.signalCode !== null,
      () => 'npm still runs',
    );
    await until(
      () => /the terminal hung up/.test(started.output),
      () => started.output,
    );
    await goesOn(started, pid);
  });

  it('outlives everything when it was started as a daemon', async () => {
    const started = start((words) => ['bash', '-c', `setsid nohup ${words.join(' ')} 3<&- &`]);
    const pid = await started.pid();
    await until(
      () => started.process.exitCode !== null,
      () => 'the shell still runs',
    );
    await goesOn(started, pid);
  });

  /** Longer than a look of the watch takes, so that a wrong end would have begun. */
  async function goesOn(started: Started, pid: number): Promise<void> {
    const url = /^Listening on (\S+)$/m.exec(started.output)![1]!;
    for (let asked = 0; asked < 10; asked++) {
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
      await sleep(200);
    }
    process.kill(pid, 'SIGTERM');
    await started.hasSavedAndEnded(pid);
  }
});
