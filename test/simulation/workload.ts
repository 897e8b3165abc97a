/**
 * A few accounts that trade with each other at prices that cross: orders, amendments, cancellations, money in and out,
 * the dead man's switch, and clients that send the same request twice.
 */
import { ANY, type Command, type PlaceOrder, type Unstamped } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import {
  Category,
  OrderType,
  Side,
  Source,
  type StpMode,
  TimeInForce,
  Wallet,
} from '../../src/core/model/enums.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { account, coin, deposit, order, spotPair } from '../property/venue.ts';

export const UIDS = [1, 2, 3, 4];
const MARKET_MAKER = 4;
const COINS = 3;
const PAIRS = 2;
const ONE = 10n ** 8n;
const NAMED_MAX = 60;
const MIDDLE_TICKS = 100;

/** Account 2 is a sub-account of 1, and 4 makes markets; fees leave remainders on every trade. */
export function setUp(): Command[] {
  return [
    coin('AAA'),
    coin('BBB'),
    coin('CCC'),
    spotPair('AAA', 'CCC', {
      pricePrecision: '1',
      quantityPrecision: '3',
      openingPrice: '10',
      makerFeeRate: '0.000333',
      takerFeeRate: '0.00077',
    }),
    spotPair('BBB', 'CCC', {
      pricePrecision: '2',
      quantityPrecision: '6',
      makerFeeRate: '-0.0001',
      openingPrice: '1',
    }),
    account(1),
    account(2, 1),
    account(3),
    account(MARKET_MAKER, 0, true),
    ...UIDS.flatMap((uid) =>
      Array.from({ length: COINS }, (_, n) => deposit(uid, n, 5000n * ONE + BigInt(uid))),
    ),
  ];
}

interface Named {
  readonly uid: number;
  readonly orderId: number;
  readonly clientOid: string;
}

export class Workload {
  readonly #random: () => number;
  #named: Named[] = [];
  #lastPlaced: PlaceOrder | undefined;
  duplicates = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  next(): Unstamped<Command> {
    const roll = this.#random();
    if (roll < 0.07 && this.#lastPlaced !== undefined) return this.#again(this.#lastPlaced);
    if (roll < 0.6) return this.#place();
    if (roll < 0.74) return this.#amend();
    if (roll < 0.86) return this.#cancel();
    if (roll < 0.92) return this.#money();
    if (roll < 0.945)
      return { type: 'countdownCancel', uid: this.#uid(), seconds: this.#pick([0, 4, 5, 30]) };
    if (roll < 0.96) return this.#fees();
    if (roll < 0.97) return this.#cancelAll();
    if (roll < 0.978) return this.#status();
    if (roll < 0.984) return { type: 'setHalt', halted: this.#random() < 0.25 };
    if (roll < 0.992) return this.#transfer();
    return { type: 'tick' };
  }

  /** What a client always may do. */
  cancel(): Unstamped<Command> {
    return this.#cancel();
  }

  /** The client learns what its order came to. */
  answered(command: Unstamped<Command>, outcome: CommandResult): void {
    if (command.type !== 'placeOrder' || outcome.rejectReason !== RejectReason.none) return;
    this.#remember({ uid: command.uid, orderId: outcome.orderId, clientOid: outcome.clientOid });
  }

  #place(): Unstamped<Command> {
    const side = this.#pick([Side.buy, Side.sell]);
    const market = this.#random() < 0.12;
    const byAmount = market && side === Side.buy;
    const instrument = this.#int(PAIRS);
    const timeInForce = market ? TimeInForce.gtc : this.#timeInForce();
    const uid = timeInForce === TimeInForce.rpi ? MARKET_MAKER : this.#uid();
    const lots = (1 + this.#int(400)) * (instrument === 0 ? 7 : 7001);
    const command = order({
      uid,
      instrument,
      side,
      timeInForce,
      orderType: market ? OrderType.market : OrderType.limit,
      stpMode: this.#int(4) as StpMode,
      source: timeInForce === TimeInForce.rpi ? Source.api : this.#pick([Source.api, Source.retail]),
      priceTicks: market ? 0 : MIDDLE_TICKS - 4 + this.#int(9),
      sizeLots: byAmount ? 0 : lots,
      quoteAmount: byAmount ? BigInt(1 + this.#int(40)) * ONE + 1n : 0n,
      clientOid: this.#random() < 0.6 ? `c${this.#int(15)}` : '',
    });
    this.#lastPlaced = command;
    // Its answer is on the way, yet the client may already refer to it by its own id.
    if (command.clientOid !== '') this.#remember({ uid, orderId: 0, clientOid: command.clientOid });
    return command;
  }

  #again(placed: PlaceOrder): Unstamped<Command> {
    this.duplicates += 1;
    return { ...placed };
  }

  #amend(): Unstamped<Command> {
    const first = this.#target();
    const items = Array.from({ length: 1 + this.#int(3) }, () => this.#target(first.uid));
    return {
      type: 'amendOrders',
      uid: first.uid,
      source: Source.api,
      items: items.map(({ orderId, clientOid }) => ({
        orderId,
        clientOid: orderId === 0 ? clientOid : '',
        category: ANY,
        instrument: ANY,
        priceTicks: this.#random() < 0.6 ? MIDDLE_TICKS - 4 + this.#int(9) : 0,
        sizeLots: this.#random() < 0.6 ? 1 + this.#int(2800) : 0,
        autoCancel: this.#random() < 0.3,
      })),
    };
  }

  #cancel(): Unstamped<Command> {
    const { uid, orderId, clientOid } = this.#target();
    return {
      type: 'cancelOrder',
      uid,
      orderId,
      clientOid: orderId === 0 ? clientOid : '',
      category: ANY,
      instrument: ANY,
    };
  }

  #cancelAll(): Unstamped<Command> {
    return {
      type: 'cancelAll',
      uid: this.#uid(),
      category: Category.spot,
      instrument: this.#pick([ANY, 0, 1]),
    };
  }

  #money(): Unstamped<Command> {
    const amount = BigInt(1 + this.#int(2_000_000_000));
    return {
      type: this.#pick(['deposit', 'withdraw']),
      uid: this.#uid(),
      coin: this.#int(COINS),
      amount,
      reference: `m${this.#int(1000)}`,
    };
  }

  /** Between the master and its sub-account, with names that come again. */
  #transfer(): Unstamped<Command> {
    const [fromUid, toUid] = this.#random() < 0.5 ? [1, 2] : [2, 1];
    return {
      type: 'transfer',
      initiatorUid: fromUid,
      fromUid: fromUid,
      toUid: toUid,
      fromWallet: Wallet.unified,
      toWallet: Wallet.unified,
      coin: this.#int(COINS),
      amount: BigInt(1 + this.#int(2_000_000_000)),
      clientOid: `t${this.#int(6)}`,
    };
  }

  #fees(): Unstamped<Command> {
    const rate = () => BigInt(this.#int(3_000_000_000)) - 500_000_000n;
    return {
      type: 'setFees',
      uid: this.#uid(),
      instrument: this.#int(PAIRS),
      makerRate: rate(),
      takerRate: rate(),
    };
  }

  #status(): Unstamped<Command> {
    return {
      type: 'setInstrumentStatus',
      instrument: this.#int(PAIRS),
      status: this.#pick(['online', 'online', 'online', 'restrictedAPI', 'limit_open']),
    };
  }

  #timeInForce(): TimeInForce {
    const { gtc, ioc, fok, postOnly, rpi } = TimeInForce;
    return this.#pick([gtc, gtc, gtc, gtc, gtc, ioc, fok, postOnly, rpi]);
  }

  #target(uid?: number): Named {
    const own = uid === undefined ? this.#named : this.#named.filter((named) => named.uid === uid);
    return own[this.#int(own.length)] ?? { uid: uid ?? this.#uid(), orderId: 0, clientOid: 'c0' };
  }

  #remember(named: Named): void {
    this.#named.push(named);
    if (this.#named.length > NAMED_MAX) this.#named = this.#named.slice(-NAMED_MAX / 2);
  }

  #uid(): number {
    return this.#pick(UIDS);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#int(items.length)]!;
  }

  #int(below: number): number {
    return Math.floor(this.#random() * below);
  }
}
