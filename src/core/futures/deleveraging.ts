/** Auto-deleveraging: who has to give when neither the book nor the fund can (domain.md 5.11, 5.12). */
import type { Account } from '../account.ts';
import { cancelSlot } from '../orders/cancel.ts';
import type { State } from '../state.ts';
import { CancelReason, OrderKind, PosSide } from '../terms.ts';
import { assert, compare, divFloor, larger, RATE_ONE, smaller } from '../units.ts';
import { endForcedOrder, forcedOrder } from './forced-orders.ts';
import { closingOrders } from './futures-entry.ts';
import type { FuturesSettlement } from './futures-settlement.ts';
import { inSettleCoin, maintenanceAt, markTicks, positionOf, unrealisedOf } from './margin.ts';
import { accountRisk } from './margin-cache.ts';
import type { Position } from './position.ts';

export interface Ranked {
  readonly account: Account;
  readonly position: Position;
  /** Lots that may be taken: the net size of a crossed hedged pair, the whole of any other. */
  readonly lots: number;
  readonly score: bigint;
}

/** The risk that a score is multiplied by stays within these. */
const RISK_MIN = RATE_ONE / 10_000n;

/** Positions of one direction, first to be reduced first. */
export function deleveragingQueue(state: State, instrument: number, long: boolean): Ranked[] {
  const ranked: Ranked[] = [];
  for (const account of state.accountByUid.values()) {
    for (const position of account.positions.values()) {
      if (position.instrument !== instrument || position.long !== long || position.size === 0) continue;
      const lots = queueLots(account, position);
      if (lots > 0) ranked.push({ account, position, lots, score: scoreOf(state, account, position) });
    }
  }
  return ranked.sort(
    (a, b) =>
      Number(a.account.liquidating) - Number(b.account.liquidating) ||
      compare(b.score, a.score) ||
      b.lots - a.lots ||
      a.account.uid - b.account.uid,
  );
}

/** Crossed hedge accounts take part with their net size and direction only. */
function queueLots(account: Account, position: Position): number {
  if (position.isolated || position.posSide === PosSide.none) return position.lots;
  const other = positionOf(
    account,
    position.instrument,
    position.posSide === PosSide.long ? PosSide.short : PosSide.long,
  );
  return position.lots - (other === undefined || other.isolated ? 0 : other.lots);
}

/** Profit on the entry value, times the risk of the account: who earns most with the least behind it goes first. */
function scoreOf(state: State, account: Account, position: Position): bigint {
  const basis = position.long ? position.basis : -position.basis;
  if (basis === 0n) return 0n;
  const roi = divFloor(unrealisedOf(state, position) * RATE_ONE, basis);
  const risk = riskOf(state, account, position);
  return roi >= 0n ? divFloor(roi * risk, RATE_ONE) : divFloor(roi * RATE_ONE, risk);
}

function riskOf(state: State, account: Account, position: Position): bigint {
  const instrument = state.instruments[position.instrument]!;
  let needed: bigint;
  let held: bigint;
  if (position.isolated) {
    needed = inSettleCoin(
      state,
      instrument,
      maintenanceAt(instrument, markTicks(state, instrument), position.lots),
    );
    held = position.iso + inSettleCoin(state, instrument, unrealisedOf(state, position));
  } else {
    const risk = accountRisk(state, account);
    needed = risk.maintenance;
    held = risk.effective;
  }
  if (held <= 0n) return RATE_ONE;
  const ratio = divFloor(needed * RATE_ONE, held);
  return smaller(RATE_ONE, larger(RISK_MIN, ratio));
}

/** Closes `lots` of a bankrupt position against the other side's queue, at the bankruptcy price and without fees. */
export function deleverage(
  state: State,
  settlement: FuturesSettlement,
  slot: number,
  position: Position,
  priceTicks: number,
): void {
  const { slab } = state;
  const queue = deleveragingQueue(state, position.instrument, !position.long);
  for (const { account, position: other, lots } of queue) {
    const wanted = slab.remaining[slot]!;
    if (wanted === 0) break;
    for (const order of closingOrders(state, account, other.instrument, other.posSide)) {
      cancelSlot(state, order, CancelReason.adl);
    }
    const taken = Math.min(wanted, lots);
    const counter = forcedOrder(state, account, other, taken, OrderKind.adl);
    settlement.tradeDirectly(slot, counter, priceTicks, taken);
    endForcedOrder(state, counter);
  }
  assert(slab.remaining[slot] === 0, 'the other side is at least as large as what is deleveraged (I06)');
}
