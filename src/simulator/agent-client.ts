/**
 * The client of an agent: it reads the state and acts only by commands through the sequencer. An agent decides from
 * applied state, so with the same clock and the same commands it always decides the same.
 */

import { type AmendRequest, ANY, type Command, type Unstamped } from '../core/model/command.ts';
import type { CommandResult } from '../core/model/command-result.ts';
import { OrderType, PosSide, Side, Source, StpMode, TimeInForce } from '../core/model/enums.ts';
import type { Position } from '../core/model/position.ts';
import { positionKey } from '../core/model/position.ts';
import { RejectReason } from '../core/model/reject-reason.ts';
import { NIL } from '../core/reads/market-reads.ts';
import type { State } from '../core/state/state.ts';
import type { InstrumentView } from './instrument-view.ts';
import { COMMANDS_BURST_MAX, COMMANDS_PER_SECOND_MAX } from './limits.ts';

export interface CommandPort {
  readonly state: State;
  submit(command: Unstamped<Command>): Promise<CommandResult>;
}

export interface NewOrder {
  readonly uid: number;
  readonly view: InstrumentView;
  readonly side: Side;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly timeInForce: TimeInForce;
  readonly source?: Source;
  readonly reduceOnly?: boolean;
}

/** New price and size of an order; 0 leaves one unchanged. */
export type OrderChange = Pick<AmendRequest, 'orderId' | 'priceTicks' | 'sizeLots' | 'autoCancel'>;

export class AgentClient {
  private readonly port: CommandPort;
  now = 0;
  /** Commands submitted, and their results. */
  commands = 0;
  unavailable = 0;
  readonly refusals = new Map<RejectReason, number>();
  private allowance = COMMANDS_BURST_MAX;

  constructor(port: CommandPort) {
    this.port = port;
  }

  get state(): State {
    return this.port.state;
  }

  begin(now: number, seconds: number): void {
    this.now = now;
    this.allowance = Math.min(COMMANDS_BURST_MAX, this.allowance + seconds * COMMANDS_PER_SECOND_MAX);
  }

  /** Is there capacity for work that can wait? */
  get hasCapacity(): boolean {
    return this.allowance > 0;
  }

  submit(command: Unstamped<Command>): void {
    this.commands++;
    this.allowance--;
    this.port.submit(command).then(
      (result) => {
        this.note(result);
      },
      () => {
        this.unavailable++;
      },
    );
  }

  get refused(): number {
    let sum = 0;
    for (const count of this.refusals.values()) sum += count;
    return sum;
  }

  private note({ rejectReason, items }: CommandResult): void {
    if (rejectReason !== RejectReason.none)
      this.refusals.set(rejectReason, (this.refusals.get(rejectReason) ?? 0) + 1);
    if (items !== undefined) for (const item of items) this.note(item);
  }

  place({ uid, view, side, priceTicks, sizeLots, timeInForce, source, reduceOnly }: NewOrder): void {
    this.submit({
      type: 'placeOrder',
      uid,
      source: source ?? Source.api,
      instrument: view.instrument.index,
      side,
      orderType: OrderType.limit,
      timeInForce,
      stpMode: StpMode.cancelTaker,
      priceTicks,
      sizeLots,
      quoteAmount: 0n,
      clientOid: '',
      ...(reduceOnly === true && { reduceOnly }),
    });
  }

  cancel(uid: number, orderId: number): void {
    this.submit({
      type: 'cancelOrder',
      uid,
      orderId,
      clientOid: '',
      category: ANY,
      instrument: ANY,
    });
  }

  /** Changes of several orders of an account in one modification. */
  amend(uid: number, changes: readonly OrderChange[]): void {
    const items = changes.map(
      (change): AmendRequest => ({
        ...change,
        clientOid: '',
        category: ANY,
        instrument: ANY,
      }),
    );
    this.submit({ type: 'amendOrders', uid, source: Source.api, items });
  }

  /** An IOC order up to a price that is `reach` (a fraction) beyond the best one. */
  placeIoc(
    uid: number,
    view: InstrumentView,
    side: Side,
    lots: number,
    reach: number,
    source: Source,
    reduceOnly = false,
  ): void {
    const buying = side === Side.buy;
    const best = view.best(buying ? Side.sell : Side.buy);
    if (best === 0) return;
    const priceTicks = buying ? view.up(best * (1 + reach)) : view.down(best * (1 - reach));
    const sizeLots = view.size(lots, priceTicks);
    this.place({ uid, view, side, priceTicks, sizeLots, timeInForce: TimeInForce.ioc, source, reduceOnly });
  }

  /** Slots of an account's open orders, oldest first. */
  orders(uid: number): number[] {
    const { slab, accountByUid } = this.state;
    const slots: number[] = [];
    const account = accountByUid.get(uid);
    if (account === undefined) return slots;
    for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) slots.push(slot);
    return slots;
  }

  positionOf(uid: number, view: InstrumentView): Position | undefined {
    const account = this.state.accountByUid.get(uid);
    return account?.positions.get(positionKey(view.instrument.index, PosSide.none));
  }

  /** Signed size of an account's position in lots. */
  position(uid: number, view: InstrumentView): number {
    return this.positionOf(uid, view)?.size ?? 0;
  }
}
