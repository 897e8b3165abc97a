/** Exchanges that go on from a snapshot beside the one that it is of. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBranch } from '../../lab/disk-store.ts';
import { type Fork, type ForkRequest, PortTaken } from '../../lab/host.ts';
import { BRANCH_SEGMENT_BYTES_MAX } from '../../lab/limits.ts';
import type { BranchStart } from '../../lab/snapshot.ts';
import type { ClockChoice } from '../../sequencer/clock-choice.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import type { MarketLevel } from '../../simulator/activity-level.ts';
import type { ResolvedConfig } from '../config/resolve-config.ts';
import { startIsolated } from './isolated-fork.ts';
import type { LabDependencies } from './lab-dependencies.ts';
import { refuseTakenPort } from './listen.ts';
import type { RunningExchange, startExchange } from './start-exchange.ts';

type ForkDependencies = Pick<
  LabDependencies,
  'resolved' | 'logger' | 'demo' | 'shared' | 'current' | 'start'
>;

/** Starts the forks of an exchange: in this process, or in one of their own. */
export class ForkStarter {
  readonly #dependencies: ForkDependencies;
  readonly #running = new Map<string, RunningExchange>();

  constructor(dependencies: ForkDependencies) {
    this.#dependencies = dependencies;
  }

  runningAt(url: string): RunningExchange | undefined {
    return this.#running.get(url);
  }

  /** `ended` is called when the fork ends by itself. Throws PortTaken. */
  async start(start: BranchStart, request: ForkRequest, ended: () => void): Promise<Fork> {
    const { resolved, demo, shared, current } = this.#dependencies;
    const { host } = resolved.config;
    await refuseTakenPort({ host, port: request.port }, 'port').catch((error: Error) => {
      throw new PortTaken(error.message);
    });
    const { time, image, faults } = start;
    const gapMs = shared.wallClock.now() - time;
    if (!request.isolate)
      return this.#startHere(
        forkConfig(resolved, request, start),
        {
          time,
          gapMs,
          generated24h: current().sequencer.generated24h,
          threads: shared.threads,
          ...(image && { image }),
          ...(faults && { faults }),
        },
        ended,
      );
    const directory = start.directory ?? mkdtempSync(join(tmpdir(), 'bourse-fork-'));
    if (image !== undefined) writeBranch(directory, image);
    const over = () => {
      if (start.directory === undefined) rmSync(directory, { recursive: true, force: true });
    };
    const order = {
      resolved: forkConfig(resolved, request, { ...start, directory }),
      demo,
      branch: { time, gapMs, ...(faults && { faults }) },
    };
    try {
      const fork = await startIsolated(order, () => {
        over();
        ended();
      });
      return { ...fork, close: () => fork.close().finally(over) };
    } catch (error) {
      over();
      throw error;
    }
  }

  async #startHere(
    resolved: ResolvedConfig,
    branch: Parameters<typeof startExchange>[4],
    ended: () => void,
  ): Promise<Fork> {
    const { logger, demo, start } = this.#dependencies;
    const failure = Promise.withResolvers<Error>();
    const running = await start(resolved, logger, failure.resolve, demo, branch);
    const { url, operatorUrl, operatorToken, sequencer } = running;
    this.#running.set(url, running);
    // One that fails while it starts is closed when it has started.
    void failure.promise.then(async (error) => {
      logger.error({ err: error }, 'a fork has failed and is closed');
      this.#running.delete(url);
      await running.stop().catch((err: Error) => logger.error({ err }, 'closing a fork that has failed'));
      ended();
    });
    return {
      url,
      operatorUrl: operatorUrl!,
      token: operatorToken!,
      pid: process.pid,
      seq: sequencer.appliedSeq,
      time: sequencer.clock.now(),
      stateHash: stateHash(sequencer.state),
      close: () => {
        this.#running.delete(url);
        return running.stop();
      },
    };
  }
}

/** The settings of the parent, with a place and ports of its own. */
function forkConfig(
  { config, origins }: ResolvedConfig,
  { port, clock: requested, market }: ForkRequest,
  { directory, clock = config.clock }: BranchStart,
): ResolvedConfig {
  return {
    origins,
    config: {
      ...config,
      port,
      operatorPort: 0,
      operatorTokenFile: '',
      readyFile: '',
      quiet: true,
      clock: (requested as ClockChoice | undefined) ?? clock,
      ...(market !== undefined && { market: market as MarketLevel }),
      ...(directory !== undefined && {
        data: directory,
        memory: false,
        segmentBytes: Math.min(config.segmentBytes, BRANCH_SEGMENT_BYTES_MAX),
      }),
    },
  };
}
