/**
 * An exchange from start to stop. Nothing is served before everything has succeeded; the way down is the way up
 * backwards, with a snapshot in between so that the next start is quick. A process that ends without it loses nothing.
 */
import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import { completeSubAccounts } from '../gateway/open-sub-account.ts';
import type { OpenedDemoAccount } from '../identity/demo-accounts.ts';
import type { LivingMarket } from '../market/living-market.ts';
import { loadCatalogue } from '../venue/catalogue.ts';
import { Keeper } from '../venue/keeper.ts';
import { ReserveAudits } from '../venue/reserve-audit.ts';
import type { SecondHand } from '../venue/second-hand.ts';
import { Unavailable, type Venue } from '../venue/venue.ts';
import { openAddressKey } from './address-key.ts';
import { openDoor, openGateway } from './doors.ts';
import { CannotStart, ConfigError } from './exit-codes.ts';
import { hasDemoKeys, listCatalogue, openDemo } from './first-start.ts';
import { closeServer, listen } from './listening.ts';
import { refuseDemoBeyondLoopback, refuseOperatorBeyondLoopback } from './loopback.ts';
import { openMarket } from './open-market.ts';
import { asHistoryDamage, openRooms, type Rooms } from './rooms.ts';
import type { Config } from './settings/settings.ts';

const PRUNE_INTERVAL_MS = 24 * 60 * 60_000;

export interface RunningExchange {
  readonly url: string;
  /** Undefined when the exchange runs without an operator's door. */
  readonly operatorUrl: string | undefined;
  readonly venue: Venue;
  /** Undefined when the market is off. */
  readonly market: LivingMarket | undefined;
  readonly seconds: SecondHand;
  readonly demoAccounts: readonly OpenedDemoAccount[];
  readonly replayedCommands: number;
  /** The stop that follows is told to whoever reads streams; says how many do. Nobody new should be sent here. */
  announceStop(seconds: number): number;
  stop(): Promise<void>;
}

/** `onFailure` hears of what no request can be blamed for: the exchange cannot keep its promises any longer. */
export async function startExchange(
  config: Config,
  logger: Logger,
  onFailure: (error: Error) => void,
): Promise<RunningExchange> {
  if (config.demo) refuseDemoBeyondLoopback(config.host);
  if (config.operator) refuseOperatorBeyondLoopback(config.operatorHost, config.operatorTokenFile);
  if (!existsSync(config.catalogue)) throw new ConfigError(`--catalogue ${config.catalogue} does not exist`);
  const catalogue = loadCatalogue(config.catalogue);
  const open = new AsyncDisposableStack();
  let givenUp = false;
  try {
    // Why a start was given up is what its user must read, not what closing the rooms may say about it.
    const rooms = await openRooms(config, logger, open, (error) => {
      if (!givenUp) onFailure(error);
    });
    const { venue, identity } = rooms;
    open.defer(() => lastRecords(venue));
    if (hasDemoKeys(identity)) refuseDemoBeyondLoopback(config.host);
    await listCatalogue(venue, catalogue);
    const demoAccounts = config.demo ? await openDemo(venue, identity, config.data) : [];
    const completed = await completeSubAccounts(rooms);
    if (completed !== 0) logger.info({ completed }, 'sub-accounts that were half open are complete');
    const keeper = startKeeping(rooms, config, logger, open);
    const living = await openMarket(venue, keeper.seconds, config, logger, open);
    const market = living?.market;
    await venue.pastDays.load(venue.history, venue.state);
    const addressKey = openAddressKey(identity);
    const reserves = new ReserveAudits(venue, addressKey, () => rooms.wall.now());
    const doors = { ...rooms, addressKey, reserves };
    const { gateway, streams, stopping, readiness } = await openGateway(doors, config, logger, open);
    const url = await listen(gateway, config, 'port');
    const { seconds } = keeper;
    const desk = { ...doors, seconds, market, snapshot: () => keeper.snapshot(), readiness, url };
    const door = config.operator ? await openDoor(desk, config, logger, open) : undefined;
    const announceStop = (seconds: number) => {
      stopping.begun = true;
      return streams.announceStop(seconds);
    };
    const stop = async () => {
      stopping.begun = true;
      living?.stop();
      const servers = door === undefined ? [gateway] : [door.server, gateway];
      await Promise.all(servers.map(closeServer));
      keeper.stop();
      await venue.settled();
      await keeper.snapshot();
      await open.disposeAsync();
    };
    const operatorUrl = door?.url;
    const replayedCommands = rooms.replayed;
    return {
      url,
      operatorUrl,
      venue,
      market,
      seconds,
      demoAccounts,
      replayedCommands,
      announceStop,
      stop,
    };
  } catch (error) {
    givenUp = true;
    await open
      .disposeAsync()
      .catch((closing) => logger.warn({ err: closing }, 'closing after a failed start'));
    throw error instanceof Unavailable ? new CannotStart(error.message) : asHistoryDamage(error);
  }
}

/** Commands under way, such as those of a living market, need the log and the history until they are durable. */
async function lastRecords(venue: Venue): Promise<void> {
  if (venue.failure === undefined) await venue.settled();
}

function startKeeping(rooms: Rooms, config: Config, logger: Logger, open: AsyncDisposableStack): Keeper {
  const { venue, log, history } = rooms;
  const report = (error: Error) => logger.error({ err: error }, 'upkeep failed');
  const keeper = new Keeper(venue, log, report, {
    commands: config.snapshotCommands,
    intervalMs: config.snapshotMinutes * 60_000,
  });
  keeper.start();
  let pruned = venue.clock.now();
  keeper.seconds.onSecond((now) => {
    if (now - pruned < PRUNE_INTERVAL_MS) return;
    pruned = now;
    history.prune(now).catch(report);
  });
  open.defer(() => keeper.stop());
  return keeper;
}
