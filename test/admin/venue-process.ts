/** A venue without demo accounts, run through the real command line. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditLine } from '../../src/admin/audit-line.ts';
import { command, type Ended, Server } from '../app/bourse-process.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { DemoKeys } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

/** Small segments: a start prepares less space. */
const QUICK = ['--no-demo', '--segment-bytes', '1048576', '--rate-limits', 'off', '--quiet'];

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Json = any;

interface Started {
  readonly url: string;
  stop(): Promise<Pick<Ended, 'code' | 'stderr'>>;
  kill(): Promise<unknown>;
}

const running = new Set<Started>();

/** For the end of a test file: what a failed test has left behind would keep it waiting. */
export async function endVenues(): Promise<void> {
  for (const server of running) await server.kill();
  running.clear();
}

/** Hosted beside others: for tests that do not read its output and do not kill it while requests are on their way. */
export class Venue {
  readonly data: string;
  #server: Started | undefined;

  constructor(data = join(temporaryDirectory(), 'venue')) {
    this.data = data;
  }

  async start(...args: string[]): Promise<this> {
    this.#server = await this.launched([...QUICK, ...args]);
    running.add(this.#server);
    return this;
  }

  protected async launched(args: readonly string[]): Promise<Started> {
    const server = await startHosted({ data: this.data, args });
    return {
      url: server.url,
      stop: async () => ({ code: await server.stop(), stderr: '' }),
      kill: () => server.kill(),
    };
  }

  get url(): string {
    return this.#server!.url;
  }

  async stop(): Promise<Pick<Ended, 'code' | 'stderr'>> {
    running.delete(this.#server!);
    return this.#server!.stop();
  }

  async kill(): Promise<void> {
    running.delete(this.#server!);
    await this.#server!.kill();
  }

  async restart(): Promise<void> {
    assert.equal((await this.stop()).code, 0);
    await this.start();
  }

  /** `bourse ...` on this venue, whatever it comes to. */
  run(...args: string[]): Promise<Ended> {
    return command([...args, '--data', this.data]);
  }

  /** `bourse ... --json`, which must succeed. */
  async ask(...args: string[]): Promise<Json> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    assert.equal(code, 0, `bourse ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** A command that must be refused with this code and message. */
  async refused(code: number, message: RegExp, ...args: string[]): Promise<void> {
    const ended = await this.run(...args);
    assert.equal(ended.code, code, `bourse ${args.join(' ')}: ${ended.stdout}${ended.stderr}`);
    assert.match(ended.stderr, message);
  }

  note(): { url: string; token: string } {
    return JSON.parse(readFileSync(join(this.data, 'operator.json'), 'utf8'));
  }

  audit(): AuditLine[] {
    const text = readFileSync(join(this.data, 'audit.log'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine);
  }

  /** A request straight to the door; the token is the right one unless told otherwise. */
  async admin(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const { url, token } = this.note();
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json };
  }

  /** A trading client with a new key of the account. */
  async client(account: string, ...options: string[]): Promise<SignedClient> {
    const { key, secretKey, passphrase } = await this.ask('key', 'create', account, ...options);
    const keys: DemoKeys = { name: account, uid: key.uid, apiKey: key.apiKey, secretKey, passphrase };
    return new SignedClient(this.url, keys);
  }
}

/** In a process of its own. */
export class VenueProcess extends Venue {
  protected override async launched(args: readonly string[]): Promise<Started> {
    const server = await Server.start(['--data', this.data, ...args]);
    return { url: server.url, stop: () => server.end('SIGINT'), kill: () => server.end('SIGKILL') };
  }
}

export function limitOrder(side: 'buy' | 'sell', price: string, qty: string): Record<string, string> {
  return { category: 'SPOT', symbol: 'BTCUSDT', side, orderType: 'limit', price, qty, timeInForce: 'gtc' };
}
