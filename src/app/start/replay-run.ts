/**
 * A bot against recorded data: an exchange in memory on a driven clock that begins with the data, the bot as a child process
 * that lives by its time, and a session of our own that waits for the end of the data.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { formatMoney } from '../../core/model/units.ts';
import { balances } from '../../core/reads/reads.ts';
import { programFile } from '../../program-files.ts';
import { parseDuration } from '../../sequencer/duration.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import type { ReplayReport } from '../../simulator/market-simulator.ts';
import { VERSION } from '../../version.ts';
import { OF_A_DIRECTORY } from '../config/memory-mode.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import { ConfigError } from '../exit-codes.ts';
import { createLogger } from '../observability/logging.ts';
import { keysInEnvironment } from './bot-environment.ts';
import { ReadyFile } from './ready-file.ts';
import { type RunningExchange, startExchange } from './start-exchange.ts';

/** After the end of the data a bot has this long to end. */
const BOT_ENDS_MS = 5000;
const SESSION = 'replay';
const OPENING_SECONDS_MAX = 30;
/** The demo account whose keys the bot gets in its environment. */
const BOT_ACCOUNT = 'bot';

export interface ReplayRequest {
  readonly file: string;
  readonly bot: string;
  /** How much of the recorded time. */
  readonly span?: string;
}

export interface AccountResult {
  readonly account: string;
  readonly fills: number;
  /** In quote coins, as fills have it. */
  readonly value: string;
  readonly fees: string;
  /** Coins whose balance has changed. */
  readonly balances: readonly { readonly coin: string; readonly before: string; readonly after: string }[];
}

export interface ReplayResult {
  readonly from: number;
  readonly to: number;
  readonly realMs: number;
  /** Recorded time over real time. */
  readonly speed: number;
  /** Percent of the real time: in the bot, in moving the exchange, and the rest, mostly requests. */
  readonly shares: { readonly bot: number; readonly exchange: number; readonly rest: number };
  readonly bot: { readonly code: number; readonly stopped: boolean };
  /** Sessions that were silent for too long. */
  readonly ended: readonly { readonly session: string; readonly time: number }[];
  readonly replay: ReplayReport;
  readonly accounts: readonly AccountResult[];
  readonly stateHash: string;
}

export async function runReplay(resolved: ResolvedConfig, request: ReplayRequest): Promise<ReplayResult> {
  const spanMs = request.span === undefined ? Number.POSITIVE_INFINITY : parseDuration(request.span);
  if (spanMs === undefined) throw new ConfigError('--for must be a span such as 8h, 1d12h, 90s');
  const replaying = replayConfig(resolved, request.file);
  let failure: Error | undefined;
  const exchange = await startExchange(replaying, createLogger(replaying.config), (error) => {
    failure = error;
  });
  const directory = mkdtempSync(join(tmpdir(), 'bourse-replay-'));
  try {
    const run = new Run(exchange, request.bot, directory);
    const result = await run.until(spanMs);
    if (failure !== undefined) throw failure;
    return result;
  } finally {
    await exchange.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function replayConfig({ config, origins }: ResolvedConfig, file: string): ResolvedConfig {
  return {
    // There is no data directory, whatever names one for other commands.
    origins: { ...origins, ...Object.fromEntries(OF_A_DIRECTORY.map((name) => [name, 'default'])) },
    config: {
      ...config,
      feed: `replay:${file}`,
      clock: 'driven',
      clockStart: 0,
      market: config.market === 'off' ? 'normal' : config.market,
      memory: true,
      demo: true,
      lab: 'on',
      operator: true,
      host: '127.0.0.1',
      port: 0,
      operatorHost: '127.0.0.1',
      operatorPort: 0,
      operatorTokenFile: '',
      readyFile: '',
      backfill: 0,
      logLevel: 'warn',
      quiet: true,
    },
  };
}

/** By coin, by account. */
type Balances = ReadonlyMap<number, ReadonlyMap<string, bigint>>;

class Run {
  readonly #exchange: RunningExchange;
  readonly #bot: string;
  readonly #directory: string;
  readonly #fills = new Map<number, { count: number; value: bigint; fees: bigint }>();

  constructor(exchange: RunningExchange, bot: string, directory: string) {
    this.#exchange = exchange;
    this.#bot = bot;
    this.#directory = directory;
    exchange.sequencer.onPublished(({ events }) => {
      for (const event of events) {
        if (event.type !== 'fill') continue;
        const { uid, value, fee } = event.fill;
        const sum = this.#fills.get(uid) ?? { count: 0, value: 0n, fees: 0n };
        this.#fills.set(uid, { count: sum.count + 1, value: sum.value + value, fees: sum.fees + fee });
      }
    });
  }

  async until(spanMs: number): Promise<ReplayResult> {
    const { sequencer, market } = this.#exchange;
    await this.#open();
    const from = sequencer.clock.now();
    const end = Math.min(market!.replay!.end, from + spanMs);
    const before = this.#balances();
    const began = performance.now();
    const child = this.#start(from);
    const exited = once(child, 'close') as Promise<[number | null]>;
    // When the bot has ended first, the wait ends with the exchange.
    const reached = this.#waitUntil(end).then(
      () => false,
      () => true,
    );
    const ended = await Promise.race([exited.then(() => true), reached]);
    const to = sequencer.clock.now();
    const hash = stateHash(sequencer.state);
    const realMs = performance.now() - began;
    const sessions = await this.#ask<SessionsView>('GET', '/lab/clock/sessions');
    if (!ended) await endBot(child, exited);
    const [code] = await exited;
    const botMs = sessions.sessions.reduce(
      (sum, { session, busyMs }) => sum + (session === SESSION ? 0 : busyMs),
      0,
    );
    const percent = (ms: number) => Math.min(100, Math.round((100 * ms) / realMs));
    return {
      from,
      to,
      realMs: Math.round(realMs),
      speed: Math.round((to - from) / realMs),
      shares: {
        bot: percent(botMs),
        exchange: percent(sessions.movingMs),
        rest: Math.max(0, 100 - percent(botMs) - percent(sessions.movingMs)),
      },
      bot: { code: ended ? (code ?? 1) : 0, stopped: !ended },
      ended: sessions.ended,
      replay: this.#exchange.market!.replay!,
      accounts: this.#accounts(before),
      stateHash: hash,
    };
  }

  /** The first seconds, until every book has traded: no venue that a bot knows has books without a last price. */
  async #open(): Promise<void> {
    const { state } = this.#exchange.sequencer;
    for (let second = 0; second < OPENING_SECONDS_MAX; second++) {
      await this.#ask('POST', '/lab/clock/advance', { by: '1s' });
      if (state.markets.every(({ day }) => day.lastTicks !== 0)) return;
    }
  }

  /** As a participant that only looks at the time. */
  async #waitUntil(end: number): Promise<void> {
    while (this.#exchange.sequencer.clock.now() < end)
      await this.#ask('POST', '/lab/clock/wait', { session: SESSION, idleUntil: end, onlyTime: true });
  }

  #start(time: number): ChildProcess {
    const { url, operatorUrl, operatorToken, demoAccounts } = this.#exchange;
    const wsUrl = `${url.replace(/^http/, 'ws')}/v3/ws`;
    const accounts = demoAccounts.map(({ account, uid }) => {
      const { name, apiKey, secretKey, passphrase } = account;
      return { name, uid, apiKey, secretKey, passphrase };
    });
    const readyFile = join(this.#directory, 'ready.json');
    new ReadyFile(readyFile).write({
      ...{ version: VERSION, pid: process.pid, url, wsUrl, accounts },
      ...{ operatorUrl: operatorUrl!, operatorToken: operatorToken! },
    });
    const keys = accounts.find(({ name }) => name === BOT_ACCOUNT)!;
    const node = fileURLToPath(programFile('timewarp/node.cjs'));
    const python = dirname(fileURLToPath(programFile('timewarp/python/sitecustomize.py')));
    const before = (name: string) => (process.env[name] === undefined ? [] : [process.env[name]]);
    return spawn(this.#bot, {
      shell: true,
      // The answer of the command goes to stdout.
      stdio: ['ignore', 2, 2],
      env: {
        ...process.env,
        NODE_OPTIONS: [`--require ${JSON.stringify(node)}`, ...before('NODE_OPTIONS')].join(' '),
        PYTHONPATH: [python, ...before('PYTHONPATH')].join(delimiter),
        PYTHONUNBUFFERED: '1',
        PYTHONHASHSEED: process.env.PYTHONHASHSEED ?? '0',
        BOURSE_TIMEWARP_URL: operatorUrl,
        BOURSE_TIMEWARP_TOKEN: operatorToken,
        BOURSE_TIMEWARP_TIME: String(time),
        BOURSE_URL: url,
        BOURSE_WS_URL: wsUrl,
        BOURSE_READY_FILE: readyFile,
        ...keysInEnvironment(keys),
      },
      detached: process.platform !== 'win32',
    });
  }

  /** However long the answer takes. */
  #ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const { operatorUrl, operatorToken } = this.#exchange;
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${operatorToken}`,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
    };
    return new Promise((resolve, reject) => {
      const asked = request(operatorUrl! + path, { method, headers }, (response) => {
        textOf(response)
          .then((received) => {
            const content = JSON.parse(received) as Answer & {
              readonly error?: { readonly message: string };
            };
            if (content.error === undefined) resolve(content);
            else reject(new Error(content.error.message));
          })
          .catch(reject);
      });
      asked.on('error', reject).end(text);
    });
  }

  #balances(): Balances {
    const { state } = this.#exchange.sequencer;
    const of = (uid: number) =>
      new Map(balances(state, uid).map(({ coin, cash, locked }) => [state.coins[coin]!.coin, cash + locked]));
    return new Map(this.#exchange.demoAccounts.map(({ uid }) => [uid, of(uid)]));
  }

  /** Accounts that have traded. */
  #accounts(before: Balances): readonly AccountResult[] {
    const after = this.#balances();
    return this.#exchange.demoAccounts.flatMap(({ account, uid }) => {
      const sum = this.#fills.get(uid);
      if (sum === undefined) return [];
      const [was, is] = [before.get(uid)!, after.get(uid)!];
      const coins = [...new Set([...was.keys(), ...is.keys()])].filter(
        (coin) => was.get(coin) !== is.get(coin),
      );
      const changed = coins.map((coin) => ({
        coin,
        before: formatMoney(was.get(coin) ?? 0n),
        after: formatMoney(is.get(coin) ?? 0n),
      }));
      const { count: fills, value, fees } = sum;
      return [
        {
          account: account.name,
          fills,
          value: formatMoney(value),
          fees: formatMoney(fees),
          balances: changed,
        },
      ];
    });
  }
}

interface SessionsView {
  readonly sessions: readonly { readonly session: string; readonly busyMs: number }[];
  readonly ended: readonly { readonly session: string; readonly time: number }[];
  readonly movingMs: number;
}

/** With everything that it has started. */
async function endBot(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  const end = (signal: NodeJS.Signals) => {
    try {
      if (process.platform === 'win32') child.kill(signal);
      else process.kill(-child.pid!, signal);
    } catch {
      // It has ended meanwhile.
    }
  };
  end('SIGTERM');
  const late = setTimeout(() => end('SIGKILL'), BOT_ENDS_MS);
  await exited;
  clearTimeout(late);
}
