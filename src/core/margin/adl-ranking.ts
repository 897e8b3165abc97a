/** The order in which positions are deleveraged when neither book nor fund can absorb a forced close (rules 5.11, 5.12). */

import type { Amount } from '../model/amount.ts';
import { PosSide } from '../model/enums.ts';
import { type Instrument, tradeValue, valueNumber } from '../model/instrument.ts';
import type { Position } from '../model/position.ts';
import { PositionColumn } from '../model/position-numbers.ts';
import { floorRatio } from '../model/safe-integers.ts';
import { divFloor, larger, RATE_ONE, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { MarginCache } from '../state/margin-cache-state.ts';
import { POSITION_COLUMNS, PositionRow, type PositionTable } from '../state/position-table.ts';
import type { State } from '../state/state.ts';
import { AdlQueue, type Ranked } from './adl-queue.ts';
import { inSettleCoin, maintenanceAt, markTicks, positionOf, unrealisedOf } from './margin.ts';
import { accountRisk, currentMaintenance, RepricedMaintenance } from './margin-cache.ts';

export type { Ranked } from './adl-queue.ts';

/** Lower bound of the risk that a score is multiplied by. */
const RISK_MIN = RATE_ONE / 10_000n;
const RATE_NUMBER = Number(RATE_ONE);
const RISK_MIN_NUMBER = Number(RISK_MIN);

interface Queue {
  readonly order: AdlQueue;
  /** The first place that may still have lots. */
  head: number;
}

/**
 * Rankings of one instant. A cascade of forced closes computes each ranking once and follows it, although every close
 * changes the scores a little: a new ranking for each close would make the cost of a crash quadratic.
 */
export class AdlRanking {
  private readonly queues = new Map<string, Queue>();
  /** Positions looked at so far. Only differences count. */
  ranked = 0;

  /**
   * The first position with lots left: those that can bear the price first, accounts in liquidation last among them;
   * then the others. Undefined when there is none. `search`: of the same close.
   */
  first(state: State, instrument: number, long: boolean, search: AdlSearch): Ranked | undefined {
    const key = `${instrument} ${long}`;
    let queue = this.queues.get(key);
    for (let fresh = false; ; fresh = true) {
      if (queue === undefined) {
        if (!state.rules.settledWhenAsked) settleHolders(state, instrument);
        queue = { order: deleveragingQueue(state, instrument, long), head: 0 };
        this.ranked += state.market(state.instruments[instrument]!).positions.size;
        this.queues.set(key, queue);
        fresh = true;
      }
      const found = search.next(queue);
      if (found !== undefined || fresh) return found;
      // The ranking lacks positions that were opened since, by orders that traded with a forced close.
      queue = undefined;
    }
  }

  /** Call at the end of the instant. */
  forget(): void {
    // A map that is emptied gets a new table, although nearly every instant has no ranking.
    if (this.queues.size !== 0) this.queues.clear();
  }
}

/**
 * The positions that one close takes, in turn. Nobody but whom it takes changes meanwhile, so each is asked once whether he
 * can bear its price: to ask again with each that is taken would be quadratic where the other side is ruined.
 */
export class AdlSearch {
  private readonly canBear: (ranked: Ranked) => boolean;
  private queue: Queue | undefined;
  private place = 0;
  /** Passed over: accounts in liquidation, and those that cannot bear the price. */
  private inLiquidation: Ranked[] = [];
  private ruined: Ranked[] = [];

  constructor(canBear: (ranked: Ranked) => boolean) {
    this.canBear = canBear;
  }

  next(queue: Queue): Ranked | undefined {
    // Whom this and earlier closes have taken is out of the ranking, also if he has lots again.
    for (let first = queue.order.at(queue.head); first !== undefined && !hasLots(first); )
      first = queue.order.at(++queue.head);
    if (queue !== this.queue) {
      this.queue = queue;
      this.place = queue.head;
      this.inLiquidation = [];
      this.ruined = [];
    }
    for (; ; this.place++) {
      const ranked = queue.order.at(this.place);
      if (ranked === undefined) return firstLeft(this.inLiquidation) ?? firstLeft(this.ruined);
      if (!hasLots(ranked)) continue;
      const bears = this.canBear(ranked);
      // Open work may have closed it.
      if (!hasLots(ranked)) continue;
      if (!bears) this.ruined.push(ranked);
      else if (ranked.account.liquidating) this.inLiquidation.push(ranked);
      else return ranked;
    }
  }
}

const hasLots = ({ account, position }: Ranked): boolean => queueLots(account, position) > 0;

function firstLeft(group: Ranked[]): Ranked | undefined {
  while (group.length !== 0 && !hasLots(group[0]!)) group.shift();
  return group[0];
}

/** What holders are to get from open work is their own before they are taken (rules 14.3). */
function settleHolders(state: State, instrument: number): void {
  if (state.works.length === 0) return;
  for (const account of state.market(state.instruments[instrument]!).holders) state.settleOpenWork(account);
}

/** Positions of one direction, first to be reduced first. */
export function deleveragingQueue(state: State, instrument: number, long: boolean): AdlQueue {
  const contract = state.instruments[instrument]!;
  const table = state.market(contract).positions;
  const { positions, numbers } = table;
  const { accounts, inLiquidation } = state;
  const scores = new Scores(state, contract, table);
  const queue = new AdlQueue(accounts, positions.length);
  for (let row = 0, at = 0; row < positions.length; row++, at += POSITION_COLUMNS) {
    const size = numbers[at + PositionRow.size]!;
    if (long ? size <= 0 : size >= 0) continue;
    const index = numbers[at + PositionRow.account]!;
    const score = scores.of(row);
    if (Number.isNaN(score)) addRanked(state, queue, accounts[index]!, positions[row]!);
    else {
      const liquidating = inLiquidation.size !== 0 && inLiquidation.has(index);
      queue.add(positions[row]!, numbers[at + PositionRow.uid]!, score, Math.abs(size), liquidating);
    }
  }
  return queue.close();
}

/** One whose rank does not follow from the columns of the table. */
function addRanked(state: State, queue: AdlQueue, account: Account, position: Position): void {
  const ranked = rank(state, account, position);
  if (ranked !== undefined) queue.addRanked(ranked);
}

/** How many of the ranked positions are reduced before this one, and how many there are; undefined when it is not one. */
export function deleveragingPlace(
  state: State,
  position: Position,
  all: readonly Ranked[] = rankedOf(state, position.instrument, position.long),
): { readonly ahead: number; readonly count: number } | undefined {
  const own = rank(state, state.accounts[position.account]!, position);
  if (own === undefined) return undefined;
  let [ahead, count] = [0, 1];
  for (const other of all) {
    if (other.position === position) continue;
    count++;
    if (isBefore(other, own)) ahead++;
  }
  return { ahead, count };
}

/**
 * The positions of one direction, ranked in slices for those who read. Each slice is of its own instant: what is shown by a
 * place in the queue is how near it is to the front.
 */
export class RankingRead {
  /** In no particular order. */
  readonly ranked: Ranked[] = [];
  private readonly state: State;
  private readonly instrument: number;
  private readonly long: boolean;
  private readonly holders: Iterator<Account>;

  constructor(state: State, instrument: number, long: boolean) {
    this.state = state;
    this.instrument = instrument;
    this.long = long;
    this.holders = state.market(state.instruments[instrument]!).holders.values();
  }

  /** Looks at so many holders. Returns whether all have been. */
  advance(count: number): boolean {
    const { holders, ranked } = this;
    for (let n = 0; n < count; n++) {
      const { done, value: account } = holders.next();
      if (done === true) return true;
      // An account has one position of a direction at most.
      for (const position of account.positions.values()) {
        if (position.instrument !== this.instrument || position.long !== this.long) continue;
        const found = rank(this.state, account, position);
        if (found !== undefined) ranked.push(found);
      }
    }
    return false;
  }
}

function rankedOf(state: State, instrument: number, long: boolean): Ranked[] {
  const read = new RankingRead(state, instrument, long);
  read.advance(Number.POSITIVE_INFINITY);
  return read.ranked;
}

/** Undefined for the smaller side of a crossed pair, which is never reduced. */
function rank(state: State, account: Account, position: Position): Ranked | undefined {
  const lots = queueLots(account, position);
  if (lots <= 0) return undefined;
  const score = scoreOf(state, account, position);
  return { account, position, score, lots, liquidating: account.liquidating };
}

function isBefore(a: Ranked, b: Ranked): boolean {
  if (a.liquidating !== b.liquidating) return b.liquidating;
  if (a.score !== b.score) {
    if (a.score > b.score) return true;
    if (a.score < b.score) return false;
  }
  if (a.lots !== b.lots) return a.lots > b.lots;
  return a.account.uid < b.account.uid;
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
function scoreOf(state: State, account: Account, position: Position): Amount {
  const number = scoreNumber(state, account, position);
  return Number.isNaN(number) ? exactScore(state, account, position) : number;
}

/** The same in numbers, NaN where they are not exact. */
function scoreNumber(state: State, account: Account, position: Position): number {
  if (position.isolated) return Number.NaN;
  const entry = Math.abs(position.number(PositionColumn.queueBasis));
  if (entry === 0) return 0;
  const instrument = state.instruments[position.instrument]!;
  const value = valueNumber(instrument, markTicks(state, instrument), position.lots);
  const profit = position.long ? value - entry : entry - value;
  return scoreFrom(profit, entry, riskNumber(currentMaintenance(state, account)));
}

function scoreFrom(profit: number, entry: number, risk: number): number {
  const roi = floorRatio(profit, RATE_NUMBER, entry);
  return roi >= 0 ? floorRatio(roi, risk, RATE_NUMBER) : floorRatio(roi, RATE_NUMBER, risk);
}

/** Maintenance margin over effective equity, 10^-12, in its bounds; NaN where numbers are not exact. */
function riskNumber({ maintenance, effective }: Maintenance): number {
  if (Number.isNaN(maintenance + effective)) return Number.NaN;
  const risk = effective <= 0 ? RATE_NUMBER : floorRatio(maintenance, RATE_NUMBER, effective);
  return Math.min(RATE_NUMBER, Math.max(RISK_MIN_NUMBER, risk));
}

interface Maintenance {
  readonly maintenance: number;
  readonly effective: number;
}

/** Scores of a contract's positions at the present prices. Nothing else is brought up to date for them. */
class Scores {
  private readonly state: State;
  private readonly contract: Instrument;
  private readonly table: PositionTable;
  private readonly mark: number;
  private readonly repriced: RepricedMaintenance;

  constructor(state: State, contract: Instrument, table: PositionTable) {
    this.state = state;
    this.contract = contract;
    this.table = table;
    this.mark = markTicks(state, contract);
    this.repriced = new RepricedMaintenance(state);
  }

  /**
   * Of a position, given by its row in the table, where it is kept until prices, money or positions change. NaN where it is
   * not exact.
   */
  of(row: number): number {
    const { state } = this;
    const { priceVersion } = state;
    const { numbers } = this.table;
    const at = row * POSITION_COLUMNS;
    const changes = state.ledger.changesOf(numbers[at + PositionRow.account]!);
    if (
      numbers[at + PositionRow.priceVersion] === priceVersion &&
      numbers[at + PositionRow.changes] === changes
    )
      return numbers[at + PositionRow.score]!;
    const score = this.compute(row, changes);
    numbers[at + PositionRow.score] = score;
    numbers[at + PositionRow.priceVersion] = priceVersion;
    numbers[at + PositionRow.changes] = changes;
    return score;
  }

  private compute(row: number, changes: number): number {
    const { state, table } = this;
    const { numbers } = table;
    const at = row * POSITION_COLUMNS;
    const size = numbers[at + PositionRow.size]!;
    const entry = numbers[at + PositionRow.queueBasis]!;
    const value = valueNumber(this.contract, this.mark, Math.abs(size));
    const profit = size > 0 ? value - entry : entry - value;
    if (entry === 0 || Number.isNaN(profit)) return Number.NaN;
    const account = numbers[at + PositionRow.account]!;
    const margin = table.marginOf(row, state.accounts);
    return scoreFrom(profit, entry, riskNumber(this.maintenanceOf(account, margin, changes)));
  }

  private maintenanceOf(account: number, margin: MarginCache | undefined, changes: number): Maintenance {
    const { state, repriced } = this;
    if (margin?.isMaintenanceCurrent(state.priceVersion, changes) === true) return margin;
    if (margin?.isMaintenanceRepricable(changes) === true && repriced.compute(margin)) return repriced;
    return currentMaintenance(state, state.accounts[account]!);
  }
}

function exactScore(state: State, account: Account, position: Position): bigint {
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
