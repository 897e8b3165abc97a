/** Starts the simulator with the exchange, or removes its last quotes from the books when it is off. */
import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import type { ClockTicker } from '../../sequencer/clock-ticker.ts';
import { type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';
import { ACTIVITY_LEVELS } from '../../simulator/activity-level.ts';
import { BackfillThread } from '../../simulator/backfill/backfill-thread.ts';
import { missingPast } from '../../simulator/backfill/missing-past.ts';
import { MarketDriver } from '../../simulator/driver.ts';
import { openFeed, recordingOf } from '../../simulator/feed/open-feed.ts';
import { withdrawnQuotes } from '../../simulator/house-accounts.ts';
import { MarketSimulator } from '../../simulator/market-simulator.ts';
import { loadParameters } from '../../simulator/parameters.ts';
import { readRecording } from '../../simulator/recording/read-recording.ts';
import type { Recording } from '../../simulator/recording/recording.ts';
import { SimulatorError } from '../../simulator/simulator-error.ts';
import type { Config } from '../config/settings.ts';
import { counted } from '../terminal/format.ts';
import { progressBar } from '../terminal/progress-bar.ts';

export interface OpenSimulator {
  readonly simulator: MarketSimulator;
  /** Begins to trade, or goes on. */
  start(): void;
  /** Submits no more commands. */
  stop(): void;
  close(): void;
}

/** A read-only exchange keeps its quotes; the next start tries again. */
async function withdrawQuotes(sequencer: Sequencer, logger: Logger): Promise<void> {
  try {
    await Promise.all(withdrawnQuotes(sequencer.state).map((command) => sequencer.submit(command)));
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    logger.warn({ err: error }, 'the last quotes of the market stay in the books');
  }
}

/** Runs while the exchange is open: charts fill when the past of a book is stored. */
async function generatePast(
  views: MarketSimulator['views'],
  sequencer: Sequencer,
  { backfill: days, seed, catalogue }: Config,
  logger: Logger,
  open: AsyncDisposableStack,
): Promise<void> {
  if (days === 0) return;
  const { history, clock } = sequencer;
  const { books, now } = await missingPast(views, history, clock.now());
  if (books.length === 0) return;
  logger.info(
    `generating past candles for ${counted(books.length, 'book')}: they appear when they are stored`,
  );
  let stopped = false;
  const thread = new BackfillThread({ books, seed, days, now, catalogue }, history);
  open.defer(() => {
    stopped = true;
    return thread[Symbol.asyncDispose]();
  });
  thread.done
    .then(async () => {
      await sequencer.generated24h.load(history, sequencer.state);
      const made = counted(books.length, 'book');
      logger.info(`generated ${counted(days, 'day')} by the minute and a year by the hour for ${made}`);
    })
    .catch((error) => {
      if (!stopped)
        logger.error({ err: error }, 'the generated past is not complete: the next start goes on with it');
    });
}

/** The recording that was read last: after a snapshot, a revert or a fork the market is opened again on the same file. */
let lastRecording: { readonly key: string; readonly recording: Recording } | undefined;

async function recordingFor(
  { feed, as, skipBad }: Config,
  loading: ReturnType<typeof progressBar>,
  report: (text: string) => void,
): Promise<Recording | undefined> {
  const file = recordingOf(feed);
  if (file === undefined) return undefined;
  const changed = file.split(',').map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const key = JSON.stringify([file, changed, as, skipBad]);
  if (lastRecording?.key === key) return lastRecording.recording;
  const options = { skipBad, progress: loading.show, ...(as !== '' && { as }) };
  const recording = await readRecording(file, options);
  loading.end();
  if (recording.skipped > 0) report(`${file}: ${counted(recording.skipped, 'bad row')} left out`);
  lastRecording = { key, recording };
  return recording;
}

/**
 * It trades when it is started. Opened again on the same state it goes on in the same way: feed and agents draw their random
 * numbers from the seed and the state alone.
 */
export async function openSimulator(
  sequencer: Sequencer,
  seconds: ClockTicker,
  config: Config,
  logger: Logger,
  open: AsyncDisposableStack,
): Promise<OpenSimulator | undefined> {
  const { market: level, seed } = config;
  if (level === 'off') {
    await withdrawQuotes(sequencer, logger);
    return undefined;
  }
  const parameters = loadParameters(config.catalogue);
  const report = (text: string) => logger.info(text);
  const screen = {
    isTTY: process.stderr.isTTY && !config.quiet,
    write: (text: string) => process.stderr.write(text),
  };
  const recording = await recordingFor(config, progressBar('reading prices', screen), report);
  const feed = await openFeed(config.feed, recording, {
    seed,
    parameters,
    intensity: ACTIVITY_LEVELS[level].volatility,
    state: sequencer.state,
    report,
  });
  const { depth } = config;
  if (depth === 'tape' && recording?.sizes.some((size) => size > 0) === false)
    throw new SimulatorError(`${recordingOf(config.feed)} has no trades with sizes: --depth tape needs them`);
  if (depth === 'book' && recording?.books.length === 0)
    throw new SimulatorError(
      `${recordingOf(config.feed)} has no books: --depth book needs quotes or snapshots`,
    );
  const replay = recording && { file: recordingOf(config.feed)!, depth, recording };
  const simulator = new MarketSimulator(sequencer, {
    level,
    seed,
    parameters,
    feed,
    ...(replay && { replay }),
  });
  await simulator.open();
  await generatePast(simulator.views, sequencer, config, logger, open);
  const driver = new MarketDriver(sequencer, simulator);
  return {
    simulator,
    start: () => driver.start(seconds),
    stop: () => driver.stop(),
    close: () => {
      driver.stop();
      simulator.close();
    },
  };
}
