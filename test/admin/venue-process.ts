/** A venue without demo accounts as a child process, run through the real command line. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditLine } from '../../src/admin/audit-line.ts';
import { bourse, type Ended, Server } from '../app/bourse-process.ts';
import type { DemoKeys } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

/** Small segments: a start prepares less space. */
const QUICK = ['--no-demo', '--segment-bytes', '1048576', '--rate-limits', 'off', '--quiet'];

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Json = any;

const running = new Set<Server>();

/** For the end of a test file: what a failed test has left behind would keep it waiting. */
export async function endVenues(): Promise<void> {
  for (const server of running) await server.end('SIGKILL');
  running.clear();
}

export class VenueProcess {
  readonly data: string;
  #server: Server | undefined;

  constructor(data = join(temporaryDirectory(), 'venue')) {
    this.data = data;
  }

  async start(...args: string[]): Promise<this> {
    this.#server = await Server.start(['--data', this.data, ...QUICK, ...args]);
    running.add(this.#server);
    return this;
  }

  get url(): string {
    return this.#server!.url;
  }

  async stop(): Promise<Ended> {
    running.delete(this.#server!);
    return this.#server!.end('SIGINT');
  }

  async kill(): Promise<void> {
    running.delete(this.#server!);
    await this.#server!.end('SIGKILL');
  }

  async restart(): Promise<void> {
    assert.equal((await this.stop()).code, 0);
    await this.start();
  }

  /** `bourse ...` on this venue, whatever it comes to. */
  run(...args: string[]): Promise<Ended> {
    return bourse([...args, '--data', this.data]);
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

export function limitOrder(side: 'buy' | 'sell', price: string, qty: string): Record<string, string> {
  return { category: 'SPOT', symbol: 'BTCUSDT', side, orderType: 'limit', price, qty, timeInForce: 'gtc' };
}
