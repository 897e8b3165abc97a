/** A fall that brings many accounts to liquidation in one second, and loans to a forced close. */
import type { Command } from '../../src/core/model/command.ts';
import { Side } from '../../src/core/model/enums.ts';
import { deposit } from '../../test/property/venue.ts';
import { counted, type Part, Stopwatch } from './stopwatch.ts';
import { Coin, Listed, ONE, TICKS, Venue } from './venue.ts';

const ACCOUNTS = 20_000;
const LOANS = 10_000;
/** Buys what is closed by force. */
const BUYER = ACCOUNTS + 1;
const BIDS = 300;
const FALL_PPM = 40_000;
const SECONDS = 7;

/** Every second account is long ten times what it has. */
export async function measureCrash(): Promise<Part> {
  const watch = new Stopwatch();
  const venue = new Venue({
    accounts: ACCOUNTS,
    debtors: 0,
    loans: LOANS,
    deliveries: 0,
    coinMargined: 0,
    triggers: 0,
  });
  venue.must(venue.nextSecond());
  for (let uid = 1; uid <= ACCOUNTS; uid++) venue.openAccount(uid, uid % 2 === 0 ? 12n : 1000n);
  venue.openAccount(BUYER, 100_000_000n);
  for (let uid = 1; uid < ACCOUNTS; uid += 2) venue.trade(Listed.perpetual, uid);
  for (let level = 0; level < BIDS; level++)
    venue.must(
      venue.limit({
        uid: BUYER,
        instrument: Listed.perpetual,
        side: Side.buy,
        priceTicks: TICKS - 700 - level,
        sizeLots: 100 * 100,
      }),
    );
  openLoans(venue);
  const over = `${counted(ACCOUNTS / 2, 'accounts')} due, ${counted(LOANS, 'loans')}`;
  for (let n = 0; n < SECONDS; n++) {
    const command = venue.nextSecond((second) => second % 5000 !== 0, -FALL_PPM);
    watch.time('tick: a second of a fall', over, () => venue.apply(command));
    while (venue.exchange.hasOpenWork) {
      const next: Command = { type: 'tick', time: venue.time };
      watch.time('tick: a portion of its checks', over, () => venue.apply(next));
    }
  }
  return watch.end('A fall of 25 % in seven seconds');
}

function openLoans(venue: Venue): void {
  const { time } = venue;
  venue.must({
    type: 'fundLoanPool',
    time,
    coin: Coin.usdt,
    amount: BigInt(LOANS) * 100n * ONE,
    reference: 'opening',
  });
  for (let n = 0; n < LOANS; n++) {
    const uid = 2 * n + 1;
    venue.must({ ...deposit(uid, Coin.btc, ONE), time: venue.time });
    venue.must(venue.borrow(uid, venue.time));
  }
}
