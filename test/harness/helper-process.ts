/** A process beside that of the test that answers its requests over a channel, until the test ends. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type Place, spawnNode } from './child-programs.ts';
import { until } from './until.ts';

interface Told {
  readonly id: number;
  readonly error?: string;
}

/** It keeps the test process alive only while an answer is awaited. */
export class HelperProcess<Request extends { readonly id: number }, Reply extends Told> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: Reply | Told) => void>();
  #output = '';
  #requests = 0;

  constructor(program: string, place: Place = {}) {
    this.#child = spawnNode([program], place, ['pipe', 'pipe', 'pipe', 'ipc']);
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
    this.#child.on('message', (reply: Reply) => {
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
      if (this.#waiting.size === 0) this.#child.channel?.unref();
    });
    this.#child.once('exit', (code) => {
      for (const [id, tell] of this.#waiting) tell({ id, error: `the helper ended with code ${code}` });
      this.#waiting.clear();
    });
    this.#child.unref();
    this.#child.channel!.unref();
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      (pipe as unknown as { unref(): void }).unref();
    }
  }

  /** What it has written so far, to standard output and standard error. */
  get output(): string {
    return this.#output;
  }

  newId(): number {
    return this.#requests++;
  }

  async ask(request: Request): Promise<Reply> {
    const reply = await this.reply(request);
    if (reply.error !== undefined) throw new Error(`${reply.error}\n${this.#output.slice(-10_000)}`);
    return reply as Reply;
  }

  /** The same for a request that may fail. */
  reply(request: Request): Promise<Reply | Told> {
    return new Promise<Reply | Told>((resolve) => {
      this.#waiting.set(request.id, resolve);
      this.#child.channel?.ref();
      this.#child.send(request, (error) => {
        if (error !== null) resolve({ id: request.id, error: error.message });
      });
    });
  }

  /** Does something while no thread of the process runs. */
  async paused(work: () => void): Promise<void> {
    const { pid } = this.#child;
    this.#child.kill('SIGSTOP');
    try {
      await until('every thread stopped', () =>
        readdirSync(`/proc/${pid}/task`).every((thread) => isStopped(`/proc/${pid}/task/${thread}/stat`)),
      );
      work();
    } finally {
      this.#child.kill('SIGCONT');
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

function isStopped(file: string): boolean {
  const text = readFileSync(file, 'latin1');
  // The name of the thread may hold anything; its state follows the last bracket.
  return text[text.lastIndexOf(')') + 2] === 'T';
}
