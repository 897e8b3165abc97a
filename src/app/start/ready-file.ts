/**
 * `--ready-file`: the facts of a start as JSON, for programs that have started the exchange and wait for it. It holds the
 * operator's token, so it is for this user only. While it exists the exchange is ready, or has ended without a clean stop.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { replaceFile } from '../../storage/durable-file.ts';
import { CannotStart, ConfigError } from '../exit-codes.ts';

export interface ReadyFacts {
  readonly version: string;
  readonly pid: number;
  readonly url: string;
  readonly wsUrl: string;
  readonly operatorUrl: string | null;
  readonly operatorToken: string | null;
  readonly accounts: readonly ReadyAccount[];
}

export interface ReadyAccount {
  readonly name: string;
  readonly uid: number;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
}

export class ReadyFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Before the start: one that an earlier run left must not be taken for this one's. */
  prepare(): void {
    if (!existsSync(dirname(this.#path)))
      throw new ConfigError(`--ready-file ${this.#path}: there is no directory ${dirname(this.#path)}`);
    this.remove();
  }

  write(facts: ReadyFacts): void {
    replaceFile(this.#path, `${JSON.stringify(facts, undefined, 2)}\n`);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}

/** Throws CannotStart. */
export function readReadyFile(path: string): ReadyFacts {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ReadyFacts;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = missing ? 'there is none: no exchange that writes it is ready' : (error as Error).message;
    throw new CannotStart(`--ready-file ${path}: ${reason}`);
  }
}
