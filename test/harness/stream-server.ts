/**
 * The streams of an exchange in this process, with a wall clock that moves only when it is told to: for limits that
 * take minutes, hours or a day. Everything else is real: the venue, its log, the sockets.
 */
import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { RateLimiter } from '../../src/api/limits/rate-limit.ts';
import { Streams, type StreamsOptions } from '../../src/api/ws/streams.ts';
import { type Config, SETTING_NAMES, SETTINGS } from '../../src/app/config/settings.ts';
import { listCatalogue, openDemo } from '../../src/app/start/bootstrap.ts';
import { type Components, openComponents } from '../../src/app/start/components.ts';
import { loadCatalogue } from '../../src/catalogue/catalogue.ts';
import { ReserveAudits } from '../../src/reserves/reserve-audit.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import './cheap-passphrases.ts';
import './patient-disk.ts';
import type { DemoKeys } from './server.ts';
import { loginFrame, StreamClient, type StreamOptions } from './stream-client.ts';
import { temporaryDirectory } from './temporary-directory.ts';

interface Settings
  extends Partial<Pick<StreamsOptions, 'rateLimits' | 'unsentTotalBytesMax' | 'allowedOrigins'>> {
  /** The exchange stands still at this instant; otherwise it goes by the machine's clock. */
  readonly standsAt?: number;
}

export class StreamServer {
  readonly url: string;
  readonly streams: Streams;
  readonly rooms: Components;
  private readonly wall: ManualClock;
  private readonly accounts: readonly DemoKeys[];
  private readonly open: AsyncDisposableStack;
  private readonly clients: StreamClient[] = [];
  private addresses = 0;

  private constructor(
    url: string,
    streams: Streams,
    rooms: Components,
    wall: ManualClock,
    accounts: readonly DemoKeys[],
    open: AsyncDisposableStack,
  ) {
    this.url = url;
    this.streams = streams;
    this.rooms = rooms;
    this.wall = wall;
    this.accounts = accounts;
    this.open = open;
  }

  static async start({ standsAt, ...settings }: Settings = {}): Promise<StreamServer> {
    const open = new AsyncDisposableStack();
    const data = temporaryDirectory();
    open.defer(() => rmSync(data, { recursive: true, force: true }));
    const initial = Object.fromEntries(SETTING_NAMES.map((name) => [name, SETTINGS[name].default]));
    const clock = standsAt === undefined ? {} : { clock: 'manual', clockStart: standsAt };
    const config = { ...initial, ...clock, data } as unknown as Config;
    const logger = pino({ level: 'silent' });
    const rooms = await openComponents(config, logger, open, (error) => {
      throw error;
    });
    const { sequencer, identity } = rooms;
    open.defer(async () => void (await sequencer.durable()));
    await listCatalogue(sequencer, loadCatalogue(config.catalogue));
    const opened = await openDemo(sequencer, identity, data);
    const wall = new ManualClock(Date.now());
    const rateLimits = settings.rateLimits ?? 'on';
    const addressKey = createSecretKey(randomBytes(32));
    // The sweep comes when the test says so, and not between two of its steps.
    mock.timers.enable({ apis: ['setInterval'] });
    const streams = new Streams({
      sequencer,
      identity,
      clock: sequencer.clock,
      wallClock: wall,
      errorDialect: config.errorDialect,
      addressKey,
      reserves: new ReserveAudits(sequencer, addressKey, () => wall.now()),
      limiter: new RateLimiter({ rateLimits }),
      trustedProxies: [],
      allowedHosts: [],
      allowedOrigins: [],
      logger,
      ...settings,
      rateLimits,
    });
    mock.timers.reset();
    const server = createServer();
    streams.attach(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.defer(async () => {
      await streams.close();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const accounts = opened.map(({ account, uid }) => ({ ...account, uid }));
    return new StreamServer(url, streams, rooms, wall, accounts, open);
  }

  account(name: string): DemoKeys {
    return this.accounts.find((account) => account.name === name)!;
  }

  /** Each from an address of its own unless one is given. */
  async connect(options: StreamOptions = {}): Promise<StreamClient> {
    const localAddress = `127.0.7.${1 + (this.addresses++ % 250)}`;
    const client = await StreamClient.open(this.url, { localAddress, ...options });
    this.clients.push(client);
    return client;
  }

  async login(keys: DemoKeys, options: StreamOptions = {}): Promise<StreamClient> {
    const client = await this.connect({ path: '/v3/ws/private', ...options });
    client.send(this.loginFrame(keys));
    await client.next((frame) => frame.event === 'login');
    return client;
  }

  loginFrame(keys: DemoKeys) {
    return loginFrame(keys, Math.floor(this.wall.now() / 1000));
  }

  /** Time passes; those who are named say something; then comes the sweep. */
  async pass(ms: number, ...awake: readonly StreamClient[]): Promise<void> {
    this.wall.advance(ms);
    await Promise.all(awake.map((client) => client.answers()));
    this.streams.checkAll();
  }

  /** Everybody leaves, and nothing of them stays behind. */
  async empty(): Promise<void> {
    for (const client of this.clients.splice(0)) client.close();
    const { metrics } = this.streams;
    while (metrics.connections > 0) await sleep(2);
    assert.equal(metrics.subscriptions, 0, 'subscriptions of nobody');
  }

  async close(): Promise<void> {
    await this.empty();
    await this.open.disposeAsync();
  }
}
