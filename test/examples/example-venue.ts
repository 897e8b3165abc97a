/** An exchange in a process of its own, and programs of `examples/` as a reader runs them there. */
import { join } from 'node:path';
import { type ChildProgram, startCommand } from '../harness/child-programs.ts';
import { type RunningServer, startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

export const ROOT = join(import.meta.dirname, '../..');
/** With the demo account that each trades with. */
export const PROGRAMS = [
  ['ccxt.mjs', 'alice'],
  ['sdk.mjs', 'bob'],
  ['fetch.mjs', 'bot'],
] as const;

export class ExampleVenue {
  readonly data: string = temporaryDirectory();
  readonly #running = new Set<ChildProgram>();
  #server: RunningServer | undefined;

  get server(): RunningServer {
    return this.#server!;
  }

  async start(): Promise<void> {
    this.#server = await startServer({ data: this.data });
  }

  /** Killed, and started again at the same address. */
  async killAndStart(): Promise<void> {
    const { port } = new URL(this.server.url);
    await this.server.kill();
    this.#server = await startServer({ data: this.data, args: ['--port', port] });
  }

  async end(): Promise<void> {
    for (const { process } of this.#running) process.kill('SIGKILL');
    await this.server.stop();
  }

  run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProgram {
    const place = { BOURSE_URL: this.server.url, BOURSE_DATA: this.data, ...env };
    const program = startCommand(command, args, { cwd: ROOT, env: { ...process.env, ...place } });
    this.#running.add(program);
    void program.ended.then(() => this.#running.delete(program));
    return program;
  }

  async openOrders(name: string): Promise<number> {
    const client = new SignedClient(this.server.url, this.server.account(name));
    const { data: page } = await client.get('/api/v3/trade/unfilled-orders');
    client.close();
    // The account's limit may be used up by the program under test: then nothing is known yet.
    return page?.list.length ?? -1;
  }
}
