/** The server as a process: start, report, wait for a signal or a failure, stop; every ending has its exit code. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CATEGORY_NAMES } from '../../core/model/enums.ts';
import { openOrderCount } from '../../core/reads/reads.ts';
import type { DemoAccount } from '../../identity/demo-accounts.ts';
import { VERSION } from '../../version.ts';
import { hasDirectory } from '../config/memory-mode.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import type { Config } from '../config/settings.ts';
import { ExitCode, exitCodeOf } from '../exit-codes.ts';
import { createLogger } from '../observability/logging.ts';
import { MemoryGuard, memoryUse } from '../observability/memory-guard.ts';
import { goOnWithoutReader } from '../output.ts';
import { banner, factsDocument, factsLine, listeningLine, type StartFacts } from '../terminal/banner.ts';
import { painter } from '../terminal/colour.ts';
import { counted } from '../terminal/format.ts';
import { refuse } from '../terminal/refusal.ts';
import { compileRareCode } from './compile-rare-code.ts';
import { asHistoryDamage } from './components.ts';
import { isDetached } from './hangup.ts';
import { ReadyFile } from './ready-file.ts';
import { type Branch, type RunningExchange, startExchange } from './start-exchange.ts';

/** Time for responses that are being sent (reliability 2.1: ended within 100 ms). */
const LAST_ANSWERS_MS = 50;
/** A longer stop ends without a snapshot, which costs the next start a longer replay and nothing else. */
const STOP_MAX_MS = 15_000;
/** Ctrl-C reaches every process of a terminal, and npm forwards it again: signals this close together are one. */
const ONE_SIGNAL_MS = 1000;

/** `startFrom` replaces what the data directory has, such as the state of a capsule. */
export async function serve(resolved: ResolvedConfig, startFrom?: StartFrom): Promise<void> {
  // Files below the data directory are for this user only.
  process.umask(0o077);
  goOnWithoutReader();
  const logger = createLogger(resolved.config);
  endOnDefect(logger);
  const exchange = new ExchangeProcess(resolved, logger, startFrom);
  await exchange.start();
}

export interface StartFrom {
  readonly branch: Branch;
  /** Accounts whose keys are published. */
  readonly demo: readonly DemoAccount[];
}

class ExchangeProcess {
  readonly #resolved: ResolvedConfig;
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #readyFile: ReadyFile | undefined;
  readonly #startFrom: StartFrom | undefined;
  #exchange: RunningExchange | undefined;
  #endCompiling: (() => void) | undefined;
  /** Time of the first signal. */
  #signalMs: number | undefined;

  constructor(resolved: ResolvedConfig, logger: Logger, startFrom: StartFrom | undefined) {
    this.#resolved = resolved;
    this.#startFrom = startFrom;
    this.#config = resolved.config;
    this.#logger = logger;
    const { readyFile } = this.#config;
    this.#readyFile = readyFile === '' ? undefined : new ReadyFile(readyFile);
  }

  async start(): Promise<void> {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => this.#onSignal());
    const detached = isDetached();
    process.on('SIGHUP', () => (detached ? this.#onLostTerminal() : this.#onSignal()));
    try {
      this.#readyFile?.prepare();
      const { demo, branch } = this.#startFrom ?? {};
      const failed = (error: Error) => this.#fail(error);
      this.#exchange = await startExchange(this.#resolved, this.#logger, failed, demo, branch);
    } catch (error) {
      refuse(error);
    }
    if (this.#signalMs !== undefined) return this.#stop();
    this.#guardMemory(this.#exchange);
    this.#reportReady(this.#exchange);
    // An exchange in memory is mostly there for a test, and gone before it would be of use.
    if (!this.#config.memory) this.#endCompiling = compileRareCode(this.#logger);
  }

  #guardMemory(exchange: RunningExchange): void {
    const { memory, memoryLimit } = this.#config;
    new MemoryGuard(memoryUse(memoryLimit), {
      short: (isShort, use) => {
        exchange.sequencer.memoryShort = isShort;
        const message = isShort
          ? 'memory is nearly full: only cancellations are taken'
          : 'memory is free again: orders are taken';
        this.#logger.warn({ use }, message);
      },
      leave: (use) => {
        const first = memory ? '' : 'saves its state and ';
        this.#logger.fatal({ use }, `memory is full: the exchange ${first}ends; start it again`);
        void this.#stop(ExitCode.failed);
      },
    });
  }

  #onSignal(): void {
    const now = performance.now();
    if (this.#signalMs !== undefined) {
      if (now - this.#signalMs > ONE_SIGNAL_MS) process.exit(ExitCode.interrupted);
      return;
    }
    this.#signalMs = now;
    if (this.#exchange !== undefined) void this.#stop();
  }

  #onLostTerminal(): void {
    this.#logger.info('the terminal hung up; the exchange goes on, as it reads and writes nothing there');
  }

  async #stop(code: ExitCode = ExitCode.ok): Promise<void> {
    const { data, memory, cluster, stopNotice } = this.#config;
    this.#endCompiling?.();
    if (stopNotice > 0 && this.#exchange!.announceStop(stopNotice) > 0) await sleep(stopNotice * 1000);
    const overdue = setTimeout(() => {
      this.#logger.error('the stop takes too long: leaving without a snapshot; nothing is lost');
      process.exit(ExitCode.failed);
    }, STOP_MAX_MS);
    try {
      await this.#exchange!.stop();
    } catch (error) {
      this.#logger.fatal({ err: error }, 'the stop failed; what was acknowledged is safe');
      process.exit(ExitCode.failed);
    }
    clearTimeout(overdue);
    this.#readyFile?.remove();
    const { state } = this.#exchange!.sequencer;
    process.stderr.write(
      `${counted(state.accountByUid.size, 'account')}, ${counted(openOrderCount(state), 'open order')}, ` +
        `${memory ? 'nothing of it saved (--memory)' : `saved to ${cluster === '' ? data : 'the cluster'}`}\n`,
    );
    process.exit(code);
  }

  /** Journal or history can no longer store records: stop at once; the restart recovers. */
  #fail(error: Error): void {
    const message = asHistoryDamage(error);
    const code = exitCodeOf(message);
    if (code === ExitCode.failed)
      this.#logger.fatal({ err: error }, 'the exchange stops: it can no longer keep its records');
    else this.#logger.fatal(`the exchange stops: ${(message as Error).message}`);
    setTimeout(() => process.exit(code), LAST_ANSWERS_MS);
  }

  #reportReady({
    url,
    operatorUrl,
    operatorToken,
    consoleCode,
    sequencer,
    market,
    demoAccounts,
    replayedCommands,
  }: RunningExchange): void {
    const { memory, quiet, demoReach, rateLimits, color } = this.#config;
    const data = hasDirectory(this.#config) ? this.#config.data : undefined;
    const facts: StartFacts = {
      version: VERSION,
      url,
      operatorUrl,
      operatorToken: memory ? operatorToken : undefined,
      data,
      demoAccounts,
      demoReach,
      instruments: instrumentCounts(sequencer),
      replayedCommands,
      readySeconds: Number((performance.now() / 1000).toFixed(2)),
      rateLimits,
      market: market && {
        level: market.options.level,
        seed: market.options.seed,
        feed: market.options.feed.name,
        agents: market.members.length,
      },
    };
    if (memory)
      this.#logger.warn('everything is in memory: all of it is gone when this process ends (--memory)');
    this.#readyFile?.write({ ...factsDocument(facts), operatorToken: operatorToken ?? null });
    const { stdout } = process;
    if (!quiet && stdout.isTTY)
      stdout.write(
        banner(
          { ...facts, consoleCode: consoleCode?.() },
          painter(color, stdout),
          process.env.TERM !== 'dumb',
        ),
      );
    else if (!quiet) stdout.write(factsLine(facts));
    stdout.write(listeningLine(url));
  }
}

function instrumentCounts({ state }: RunningExchange['sequencer']): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { category } of state.instruments) {
    const name = CATEGORY_NAMES[category];
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** After a defect the state is uncertain; the next start recovers everything that was acknowledged. */
function endOnDefect(logger: Logger): void {
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'defect: the process ends');
    process.exit(ExitCode.failed);
  });
}
