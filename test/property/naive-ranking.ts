/** The deleveraging queue by the words of rules 5.11: every position scored in big integers, all of them sorted. */
import {
  computeRisk,
  inSettleCoin,
  maintenanceAt,
  markTicks,
  unrealisedOf,
} from '../../src/core/margin/margin.ts';
import { PosSide } from '../../src/core/model/enums.ts';
import { tradeValue } from '../../src/core/model/instrument.ts';
import type { Position } from '../../src/core/model/position.ts';
import { divFloor, RATE_ONE } from '../../src/core/model/units.ts';
import type { Account } from '../../src/core/state/account.ts';
import type { State } from '../../src/core/state/state.ts';

export interface NaiveRank {
  readonly account: Account;
  readonly position: Position;
  readonly lots: number;
  readonly score: bigint;
}

export function naiveRanking(state: State, instrument: number, long: boolean): NaiveRank[] {
  const all: NaiveRank[] = [];
  for (const account of state.accountByUid.values()) {
    const held = [...account.positions.values()].filter((position) => position.instrument === instrument);
    for (const position of held) {
      const hedged = position.posSide !== PosSide.none && !position.isolated;
      const other = held.find((each) => hedged && each.posSide !== position.posSide && !each.isolated);
      const lots = position.lots - (other?.lots ?? 0);
      if (position.long !== long || lots <= 0) continue;
      all.push({ account, position, lots, score: scoreOf(state, account, position) });
    }
  }
  return all.sort(
    (a, b) =>
      Number(a.account.liquidating) - Number(b.account.liquidating) ||
      Number(b.score > a.score) - Number(b.score < a.score) ||
      b.lots - a.lots ||
      a.account.uid - b.account.uid,
  );
}

function scoreOf(state: State, account: Account, position: Position): bigint {
  const instrument = state.instruments[position.instrument]!;
  const mark = markTicks(state, instrument);
  const entry = position.queueBasis < 0n ? -position.queueBasis : position.queueBasis;
  if (entry === 0n) return 0n;
  const gain = (tradeValue(instrument, mark, position.lots) - entry) * (position.long ? 1n : -1n);
  const roi = divFloor(gain * RATE_ONE, entry);
  const { maintenance, effective } = computeRisk(state, account);
  const inCoin = (amount: bigint) => inSettleCoin(state, instrument, amount);
  const [needed, held] = position.isolated
    ? [
        inCoin(maintenanceAt(instrument, mark, position.lots)),
        position.iso - position.fundingOwed + inCoin(unrealisedOf(state, position)),
      ]
    : [maintenance, effective];
  let risk = held <= 0n ? RATE_ONE : divFloor(needed * RATE_ONE, held);
  if (risk > RATE_ONE) risk = RATE_ONE;
  if (risk < RATE_ONE / 10_000n) risk = RATE_ONE / 10_000n;
  return roi >= 0n ? divFloor(roi * risk, RATE_ONE) : divFloor(roi * RATE_ONE, risk);
}
