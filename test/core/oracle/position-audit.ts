/**
 * Follows futures positions and funding by what is told of them (rules 10.1): a closing fill never increases or
 * flips a position (I27), and what a settlement takes from payers is what receivers and the insurance fund get (I31).
 */

import { HoldMode, PosSide, Side } from '../../../src/core/model/enums.ts';
import type { Event, FillRecord, OrderRecord } from '../../../src/core/model/event.ts';
import { positionKey } from '../../../src/core/model/position.ts';
import type { State } from '../../../src/core/state/state.ts';

export class PositionAudit {
  private readonly state: State;
  /** Signed lots by account and `positionKey`. Fills of house accounts are not told, so they have none here. */
  private readonly sizes = new Map<number, Map<number, number>>();
  private readonly fail: (message: string) => never;

  constructor(state: State, fail: (message: string) => never) {
    this.state = state;
    this.fail = fail;
    for (const { uid, house, positions } of state.accountByUid.values()) {
      if (house) continue;
      for (const [key, { size }] of positions) this.of(uid).set(key, size);
    }
  }

  /** The command before left work open. */
  private inPortions = false;

  /** Call once after each command with everything it emitted. */
  observe(events: readonly Event[]): void {
    const changed = new Set<number>();
    const orders = new Map<number, OrderRecord>();
    for (const event of events) if (event.type === 'order') orders.set(event.order.orderId, event.order);
    /** Lines of the running settlements, by contract: they come before the word of each. */
    const funding = new Map<number, bigint>();
    for (const event of events) {
      if (event.type === 'fill' && event.fill.futures !== undefined) {
        if (this.follow(event.fill, orders.get(event.fill.orderId))) changed.add(event.fill.uid);
      } else if (event.type === 'ledgerLine' && isFunding(event.kind)) {
        funding.set(event.instrument, (funding.get(event.instrument) ?? 0n) + event.amount);
      } else if (event.type === 'fundingSettled') {
        // Of a settlement in portions (rules 14.3) the lines stand in several commands; I52 adds them up.
        const lines = this.inPortions ? -event.toFund : (funding.get(event.instrument) ?? 0n);
        this.checkFunding(event.instrument, lines, event.toFund);
        funding.delete(event.instrument);
      }
    }
    this.inPortions = this.state.works.length > 0;
    for (const uid of changed) this.compare(uid);
  }

  /** I27. False for fills of accounts that are not followed. */
  private follow(fill: FillRecord, order: OrderRecord | undefined): boolean {
    const account = this.state.accountByUid.get(fill.uid)!;
    if (account.house) return false;
    const { closing, posSide } = fill.futures!;
    const side = account.holdMode === HoldMode.hedge ? posSide : PosSide.none;
    const key = positionKey(fill.instrument, side);
    const size = this.of(fill.uid).get(key) ?? 0;
    const change = fill.side === Side.buy ? fill.sizeLots : -fill.sizeLots;
    const name = `I27: fill ${fill.execId} of ${change} lots on a position of ${size}`;
    if (closing && size * change >= 0) this.fail(`${name} says that it closes`);
    if (closing && Math.abs(change) > Math.abs(size)) this.fail(`${name} flips it`);
    if (!closing && size * change < 0) this.fail(`${name} says that it opens`);
    const reduces = order?.futures?.reduceOnly === true || order?.futures?.closing === true;
    if (reduces && !closing) this.fail(`${name} opens for an order that may only close`);
    this.of(fill.uid).set(key, size + change);
    return true;
  }

  private compare(uid: number): void {
    const { positions } = this.state.accountByUid.get(uid)!;
    for (const [key, size] of this.of(uid)) {
      const held = positions.get(key)?.size ?? 0;
      if (held !== size) this.fail(`I27: account ${uid} holds ${held} lots, its fills come to ${size}`);
    }
  }

  /** I31. Lines of house accounts are not told, so where one trades the sum is not to be had. */
  private checkFunding(instrument: number, lines: bigint, toFund: bigint): void {
    const { symbol } = this.state.instruments[instrument]!;
    const houses = [...this.state.accountByUid.values()].some(({ house }) => house);
    if (toFund < 0n) this.fail(`I31: the fund paid ${-toFund} of the funding of ${symbol}`);
    if (!houses && lines + toFund !== 0n)
      this.fail(`I31: funding of ${symbol}: users ${lines}, insurance ${toFund}`);
  }

  private of(uid: number): Map<number, number> {
    const known = this.sizes.get(uid);
    if (known !== undefined) return known;
    const sizes = new Map<number, number>();
    this.sizes.set(uid, sizes);
    return sizes;
  }
}

function isFunding(kind: string): boolean {
  return kind === 'fundingIn' || kind === 'fundingOut';
}
