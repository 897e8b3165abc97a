/** The end of an exchange that is to start again in the same process: in order, or as a kill leaves it. */
import { HistoryStarved } from '../../history/history.ts';
import type { Front } from '../../http/front.ts';
import { MemoryJournal } from '../../journal/memory-journal.ts';
import type { OutageKind } from '../../lab/faults/exchange-faults.ts';
import { liveDirectory } from '../../lab/head.ts';
import { LateClock, sourceOf } from '../../sequencer/clock.ts';
import { choiceOf } from '../../sequencer/clock-choice.ts';
import { isShortage } from '../../storage/shortage-errors.ts';
import type { Config } from '../config/settings.ts';
import type { Beginning } from './components.ts';
import { closeFront } from './listen.ts';
import type { Venue } from './venue.ts';

/** The code of a socket that ends without a closing frame. */
const ABNORMAL = 1006;

/** Closes the public listener and the venue; resolves with what the next start begins from. */
export async function goDown(
  venue: Venue,
  front: Front,
  how: OutageKind,
  { memory, data }: Config,
): Promise<Beginning> {
  const { clock } = venue.components;
  const running = sourceOf(clock);
  const gapMs = running instanceof LateClock ? running.gapMs : 0;
  const begins = { time: clock.now(), gapMs, clock: choiceOf(clock) };
  if (how === 'kill') await kill(venue, front);
  else {
    await closeFront(front, venue.api);
    await venue.sequencer.durable();
    if (!memory) await lastSnapshot(venue);
    venue.sequencer.stopWith(new Error('it is down'));
  }
  const remains = memory ? { left: await remainsOf(venue) } : { directory: liveDirectory(data) };
  if (how === 'kill') await venue.components.history.abandon();
  await venue.close();
  return { ...begins, ...remains };
}

/** Without space there is none: the start replays more. */
async function lastSnapshot({ scheduler }: Venue): Promise<void> {
  await scheduler.finalSnapshot().catch((error: unknown) => {
    if (!isShortage(error) && !(error instanceof HistoryStarved)) throw error;
  });
}

/** Ends connections without an answer and loses what is not durable. */
async function kill({ streams, sequencer, components }: Venue, front: Front): Promise<void> {
  for (const socket of streams.clientSockets()) socket.end(ABNORMAL);
  const closed = front.close();
  front.closeAllConnections();
  await components.journal.abandon();
  // It does not end the process: the exchange starts again.
  sequencer.onFailed(() => {});
  sequencer.fail(new Error('the exchange was killed'));
  await closed;
}

/** The history in memory has what was given to it; what it lacks is replayed. */
async function remainsOf({ components: { journal, identity, history } }: Venue) {
  if (!(journal instanceof MemoryJournal)) throw new TypeError('an exchange in memory has its journal there');
  return { journal, identity: identity.image(), history: await history.contents() };
}
