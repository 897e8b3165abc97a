/**
 * A busy spot market as commands: 1,000 accounts, about 1,000 resting orders, and the mix of a market maker's day (9 %
 * new orders, 3 % IOC, 6 % cancels, 82 % price moves). Made once on an exchange, so that every id is a real one; the
 * same commands give the same ids on any other.
 */

import { Exchange } from '../src/core/engine/exchange.ts';
import { ANY, type Command } from '../src/core/model/command.ts';
import { NEWEST_EDITION } from '../src/core/model/edition.ts';
import { OrderStatus, Side, Source, StpMode, TimeInForce } from '../src/core/model/enums.ts';
import { account, coin, deposit, OPENING_TIME, order, spotPair } from '../test/property/venue.ts';
import { Random } from './random.ts';

export interface MarketFlow {
  /** Listings, accounts, deposits and the first resting orders. */
  readonly setUp: Command[];
  readonly commands: Command[];
}

const MIDDLE_TICKS = 6_000_000;
const MEAN_DISTANCE = 500;
const TAKER_REACH = 100;
const COMMANDS_PER_MS = 10;
/** Ten million coins: more than anybody here can spend. */
const PLENTY = 10n ** 15n;

const SHARES = { limit: 0.09, ioc: 0.03, cancel: 0.06 };

export function venueOf(accounts: number): Command[] {
  const commands: Command[] = [
    { type: 'setEdition', time: OPENING_TIME, edition: NEWEST_EDITION },
    coin('BTC'),
    coin('USDT'),
    spotPair('BTC', 'USDT', { pricePrecision: '2', quantityPrecision: '6', openingPrice: '60000' }),
  ];
  for (let uid = 1; uid <= accounts; uid++) {
    commands.push(account(uid), deposit(uid, 0, PLENTY), deposit(uid, 1, PLENTY));
  }
  return commands;
}

export function marketFlow(accounts: number, resting: number, count: number, seed: number): MarketFlow {
  const random = new Random(seed);
  const exchange = new Exchange();
  const setUp = venueOf(accounts);
  const commands: Command[] = [];
  /** Resting orders, with the place of each in the list. */
  const open: { orderId: number; uid: number; side: Side }[] = [];
  const place = new Map<number, number>();

  const apply = (list: Command[], command: Command): void => {
    list.push(command);
    exchange.apply(command);
    for (const event of exchange.takeEvents()) {
      if (event.type !== 'order') continue;
      const { orderId, uid, side, status } = event.order;
      const at = place.get(orderId);
      if (status !== OrderStatus.filled && status !== OrderStatus.cancelled) {
        if (at === undefined) place.set(orderId, open.push({ orderId, uid, side }) - 1);
      } else if (at !== undefined) {
        place.delete(orderId);
        const last = open.pop()!;
        if (last.orderId === orderId) continue;
        open[at] = last;
        place.set(last.orderId, at);
      }
    }
  };

  const restingTicks = (side: Side): number => {
    const distance = 1 + random.distance(MEAN_DISTANCE);
    return side === Side.buy ? MIDDLE_TICKS - distance : MIDDLE_TICKS + distance;
  };

  const newOrder = (time: number, taking: boolean): Command => {
    const side = random.next() < 0.5 ? Side.buy : Side.sell;
    const reach = random.distance(TAKER_REACH);
    return order({
      time,
      uid: 1 + random.below(accounts),
      side,
      source: random.next() < 0.2 ? Source.retail : Source.api,
      timeInForce: taking ? TimeInForce.ioc : TimeInForce.gtc,
      stpMode: StpMode.cancelTaker,
      priceTicks: taking
        ? side === Side.buy
          ? MIDDLE_TICKS + reach
          : MIDDLE_TICKS - reach
        : restingTicks(side),
      sizeLots: 1 + random.below(100_000),
    });
  };

  for (const command of setUp) exchange.apply(command);
  exchange.takeEvents();
  while (open.length < resting) apply(setUp, newOrder(OPENING_TIME, false));

  for (let n = 0; n < count; n++) {
    const time = OPENING_TIME + Math.floor(n / COMMANDS_PER_MS);
    let dice = random.next();
    // Trades and cancels take orders away: new ones make up for them.
    if (open.length < resting && dice < SHARES.cancel + SHARES.limit) dice = 0;
    const target = open[random.below(open.length)]!;
    const { orderId, uid } = target;
    const name = { clientOid: '', category: ANY, instrument: ANY } as const;
    if (dice < SHARES.limit) {
      apply(commands, newOrder(time, false));
    } else if (dice < SHARES.limit + SHARES.cancel) {
      apply(commands, { type: 'cancelOrder', time, uid, orderId, ...name });
    } else if (dice < SHARES.limit + SHARES.cancel + SHARES.ioc) {
      apply(commands, newOrder(time, true));
    } else {
      const priceTicks = restingTicks(target.side);
      const item = { orderId, ...name, priceTicks, sizeLots: 0, autoCancel: false, outstanding: 0 };
      apply(commands, { type: 'amendOrders', time, uid, source: Source.api, items: [item] });
    }
  }
  return { setUp, commands };
}
