/** A program that ends with this one, however this one ends: a pipe between them tells it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Sends the signal to the program when the pipe ends. */
const WITH_LIFELINE =
  'signal=$1; shift; exec 3<&0 </dev/null; "$@" 3<&- & program=$!; { cat <&3; kill -"$signal" $program; } >/dev/null 2>&1 & wait $program 2>/dev/null';

export interface ChildOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What a loss of this process sends to it. */
  readonly lastSignal: 'QUIT' | 'TERM';
}

export class Child {
  readonly #shell: ChildProcess;
  #said = '';

  constructor(command: readonly string[], { lastSignal, ...options }: ChildOptions) {
    this.#shell = spawn('sh', ['-c', WITH_LIFELINE, 'sh', lastSignal, ...command], {
      ...options,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal is for the trial, which ends its programs in order.
      detached: true,
    });
    for (const stream of [this.#shell.stdout!, this.#shell.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        // The last is what explains an end.
        this.#said = `${this.#said}${text}`.slice(-20_000);
      });
    // `ended` reports its end.
    this.#shell.on('error', () => {});
    this.#shell.stdin!.on('error', () => {});
  }

  get said(): string {
    return this.#said;
  }

  get hasEnded(): boolean {
    return this.#shell.exitCode !== null || this.#shell.signalCode !== null;
  }

  /** Asks it to end, and waits until it has. */
  async end(): Promise<void> {
    this.#shell.stdin!.end();
    await this.ended();
  }

  async ended(): Promise<void> {
    if (!this.hasEnded) await once(this.#shell, 'exit');
  }
}
