/**
 * Bursts of connections against a process that may open few files: silent ones, half requests and whole ones, from
 * several addresses. The process stays, whoever is connected goes on, and new connections are taken when the burst is
 * over.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ChildProgram, startCommand } from '../harness/child-programs.ts';
import { programModule } from '../harness/program.ts';
import type { DemoKeys } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import { seededRandom } from '../simulation/disk.ts';
import type { Campaign } from './campaign.ts';
import { type SeparateTrial, SeparateTrials } from './separate-trials.ts';

const MAIN = programModule('src/main.ts');
const LIMIT_MIN = 192;
const LIMIT_SPAN = 320;
const BURSTS = 4;
const ORDERS = 60;
const SPOT = { category: 'SPOT', symbol: 'BTCUSDT' };
const OPENINGS = [
  '',
  'GET /api/v3/public/time HTTP/1.1\r\nHost: a',
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
];

class Trial implements SeparateTrial {
  readonly #random: () => number;
  readonly #limit: number;
  readonly #sockets: Socket[] = [];
  readonly counts: Record<string, number> = { connections: 0, orders: 0 };
  #program: ChildProgram | undefined;
  #client: SignedClient | undefined;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#limit = LIMIT_MIN + Math.floor(this.#random() * LIMIT_SPAN);
  }

  async run(): Promise<void> {
    const data = join(temporaryDirectory(), 'data');
    const flags = ['--data', data, '--port', '0', '--operator-port', '0', '--market', 'off'];
    const small = ['--rate-limits', 'off', '--segment-bytes', '262144', '--snapshot-commands', '50'];
    const command = [process.execPath, MAIN, ...flags, ...small];
    const limited = ['-c', `ulimit -n ${this.#limit} && exec "$@"`, 'bash', ...command];
    const program = startCommand('bash', limited, {});
    this.#program = program;
    const url = await until('the server', () => /^Listening on (\S+)$/m.exec(program.stdout)?.[1]);
    const [keys] = JSON.parse(readFileSync(join(data, 'demo-accounts.json'), 'utf8')) as [DemoKeys];
    this.#client = new SignedClient(url, keys);
    await this.#trade(1);
    for (let burst = 0; burst < BURSTS; burst++) await this.#burst(url);
    this.#mustLive(program);
    program.process.kill('SIGTERM');
    const { code, stderr } = await program.ended;
    if (code !== 0) throw new Error(`the stop ended with code ${code}: ${stderr.slice(-2000)}`);
  }

  async #burst(url: string): Promise<void> {
    const { port } = new URL(url);
    const count = this.#limit + Math.floor(this.#random() * this.#limit);
    for (let n = 0; n < count; n++) {
      const localAddress = process.platform === 'linux' ? `127.0.0.${2 + (n % 6)}` : '127.0.0.1';
      const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress });
      socket.on('error', () => {});
      socket.on('connect', () => socket.write(OPENINGS[Math.floor(this.#random() * OPENINGS.length)]!));
      this.#sockets.push(socket.resume());
    }
    this.counts.connections! += count;
    await Promise.all(
      this.#sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])),
    );
    await this.#trade(ORDERS);
    for (const socket of this.#sockets.splice(0)) socket.destroy();
    await until('new connections', async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok);
    this.#mustLive(this.#program!);
  }

  async #trade(orders: number): Promise<void> {
    const order = { ...SPOT, side: 'buy', orderType: 'limit', price: '59000', qty: '0.001' };
    for (let n = 0; n < orders; n++) {
      const placed = await this.#client!.post('/api/v3/trade/place-order', order);
      const gone = await this.#client!.post('/api/v3/trade/cancel-symbol-order', SPOT);
      if (placed.code !== '00000' || gone.code !== '00000') throw new Error(`${placed.text} ${gone.text}`);
    }
    this.counts.orders! += orders;
  }

  #mustLive({ process, stderr }: ChildProgram): void {
    if (process.exitCode !== null || /"level":"fatal"/.test(stderr)) {
      throw new Error(`the process ended by itself with code ${process.exitCode}: ${stderr.slice(-2000)}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#client?.close();
    this.#program?.process.kill('SIGKILL');
    await this.#program?.ended;
  }
}

export const campaign: Campaign = {
  summary: 'bursts of connections against a process that may open few files',
  trials: 20,
  open: (seed) => {
    if (process.platform === 'win32') throw new Error('Windows has no limit of open files');
    return new SeparateTrials(seed, 'went on', (own) => new Trial(own));
  },
};
