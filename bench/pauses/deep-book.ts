/** Bankrupt accounts whose forced closes find a deep book that the insurance fund may not pay for. */
import type { Command } from '../../src/core/model/command.ts';
import { Side } from '../../src/core/model/enums.ts';
import { counted, type Part, Stopwatch } from './stopwatch.ts';
import { Listed, TICKS, Venue } from './venue.ts';

/** Every second one is long eight times what it has. */
const ACCOUNTS = 800;
const BIDDERS = 250;
const BIDS_EACH = 390;
/** Prices of the bids, in ticks: all of them beyond bankruptcy, and within reach of the closes. */
const LEVELS = 50;
const FALL_PPM = 150_000;

export async function measureDeepBook(): Promise<Part> {
  const watch = new Stopwatch();
  const shape = { debtors: 0, loans: 0, deliveries: 0, coinMargined: 0, triggers: 0 };
  const venue = new Venue({ accounts: ACCOUNTS, ...shape });
  venue.must(venue.nextSecond());
  for (let uid = 1; uid <= ACCOUNTS; uid++) venue.openAccount(uid, uid % 2 === 0 ? 12n : 1000n);
  for (let uid = 1; uid < ACCOUNTS; uid += 2) venue.trade(Listed.perpetual, uid);
  const top = TICKS - (TICKS * FALL_PPM) / 1_000_000;
  for (let bidder = 1; bidder <= BIDDERS; bidder++) {
    const uid = ACCOUNTS + bidder;
    venue.openAccount(uid, 1_000_000n);
    for (let n = 0; n < BIDS_EACH; n++) {
      const priceTicks = top - 1 - ((bidder + n) % LEVELS);
      venue.must(venue.limit({ uid, instrument: Listed.perpetual, side: Side.buy, priceTicks }));
    }
  }
  const over = `${counted(ACCOUNTS / 2, 'accounts')} due, ${counted(BIDDERS * BIDS_EACH, 'bids')}`;
  const fall = venue.nextSecond((second) => second % 5000 !== 0, -FALL_PPM);
  watch.time('tick: a second of a fall into a deep book', over, () => venue.apply(fall));
  let portions = 0;
  for (; venue.exchange.hasOpenWork; portions++) {
    const next: Command = { type: 'tick', time: venue.time };
    watch.time('tick: a portion of its checks', over, () => venue.apply(next));
  }
  if (portions < 10) throw new Error(`a fall of ${portions} portions`);
  return watch.end('A fall of 15 % into a deep book');
}
