/** The order in which positions are deleveraged when neither book nor fund can absorb a forced close (rules 5.11, 5.12). */

import { PosSide } from '../model/enums.ts';
import { tradeValue } from '../model/instrument.ts';
import type { Position } from '../model/position.ts';
import { compare, divFloor, larger, RATE_ONE, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { holdersOf } from '../state/position-holders.ts';
import type { State } from '../state/state.ts';
import { inSettleCoin, maintenanceAt, markTicks, positionOf, unrealisedOf } from './margin.ts';
import { accountRisk } from './margin-cache.ts';

export interface Ranked {
  readonly account: Account;
  readonly position: Position;
  readonly score: bigint;
}

/** Lower bound of the risk that a score is multiplied by. */
const RISK_MIN = RATE_ONE / 10_000n;

/**
 * Rankings of one instant. A cascade of forced closes computes each ranking once and follows it, although every close
 * changes the scores a little: a new ranking for each close would make the cost of a crash quadratic.
 */
export class AdlRanking {
  private readonly queues = new Map<string, Ranked[]>();

  /**
   * The first position with lots left: those that can bear the price first, accounts in liquidation last among them;
   * then the others. Undefined when there is none.
   */
  first(
    state: State,
    instrument: number,
    long: boolean,
    canBear: (ranked: Ranked) => boolean,
  ): Ranked | undefined {
    const key = `${instrument} ${long}`;
    let queue = this.queues.get(key);
    for (let fresh = false; ; fresh = true) {
      if (queue === undefined) {
        for (const account of state.market(state.instruments[instrument]!).holders) state.touch(account);
        // Reversed: entries are popped from the end.
        queue = deleveragingQueue(state, instrument, long).reverse();
        this.queues.set(key, queue);
        fresh = true;
      }
      const found = this.next(queue, canBear);
      if (found !== undefined || fresh) return found;
      // The ranking lacks positions that were opened since, by orders that traded with a forced close.
      queue = undefined;
    }
  }

  /** Call at the end of the instant. */
  forget(): void {
    this.queues.clear();
  }

  private next(queue: Ranked[], canBear: (ranked: Ranked) => boolean): Ranked | undefined {
    let waiting: Ranked | undefined;
    let ruined: Ranked | undefined;
    for (let n = queue.length - 1; n >= 0; n--) {
      const ranked = queue[n]!;
      if (queueLots(ranked.account, ranked.position) <= 0) {
        if (n === queue.length - 1) queue.pop();
        continue;
      }
      if (!canBear(ranked)) ruined ??= ranked;
      else if (ranked.account.liquidating) waiting ??= ranked;
      else return ranked;
    }
    return waiting ?? ruined;
  }
}

/** Positions of one direction, first to be reduced first. */
export function deleveragingQueue(state: State, instrument: number, long: boolean): Ranked[] {
  const ranked: Ranked[] = [];
  for (const { account, position } of holdersOf(state, instrument)) {
    if (position.long !== long || queueLots(account, position) <= 0) continue;
    ranked.push({ account, position, score: scoreOf(state, account, position) });
  }
  return ranked.sort(
    (a, b) =>
      Number(a.account.liquidating) - Number(b.account.liquidating) ||
      compare(b.score, a.score) ||
      queueLots(b.account, b.position) - queueLots(a.account, a.position) ||
      a.account.uid - b.account.uid,
  );
}

/** Lots that may be taken: crossed hedge accounts take part with their net size and direction only. */
export function queueLots(account: Account, position: Position): number {
  if (position.isolated || position.posSide === PosSide.none) return position.lots;
  const other = positionOf(
    account,
    position.instrument,
    position.posSide === PosSide.long ? PosSide.short : PosSide.long,
  );
  return position.lots - (other === undefined || other.isolated ? 0 : other.lots);
}

/** Profit on the entry value, times the risk of the account: the highest profit on the least margin goes first. */
function scoreOf(state: State, account: Account, position: Position): bigint {
  const entry = position.long ? position.queueBasis : -position.queueBasis;
  if (entry === 0n) return 0n;
  const instrument = state.instruments[position.instrument]!;
  const value = tradeValue(instrument, markTicks(state, instrument), position.lots);
  const roi = divFloor((position.long ? value - entry : entry - value) * RATE_ONE, entry);
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
    held =
      position.iso - position.fundingOwed + inSettleCoin(state, instrument, unrealisedOf(state, position));
  } else {
    const risk = accountRisk(state, account);
    needed = risk.maintenance;
    held = risk.effective;
  }
  if (held <= 0n) return RATE_ONE;
  const ratio = divFloor(needed * RATE_ONE, held);
  return smaller(RATE_ONE, larger(RISK_MIN, ratio));
}
