/**
 * The house account of the laboratory. It trades against orders by orders of its own, which go the way of all others: they meet
 * what stands before them in the book, need money, and are refused where the rules refuse them.
 */
import type { Command, PlaceOrder, Unstamped } from '../../core/model/command.ts';
import {
  type CategoryName,
  OrderType,
  Side,
  Source,
  StpMode,
  TimeInForce,
  Wallet,
} from '../../core/model/enums.ts';
import type { OrderRecord } from '../../core/model/event.ts';
import type { Instrument } from '../../core/model/instrument.ts';
import { RejectReason } from '../../core/model/reject-reason.ts';
import { MONEY_SCALE, parseUnits, powerOfTen } from '../../core/model/units.ts';
import { depth, freeBalance, openOrder, openOrders } from '../../core/reads/reads.ts';
import type { State } from '../../core/state/state.ts';
import { OutcomeUnknown, type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';

/** Beside those of the simulator's agents. */
export const HOUSE_UID = 900_700_000;
/** So many orders at most for one that is to be filled: others may stand before it. */
const ORDERS_MAX = 50;
const LEVELS = 1000;
const BPS = 10_000;

/** An order of a request, as far as it matters here. */
export interface Wanted {
  readonly category?: CategoryName;
  readonly symbol?: string;
  readonly side?: string;
  readonly orderType?: string;
  readonly qty?: string;
  readonly clientOid?: string;
}

/** How much of an order is to trade, and of a market order how far from the index. */
export interface Filling {
  readonly percent: number;
  readonly priceOffsetBps: number;
}

export class HouseAccount {
  readonly #sequencer: () => Sequencer;

  constructor(sequencer: () => Sequencer) {
    this.#sequencer = sequencer;
  }

  /** Carries a request out and trades against its orders: market orders find an offer, others are traded with. */
  async around(
    fillingOf: (order: Wanted) => Filling | undefined,
    { uid, body }: { readonly uid: number | undefined; readonly body: unknown },
    runHandler: () => Promise<unknown>,
  ): Promise<{ readonly answer: unknown; readonly problem: string | undefined }> {
    const problems: (string | undefined)[] = [];
    const tried = async (work: Promise<string | undefined>) => {
      problems.push(await work.catch(whyNot));
    };
    const wanted = [body].flat() as Wanted[];
    const before = this.#state.lastId;
    const market = wanted.filter((order) => order.orderType === 'market' && fillingOf(order) !== undefined);
    for (const order of market) await tried(this.#offer(order, fillingOf(order)!));
    const answer = await runHandler();
    if (uid === undefined) return { answer, problem: undefined };
    const placed = openOrders(this.#state, { uid, limit: wanted.length }).filter(
      ({ orderId }) => orderId > before,
    );
    for (const order of placed.reverse()) {
      const filling = fillingOf(wanted.find(({ clientOid }) => clientOid === order.clientOid) ?? {});
      if (filling !== undefined) await tried(this.#fill(order, filling.percent));
    }
    for (const order of market) await tried(this.#withdraw(order));
    return { answer, problem: problems.find((problem) => problem !== undefined) };
  }

  /** Offers to trade at a price, before an order that takes it; the answer says why it does not. */
  offerTo(instrument: number, side: Side, priceTicks: number, sizeLots: number): Promise<string | undefined> {
    return this.#place({ instrument, side, priceTicks, sizeLots, timeInForce: TimeInForce.gtc });
  }

  get #state(): State {
    return this.#sequencer().state;
  }

  /** At its own price, behind everything that stands before it. */
  async #fill(
    { uid, orderId, side, priceTicks, sizeLots, instrument: index }: OrderRecord,
    percent: number,
  ): Promise<string | undefined> {
    const instrument = this.#traded(this.#state.instruments[index]!);
    const target = onStep((sizeLots * percent) / 100, instrument);
    for (let n = 0; n < ORDERS_MAX; n++) {
      const open = openOrder(this.#state, uid, orderId, '');
      const missing = open === undefined ? 0 : target - open.filledLots;
      if (missing <= 0) return undefined;
      const order = {
        instrument: instrument.index,
        side: opposite(side),
        priceTicks,
        sizeLots: missing + this.#ahead(instrument, side, priceTicks),
        timeInForce: TimeInForce.ioc,
      };
      const refusal = await this.#place(order);
      if (refusal !== undefined) return refusal;
    }
    return `more stands before the order than ${ORDERS_MAX} orders of the house could take`;
  }

  /** Lots at better prices. */
  #ahead(instrument: Instrument, side: Side, priceTicks: number): number {
    const { bids, asks } = depth(this.#state, instrument, LEVELS);
    const levels = side === Side.buy ? bids : asks;
    const better = levels.filter((level) =>
      side === Side.buy ? level.priceTicks > priceTicks : level.priceTicks < priceTicks,
    );
    return better.reduce((sum, { lots }) => sum + lots, 0);
  }

  /** Rests at the index for a market order that comes next. */
  async #offer(wanted: Wanted, { percent, priceOffsetBps }: Filling): Promise<string | undefined> {
    const instrument = this.#instrumentOf(wanted);
    if (instrument === undefined) return undefined;
    const buys = wanted.side === 'buy';
    const priceTicks = this.#nearIndex(instrument, buys ? priceOffsetBps : -priceOffsetBps, buys);
    if (priceTicks === 0) return `${instrument.symbol} has no price`;
    const lots = lotsOf(wanted, instrument, priceTicks);
    return this.#place({
      instrument: instrument.index,
      side: buys ? Side.sell : Side.buy,
      priceTicks,
      sizeLots: onStep((lots * percent) / 100, instrument),
      timeInForce: TimeInForce.postOnly,
    });
  }

  async #withdraw(wanted: Wanted): Promise<undefined> {
    const instrument = this.#instrumentOf(wanted);
    if (instrument === undefined) return;
    const { category, index } = instrument;
    await this.#sequencer().submit({ type: 'cancelAll', uid: HOUSE_UID, category, instrument: index });
  }

  #instrumentOf({ category, symbol }: Wanted): Instrument | undefined {
    if (category === undefined || symbol === undefined) return undefined;
    const found = this.#state.instrument(category, symbol.toUpperCase());
    return found === undefined ? undefined : this.#traded(found);
  }

  /** MARGIN trades on the book of its SPOT pair. */
  #traded(instrument: Instrument): Instrument {
    return this.#state.instruments[this.#state.market(instrument).instrument]!;
  }

  #nearIndex(instrument: Instrument, offsetBps: number, up: boolean): number {
    const index = this.#state.indexByName.get(instrument.indexName);
    const price = index === undefined ? 0n : this.#state.indices[index]!.price;
    const ticks = Number(price) / Number(powerOfTen(MONEY_SCALE - instrument.pricePrecision));
    const steps = (ticks * (BPS + offsetBps)) / BPS / instrument.tickStep;
    return (up ? Math.ceil(steps) : Math.floor(steps)) * instrument.tickStep;
  }

  /** Why it was refused. */
  async #place(
    order: Pick<PlaceOrder, 'instrument' | 'side' | 'priceTicks' | 'sizeLots' | 'timeInForce'>,
  ): Promise<string | undefined> {
    const instrument = this.#state.instruments[order.instrument]!;
    await this.#fund(instrument, order.side, order.priceTicks, order.sizeLots);
    const { rejectReason } = await this.#submit({
      type: 'placeOrder',
      uid: HOUSE_UID,
      source: Source.api,
      orderType: OrderType.limit,
      stpMode: StpMode.none,
      quoteAmount: 0n,
      clientOid: '',
      ...order,
    });
    if (rejectReason === RejectReason.none) return undefined;
    const reason = Object.entries(RejectReason).find(([, value]) => value === rejectReason)?.[0];
    return `the order of the house was refused: ${reason}`;
  }

  /** Deposits what the order needs and the account does not have. */
  async #fund(instrument: Instrument, side: Side, priceTicks: number, lots: number): Promise<void> {
    if (!this.#state.accountByUid.has(HOUSE_UID))
      await this.#submit({
        type: 'openAccount',
        uid: HOUSE_UID,
        masterUid: 0,
        marketMaker: false,
        house: true,
      });
    const base = instrument.unitsPerLot * BigInt(lots);
    const quote = instrument.valuePerTickLot * BigInt(priceTicks) * BigInt(lots);
    const { futures } = instrument;
    const [coin, amount] =
      futures !== undefined
        ? [futures.settle, futures.coinMargined ? base : quote]
        : side === Side.sell
          ? [instrument.base, base]
          : [instrument.quote, quote];
    // Fees and a little of the price on top.
    const needed = amount + amount / 10n;
    const missing = needed - freeBalance(this.#state, HOUSE_UID, coin, Wallet.unified);
    if (missing > 0n)
      await this.#submit({ type: 'deposit', uid: HOUSE_UID, coin, amount: missing, reference: 'laboratory' });
  }

  async #submit(command: Unstamped<Command>) {
    // A log that is behind would refuse it.
    await this.#sequencer().durable();
    return this.#sequencer().submit(command);
  }
}

/** The exchange takes no such command now, or stops. */
function whyNot(error: Error): string {
  if (error instanceof Unavailable || error instanceof OutcomeUnknown) return error.message;
  throw error;
}

function opposite(side: Side): Side {
  return side === Side.buy ? Side.sell : Side.buy;
}

function onStep(lots: number, { lotStep }: Instrument): number {
  return Math.floor(lots / lotStep) * lotStep;
}

/** A market buy of coins is given in money. */
function lotsOf({ qty = '0', side }: Wanted, instrument: Instrument, priceTicks: number): number {
  const { futures, quantityPrecision, valuePerTickLot } = instrument;
  const byAmount = side === 'buy' && futures === undefined;
  if (!byAmount) return Number(parseUnits(qty, quantityPrecision) ?? 0n);
  return Number((parseUnits(qty, MONEY_SCALE) ?? 0n) / (valuePerTickLot * BigInt(priceTicks)));
}
