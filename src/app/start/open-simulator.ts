/** Starts the simulator with the exchange, or removes its last quotes from the books when it is off. */
import type { Logger } from 'pino';
import type { ClockTicker } from '../../sequencer/clock-ticker.ts';
import { type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';
import { ACTIVITY_LEVELS } from '../../simulator/activity-level.ts';
import { backfill } from '../../simulator/backfill/backfill.ts';
import { MarketDriver } from '../../simulator/driver.ts';
import { openFeed } from '../../simulator/feed/open-feed.ts';
import { withdrawnQuotes } from '../../simulator/house-accounts.ts';
import { MarketSimulator } from '../../simulator/market-simulator.ts';
import { loadParameters } from '../../simulator/parameters.ts';
import { progressBar } from '../cli/terminal/progress-bar.ts';
import type { Config } from '../config/settings.ts';

export interface OpenSimulator {
  readonly market: MarketSimulator;
  /** Submits no more commands: the exchange is about to stop. */
  stop(): void;
}

/** A read-only exchange keeps them; the next start tries again. */
async function withdrawQuotes(sequencer: Sequencer, logger: Logger): Promise<void> {
  try {
    await Promise.all(withdrawnQuotes(sequencer.state).map((command) => sequencer.submit(command)));
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    logger.warn({ err: error }, 'the last quotes of the market stay in the books');
  }
}

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
  const loading = progressBar('reading prices', screen);
  const feed = await openFeed(config.feed, {
    seed,
    parameters,
    intensity: ACTIVITY_LEVELS[level].volatility,
    state: sequencer.state,
    report,
    progress: loading.show,
  });
  loading.end();
  open.defer(() => feed.close());
  const market = new MarketSimulator(sequencer, { level, seed, parameters, feed });
  await market.open();
  const bar = progressBar('making up a past', screen);
  const days = config.backfill;
  const made = await backfill(market.views, {
    history: sequencer.history,
    parameters,
    seed,
    days,
    now: sequencer.clock.now(),
    progress: bar.show,
  });
  bar.end();
  if (made > 0) logger.info(`made up ${days} days by the minute and a year by the hour for ${made} books`);
  const driver = new MarketDriver(sequencer, market);
  driver.start(seconds);
  open.defer(() => driver.stop());
  return { market, stop: () => driver.stop() };
}
