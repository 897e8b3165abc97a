/** Node and npm of chosen versions, as packages of the registry, and the project installed with them. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What npm is to know of the machine; its other variables describe the project that this test runs in. */
const KEPT = /^npm_config_(registry|cache|userconfig|proxy|https_proxy|cafile)$/i;

/** What people have. */
export const NODES = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' } as const;
export const NPMS = { 10: '10.9.9', 11: '11.21.1', 12: '12.2.0' } as const;

/** Everything of the project but what is installed and made. */
const LEFT_OUT = new Set(['node_modules', 'data', 'dist', '.git']);

export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => KEPT.test(name) || !/^(npm_|BOURSE_|NODE_(?!EXTRA_CA_CERTS)|INIT_CWD$)/i.test(name),
  );
  return Object.fromEntries(kept);
}

/** Into a directory of its own; `package@version`. */
export function fetchPackage(packageAndVersion: string): string {
  const folder = temporaryDirectory();
  const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', [...args, packageAndVersion], { cwd: folder, env: cleanEnvironment(), stdio: 'pipe' });
  return join(folder, 'node_modules', packageAndVersion.replace(/@[^@]+$/, ''));
}

export const fetchNode = (version: string) =>
  join(fetchPackage(`node-linux-${process.arch}@${version}`), 'bin/node');

/** A machine that has this Node and this npm, and an empty folder. */
export class Machine {
  readonly root = temporaryDirectory();
  /** The folder of its programs. */
  readonly bin = temporaryDirectory();
  readonly #env: NodeJS.ProcessEnv;

  constructor(node: string, npm: string) {
    const { bin } = this;
    symlinkSync(node, join(bin, 'node'));
    for (const name of ['npm', 'npx']) {
      const script = join(bin, name);
      writeFileSync(script, `#!/bin/sh\nexec "${node}" "${join(npm, `bin/${name}-cli.js`)}" "$@"\n`);
      chmodSync(script, 0o755);
    }
    const folders = (process.env.PATH ?? '')
      .split(delimiter)
      .filter((folder) => !folder.includes('node_modules'));
    this.#env = { ...cleanEnvironment(), PATH: [bin, ...folders].join(delimiter) };
  }

  unpackProject(): this {
    for (const name of readdirSync(ROOT)) {
      if (!LEFT_OUT.has(name)) cpSync(join(ROOT, name), join(this.root, name), { recursive: true });
    }
    return this;
  }

  npm(...args: string[]): RunningCommand {
    return this.run('npm', ...args);
  }

  run(command: string, ...args: string[]): RunningCommand {
    return this.runWith({}, command, ...args);
  }

  /** With further variables. */
  runWith(variables: NodeJS.ProcessEnv, command: string, ...args: string[]): RunningCommand {
    const env = { ...this.#env, ...variables };
    return new RunningCommand(spawn(command, args, { cwd: this.root, env, stdio: 'pipe' }));
  }

  /** Processes that have been started here and still run. */
  leftovers(): number[] {
    return readdirSync('/proc')
      .filter((pid) => {
        try {
          return readlinkSync(`/proc/${pid}/cwd`) === this.root;
        } catch {
          return false;
        }
      })
      .map(Number);
  }
}

export class RunningCommand {
  readonly process: ChildProcess;
  /** When it and everything that it started have closed their output. */
  readonly ended: Promise<number | null>;
  output = '';

  constructor(process: ChildProcess) {
    this.process = process;
    for (const stream of [process.stdout!, process.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    this.ended = once(process, 'close').then(([code]) => code as number | null);
  }

  /** The first group of the expression, as soon as the output has it. */
  async shows(expression: RegExp): Promise<string> {
    const { stdout } = this.process;
    for (;;) {
      const found = expression.exec(this.output);
      if (found !== null) return found[1] ?? '';
      const next = await Promise.race([once(stdout!, 'data'), this.ended.then(() => undefined)]);
      if (next === undefined && !expression.test(this.output)) throw new Error(`it ended:\n${this.output}`);
    }
  }
}
