/**
 * Positions that were handed from one account to another: both sides are there, of the same size, at the mark of the
 * instant and free; both accounts belong to one owner; nobody took on what it has no margin for; no fill says that it is
 * of a move without one.
 */

import { computeRisk } from '../../../src/core/margin/margin.ts';
import { OrderKind, Side } from '../../../src/core/model/enums.ts';
import type { Event, FillRecord, PositionMoved } from '../../../src/core/model/event.ts';
import type { State } from '../../../src/core/state/state.ts';
import { expect } from './failure.ts';

export class MoveAudit {
  private readonly state: State;

  constructor(state: State) {
    this.state = state;
  }

  /** Call once after each command with everything it emitted. */
  observe(events: readonly Event[]): void {
    const fills = new Map<number, FillRecord[]>();
    for (const event of events) {
      if (event.type !== 'fill' || event.fill.futures?.kind !== OrderKind.move) continue;
      fills.set(event.fill.orderId, [...(fills.get(event.fill.orderId) ?? []), event.fill]);
    }
    for (const event of events) {
      if (event.type !== 'positionMoved') continue;
      const given = fills.get(event.orderId) ?? [];
      const taken = fills.get(event.openOrderId) ?? [];
      this.check(event, given, taken);
      fills.delete(event.orderId);
      fills.delete(event.openOrderId);
    }
    expect(
      fills.size === 0,
      () => `orders ${[...fills.keys()].join(', ')} moved something and no move is told`,
    );
  }

  private check(move: PositionMoved, given: readonly FillRecord[], taken: readonly FillRecord[]): void {
    const { state } = this;
    const name = `move ${move.orderId}`;
    const instrument = state.instruments[move.instrument]!;
    const { markTicks, index } = state.market(instrument).futures!;
    expect(!index.stale, () => `${name} at a stale index`);
    expect(move.priceTicks === markTicks, () => `${name} at ${move.priceTicks}, the mark is ${markTicks}`);
    const owners = [move.fromUid, move.toUid].map((uid) => {
      const { masterUid } = state.accountByUid.get(uid)!;
      return masterUid === 0 ? uid : masterUid;
    });
    expect(
      move.fromUid !== move.toUid && owners.every((uid) => uid === move.masterUid),
      () => `${name} between accounts of ${owners.join(', ')}`,
    );
    this.checkSide(name, move, given, move.fromUid, move.long ? Side.sell : Side.buy, move.closeExecId);
    this.checkSide(name, move, taken, move.toUid, move.long ? Side.buy : Side.sell, move.openExecId);
    expect(
      given.length === 1 && given[0]!.futures!.closing,
      () => `${name} does not only close the given part`,
    );
    if (!taken.some(({ futures }) => futures!.closing === false)) return;
    const { effective, initial } = computeRisk(state, state.accountByUid.get(move.toUid)!);
    expect(effective >= initial, () => `${name}: account ${move.toUid} has ${effective}, needs ${initial}`);
  }

  private checkSide(
    name: string,
    move: PositionMoved,
    fills: readonly FillRecord[],
    uid: number,
    side: Side,
    execId: number,
  ): void {
    const lots = fills.reduce((sum, { sizeLots }) => sum + sizeLots, 0);
    expect(lots === move.sizeLots, () => `${name}: ${lots} lots of ${move.sizeLots} at account ${uid}`);
    expect(fills.at(-1)?.execId === execId, () => `${name} names fill ${execId}`);
    for (const fill of fills) {
      const fits =
        fill.uid === uid &&
        fill.side === side &&
        fill.priceTicks === move.priceTicks &&
        fill.instrument === move.instrument &&
        fill.fee === 0n;
      expect(fits, () => `${name} and fill ${fill.execId} disagree`);
    }
  }
}
